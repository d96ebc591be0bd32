"use strict";
// Inside an overlay that stands in a pane of a comparison, after marks.js: scrolls with the other one.
(() => {
  const pane = document.getElementById("pane");
  let expected = -1;

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
