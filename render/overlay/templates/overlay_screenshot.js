"use strict";
/* The screenshot with frames over it. Only the frames near the visible part are in the document: thousands would take
   long to lay out. Boxes are in CSS px of the page; the width of the stage scales them. */
(() => {
  const { data, state, items, element } = vclean;
  const [pane, stage, image, frames, selection, pointer] =
    ["pane", "stage", "image", "frames", "selection", "pointer"].map((id) => document.getElementById(id));
  const DRAG = 4; // px from which a movement is a drag
  const { width, height } = data.page;
  let drawnAt = 0;
  let drawing = 0;
  let drag = null;
  let userScrolls = false;

  if (data.page.screenshot) image.src = data.page.screenshot;
  else image.remove();
  stage.style.setProperty("--page", width);
  stage.style.aspectRatio = `${width} / ${height}`;

  /* --- size ------------------------------------------------------------------------------------------------ */

  const scale = () => stage.clientWidth / width;

  /* Changes the width of the screenshot to a multiple of that of the page, or to the width of the window. */
  function setZoom(zoom) {
    const top = pane.scrollTop / scale();
    stage.style.width = zoom === "fit" ? "" : `${width * Math.min(Math.max(zoom, 0.2), 3)}px`;
    pane.scrollTop = top * scale();
  }

  /* --- drawing --------------------------------------------------------------------------------------------- */

  const hasArea = (box) => Boolean(box) && box[2] > 0 && box[3] > 0;
  const isUnseen = (item) => state.form.has("hidden") && !vclean.isPainted(item) && hasArea(item.box);
  const isDrawn = (item) => (vclean.isPainted(item) && Boolean(item.box)) || isUnseen(item);

  function frame([x, y, w, h], className, properties = {}) {
    const made = element("div", { className: `frame ${className}`, ...properties });
    const [left, top] = [`${(100 * x) / width}%`, `${(100 * y) / height}%`];
    Object.assign(made.style, { left, top, width: `${(100 * w) / width}%`, height: `${(100 * h) / height}%` });
    return made;
  }

  function isNear({ box }) {
    const [top, above] = [pane.scrollTop / scale(), pane.clientHeight / scale()];
    return Boolean(box) && box[1] < top + 1.5 * above && box[1] + box[3] > top - above / 2;
  }

  /* Draws in the next animation frame. */
  function scheduleDraw() {
    drawing ||= requestAnimationFrame(draw);
  }

  function draw() {
    drawing = 0;
    drawnAt = pane.scrollTop;
    const parts = data.parts.filter((part) => isNear(part) && state.form.getAll("part").includes(part.kind));
    frames.replaceChildren(
      ...data.layers.flatMap(layerFrames),
      ...(state.list < 0 ? blockFrames() : []),
      ...parts.map((part) => frame(part.box, "part", { "data-part": part.kind })));
    drawSelection();
  }

  function drawSelection() {
    const isMarked = (row) => items()[row].box && (isNear(items()[row]) || row === state.selected.at(-1));
    selection.replaceChildren(...state.selected.filter(isMarked).map((row) => frame(items()[row].box, "selected")));
  }

  function blockFrames() {
    const blocks = state.shown.map((row) => data.blocks[row]).filter(isNear);
    const drawn = blocks.filter((block) => (vclean.isPainted(block) ? state.form.has("drawn") : isUnseen(block)));
    return drawn.map((block) => {
      const className = `${vclean.isPainted(block) ? "" : "unseen"} ${block.changed ? "changed" : ""}`;
      return frame(block.box, className, vclean.penOf(block));
    });
  }

  /* Returns the separators and segments of a layer, without the page itself. */
  function layerFrames({ segments, separators }, number) {
    const listed = state.list === number ? new Set(state.shown) : null;
    const bands = state.form.has(`separators${number}`) ? separators : [];
    const drawn = state.form.has(`segments${number}`) ? segments : [];
    return [
      ...bands.filter((band) => segments[band.segment].divided && isNear(band)).map((band) => frame(band.box, "band")),
      ...drawn.filter((segment, row) => row && segment.present && isNear(segment) && (!listed || listed.has(row)))
        .map((segment) => frame(segment.box, segment.divided ? "" : "leaf", vclean.penOf(segment))),
    ];
  }

  /* Shows the frame of the hovered item, with its caption. */
  function point() {
    const item = items()[state.hovered];
    pointer.replaceChildren(...(item?.box ? [frame(item.box, "", { "data-caption": vclean.caption(item) })] : []));
  }

  /* --- pointer --------------------------------------------------------------------------------------------- */

  /* Returns the shown items that touch a rectangle of the page. */
  function within(x, y, w, h) {
    return state.shown.filter((row) => {
      const { box } = items()[row];
      return isDrawn(items()[row]) && box[0] < x + w && box[0] + box[2] > x && box[1] < y + h && box[1] + box[3] > y;
    });
  }

  /* Returns the smallest shown item at a point of the page; -1 if there is none. */
  function at(x, y) {
    const area = (row) => items()[row].box[2] * items()[row].box[3];
    return within(x, y, 0, 0).sort((a, b) => area(a) - area(b))[0] ?? -1;
  }

  function pagePoint(event) {
    const { left, top } = stage.getBoundingClientRect();
    return [(event.clientX - left) / scale(), (event.clientY - top) / scale()];
  }

  /* Returns the rectangle from the beginning of a drag to the pointer; null if it is too small. */
  function dragged(event) {
    if (!drag) return null;
    const [x, y] = pagePoint(event);
    const [w, h] = [Math.abs(x - drag[0]), Math.abs(y - drag[1])];
    return Math.max(w, h) * scale() > DRAG ? [Math.min(x, drag[0]), Math.min(y, drag[1]), w, h] : null;
  }

  function endDrag() {
    drag = null;
    pointer.replaceChildren();
  }

  stage.addEventListener("pointerdown", (event) => {
    if (event.button || event.pointerType === "touch") return;
    drag = pagePoint(event);
    stage.setPointerCapture(event.pointerId);
  });
  stage.addEventListener("pointermove", (event) => {
    const rect = dragged(event);
    if (rect) pointer.replaceChildren(frame(rect, "rubber"));
    else if (!drag) vclean.hover(at(...pagePoint(event)), "screenshot");
  });
  stage.addEventListener("pointerup", (event) => {
    if (event.button) return;
    const rect = dragged(event);
    endDrag();
    document.getElementById("list").focus({ preventScroll: true }); // arrow keys continue from the clicked item
    if (!rect) return vclean.pick(event, at(...pagePoint(event)), "screenshot");
    const extended = event.ctrlKey || event.metaKey || event.shiftKey ? state.selected : [];
    vclean.select([...extended, ...within(...rect)], "screenshot");
  });
  stage.addEventListener("pointercancel", endDrag);
  stage.addEventListener("pointerleave", () => vclean.hover(-1, "screenshot"));

  /* --- scrolling ------------------------------------------------------------------------------------------- */

  /* Scrolls the list to the topmost visible item if the user scrolls the screenshot. */
  function follow() {
    const top = (pane.scrollTop - stage.offsetTop) / scale();
    const below = state.shown.filter((row) => isDrawn(items()[row]) && items()[row].box[1] >= top);
    const first = below.reduce((best, row) => (items()[row].box[1] < items()[best].box[1] ? row : best), below[0]);
    if (below.length) vclean.scrollListTo(first);
  }

  for (const name of ["wheel", "pointerdown", "touchstart"]) {
    pane.addEventListener(name, () => { userScrolls = true; }, { passive: true });
  }
  pane.addEventListener("scroll", () => {
    if (Math.abs(pane.scrollTop - drawnAt) > pane.clientHeight / 4) scheduleDraw();
    if (userScrolls) follow();
  }, { passive: true });

  vclean.on("show", scheduleDraw);
  vclean.on("change", scheduleDraw);
  vclean.on("hover", point);
  vclean.on("select", ({ indexes, source }) => {
    drawSelection();
    if (source === "screenshot" || !items()[indexes.at(-1)]?.box) return;
    userScrolls = false;
    selection.lastChild.scrollIntoView({ block: "nearest", inline: "nearest" });
  });
  new ResizeObserver(() => {
    document.getElementById("zoom").value = `${Math.round(scale() * 100)} %`;
    scheduleDraw();
  }).observe(stage);
  vclean.addKey("+", "larger screenshot", () => setZoom(scale() * 1.25));
  vclean.addKey("-", "smaller screenshot", () => setZoom(scale() / 1.25));
  vclean.addKey("0", "fit the screenshot to the window", () => setZoom("fit"));
  Object.assign(vclean, { at, scale, setZoom });
})();
