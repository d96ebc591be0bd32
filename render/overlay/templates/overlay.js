"use strict";
/* Defines `window.vclean`: the data of the page, the filters and the selection. The views and added scripts use it.
   Views listen to events of the document: `vclean:select` and `vclean:hover` ({indexes, source}), `vclean:show` (after
   a change of the filters) and `vclean:change` ({indexes} of blocks whose label or role changed). */
window.vclean = (() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const FULL_RANGE = { low: 0, high: 1 };
  const state = {
    list: data.blocks.length || !data.layers.length ? -1 : 0, // -1 for blocks, otherwise the number of a layer
    color: data.color,
    query: "",
    excluded: { label: new Set(), role: new Set(), visibility: new Set() },
    range: { ...FULL_RANGE },
    changed: false,
    parts: new Set(data.parts_drawn ? data.parts.map((part) => part.kind) : []), // kinds that are drawn
    hiddenDrawn: data.hidden_drawn, // blocks that readers do not see
    selected: [],
    hovered: -1,
    shown: [], // indexes of the items that pass the filters, in the order of the list
  };
  const layers = data.layers.map((layer) => ({
    ...layer,
    states: new Uint8Array(layer.segments.length), // of its segments
  }));
  const SEGMENT = { absent: 0, leaf: 1, divided: 2 };
  let searchTexts = [];

  const emit = (name, detail) => document.dispatchEvent(new CustomEvent(`vclean:${name}`, { detail }));
  const items = () => (state.list < 0 ? data.blocks : layers[state.list].segments);
  const valueOf = (block, kind) => block[kind] || "none";
  const hasRoles = () => data.blocks.some((block) => block.role);

  function reindex() {
    searchTexts = items().map((item) => `${item.text}\n${item.xpath}`.toLowerCase());
  }

  /* Divides segments from the page down until their coherence reaches the permitted degree of coherence. */
  function applyPdoc(layer) {
    layer.segments.forEach((segment, row) => {
      const isPresent = segment.parent < 0 || layer.states[segment.parent] === SEGMENT.divided;
      const state = segment.coherence >= layer.pdoc ? SEGMENT.leaf : SEGMENT.divided;
      layer.states[row] = isPresent ? state : SEGMENT.absent;
    });
  }

  function passes(item, row, kinds) {
    if (state.query && !searchTexts[row].includes(state.query)) return false;
    if (state.list >= 0) return layers[state.list].states[row] !== SEGMENT.absent;
    if (state.changed && !item.changed) return false;
    const p = item.probability;
    if (p !== null && (p < state.range.low || p > state.range.high)) return false;
    return !kinds.some((kind) => state.excluded[kind].has(valueOf(item, kind)));
  }

  function filtered() {
    const kinds = Object.keys(state.excluded).filter((kind) => state.excluded[kind].size);
    const rows = [];
    items().forEach((item, row) => passes(item, row, kinds) && rows.push(row));
    return rows;
  }

  /* Deselects the items that a filter hides; otherwise a key could change an invisible item. */
  function refresh() {
    state.shown = filtered();
    emit("show");
    const shown = new Set(state.shown);
    const visible = state.selected.filter((row) => shown.has(row));
    if (visible.length < state.selected.length) select(visible, "filter");
  }

  /* Selects items of the open list. The details show the last index; listeners receive `source`. */
  function select(indexes, source = "script") {
    const requested = Array.isArray(indexes) ? indexes : [indexes];
    const before = state.selected;
    state.selected = [...new Set(requested.filter((index) => Number.isInteger(index) && index in items()))];
    hover(-1, source);
    emit("select", { indexes: state.selected, before, source });
  }

  function hover(index, source = "script") {
    if (index === state.hovered) return;
    state.hovered = index;
    emit("hover", { indexes: index < 0 ? [] : [index], source });
  }

  function update(indexes, values) {
    const rows = Array.isArray(indexes) ? indexes : [indexes];
    rows.forEach((row) => Object.assign(data.blocks[row], values));
    const shown = filtered();
    if (shown.length !== state.shown.length || shown.some((row, position) => row !== state.shown[position])) {
      state.shown = shown;
      emit("show");
    }
    emit("change", { indexes: rows });
  }

  function openList(list) {
    if (list === state.list) return;
    state.list = list;
    state.hovered = -1;
    state.selected = [];
    reindex();
    refresh();
    select([]);
  }

  /* Returns the smallest shown item at a point of the page, in CSS px; -1 if there is none. */
  function at(x, y) {
    let best = -1;
    let smallestArea = Infinity;
    const all = items();
    for (const row of state.shown) {
      const box = all[row].box;
      if (!box || !isDrawn(all[row]) || x < box[0] || y < box[1]) continue;
      if (x > box[0] + box[2] || y > box[1] + box[3] || box[2] * box[3] >= smallestArea) continue;
      best = row;
      smallestArea = box[2] * box[3];
    }
    return best;
  }

  /* Returns the shown items that touch a rectangle of the page. */
  function within(x, y, width, height) {
    const all = items();
    return state.shown.filter((row) => {
      const box = all[row].box;
      if (!box || !isDrawn(all[row])) return false;
      return box[0] < x + width && box[0] + box[2] > x && box[1] < y + height && box[1] + box[3] > y;
    });
  }

  const isPainted = (item) => !item.visibility || item.visibility === "shown";
  const hasArea = (box) => Boolean(box) && box[2] > 0 && box[3] > 0;
  const isDrawnHidden = (item) => state.hiddenDrawn && !isPainted(item) && hasArea(item.box);
  const isDrawn = (item) => isPainted(item) || isDrawnHidden(item);
  const penOf = (block) => data.pens[state.color][valueOf(block, state.color)];
  const penOfSegment = (segment) => data.pens.level[Math.min(Math.max(segment.level - 1, 0), data.pens.level.length - 1)];

  function element(tag, properties = {}, ...children) {
    const created = document.createElement(tag);
    for (const [name, value] of Object.entries(properties)) {
      if (name in created && name !== "list") created[name] = value;
      else created.setAttribute(name, value);
    }
    created.append(...children);
    return created;
  }

  for (const block of data.blocks) {
    if (data.labels && !data.labels.includes(block.label)) state.excluded.label.add(block.label);
  }
  layers.forEach(applyPdoc);
  reindex();
  return {
    data, blocks: data.blocks, layers, state, SEGMENT, items, valueOf, hasRoles, applyPdoc, refresh, select, hover,
    openList, at, update, within, isPainted, isDrawn, isDrawnHidden, hasArea, penOf, penOfSegment, element,
    setLabel: (index, label) => update(index, { label }),
    setRole: (index, role) => update(index, { role }),
    announce: (text) => { document.getElementById("live").textContent = text; },
    on: (name, listener) => document.addEventListener(`vclean:${name}`, (event) => listener(event.detail)),
  };
})();
