"use strict";
/* Defines `window.vclean`: the data of the page, the filters, the selection and the keys. The views and added scripts
   use it. The form `#controls` holds what is drawn and listed. Listeners of the document receive `vclean:select` and
   `vclean:hover` ({indexes, source}), `vclean:show` (after a change of the controls) and `vclean:change` ({indexes} of
   blocks whose label or role changed). */
window.vclean = (() => {
  const byId = (id) => document.getElementById(id);
  const data = JSON.parse(byId("data").textContent);
  const controls = byId("controls");
  const state = {
    list: -1, // -1 for blocks, otherwise the number of a layer
    form: new FormData(controls),
    selected: [],
    hovered: -1,
    shown: [], // indexes of the items that pass the filters, in the order of the list
  };

  const emit = (name, detail) => document.dispatchEvent(new CustomEvent(`vclean:${name}`, { detail }));
  const items = () => (state.list < 0 ? data.blocks : data.layers[state.list].segments);
  const isPainted = (item) => !item.visibility || item.visibility === "shown";

  function element(tag, properties = {}, ...children) {
    const created = document.createElement(tag);
    for (const [name, value] of Object.entries(properties)) {
      if (name in created) created[name] = value;
      else created.setAttribute(name, value);
    }
    created.append(...children);
    return created;
  }

  /* --- filters --------------------------------------------------------------------------------------------- */

  /* Divides segments from the page down until their coherence reaches the permitted degree of coherence. */
  function divide({ segments }, pdoc) {
    for (const segment of segments) {
      segment.present = segment.parent < 0 || segments[segment.parent].divided;
      segment.divided = segment.present && segment.coherence < pdoc;
    }
  }

  /* Returns a function that decides whether an item passes the filters of the form. */
  function filter(form) {
    const query = form.get("query").trim().toLowerCase();
    const finds = (item) => `${item.text}\n${item.xpath}`.toLowerCase().includes(query);
    if (state.list >= 0) return (segment) => segment.present && finds(segment);
    const [labels, roles, visibilities] = ["label", "role", "visibility"].map((kind) => new Set(form.getAll(kind)));
    const [low, high] = [Number(form.get("low")), Number(form.get("high"))];
    return (block) => labels.has(block.label) && roles.has(block.role || "none") && visibilities.has(block.visibility)
      && (block.probability === null || (low <= block.probability && block.probability <= high))
      && finds(block);
  }

  /* Applies the form. Deselects the items that a filter hides; otherwise a key could change an invisible item. */
  function refresh() {
    const list = Number(controls.querySelector("[name=list]:checked")?.value ?? -1);
    if (list !== state.list) {
      Object.assign(state, { list, shown: [] });
      if (list >= 0) controls.elements[`segments${list}`].checked = true;
      select([], "filter");
    }
    const form = new FormData(controls);
    state.form = form;
    document.body.dataset.color = form.get("color") || data.color;
    data.layers.forEach((layer, row) => divide(layer, Number(form.get(`pdoc${row}`))));
    const passes = filter(form);
    state.shown = [...items().keys()].filter((row) => passes(items()[row]));
    for (const range of controls.querySelectorAll("[type=range]")) range.nextElementSibling.value = range.value;
    byId("count").value = [...new Set([state.shown.length, items().length])].join(" of ");
    emit("show");
    const shown = new Set(state.shown);
    const visible = state.selected.filter((row) => shown.has(row));
    if (visible.length < state.selected.length) select(visible, "filter");
  }

  /* Shows the number of blocks or parts with the value of each check box, and hides check boxes without any. */
  function count() {
    for (const input of controls.querySelectorAll(".chip input, [name=part]")) {
      const { name, value, parentElement: label } = input;
      const values = name === "part" ? data.parts.map((part) => part.kind)
        : data.blocks.map((block) => block[name] || "none");
      const number = values.filter((each) => each === value).length;
      label.hidden = !number;
      if (name === "part") label.title = data.parts.find((part) => part.kind === value)?.text ?? "";
      label.lastChild.textContent = name !== "part" ? number : number > 1 ? `${value}s ${number}` : value;
    }
  }

  /* A double click on a check box of a filter shows its value alone, or all values again. */
  function showOnly({ target }) {
    const chosen = target.closest(".chip")?.querySelector("input");
    if (!chosen) return;
    const all = [...controls.querySelectorAll(`[name=${chosen.name}]`)];
    const isAlone = all.every((input) => input.checked === (input === chosen));
    for (const input of all) input.checked = isAlone || input === chosen;
    refresh();
  }

  controls.addEventListener("input", refresh);
  controls.addEventListener("dblclick", showOnly);
  controls.addEventListener("submit", (event) => {
    event.preventDefault();
    byId("list").focus({ preventScroll: true });
  });

  /* --- selection ------------------------------------------------------------------------------------------- */

  /* Selects items of the open list. The details show the last index; listeners receive `source`. */
  function select(indexes, source = "script") {
    state.selected = [...new Set([indexes].flat().filter((index) => Number.isInteger(index) && index in items()))];
    hover(-1, source);
    emit("select", { indexes: state.selected, source });
  }

  function hover(index, source = "script") {
    if (index === state.hovered) return;
    state.hovered = index;
    emit("hover", { indexes: index < 0 ? [] : [index], source });
  }

  /* Selects what is clicked: with Control, a row is added or removed; with Shift, a range; -1 is no row. */
  function pick(event, row, source) {
    const { selected, shown } = state;
    if (event.ctrlKey || event.metaKey) {
      const others = selected.filter((other) => other !== row);
      select(others.length < selected.length ? others : [...others, row], source);
    } else if (event.shiftKey && row >= 0 && selected.length) {
      const [from, to] = [shown.indexOf(selected[0]), shown.indexOf(row)];
      const range = shown.slice(Math.min(from, to), Math.max(from, to) + 1);
      select(from <= to ? range : range.reverse(), source);
    } else select(row, source);
  }

  /* Moves the selection by a number of rows. */
  function step(by, extend = false) {
    if (!state.shown.length) return;
    const to = state.shown.indexOf(state.selected.at(-1)) + by;
    const row = state.shown[Math.min(Math.max(to, 0), state.shown.length - 1)];
    select(extend ? [...state.selected.filter((other) => other !== row), row] : row, "keys");
  }

  /* Shows blocks everywhere, after a script changed their values. */
  function changed(indexes) {
    count();
    refresh();
    emit("change", { indexes });
  }

  /* --- keys ------------------------------------------------------------------------------------------------ */

  const keys = new Map();

  /* Adds a key, with a line in the help if it has a meaning. A click on an element with `data-key` presses the key. */
  function addKey(key, meaning, act) {
    keys.set(key, act);
    const line = element("tr", {}, element("td", {}, element("kbd", {}, key)), element("td", {}, meaning));
    if (meaning) byId("help").querySelector("table").append(line);
  }

  function leave() {
    const search = byId("search");
    if (document.activeElement !== search && !search.value) return select([], "keys");
    search.value = "";
    refresh();
    byId("list").focus({ preventScroll: true });
  }

  const page = () => Math.max(Math.floor(byId("list").clientHeight / 40) - 1, 1);
  addKey("ArrowDown", "", (event) => step(1, event.shiftKey));
  addKey("ArrowUp", "", (event) => step(-1, event.shiftKey));
  addKey("j", "next (also ↓; with Shift, extend the selection)", () => step(1));
  addKey("k", "previous (also ↑)", () => step(-1));
  addKey("PageDown", "one page down", () => step(page()));
  addKey("PageUp", "one page up", () => step(-page()));
  addKey("Home", "first", () => step(-Infinity));
  addKey("End", "last", () => step(Infinity));
  addKey("/", "search; Enter goes to the list", () => byId("search").select());
  addKey("Escape", "clear the search, then the selection", leave);
  addKey("?", "this help", () => byId("help").showModal());

  /* Returns whether the browser or the element handles a key. */
  function isHandled({ target, key, altKey }) {
    if (altKey || document.querySelector("dialog[open]")) return true;
    const scrolls = target.matches("[type=range], [type=radio], #pane, #details");
    if (scrolls && /^(Arrow|Page|Home|End)/.test(key)) return true;
    if (key === "Enter") return target.matches("button, a, input");
    return target.matches("[type=search]") && key !== "Escape" && key !== "ArrowDown";
  }

  document.addEventListener("keydown", (event) => {
    const key = `${event.ctrlKey || event.metaKey ? "Ctrl+" : ""}${event.key}`;
    if (isHandled(event) || !keys.has(key)) return;
    event.preventDefault();
    if (event.target.matches("[type=search]")) byId("list").focus();
    keys.get(key)(event);
  });
  document.addEventListener("click", (event) => {
    const focused = document.activeElement;
    const isPointer = event.detail || !focused.matches(":focus-visible");
    // After a click, the next key must not activate the same control.
    if (isPointer && focused.matches("button, input:not([type=search])")) focused.blur();
    keys.get(event.target.closest("[data-key]")?.dataset.key)?.(event);
  });

  return {
    data, blocks: data.blocks, state, controls, items, isPainted, element, refresh, select, hover, pick, step, changed,
    addKey,
    announce: (text) => { byId("live").textContent = text; },
    on: (name, listener) => document.addEventListener(`vclean:${name}`, (event) => listener(event.detail)),
  };
})();
