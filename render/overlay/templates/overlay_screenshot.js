"use strict";
/* The screenshot with what is drawn over it. Frames are on canvases, one for each stretch of the screenshot and only near
   what can be seen: they scroll with the screenshot, and thousands cost no layout. Lengths of the page are CSS px of its
   own; the stage shows them times `scale`. */
(() => {
  const { data, state, layers, element } = vclean;
  const [pane, stage, image, tiles, hoverFrame, band] =
    ["pane", "stage", "image", "tiles", "hover", "band"].map((id) => document.getElementById(id));
  const TILE = 1024;
  const MARGIN = 24;
  const OUTSET = 2;
  const DRAG = 4;
  const LEAF = 0.07; // how much the innermost segments are tinted
  const BAND = "230,159,0";
  const GAP = "rgba(255,255,255,.6)"; // between dashes, so that they are seen on dark pages
  const { width, height } = data.page;
  let scale = 1;
  let zoom = "fit";
  let live = new Set();
  let watcher = null;
  let drag = null;
  let byHand = false;

  image.alt = `Screenshot of the page${data.page.title ? ` ${data.page.title}` : ""}; the list tells its blocks.`;
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
    watcher?.disconnect();
    live = new Set();
    const total = Math.round(height * scale);
    const count = Math.ceil(total / TILE);
    tiles.replaceChildren(...Array.from({ length: count }, (_, row) => {
      const tile = element("div", { className: "tile" });
      tile.style.top = `${row * TILE}px`;
      tile.style.height = `${Math.min(TILE, total - row * TILE)}px`;
      return tile;
    }));
    watcher = new IntersectionObserver(seen, { root: pane, rootMargin: "300px" });
    for (const tile of tiles.children) watcher.observe(tile);
  }

  function seen(entries) {
    for (const { target, isIntersecting } of entries) {
      if (!isIntersecting) {
        live.delete(target);
        target.replaceChildren();
      } else if (!live.has(target)) {
        live.add(target);
        target.append(element("canvas"));
        drawTile(target);
      }
    }
  }

  /* --- drawing --------------------------------------------------------------------------------------------- */

  /* Draws in the next frame: all tiles in sight, or those alone that some of the listed items touch. */
  const dirty = new Set();
  function draw(rows) {
    const wanted = [...live].filter((tile) => !rows || touches(tile, rows));
    if (wanted.length && !dirty.size) requestAnimationFrame(drawDirty);
    wanted.forEach((tile) => dirty.add(tile));
  }

  function drawDirty() {
    dirty.forEach((tile) => live.has(tile) && drawTile(tile));
    dirty.clear();
  }

  function touches(tile, rows) {
    const all = vclean.items();
    const [top, bottom] = [tile.offsetTop / scale - 8, (tile.offsetTop + tile.clientHeight) / scale + 8];
    return rows.some((row) => all[row]?.box && all[row].box[1] < bottom && all[row].box[1] + all[row].box[3] > top);
  }

  function drawTile(tile) {
    const canvas = tile.firstChild;
    const [wide, high] = [stage.clientWidth, tile.clientHeight];
    const ratio = window.devicePixelRatio || 1;
    canvas.width = wide * ratio;
    canvas.height = high * ratio;
    const brush = canvas.getContext("2d");
    const top = tile.offsetTop / scale;
    brush.setTransform(ratio * scale, 0, 0, ratio * scale, 0, -top * ratio * scale);
    const near = (box) => box && box[1] < top + high / scale + 8 && box[1] + box[3] > top - 8;
    layers.forEach((layer, row) => drawLayer(brush, layer, row, near));
    if (state.list < 0) drawBlocks(brush, near);
    const all = vclean.items();
    for (const row of state.selected) if (near(all[row].box)) drawSelected(brush, all[row].box);
  }

  function drawBlocks(brush, near) {
    if (!vclean.blocksDrawn) return;
    const boxes = new Map();
    for (const row of state.shown) {
      const block = data.blocks[row];
      if (near(block.box) && vclean.isPainted(block)) push(boxes, vclean.penOf(block), block.box);
    }
    const pens = [...boxes.keys()].sort((a, b) => a.fill - b.fill); // content over the rest
    pens.forEach((pen) => drawFrames(brush, boxes.get(pen), pen, pen.fill, OUTSET));
  }

  function drawLayer(brush, layer, row, near) {
    const listed = state.list === row ? new Set(state.shown) : null;
    if (layer.separators_drawn) drawSeparators(brush, layer, near);
    if (!layer.drawn) return;
    const [open, leaves] = [new Map(), new Map()];
    layer.segments.forEach((segment, number) => {
      if (!number || !layer.open[number] || !near(segment.box) || (listed && !listed.has(number))) return;
      push(layer.open[number] === 1 ? leaves : open, vclean.penOfSegment(segment), segment.box);
    });
    open.forEach((found, pen) => drawFrames(brush, found, pen, 0, OUTSET));
    leaves.forEach((found, pen) => drawFrames(brush, found, pen, LEAF, 0));
  }

  function push(map, key, value) {
    if (!map.has(key)) map.set(key, []);
    map.get(key).push(value);
  }

  function drawSeparators(brush, layer, near) {
    for (const each of layer.separators) {
      if (layer.open[each.segment] !== 2 || !near(each.box)) continue;
      const [x, y, w, h] = each.box;
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

  function place(event) {
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

  function pick(event) {
    const row = vclean.at(...place(event));
    if (event.ctrlKey || event.metaKey) {
      if (row < 0) return;
      const kept = state.selected.filter((each) => each !== row);
      vclean.select(kept.length < state.selected.length ? kept : [...kept, row], "screenshot");
    } else if (event.shiftKey && row >= 0 && state.selected.length) {
      vclean.select(vclean.between(state.selected[0], row), "screenshot");
    } else {
      vclean.select(row < 0 ? [] : row, "screenshot");
    }
  }

  function dragRect(event) {
    const [x, y] = place(event);
    const [left, top] = [Math.min(x, drag.x), Math.min(y, drag.y)];
    return [left, top, Math.abs(x - drag.x), Math.abs(y - drag.y)];
  }

  stage.addEventListener("pointerdown", (event) => {
    if (event.button || event.pointerType === "touch") return;
    const [x, y] = place(event);
    drag = { x, y, moved: false };
    stage.setPointerCapture(event.pointerId);
  });
  let moved = null;
  stage.addEventListener("pointermove", (event) => {
    if (!moved) requestAnimationFrame(() => { follow(moved); moved = null; });
    moved = event;
  });
  function follow(event) {
    if (!drag) {
      vclean.hover(stage.matches(":hover") ? vclean.at(...place(event)) : -1, "screenshot");
      return;
    }
    const rect = dragRect(event);
    drag.moved ||= Math.max(rect[2], rect[3]) * scale > DRAG;
    if (!drag.moved) return;
    const [x, y, w, h] = rect.map((side) => side * scale);
    band.hidden = false;
    Object.assign(band.style, { left: `${x}px`, top: `${y}px`, width: `${w}px`, height: `${h}px` });
  }
  stage.addEventListener("pointerup", (event) => {
    if (event.button) return;
    const rect = drag && dragRect(event);
    const dragged = rect && Math.max(rect[2], rect[3]) * scale > DRAG;
    endDrag();
    document.getElementById("list").focus({ preventScroll: true }); // so that arrows go on from what was clicked
    if (!dragged) return pick(event);
    const found = vclean.within(...rect);
    const kept = event.ctrlKey || event.metaKey || event.shiftKey ? state.selected : [];
    vclean.select([...kept, ...found], "screenshot");
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
    byHand = false;
    if (top < pane.scrollTop + 8 || top + Math.min(h, pane.clientHeight - 16) > pane.scrollTop + pane.clientHeight - 8) {
      pane.scrollTop = top - Math.max((pane.clientHeight - h) / 3, 16);
    }
    if (left < pane.scrollLeft || left + w > pane.scrollLeft + pane.clientWidth) pane.scrollLeft = left - MARGIN;
  }

  for (const name of ["wheel", "pointerdown", "touchstart"]) {
    pane.addEventListener(name, () => { byHand = true; }, { passive: true });
  }
  let topmost = 0;
  pane.addEventListener("scroll", () => {
    topmost ||= requestAnimationFrame(() => {
      topmost = 0;
      if (byHand) vclean.listFrom((pane.scrollTop - stage.offsetTop) / scale);
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
