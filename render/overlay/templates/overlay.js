"use strict";
/* The page's data, what is shown of it and what is selected: `window.vclean`, on which the views and other scripts
   build. Views listen to events of the document: `vclean:select` and `vclean:hover` ({indexes, source}), `vclean:show`
   (what is shown has changed) and `vclean:change` ({indexes} of blocks that have another label or role). */
window.vclean = (() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const ALL = { low: 0, high: 1 };
  const state = {
    list: data.blocks.length || !data.layers.length ? -1 : 0, // -1 for blocks, else the layer whose segments are listed
    color: data.color,
    query: "",
    off: { label: new Set(), role: new Set(), visibility: new Set() },
    range: { ...ALL },
    changed: false,
    selected: [],
    hovered: -1,
    shown: [], // the indexes of what the list has, in its order
  };
  const layers = data.layers.map((layer) => ({
    ...layer,
    open: new Uint8Array(layer.segments.length),
  }));
  let words = [];

  const tell = (name, detail) => document.dispatchEvent(new CustomEvent(`vclean:${name}`, { detail }));
  const items = () => (state.list < 0 ? data.blocks : layers[state.list].segments);
  const valueOf = (block, kind) => block[kind] || "none";
  const roles = () => data.blocks.some((block) => block.role);

  function reindex() {
    words = items().map((item) => `${item.text}\n${item.xpath}`.toLowerCase());
  }

  /* A segment is there down to the first that coheres enough on the way from the page; one that is cut is open. */
  function cutLayer(layer) {
    layer.segments.forEach((segment, row) => {
      const above = segment.parent < 0 || layer.open[segment.parent] === 2;
      layer.open[row] = above ? (segment.coherence >= layer.pdoc ? 1 : 2) : 0;
    });
  }

  function passes(item, row, kinds) {
    if (state.query && !words[row].includes(state.query)) return false;
    if (state.list >= 0) return layers[state.list].open[row] > 0;
    if (state.changed && !item.changed) return false;
    const p = item.probability;
    if (p !== null && (p < state.range.low || p > state.range.high)) return false;
    return !kinds.some((kind) => state.off[kind].has(valueOf(item, kind)));
  }

  function filtered() {
    const kinds = Object.keys(state.off).filter((kind) => state.off[kind].size);
    const found = [];
    items().forEach((item, row) => passes(item, row, kinds) && found.push(row));
    return found;
  }

  /* What a filter hides is no longer selected: a key would change what nobody sees. */
  function refresh() {
    state.shown = filtered();
    tell("show");
    const shown = new Set(state.shown);
    const left = state.selected.filter((row) => shown.has(row));
    if (left.length < state.selected.length) select(left, "filter");
  }

  /* Selects in the open list. The last index is the one the details are of; `source` is for listeners. */
  function select(indexes, source = "script") {
    const wanted = (Array.isArray(indexes) ? indexes : [indexes]).filter((index) => Number.isInteger(index) && index in items());
    const before = state.selected;
    state.selected = [...new Set(wanted)];
    hover(-1, source);
    tell("select", { indexes: state.selected, before, source });
  }

  function hover(index, source = "script") {
    if (index === state.hovered) return;
    state.hovered = index;
    tell("hover", { indexes: index < 0 ? [] : [index], source });
  }

  function update(indexes, values) {
    const rows = Array.isArray(indexes) ? indexes : [indexes];
    rows.forEach((row) => Object.assign(data.blocks[row], values));
    const shown = filtered();
    if (shown.length !== state.shown.length || shown.some((row, place) => row !== state.shown[place])) {
      state.shown = shown;
      tell("show");
    }
    tell("change", { indexes: rows });
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

  /* The topmost of what is shown at a point of the page, in CSS px: the smallest box; -1 where there is none. */
  function at(x, y) {
    let best = -1;
    let least = Infinity;
    const all = items();
    for (const row of state.shown) {
      const box = all[row].box;
      if (!box || !isPainted(all[row]) || x < box[0] || y < box[1]) continue;
      if (x > box[0] + box[2] || y > box[1] + box[3] || box[2] * box[3] >= least) continue;
      best = row;
      least = box[2] * box[3];
    }
    return best;
  }

  /* What is shown and touches a rectangle of the page. */
  function within(x, y, width, height) {
    const all = items();
    return state.shown.filter((row) => {
      const box = all[row].box;
      if (!box || !isPainted(all[row])) return false;
      return box[0] < x + width && box[0] + box[2] > x && box[1] < y + height && box[1] + box[3] > y;
    });
  }

  const isPainted = (item) => !item.visibility || item.visibility === "shown";
  const penOf = (block) => data.pens[state.color][valueOf(block, state.color)];
  const penOfSegment = (segment) => data.pens.level[Math.min(Math.max(segment.level - 1, 0), data.pens.level.length - 1)];

  function element(tag, properties = {}, ...children) {
    const made = document.createElement(tag);
    for (const [name, value] of Object.entries(properties)) {
      if (name in made && name !== "list") made[name] = value;
      else made.setAttribute(name, value);
    }
    made.append(...children);
    return made;
  }

  for (const block of data.blocks) {
    if (data.labels && !data.labels.includes(block.label)) state.off.label.add(block.label);
  }
  layers.forEach(cutLayer);
  reindex();
  return {
    data, blocks: data.blocks, layers, state, items, valueOf, roles, cutLayer, refresh, select, hover, openList, at,
    update, within, isPainted, penOf, penOfSegment, element,
    setLabel: (index, label) => update(index, { label }),
    setRole: (index, role) => update(index, { role }),
    announce: (text) => { document.getElementById("live").textContent = text; },
    on: (name, listener) => document.addEventListener(`vclean:${name}`, (event) => listener(event.detail)),
  };
})();
