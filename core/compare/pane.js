"use strict";
// Inside an overlay that stands in a pane of a comparison: marks what differs, and scrolls with the other one.
(() => {
  const pane = document.getElementById("pane"), stage = document.getElementById("stage");
  const { width, height } = vclean.data.page;
  const marks = new Map();
  let expected = -1;

  vclean.blocks.forEach((block, row) => {
    if (!block.changed || !block.box || !vclean.isPainted(block)) return;
    const [x, y, wide, high] = block.box;
    const colour = vclean.data.pens.label[block.label].colour;
    const mark = vclean.element("div", { className: `difference ${block.label === "o" ? "left" : "kept"}` });
    mark.style.setProperty("--c", `rgb(${colour.join(" ")})`);
    mark.style.left = `calc(${(100 * x) / width}% - 3px)`;
    mark.style.top = `calc(${(100 * y) / height}% - 3px)`;
    mark.style.width = `calc(${(100 * wide) / width}% + 6px)`;
    mark.style.height = `calc(${(100 * high) / height}% + 6px)`;
    marks.set(row, mark);
    stage.append(mark);
  });

  const tell = (message) => parent.postMessage({ vclean: message }, "*");
  pane.addEventListener("scroll", () => {
    const top = Math.round(pane.scrollTop);
    if (Math.abs(top - expected) > 1) tell({ top: pane.scrollTop / vclean.scale(), left: pane.scrollLeft });
    expected = -1;
  }, { passive: true });
  vclean.on("select", ({ indexes, source }) => { if (source !== "script") tell({ select: indexes.at(-1) ?? -1 }); });
  document.addEventListener("keydown", (event) => {
    if (!event.ctrlKey && !event.metaKey && !event.altKey) tell({ key: event.key });
  });

  function show(row) {
    for (const [other, mark] of marks) mark.classList.toggle("current", other === row);
    const box = vclean.blocks[row]?.box;
    if (box) scrollTo(Math.max(0, (box[1] + Math.min(box[3], 300) / 2) * vclean.scale() - pane.clientHeight / 2), pane.scrollLeft);
    vclean.select(row < 0 ? [] : [row]);
  }

  function scrollTo(top, left) {
    expected = Math.min(Math.round(top), pane.scrollHeight - pane.clientHeight);
    pane.scrollTo({ top, left, behavior: "instant" });
  }

  addEventListener("message", (event) => {
    const message = event.source === parent ? event.data?.vclean : null;
    if (!message) return;
    if ("show" in message) show(message.show);
    if ("top" in message) scrollTo(message.top * vclean.scale(), message.left);
  });
  tell({ ready: true });
})();
