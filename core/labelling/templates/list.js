"use strict";
/* Keep the list of pages up to date while pages are prepared or labelled in other tabs. */
(() => {
  const POLL = 1500;
  const byId = (id) => document.getElementById(id);
  let shown = "";

  async function refresh() {
    if (document.hidden) return;
    try {
      const source = await (await fetch("")).text();
      const parts = new DOMParser().parseFromString(source, "text/html").querySelectorAll("[data-changes]");
      for (const part of source === shown ? [] : parts) byId(part.id).replaceChildren(...part.childNodes);
      byId("lost").hidden = parts.length > 0;
      shown = source;
    } catch {
      byId("lost").hidden = false;
    }
  }

  document.addEventListener("keydown", ({ key, target }) => {
    if (key === "Enter" && !target.matches("a")) byId("start")?.click();
  });
  document.addEventListener("visibilitychange", refresh);
  refresh();
  setInterval(refresh, POLL);
})();
