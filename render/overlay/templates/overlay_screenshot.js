"use strict";
/* The screenshot with the drawings over it. Frames are drawn on canvases ("tiles"), each as high as a part of the
   screenshot, and only for tiles near the visible part: tiles scroll with the screenshot, and thousands of frames cost
   no layout. Coordinates are CSS px of the page; the stage shows them multiplied by `scale`. */
(() => {
  const { data, state, layers, element } = vclean;
  const [pane, stage, image, tiles, hoverFrame, band] =
    ["pane", "stage", "image", "tiles", "hover", "band"].map((id) => document.getElementById(id));
  const TILE = 1024; // px
  const MARGIN = 24; // px around the stage
  const OUTSET = 2; // px between a frame and its box
  const DRAG = 4; // px from which a movement is a drag
  const LEAF = 0.07; // opacity of the innermost segments
  const BAND = "230,159,0";
  const GAP = "rgba(255,255,255,.6)"; // between dashes, visible on dark pages
  const { width, height } = data.page;
  let scale = 1;
  let zoom = "fit";
  let nearTiles = new Set();
  let observer = null;
  let drag = null;
  let userScrolls = false;

  image.alt = `Screenshot of the page${data.page.title ? ` ${data.page.title}` : ""}; the list describes its blocks.`;
  if (data.page.screenshot) image.src = data.page.screenshot;
  else image.remove();

  /* --- size ------------------------------------------------------------------------------------------------ */

  function resize() {
    const before = pane.scrollTop / scale;
    scale = zoom === "fit" ? Math.min(1, Math.max((pane.clientWidth - 2 * MARGIN) / width, 0.1)) : zoom;
    stage.style.width = `${Math.round(width * scale)}px`;
    stage.style.height = `${Math.round(height * scale)}px`;
    layTiles();
    pane.scrollTop = before * scale;
    placeHover();
    document.dispatchEvent(new CustomEvent("vclean:zoom", { detail: { scale } }));
  }

  function setZoom(value) {
    zoom = value === "fit" ? value : Math.min(Math.max(value, 0.2), 3);
    resize();
  }

  function layTiles() {
    observer?.disconnect();
    nearTiles = new Set();
    const total = Math.round(height * scale);
    const count = Math.ceil(total / TILE);
    tiles.replaceChildren(...Array.from({ length: count }, (_, row) => {
      const tile = element("div", { className: "tile" });
      tile.style.top = `${row * TILE}px`;
      tile.style.height = `${Math.min(TILE, total - row * TILE)}px`;
      return tile;
    }));
    observer = new IntersectionObserver(updateTiles, { root: pane, rootMargin: "300px" });
    for (const tile of tiles.children) observer.observe(tile);
  }

  function updateTiles(entries) {
    for (const { target, isIntersecting } of entries) {
      if (!isIntersecting) {
        nearTiles.delete(target);
        target.replaceChildren();
      } else if (!nearTiles.has(target)) {
        nearTiles.add(target);
        target.append(element("canvas"));
        drawTile(target);
      }
    }
  }

  /* --- drawing --------------------------------------------------------------------------------------------- */

  /* Draws the near tiles in the next animation frame; if `rows` are given, only tiles that they touch. */
  const dirty = new Set();
  function draw(rows) {
    const affected = [...nearTiles].filter((tile) => !rows || touches(tile, rows));
    if (affected.length && !dirty.size) requestAnimationFrame(drawDirty);
    affected.forEach((tile) => dirty.add(tile));
  }

  function drawDirty() {
    dirty.forEach((tile) => nearTiles.has(tile) && drawTile(tile));
    dirty.clear();
  }

  function touches(tile, rows) {
    const all = vclean.items();
    const [top, bottom] = [tile.offsetTop / scale - 8, (tile.offsetTop + tile.clientHeight) / scale + 8];
    return rows.some((row) => all[row]?.box && all[row].box[1] < bottom && all[row].box[1] + all[row].box[3] > top);
  }

  function drawTile(tile) {
    const canvas = tile.firstChild;
    const [tileWidth, tileHeight] = [stage.clientWidth, tile.clientHeight];
    const ratio = window.devicePixelRatio || 1;
    canvas.width = tileWidth * ratio;
    canvas.height = tileHeight * ratio;
    const brush = canvas.getContext("2d");
    const top = tile.offsetTop / scale;
    brush.setTransform(ratio * scale, 0, 0, ratio * scale, 0, -top * ratio * scale);
    const near = (box) => box && box[1] < top + tileHeight / scale + 8 && box[1] + box[3] > top - 8;
    layers.forEach((layer, row) => drawLayer(brush, layer, row, near));
    if (state.list < 0) drawBlocks(brush, near);
    drawParts(brush, near);
    const all = vclean.items();
    for (const row of state.selected) if (near(all[row].box)) drawSelected(brush, all[row].box);
  }

  function drawBlocks(brush, near) {
    const boxes = new Map();
    for (const row of state.shown) {
      const block = data.blocks[row];
      if (!near(block.box)) continue;
      if (vclean.isDrawnHidden(block)) push(boxes, data.pens.hidden, block.box);
      else if (vclean.blocksDrawn && vclean.isPainted(block)) push(boxes, vclean.penOf(block), block.box);
    }
    const pens = [...boxes.keys()].sort((a, b) => a.fill - b.fill); // content on top
    pens.forEach((pen) => drawFrames(brush, boxes.get(pen), pen, pen.fill, OUTSET));
  }

  function drawLayer(brush, layer, row, near) {
    const listed = state.list === row ? new Set(state.shown) : null;
    if (layer.separators_drawn) drawSeparators(brush, layer, near);
    if (!layer.drawn) return;
    const [divided, leaves] = [new Map(), new Map()];
    layer.segments.forEach((segment, number) => {
      if (!number || !layer.states[number] || !near(segment.box) || (listed && !listed.has(number))) return;
      const boxes = layer.states[number] === vclean.SEGMENT.leaf ? leaves : divided;
      push(boxes, vclean.penOfSegment(segment), segment.box);
    });
    divided.forEach((boxes, pen) => drawFrames(brush, boxes, pen, 0, OUTSET));
    leaves.forEach((boxes, pen) => drawFrames(brush, boxes, pen, LEAF, 0));
  }

  function drawParts(brush, near) {
    const boxes = new Map();
    for (const part of data.parts) {
      if (state.parts.has(part.kind) && near(part.box)) push(boxes, data.pens.part[part.kind], part.box);
    }
    boxes.forEach((frames, pen) => drawFrames(brush, frames, pen, 0, 2 * OUTSET));
  }

  function push(map, key, value) {
    if (!map.has(key)) map.set(key, []);
    map.get(key).push(value);
  }

  function drawSeparators(brush, layer, near) {
    for (const separator of layer.separators) {
      if (layer.states[separator.segment] !== vclean.SEGMENT.divided || !near(separator.box)) continue;
      const [x, y, w, h] = separator.box;
      brush.fillStyle = `rgba(${BAND},.45)`;
      brush.fillRect(x, y, Math.max(w, 2), Math.max(h, 2));
    }
  }

  function drawFrames(brush, boxes, pen, fill, outset) {
    const inner = pen.width / 2 - outset;
    const [insides, strokes] = [new Path2D(), new Path2D()];
    for (const [x, y, w, h] of boxes) {
      insides.rect(x - outset, y - outset, w + 2 * outset, h + 2 * outset);
      strokes.rect(x + inner, y + inner, w - 2 * inner, h - 2 * inner);
    }
    if (fill) {
      brush.fillStyle = `rgba(${pen.color},${fill})`;
      brush.fill(insides);
    }
    brush.lineWidth = pen.width;
    if (pen.dash.length) {
      brush.setLineDash([]);
      brush.strokeStyle = GAP;
      brush.stroke(strokes);
    }
    brush.setLineDash(pen.dash);
    brush.strokeStyle = `rgb(${pen.color})`;
    brush.stroke(strokes);
  }

  function drawSelected(brush, [x, y, w, h]) {
    brush.setLineDash([]);
    brush.fillStyle = "rgba(255,214,0,.28)";
    brush.fillRect(x - 3, y - 3, w + 6, h + 6);
    for (const [color, line] of [["#fff", 5], ["#111", 2.5]]) {
      brush.strokeStyle = color;
      brush.lineWidth = line / Math.min(scale, 1);
      brush.strokeRect(x - 4, y - 4, w + 8, h + 8);
    }
  }

  /* --- pointer --------------------------------------------------------------------------------------------- */

  function pagePoint(event) {
    const frame = stage.getBoundingClientRect();
    return [(event.clientX - frame.left) / scale, (event.clientY - frame.top) / scale];
  }

  function placeHover() {
    const item = vclean.items()[state.hovered];
    const box = item?.box;
    hoverFrame.hidden = !box;
    if (!box) return;
    const [x, y, w, h] = box.map((side) => side * scale);
    Object.assign(hoverFrame.style, { left: `${x - 4}px`, top: `${y - 4}px`, width: `${w + 8}px`, height: `${h + 8}px` });
    hoverFrame.classList.toggle("low", y < 24);
    hoverFrame.firstChild.textContent = vclean.caption(item);
  }

  function dragRect(event) {
    const [x, y] = pagePoint(event);
    const [left, top] = [Math.min(x, drag.x), Math.min(y, drag.y)];
    return [left, top, Math.abs(x - drag.x), Math.abs(y - drag.y)];
  }

  stage.addEventListener("pointerdown", (event) => {
    if (event.button || event.pointerType === "touch") return;
    const [x, y] = pagePoint(event);
    drag = { x, y };
    stage.setPointerCapture(event.pointerId);
  });
  let moved = null;
  stage.addEventListener("pointermove", (event) => {
    if (!moved) requestAnimationFrame(() => { follow(moved); moved = null; });
    moved = event;
  });
  function follow(event) {
    if (!drag) {
      vclean.hover(stage.matches(":hover") ? vclean.at(...pagePoint(event)) : -1, "screenshot");
      return;
    }
    const rect = dragRect(event);
    if (band.hidden && Math.max(rect[2], rect[3]) * scale <= DRAG) return;
    const [x, y, w, h] = rect.map((side) => side * scale);
    band.hidden = false;
    Object.assign(band.style, { left: `${x}px`, top: `${y}px`, width: `${w}px`, height: `${h}px` });
  }
  stage.addEventListener("pointerup", (event) => {
    if (event.button) return;
    const rect = drag && dragRect(event);
    const dragged = rect && Math.max(rect[2], rect[3]) * scale > DRAG;
    endDrag();
    document.getElementById("list").focus({ preventScroll: true }); // arrow keys continue from the clicked item
    if (!dragged) return vclean.pick(event, vclean.at(...pagePoint(event)), "screenshot");
    const extended = event.ctrlKey || event.metaKey || event.shiftKey ? state.selected : [];
    vclean.select([...extended, ...vclean.within(...rect)], "screenshot");
  });
  function endDrag() {
    drag = null;
    band.hidden = true;
  }
  stage.addEventListener("pointercancel", endDrag);
  stage.addEventListener("pointerleave", () => vclean.hover(-1, "screenshot"));

  /* --- scrolling ------------------------------------------------------------------------------------------- */

  function reveal(box) {
    if (!box) return;
    const [left, top] = [stage.offsetLeft + box[0] * scale, stage.offsetTop + box[1] * scale];
    const [w, h] = [box[2] * scale, box[3] * scale];
    userScrolls = false;
    if (top < pane.scrollTop + 8 || top + Math.min(h, pane.clientHeight - 16) > pane.scrollTop + pane.clientHeight - 8) {
      pane.scrollTop = top - Math.max((pane.clientHeight - h) / 3, 16);
    }
    if (left < pane.scrollLeft || left + w > pane.scrollLeft + pane.clientWidth) pane.scrollLeft = left - MARGIN;
  }

  for (const name of ["wheel", "pointerdown", "touchstart"]) {
    pane.addEventListener(name, () => { userScrolls = true; }, { passive: true });
  }
  let topmost = 0;
  pane.addEventListener("scroll", () => {
    topmost ||= requestAnimationFrame(() => {
      topmost = 0;
      if (userScrolls) vclean.scrollListTo((pane.scrollTop - stage.offsetTop) / scale);
    });
  }, { passive: true });

  vclean.on("show", () => draw());
  vclean.on("change", ({ indexes }) => draw(indexes));
  vclean.on("hover", placeHover);
  vclean.on("select", ({ indexes, before, source }) => {
    draw([...before, ...indexes]);
    if (source !== "screenshot" && indexes.length) reveal(vclean.items()[indexes.at(-1)].box);
  });
  new ResizeObserver(resize).observe(pane);
  matchMedia(`(resolution: ${window.devicePixelRatio}dppx)`).addEventListener("change", () => draw());
  Object.assign(vclean, { blocksDrawn: data.drawn, redraw: () => draw(), scale: () => scale, setZoom, zoomBy: (by) => setZoom(scale * by) });
})();
