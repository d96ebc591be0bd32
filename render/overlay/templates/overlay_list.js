"use strict";
/* The list of the shown items, and the details of the selected or hovered item. Only the visible rows are in the
   document, independent of the length of the list. */
(() => {
  const { data, state, element } = vclean;
  const [list, rows, details] = ["list", "rows", "details"].map((id) => document.getElementById(id));
  const ROW = 40; // px
  const SPARE = 4; // rows above and below the visible ones
  const INDENT = 8; // px per level
  const pool = [];
  const FULL_BAR = 2; // log-odds that fill the bar of a reason

  const percent = (p) => (p === null || p === undefined ? "" : p.toFixed(2).replace(/^0/, ""));
  const meaning = (label) => data.pens.label[label]?.meaning || label;
  const rgb = (pen) => `rgb(${pen.color})`;

  vclean.caption = (item) => {
    if (state.list >= 0) return `level ${item.level}, DoC ${item.coherence}`;
    return [meaning(item.label), percent(item.probability)].filter(Boolean).join(" ");
  };

  /* Returns the shown rows between two rows, both included; the second is the last. */
  vclean.between = (from, to) => {
    const [a, b] = [state.shown.indexOf(from), state.shown.indexOf(to)];
    const range = state.shown.slice(Math.min(a, b), Math.max(a, b) + 1);
    return a <= b ? range : range.reverse();
  };

  /* Selects what is clicked: with Control, a row is added or removed; with Shift, a range; -1 is no row. */
  vclean.pick = (event, row, source) => {
    const { selected } = state;
    if (event.ctrlKey || event.metaKey) {
      const others = selected.filter((other) => other !== row);
      if (row >= 0) vclean.select(others.length < selected.length ? others : [...others, row], source);
    } else {
      const isRange = event.shiftKey && row >= 0 && selected.length;
      vclean.select(isRange ? vclean.between(selected[0], row) : row < 0 ? [] : row, source);
    }
  };

  /* --- list ------------------------------------------------------------------------------------------------ */

  function newRow() {
    const [mark, text, side] = [element("i", { role: "img" }), element("span", { className: "text" }), element("span", { className: "side" })];
    const row = element("div", { className: "row", role: "option" }, mark, text, side);
    rows.append(row);
    return row;
  }

  function fillRow(row, position) {
    const index = state.shown[position];
    const item = vclean.items()[index];
    const [mark, text, side] = row.children;
    row.id = `row-${index}`;
    row.dataset.position = position;
    row.style.transform = `translateY(${position * ROW}px)`;
    row.setAttribute("aria-posinset", position + 1);
    row.setAttribute("aria-setsize", state.shown.length);
    row.setAttribute("aria-selected", state.selected.includes(index));
    row.classList.toggle("hovered", state.hovered === index);
    const quiet = state.list < 0 && (item.label === "o" || !vclean.isPainted(item));
    row.classList.toggle("quiet", quiet);
    row.classList.toggle("changed", Boolean(item.changed));
    mark.textContent = state.list < 0 ? item.label : item.level;
    mark.style.marginLeft = state.list < 0 ? "" : `${item.level * INDENT}px`;
    mark.style.setProperty("--pen", rgb(state.list < 0 ? vclean.penOf(item) : vclean.penOfSegment(item)));
    text.textContent = item.text || "(no text)";
    text.dir = "auto";
    side.textContent = sideOf(item);
    mark.setAttribute("aria-label", state.list < 0 ? meaning(item.label) : `level ${item.level}`);
  }

  function sideOf(item) {
    if (state.list >= 0) return `DoC ${item.coherence}`;
    const hidden = vclean.isPainted(item) ? "" : item.visibility;
    return [percent(item.probability), hidden || item.role || ""].filter(Boolean).join("\n");
  }

  function render() {
    const first = Math.max(Math.floor(list.scrollTop / ROW) - SPARE, 0);
    const last = Math.min(Math.ceil((list.scrollTop + list.clientHeight) / ROW) + SPARE, state.shown.length);
    while (pool.length < last - first) pool.push(newRow());
    pool.forEach((row, number) => {
      row.hidden = first + number >= last;
      if (row.hidden) row.removeAttribute("id");
      else fillRow(row, first + number);
    });
    const current = state.selected.at(-1);
    const active = current !== undefined && document.getElementById(`row-${current}`);
    if (active) list.setAttribute("aria-activedescendant", active.id);
    else list.removeAttribute("aria-activedescendant");
  }

  let pending = 0;
  const scheduleRender = () => {
    pending ||= requestAnimationFrame(() => { pending = 0; render(); });
  };

  function scrollTo(position, atTop = false) {
    const [top, bottom] = [position * ROW, (position + 1) * ROW];
    if (atTop) list.scrollTop = top;
    else if (top < list.scrollTop) list.scrollTop = top - ROW;
    else if (bottom > list.scrollTop + list.clientHeight) list.scrollTop = bottom - list.clientHeight + ROW;
  }

  /* Scrolls to the topmost shown item at or below `y` of the screenshot. */
  vclean.scrollListTo = (y) => {
    const all = vclean.items();
    let best = -1;
    state.shown.forEach((row, position) => {
      const box = all[row].box;
      if (!box || !vclean.isDrawn(all[row]) || box[1] < y) return;
      if (best < 0 || box[1] < all[state.shown[best]].box[1]) best = position;
    });
    if (best >= 0) scrollTo(best, true);
  };

  /* Moves the selection by a number of rows. */
  vclean.step = (by, extend = false) => {
    if (!state.shown.length) return;
    const to = state.shown.indexOf(state.selected.at(-1)) + by;
    const row = state.shown[Math.min(Math.max(to, 0), state.shown.length - 1)];
    vclean.select(extend ? [...state.selected.filter((other) => other !== row), row] : row, "keys");
  };

  list.addEventListener("scroll", scheduleRender, { passive: true });
  list.addEventListener("click", (event) => {
    const position = event.target.closest(".row")?.dataset.position;
    if (position !== undefined) vclean.pick(event, state.shown[position], "list");
  });
  list.addEventListener("pointermove", (event) => {
    const position = event.target.closest(".row")?.dataset.position;
    vclean.hover(position === undefined ? -1 : state.shown[position], "list");
  });
  list.addEventListener("pointerleave", () => vclean.hover(-1, "list"));
  list.addEventListener("focus", () => {
    if (!state.selected.length && list.matches(":focus-visible")) vclean.step(1);
  });

  /* --- details --------------------------------------------------------------------------------------------- */

  function describe() {
    const index = state.hovered >= 0 ? state.hovered : state.selected.at(-1);
    const item = vclean.items()[index];
    if (!item) return details.replaceChildren(element("p", { className: "empty" }, emptyText()));
    details.replaceChildren(head(item), ...reasons(item), facts(item), element("p", { className: "whole", dir: "auto" }, item.text));
    if (state.hovered < 0) details.scrollTop = 0;
  }

  function emptyText() {
    const item = state.list < 0 ? "block" : "segment";
    return `Point at the screenshot, or move with j and k, to see the details of a ${item}. Click to select it.`;
  }

  function head(item) {
    const pen = state.list < 0 ? vclean.penOf(item) : vclean.penOfSegment(item);
    const swatch = element("i", { className: "swatch" }, state.list < 0 ? item.label : String(item.level));
    swatch.style.setProperty("--pen", rgb(pen));
    const heading = element("h2", {}, swatch, element("span", {}, vclean.caption(item)));
    for (const value of [item.role, item.part]) if (value) heading.append(element("span", { className: "tag" }, value));
    if (!vclean.isPainted(item)) heading.append(element("span", { className: "tag" }, item.technique ? `${item.visibility}: ${item.technique}` : item.visibility));
    const count = state.selected.length;
    if (state.hovered < 0 && count > 1) heading.append(element("span", { className: "tag" }, `last of ${count} selected`));
    return heading;
  }

  function reasons(item) {
    if (!item.reasons?.length) return [];
    const isKept = (item.predicted || item.label) !== "o";
    const entries = item.reasons.map(({ group, text, value }) => {
      const bar = element("i", { className: value < 0 ? "minus" : value > 0 ? "plus" : "rule" });
      bar.style.setProperty("--part", Math.min(Math.abs(value) / FULL_BAR, 1));
      const sign = value ? `${value < 0 ? "−" : "+"}${Math.abs(value).toFixed(1)}` : "";
      return element("li", { title: group }, element("span", { className: "sign" }, sign), bar, element("span", { dir: "auto" }, text));
    });
    if (item.margin !== undefined) entries.push(sum(item));
    const modelTitle = isKept ? "Why the model keeps it" : "Why the model leaves it out";
    const title = item.predicted ? modelTitle : isKept ? "Why it is kept" : "Why it is left out";
    return [element("h3", {}, title), element("ul", { className: "reasons" }, ...entries)];
  }

  /* The last entry: the sum of base value, all contributions and threshold, which decides, or the rule that overruled it. */
  function sum({ margin, overruled_by: rule }) {
    const sign = `${margin < 0 ? "−" : "+"}${Math.abs(margin).toFixed(2)}`;
    const text = "sum of all groups, the average block and the threshold of the page";
    const ending = rule ? `; overruled by the rule “${rule}”` : `: ${margin > 0 ? "kept" : "left out"}`;
    return element("li", { className: "sum", title: "sum" }, element("span", { className: "sign" }, sign), element("i", { className: "rule" }), element("span", {}, text + ending));
  }

  function facts(item) {
    const box = item.box && item.box.map((side) => Math.round(side));
    const pairs = [
      ["Changed", item.changed],
      ["Font", item.font],
      ["Box", box ? `${box[2]} × ${box[3]} px at ${box[0]}, ${box[1]}` : "nothing is painted"],
      ["Source", item.source],
      ["XPath", item.xpath],
    ].filter(([, value]) => value);
    return element("dl", {}, ...pairs.flatMap(([name, value]) => [element("dt", {}, name), element("dd", {}, value)]));
  }

  vclean.on("show", () => {
    rows.style.height = `${state.shown.length * ROW}px`;
    scheduleRender();
    describe();
  });
  vclean.on("change", () => { scheduleRender(); describe(); });
  vclean.on("hover", () => { scheduleRender(); describe(); });
  vclean.on("select", ({ indexes, source }) => {
    if (indexes.length && source !== "list") scrollTo(state.shown.indexOf(indexes.at(-1)));
    render();
    describe();
    if (source === "screenshot" || source === "filter") vclean.announce(announcement(indexes));
  });
  function announcement(indexes) {
    if (indexes.length !== 1) return indexes.length ? `${indexes.length} selected` : "nothing selected";
    const item = vclean.items()[indexes[0]];
    return `${vclean.caption(item)}: ${item.text}`;
  }
  new ResizeObserver(scheduleRender).observe(list);
})();
