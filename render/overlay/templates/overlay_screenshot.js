"use strict";
/* The screenshot with frames over it. Only the frames near the visible part are in the document: thousands would take
   long to lay out. Boxes are in CSS px of the page; the width of the stage scales them. */
(() => {
  const { data, state, items, element } = vclean;
  const [pane, stage, image, frames] = ["pane", "stage", "image", "frames"].map((id) => document.getElementById(id));
  const { width, height, screenshot } = data.page;
  const DRAG = 4; // px from which a movement is a drag
  let drawing = 0; // the requested animation frame
  let drawnFrom = 0; // top and bottom of the drawn part of the page
  let drawnTo = 0;
  let start = null; // point where a drag began
  let rubber = null; // rectangle of the drag
  let userScrolls = false;

  if (screenshot) image.src = screenshot;
  else image.remove();
  stage.style.setProperty("--page", width);
  stage.style.aspectRatio = `${width} / ${height}`;
  const scale = () => stage.clientWidth / width;

  /* Changes the width of the screenshot to a multiple of that of the page, or to the width of the window. */
  function setZoom(zoom) {
    const top = pane.scrollTop / scale();
    stage.style.width = zoom === "fit" ? "" : `${width * Math.min(Math.max(zoom, 0.2), 3)}px`;
    pane.scrollTop = top * scale();
  }

  /* --- drawing --------------------------------------------------------------------------------------------- */

  const isUnseen = (item) => !vclean.isPainted(item);
  const isShownHidden = ({ box }) => state.form.has("hidden") && box[2] > 0 && box[3] > 0;
  const isVisible = (item) => item.box && (!isUnseen(item) || isShownHidden(item));
  const isDrawn = (block) => isVisible(block) && (isUnseen(block) || state.form.has("drawn"));

  const isNear = ({ box }) => box && box[1] < drawnTo && box[1] + box[3] > drawnFrom;

  function frame([x, y, w, h], className, properties = {}) {
    const made = element("div", { className: `frame ${className}`, ...properties });
    const [left, top] = [`${(100 * x) / width}%`, `${(100 * y) / height}%`];
    Object.assign(made.style, { left, top, width: `${(100 * w) / width}%`, height: `${(100 * h) / height}%` });
    return made;
  }

  /* Returns the separators and segments of a layer, without the page itself. */
  function layerFrames({ segments, separators }, number) {
    const listed = state.list === number ? new Set(state.shown) : null;
    const bands = state.form.has(`separators${number}`) ? separators.filter(isNear) : [];
    const drawn = state.form.has(`segments${number}`) ? segments.slice(1) : [];
    const isListed = (segment, row) => segment.present && (!listed || listed.has(row + 1)) && isNear(segment);
    return [
      ...bands.filter((band) => segments[band.segment].divided).map((band) => frame(band.box, "band")),
      ...drawn.filter(isListed).map((segment) => (
        frame(segment.box, segment.divided ? "" : "leaf", vclean.penOf(segment)))),
    ];
  }

  function draw() {
    drawing = 0;
    drawnFrom = (pane.scrollTop - pane.clientHeight / 2) / scale();
    drawnTo = (pane.scrollTop + 1.5 * pane.clientHeight) / scale();
    const blocks = state.list < 0 ? state.shown.map((row) => data.blocks[row]) : [];
    const parts = data.parts.filter((part) => state.form.getAll("part").includes(part.kind));
    const selected = state.selected.map((row) => items()[row]);
    const hovered = [items()[state.hovered]].filter((item) => item?.box);
    frames.replaceChildren(
      ...data.layers.flatMap(layerFrames),
      ...blocks.filter(isNear).filter(isDrawn).map((block) => frame(block.box,
        `${isUnseen(block) ? "unseen" : ""} ${block.changed ? "changed" : ""}`, vclean.penOf(block))),
      ...parts.filter(isNear).map((part) => frame(part.box, "part", { "data-part": part.kind })),
      ...selected.filter(isNear).map((item) => frame(item.box, "selected")),
      ...hovered.map((item) => frame(item.box, "", { "data-caption": vclean.caption(item) })),
      ...(rubber ? [frame(rubber, "rubber")] : []));
  }

  /* Draws the frames near the visible part in the next animation frame. */
  function schedule() {
    drawing ||= requestAnimationFrame(draw);
  }

  /* --- pointer --------------------------------------------------------------------------------------------- */

  /* Returns the shown items that touch a rectangle of the page. */
  function within(x, y, w, h) {
    return state.shown.filter((row) => {
      const { box } = items()[row];
      return isVisible(items()[row]) && box[0] < x + w && box[0] + box[2] > x && box[1] < y + h && box[1] + box[3] > y;
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

  function endDrag() {
    start = null;
    rubber = null;
    schedule();
  }

  stage.addEventListener("pointerdown", (event) => {
    if (event.button || event.pointerType === "touch") return;
    start = pagePoint(event);
    stage.setPointerCapture(event.pointerId);
  });
  stage.addEventListener("pointermove", (event) => {
    const [x, y] = pagePoint(event);
    if (!start) return vclean.hover(at(x, y), "screenshot");
    const [w, h] = [Math.abs(x - start[0]), Math.abs(y - start[1])];
    if (Math.max(w, h) * scale() > DRAG) rubber = [Math.min(x, start[0]), Math.min(y, start[1]), w, h];
    schedule();
  });
  stage.addEventListener("pointerup", (event) => {
    if (event.button) return;
    const extended = event.ctrlKey || event.metaKey || event.shiftKey ? state.selected : [];
    document.getElementById("list").focus({ preventScroll: true }); // arrow keys continue from the clicked item
    if (rubber) vclean.select([...extended, ...within(...rubber)], "screenshot");
    else vclean.pick(event, at(...pagePoint(event)), "screenshot");
    endDrag();
  });
  stage.addEventListener("pointercancel", endDrag);
  stage.addEventListener("pointerleave", () => vclean.hover(-1, "screenshot"));

  /* --- scrolling ------------------------------------------------------------------------------------------- */

  for (const name of ["wheel", "pointerdown", "touchstart"]) {
    pane.addEventListener(name, () => { userScrolls = true; }, { passive: true });
  }
  pane.addEventListener("scroll", () => {
    const [from, to] = [pane.scrollTop / scale(), (pane.scrollTop + pane.clientHeight) / scale()];
    if (from < drawnFrom + (to - from) / 4 || to > drawnTo - (to - from) / 4) schedule();
    if (!userScrolls) return;
    const top = (row) => items()[row].box[1];
    const visible = state.shown.filter((row) => isVisible(items()[row]) && top(row) >= from);
    const [topmost] = visible.sort((a, b) => top(a) - top(b));
    if (topmost !== undefined) vclean.scrollListTo(topmost);
  }, { passive: true });

  for (const name of ["show", "change", "hover", "select"]) vclean.on(name, schedule);
  vclean.on("select", ({ indexes, source }) => {
    const box = items()[indexes.at(-1)]?.box;
    if (source === "screenshot" || !box) return;
    userScrolls = false;
    frames.append(frame(box, ""));
    frames.lastChild.scrollIntoView({ block: "nearest", inline: "nearest" });
  });
  new ResizeObserver(() => {
    stage.style.setProperty("--px", `${scale()}px`);
    document.getElementById("zoom").value = `${Math.round(scale() * 100)} %`;
    schedule();
  }).observe(stage);
  vclean.addKey("+", "larger screenshot", () => setZoom(scale() * 1.25));
  vclean.addKey("-", "smaller screenshot", () => setZoom(scale() / 1.25));
  vclean.addKey("0", "fit the screenshot to the window", () => setZoom("fit"));
  Object.assign(vclean, { at, scale, setZoom });
})();
