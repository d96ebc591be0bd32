"use strict";
// Inside an overlay that stands in a pane of a comparison, after marks.js: scrolls with the other one.
(() => {
  const pane = document.getElementById("pane");
  const KEYS = new Set(["j", "k", "ArrowDown", "ArrowUp", "+", "-", "0"]);
  let expected = -1;

  const tell = (message) => parent.postMessage({ vclean: message }, "*");
  pane.addEventListener("scroll", () => {
    const top = Math.round(pane.scrollTop);
    if (Math.abs(top - expected) > 1) tell({ top: pane.scrollTop / vclean.scale(), left: pane.scrollLeft });
    expected = -1;
  }, { passive: true });
  vclean.on("select", ({ indexes, source }) => { if (source !== "script") tell({ select: indexes.at(-1) ?? -1 }); });
  // The keys are those of the comparison: an overlay's own speak of a list that is not shown here.
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.key === "Tab") return;
    event.stopImmediatePropagation();
    if (KEYS.has(event.key)) event.preventDefault();
    tell({ key: event.key });
  }, true);

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
    if (message.zoom === "fit") vclean.setZoom("fit");
    else if (message.zoom) vclean.zoomBy(message.zoom);
    if ("top" in message) scrollTo(message.top * vclean.scale(), message.left);
  });
  tell({ ready: true });
})();
