"use strict";
// Inside an overlay in a pane of a comparison, after marks.js: scroll together with the other overlay.
(() => {
  const pane = document.getElementById("pane");
  const KEYS = new Set(["j", "k", "ArrowDown", "ArrowUp", "+", "-", "0"]);
  let expected = -1;

  const send = (message) => parent.postMessage({ vclean: message }, "*");
  pane.addEventListener("scroll", () => {
    const top = Math.round(pane.scrollTop);
    if (Math.abs(top - expected) > 1) send({ top: pane.scrollTop / vclean.scale(), left: pane.scrollLeft });
    expected = -1;
  }, { passive: true });
  vclean.on("select", ({ indexes, source }) => { if (source !== "script") send({ select: indexes.at(-1) ?? -1 }); });
  // Keys go to the comparison: those of an overlay refer to its list, which is hidden.
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.key === "Tab") return;
    event.stopImmediatePropagation();
    if (KEYS.has(event.key)) event.preventDefault();
    send({ key: event.key });
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
  send({ ready: true });
})();
