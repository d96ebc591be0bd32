"use strict";
/* The list of the shown items, and the details of the selected or hovered item. Only the visible rows are in the
   document, independent of the length of the list. */
(() => {
  const { data, state, items, element } = vclean;
  const [list, rows, details] = ["list", "rows", "details"].map((id) => document.getElementById(id));
  const ROW = 40; // px
  const SPARE = 4; // rows above and below the visible ones
  const FULL_BAR = 2; // log-odds that fill the bar of a reason

  const isSegment = (item) => "level" in item;
  const meaning = (label) => data.pens.label[label].meaning;
  const percent = (p) => p?.toFixed(2).replace(/^0/, "") ?? "";
  const span = (text, className = "") => element("span", { className, dir: "auto" }, text);

  vclean.caption = (item) => (isSegment(item) ? `level ${item.level}, DoC ${item.coherence}`
    : `${meaning(item.label)} ${percent(item.probability)}`.trim());

  /* Returns the attributes that give an element the pen of an item. */
  vclean.penOf = (item) => (isSegment(item)
    ? { "data-level": Math.min(Math.max(item.level, 1), data.pens.level.length) }
    : { "data-label": item.label, "data-role": item.role || "none" });

  function swatch(item) {
    const name = isSegment(item) ? `level ${item.level}` : meaning(item.label);
    return element("i", { className: "swatch", role: "img", "aria-label": name }, String(item.level ?? item.label));
  }

  /* --- list ------------------------------------------------------------------------------------------------ */

  function row(index, position) {
    const item = items()[index];
    const hidden = vclean.isPainted(item) ? "" : item.visibility;
    const [probability, hint] = [percent(item.probability), hidden || item.role || ""];
    const side = isSegment(item) ? `DoC ${item.coherence}` : `${probability}\n${hint}`;
    const classes = ["row", hidden && "unseen", item.changed && "changed", state.hovered === index && "hovered"];
    const made = element("div", {
      className: classes.filter(Boolean).join(" "), id: `row-${index}`, role: "option", ...vclean.penOf(item),
      "aria-selected": state.selected.includes(index),
      "aria-posinset": position + 1, "aria-setsize": state.shown.length,
    }, swatch(item), span(item.text || "(no text)", "text"), span(side.trim(), "side"));
    made.style.setProperty("--indent", item.level ?? 0);
    return made;
  }

  function render() {
    const first = Math.max(Math.floor(list.scrollTop / ROW) - SPARE, 0);
    const last = Math.ceil((list.scrollTop + list.clientHeight) / ROW) + SPARE;
    Object.assign(rows.style, { height: `${state.shown.length * ROW}px`, paddingTop: `${first * ROW}px` });
    rows.replaceChildren(...state.shown.slice(first, last).map((index, position) => row(index, first + position)));
    const active = document.getElementById(`row-${state.selected.at(-1)}`);
    list.setAttribute("aria-activedescendant", active?.id ?? "");
  }

  /* Scrolls to an item, so that it is at the top or, for `nearest`, anywhere in the list. */
  vclean.scrollListTo = (index, nearest = false) => {
    const top = state.shown.indexOf(index) * ROW;
    const isVisible = top >= list.scrollTop && top + ROW <= list.scrollTop + list.clientHeight;
    if (!nearest) list.scrollTop = top;
    else if (!isVisible) list.scrollTop = top < list.scrollTop ? top - ROW : top + 2 * ROW - list.clientHeight;
  };

  const indexOf = ({ target }) => Number(target.closest(".row")?.id.slice("row-".length) ?? -1);
  list.addEventListener("scroll", render, { passive: true });
  list.addEventListener("click", (event) => { if (indexOf(event) >= 0) vclean.pick(event, indexOf(event), "list"); });
  list.addEventListener("pointermove", (event) => vclean.hover(indexOf(event), "list"));
  list.addEventListener("pointerleave", () => vclean.hover(-1, "list"));
  list.addEventListener("focus", () => {
    if (!state.selected.length && list.matches(":focus-visible")) vclean.step(1);
  });

  /* --- details --------------------------------------------------------------------------------------------- */

  function describe() {
    const item = items()[state.hovered >= 0 ? state.hovered : state.selected.at(-1)];
    const hint = "Point at the screenshot, or move with j and k, to see details. Click to select.";
    if (!item) return details.replaceChildren(element("p", { className: "soft" }, hint));
    const text = element("p", { className: "whole", dir: "auto" }, item.text);
    details.replaceChildren(head(item), ...reasons(item), facts(item), text);
    if (state.hovered < 0) details.scrollTop = 0;
  }

  function head(item) {
    const count = state.hovered < 0 ? state.selected.length : 0;
    const hidden = [item.visibility, item.technique].filter(Boolean).join(": ");
    const tags = [item.role, item.part, !vclean.isPainted(item) && hidden, count > 1 && `last of ${count} selected`];
    return element("h2", vclean.penOf(item), swatch(item), span(vclean.caption(item)),
      ...tags.filter(Boolean).map((tag) => span(tag, "tag")));
  }

  function reason(text, title, value, digits, bar = Math.abs(value)) {
    const sign = value ? `${value < 0 ? "−" : "+"}${Math.abs(value).toFixed(digits)}` : "";
    const meter = element("progress", { max: FULL_BAR, value: bar, hidden: !bar, "aria-hidden": true });
    const className = value < 0 ? "minus" : "";
    return element("li", { title, className }, span(sign, "sign"), element("i", {}, meter), span(text));
  }

  /* Returns the reasons, and their sum with base value and threshold, which decides unless a rule overruled it. */
  function reasons({ reasons: all, margin, overruled_by: rule, label, predicted }) {
    if (!all?.length) return [];
    const isKept = (predicted || label) !== "o";
    const modelTitle = isKept ? "Why the model keeps it" : "Why the model leaves it out";
    const title = predicted ? modelTitle : isKept ? "Why it is kept" : "Why it is left out";
    const ending = rule ? `; overruled by the rule “${rule}”` : `: ${margin > 0 ? "kept" : "left out"}`;
    const sum = `sum of all groups, the average block and the threshold of the page${ending}`;
    const lines = all.map(({ group, text, value }) => reason(text, group, value, 1));
    if (margin !== undefined) lines.push(reason(sum, "sum", margin, 2, 0));
    return [element("h3", { className: "soft" }, title), element("ul", { className: "reasons" }, ...lines)];
  }

  function facts({ changed, font, box, source, xpath }) {
    const [x, y, w, h] = (box ?? []).map(Math.round);
    const Box = box ? `${w} × ${h} px at ${x}, ${y}` : "nothing is painted";
    const values = { Changed: changed, Font: font, Box, Source: source, XPath: xpath };
    const pairs = Object.entries(values).filter(([, value]) => value);
    return element("dl", {}, ...pairs.flatMap(([name, value]) => [
      element("dt", { className: "soft" }, name), element("dd", {}, value),
    ]));
  }

  /* --- events ---------------------------------------------------------------------------------------------- */

  function show() {
    render();
    describe();
  }

  vclean.on("show", show);
  vclean.on("change", show);
  vclean.on("hover", ({ indexes }) => {
    rows.querySelector(".hovered")?.classList.remove("hovered");
    document.getElementById(`row-${indexes[0]}`)?.classList.add("hovered");
    describe();
  });
  vclean.on("select", ({ indexes, source }) => {
    const item = items()[indexes.at(-1)];
    if (item && source !== "list") vclean.scrollListTo(indexes.at(-1), true);
    show();
    const several = indexes.length ? `${indexes.length} selected` : "nothing selected";
    const text = indexes.length === 1 ? `${vclean.caption(item)}: ${item.text}` : several;
    if (source === "screenshot" || source === "filter") vclean.announce(text);
  });
  new ResizeObserver(render).observe(list);
  vclean.changed([]);
})();
