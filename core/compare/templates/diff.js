"use strict";
(() => {
  const list = document.getElementById("differences");
  const panes = [...document.querySelectorAll(".pane")];
  let current = null;
  let zoom = 1;

  const rows = () => [...list.children].filter((row) => !row.hidden);
  const blockOf = (row) => row.querySelector("button").dataset.block;

  function show(block) {
    for (const frame of document.querySelectorAll(".frame")) {
      frame.classList.toggle("selected", frame.dataset.block === block);
    }
    document.querySelector(".frame.selected")?.scrollIntoView({ block: "center", inline: "nearest" });
  }

  function choose(row) {
    current?.removeAttribute("aria-current");
    current = row;
    row.setAttribute("aria-current", "true");
    row.scrollIntoView({ block: "nearest" });
    document.getElementById("live").textContent = `${rows().indexOf(row) + 1} of ${rows().length}`;
    show(blockOf(row));
  }

  function step(by) {
    const row = rows()[rows().indexOf(current) + by];
    if (!row) return;
    choose(row);
    row.querySelector("button").focus({ preventScroll: true });
  }

  function setZoom(value) {
    zoom = Math.min(Math.max(value, 1 / 8), 8);
    document.body.style.setProperty("--zoom", zoom);
    if (current) show(blockOf(current));
  }

  const KEYS = {
    j: () => step(1), ArrowDown: () => step(1), k: () => step(-1), ArrowUp: () => step(-1),
    "+": () => setZoom(zoom * 1.25), "-": () => setZoom(zoom / 1.25), 0: () => setZoom(1),
  };

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || !(event.key in KEYS)) return;
    event.preventDefault();
    KEYS[event.key]();
  });
  document.addEventListener("click", ({ target }) => {
    const { key, block } = target.closest("[data-key], [data-block]")?.dataset ?? {};
    if (key) KEYS[key]();
    if (!block) return;
    const row = [...list.children].find((each) => blockOf(each) === block);
    if (row) choose(row);
    else show(block);
  });
  document.addEventListener("change", ({ target }) => {
    for (const row of list.children) if (row.dataset.kind === target.value) row.hidden = !target.checked;
    if (current?.hidden) step(1);
  });
  for (const pane of panes) {
    pane.addEventListener("scroll", () => {
      const { scrollLeft: left, scrollTop: top } = pane;
      for (const other of panes) other.scrollTo({ left, top, behavior: "instant" }); // no event if it is there
    }, { passive: true });
  }
  if (panes.length && list.children.length) choose(list.children[0]);
})();
