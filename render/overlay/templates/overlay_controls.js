"use strict";
/* Controls of drawing and filters, and the keys. Added scripts register keys, which the help lists, with
   `vclean.addKey`, and may put controls into `#tools` in the header. */
(() => {
  const { data, state, layers, element } = vclean;
  const byId = (id) => document.getElementById(id);
  const search = byId("search");
  const BINS = 40;
  const STEP = 0.01;

  /* --- header ---------------------------------------------------------------------------------------------- */

  document.querySelector("#name h1").textContent = data.page.title || data.page.id || "Page without a title";
  byId("address").textContent = data.page.url || data.page.id;
  byId("address").title = byId("address").textContent;
  for (const [name, value] of Object.entries(data.page.facts)) {
    byId("facts").append(element("div", {}, element("dt", {}, name), element("dd", {}, value)));
  }

  /* --- drawing --------------------------------------------------------------------------------------------- */

  function toggle(text, pressed, act, properties = {}) {
    const button = element("button", { type: "button", ...properties }, text);
    const show = (on) => button.setAttribute("aria-pressed", on);
    show(pressed);
    button.addEventListener("click", () => show(act() !== false));
    return button;
  }

  /* A toggle of a property of an object. */
  function flipper(text, object, key, act, properties = {}) {
    return toggle(text, object[key], () => {
      object[key] = !object[key];
      act();
      return object[key];
    }, properties);
  }

  /* The number of items for each of their values. */
  function tally(values) {
    const counted = new Map();
    for (const value of values) counted.set(value, (counted.get(value) || 0) + 1);
    return counted;
  }

  function group(label, ...children) {
    return element("div", { className: "group", role: "group", "aria-label": label }, ...children);
  }

  const hiddenCount = data.blocks.filter((block) => !vclean.isPainted(block) && vclean.hasArea(block.box)).length;

  function blocksGroup() {
    const all = flipper("Blocks", vclean, "blocksDrawn", vclean.redraw);
    const title = "Blocks that readers do not see, where they have a box";
    const hidden = flipper(`Hidden ${hiddenCount}`, state, "hiddenDrawn", vclean.redraw, { title });
    const colors = ["label", "role"].map((kind) => {
      const button = element("button", { type: "button", "aria-pressed": kind === state.color }, `by ${kind}`);
      button.addEventListener("click", () => colorBy(kind));
      button.dataset.color = kind;
      return button;
    });
    const pair = element("span", { className: "pair", role: "group", "aria-label": "Colors of blocks" }, ...colors);
    return group("Blocks", all, ...(hiddenCount ? [hidden] : []), ...(vclean.hasRoles() ? [pair] : []));
  }

  function colorBy(kind) {
    state.color = kind;
    document.querySelectorAll("[data-color]").forEach((button) => {
      button.setAttribute("aria-pressed", button.dataset.color === kind);
    });
    makeChips();
    vclean.refresh();
  }

  /* A button for each kind of part: title, byline, date, posts and so on. */
  function partsGroup() {
    const buttons = [...tally(data.parts.map((part) => part.kind))].map(([kind, count]) => toggle(count > 1 ? `${kind}s ${count}` : kind, state.parts.has(kind), () => {
      if (!state.parts.delete(kind)) state.parts.add(kind);
      vclean.redraw();
      return state.parts.has(kind);
    }, { title: data.parts.find((part) => part.kind === kind).text }));
    const parts = group("Parts of the page", ...buttons);
    parts.hidden = !buttons.length;
    return parts;
  }

  let partButtons = partsGroup();

  /* Replace the parts by others, and draw the kinds in `drawn` as well. */
  vclean.replaceParts = (parts, drawn = []) => {
    data.parts = parts;
    for (const kind of drawn) state.parts.add(kind);
    const buttons = partsGroup();
    partButtons.replaceWith(buttons);
    partButtons = buttons;
    vclean.redraw();
  };

  function layerGroup(layer) {
    const name = layer.name === "vips" ? "VIPS" : layer.name;
    const segments = flipper(`${name} segments`, layer, "drawn", vclean.redraw);
    const bands = flipper("Separators", layer, "separators_drawn", vclean.redraw);
    const shown = element("output", {}, String(layer.pdoc));
    const slider = element("input", { type: "range", min: 1, max: 11, step: 1, value: layer.pdoc });
    slider.addEventListener("input", () => {
      layer.pdoc = Number(slider.value);
      shown.textContent = slider.value;
      vclean.applyPdoc(layer);
      vclean.refresh();
    });
    const label = element("label", { title: "Permitted degree of coherence: 1 the whole page, 11 all levels" }, "PDoC", slider, shown);
    return group(`Segments: ${name}`, segments, ...(layer.separators.length ? [bands] : []), label);
  }

  const percent = (share) => `${Math.round(share * 100)} %`;
  function zoomGroup() {
    const button = (text, label, act) => {
      const created = element("button", { type: "button", "aria-label": label, title: label }, text);
      created.addEventListener("click", act);
      return created;
    };
    const shown = element("output", { id: "zoom" }, percent(vclean.scale()));
    vclean.on("zoom", ({ scale }) => { shown.textContent = percent(scale); });
    const buttons = group("Size of the screenshot",
      button("−", "Smaller", () => vclean.zoomBy(1 / 1.25)),
      shown,
      button("+", "Larger", () => vclean.zoomBy(1.25)),
      button("Fit", "Fit the width", () => vclean.setZoom("fit")));
    buttons.classList.add("end");
    return buttons;
  }

  byId("layers").append(...(data.blocks.length ? [blocksGroup()] : []), partButtons, ...layers.map(layerGroup), zoomGroup());

  /* --- filters --------------------------------------------------------------------------------------------- */

  const counts = (kind) => tally(data.blocks.map((block) => vclean.valueOf(block, kind)));

  function chipsOf(kind, order) {
    const counted = counts(kind);
    const others = [...counted.keys()].filter((value) => !order.includes(value));
    const values = [...order.filter((value) => counted.has(value)), ...others];
    if (values.length < 2 && kind !== "label") return [];
    const chips = values.map((value) => chip(kind, value, counted.get(value)));
    return [element("div", { className: "chips", role: "group", "aria-label": `Filter by ${kind}` }, ...chips)];
  }

  function chip(kind, value, count) {
    const excluded = state.excluded[kind];
    const pen = data.pens[kind]?.[value];
    const name = kind === "role" ? (value === "none" ? "no role" : value) : pen?.meaning || value;
    const swatch = element("i", { className: "swatch" }, kind === "label" ? value : "");
    if (kind === state.color && pen) swatch.style.setProperty("--pen", `rgb(${pen.color})`);
    if (pen?.dash.length) swatch.classList.add("dashed");
    const children = kind === "visibility" || (kind === "role" && state.color !== kind) ? [] : [swatch];
    const button = toggle("", !excluded.has(value), () => {
      if (!excluded.delete(value)) excluded.add(value);
      vclean.refresh();
      return !excluded.has(value);
    }, { className: "chip", title: "Click: show or hide these; double click: these only" });
    button.append(...children, element("span", {}, name), element("b", {}, String(count)));
    button.addEventListener("dblclick", () => showOnly(kind, value));
    return button;
  }

  function showOnly(kind, value) {
    const others = [...counts(kind).keys()].filter((other) => other !== value);
    const isAlone = others.every((other) => state.excluded[kind].has(other));
    state.excluded[kind] = new Set(isAlone ? [] : others);
    makeChips();
    vclean.refresh();
  }

  function makeChips() {
    const labels = Object.keys(data.pens.label);
    const changed = data.blocks.filter((block) => block.changed).length;
    byId("chips").replaceChildren(
      ...chipsOf("label", labels),
      ...chipsOf("role", Object.keys(data.pens.role)),
      ...chipsOf("visibility", ["shown", "revealable", "hidden"]),
      ...(changed ? [changedChip(changed)] : []));
  }

  function changedChip(count) {
    const button = flipper("", state, "changed", vclean.refresh, { className: "chip" });
    button.append(element("span", {}, "changed only"), element("b", {}, String(count)));
    return element("div", { className: "chips" }, button);
  }

  function makeRange() {
    const known = data.blocks.filter((block) => block.probability !== null);
    if (!known.length) return byId("range").remove();
    const bins = new Array(BINS).fill(0);
    for (const block of known) bins[Math.min(Math.floor(block.probability * BINS), BINS - 1)] += 1;
    const most = Math.log1p(Math.max(...bins));
    const bars = bins.map((count) => {
      const bar = element("i");
      bar.style.height = `${count ? Math.max((Math.log1p(count) / most) * 100, 8) : 0}%`;
      return bar;
    });
    const [low, high] = ["low", "high"].map((end) => thumb(end));
    const shown = element("output");
    const show = () => {
      shown.textContent = `${state.range.low.toFixed(2)} – ${state.range.high.toFixed(2)}`;
      bars.forEach((bar, bin) => {
        bar.classList.toggle("out", (bin + 1) / BINS <= state.range.low || bin / BINS >= state.range.high);
      });
    };
    const move = () => {
      if (Number(low.value) > Number(high.value)) [low.value, high.value] = [state.range.low, state.range.high];
      state.range = { low: Number(low.value), high: Number(high.value) };
      show();
      vclean.refresh();
    };
    for (const slider of [low, high]) slider.addEventListener("input", move);
    const histogram = element("div", { className: "bins", "aria-hidden": "true" }, ...bars);
    byId("range").append(element("span", {}, "Probability"), element("div", { className: "slide" }, histogram, low, high), shown);
    show();
  }

  function thumb(end) {
    const name = end === "low" ? "Least probability" : "Greatest probability";
    return element("input", { type: "range", min: 0, max: 1, step: STEP, value: state.range[end], "aria-label": name });
  }

  let waiting = 0;
  search.addEventListener("input", () => {
    cancelAnimationFrame(waiting);
    waiting = requestAnimationFrame(() => {
      state.query = search.value.trim().toLowerCase();
      vclean.refresh();
    });
  });

  /* --- tabs ------------------------------------------------------------------------------------------------ */

  function makeTabs() {
    const lists = [...(data.blocks.length ? [[-1, "Blocks"]] : []), ...layers.map((layer, row) => [row, layer.name === "vips" ? "VIPS segments" : `${layer.name} segments`])];
    if (lists.length < 2) return byId("tabs").remove();
    for (const [list, name] of lists) {
      const tab = element("button", { type: "button", role: "tab", "aria-selected": list === state.list, "aria-controls": "list" }, name);
      tab.dataset.list = list;
      tab.addEventListener("click", () => openTab(list));
      byId("tabs").append(tab);
    }
  }

  function openTab(list) {
    if (list >= 0 && !layers[list].drawn) document.querySelector(`[aria-label^="Segments: "] button`)?.click();
    vclean.openList(list);
    document.querySelectorAll("#tabs [role=tab]").forEach((tab) => {
      tab.setAttribute("aria-selected", Number(tab.dataset.list) === list);
    });
    byId("list").setAttribute("aria-label", list < 0 ? "Blocks" : "Segments");
    const blockControls = document.querySelector("#layers > [aria-label=Blocks]");
    if (blockControls) blockControls.hidden = list >= 0;
    byId("chips").hidden = list >= 0;
    if (byId("range")) byId("range").hidden = list >= 0;
  }

  function count() {
    const all = vclean.items().length;
    const shown = state.shown.length;
    byId("count").textContent = shown === all ? `${all}` : `${shown} of ${all}`;
  }

  /* --- keys ------------------------------------------------------------------------------------------------ */

  const keys = new Map();
  vclean.addKey = (key, meaning, act) => {
    keys.set(key, act);
    if (!meaning) return;
    byId("help").querySelector("table").append(element("tr", {}, element("td", {}, element("kbd", {}, key)), element("td", {}, meaning)));
  };
  const page = () => Math.max(Math.floor(byId("list").clientHeight / 40) - 1, 1);
  vclean.addKey("ArrowDown", "", (event) => vclean.step(1, event.shiftKey));
  vclean.addKey("ArrowUp", "", (event) => vclean.step(-1, event.shiftKey));
  vclean.addKey("j", "next (also ↓; with Shift, extend the selection)", () => vclean.step(1));
  vclean.addKey("k", "previous (also ↑)", () => vclean.step(-1));
  vclean.addKey("PageDown", "one page down", () => vclean.step(page()));
  vclean.addKey("PageUp", "one page up", () => vclean.step(-page()));
  vclean.addKey("Home", "first", () => vclean.step(-Infinity));
  vclean.addKey("End", "last", () => vclean.step(Infinity));
  vclean.addKey("/", "search; Enter goes to the list", () => search.select());
  vclean.addKey("Escape", "clear the search, then the selection", leave);
  vclean.addKey("+", "larger screenshot", () => vclean.zoomBy(1.25));
  vclean.addKey("-", "smaller screenshot", () => vclean.zoomBy(1 / 1.25));
  vclean.addKey("0", "fit the screenshot to the window", () => vclean.setZoom("fit"));
  vclean.addKey("?", "this help", () => byId("help").showModal());

  function leave() {
    if (document.activeElement !== search && !state.query) return vclean.select([], "keys");
    search.value = state.query = "";
    vclean.refresh();
    byId("list").focus({ preventScroll: true });
  }

  search.addEventListener("keydown", (event) => {
    if (event.key !== "Enter") return;
    event.preventDefault();
    event.stopPropagation(); // it leaves the search, and does not mark the page as done
    byId("list").focus({ preventScroll: true });
  });

  const typing = (target) => target.matches("input:not([type=range]), textarea, select");
  const handlesKey = (target, key) => target.matches("input[type=range], #pane, #details") && /^(Arrow|Page|Home|End)/.test(key);
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || byId("help").open) return;
    if (handlesKey(event.target, event.key) || (typing(event.target) && event.key !== "Escape" && event.key !== "ArrowDown")) return;
    if (event.key === "Enter" && event.target.matches("button, a, select, summary")) return;
    const act = keys.get(event.key);
    if (!act) return;
    event.preventDefault();
    if (event.key === "ArrowDown" && typing(event.target)) byId("list").focus();
    act(event);
  });
  byId("help-button").addEventListener("click", () => byId("help").showModal());

  makeChips();
  makeRange();
  makeTabs();
  vclean.on("show", count);
  vclean.on("change", makeChips);
  if (!data.blocks.length) openTab(state.list);
  vclean.refresh();
})();
