"use strict";
(() => {
  const list = document.getElementById("differences");
  const frames = [...document.querySelectorAll("#panes iframe")];
  const live = document.getElementById("live");
  let current = null;

  const rows = () => [...list.children].filter((row) => !row.hidden);
  const blockOf = (row) => Number(row.querySelector("button").dataset.block);
  const send = (frame, message) => frame.contentWindow?.postMessage({ vclean: message }, "*");

  function choose(row, focus) {
    current?.removeAttribute("aria-current");
    current = row;
    row.setAttribute("aria-current", "true");
    row.scrollIntoView({ block: "nearest" });
    if (focus) row.querySelector("button").focus({ preventScroll: true });
    live.textContent = `${rows().indexOf(row) + 1} of ${rows().length}`;
    for (const frame of frames) send(frame, { show: blockOf(row) });
  }

  function step(by) {
    const all = rows();
    if (!all.length) return;
    const index = all.indexOf(current);
    choose(all[Math.min(Math.max(index < 0 ? 0 : index + by, 0), all.length - 1)], document.activeElement?.tagName !== "IFRAME");
  }

  const STEPS = { j: 1, ArrowDown: 1, k: -1, ArrowUp: -1 };
  const ZOOMS = { "+": 1.25, "-": 0.8, 0: "fit" };

  function press(key) {
    if (key in STEPS) step(STEPS[key]);
    else if (key in ZOOMS) for (const frame of frames) send(frame, { zoom: ZOOMS[key] });
    else return false;
    return true;
  }

  list.addEventListener("click", (event) => {
    const row = event.target.closest("button")?.parentElement;
    if (row) choose(row, false);
  });
  document.addEventListener("keydown", (event) => {
    if (!event.ctrlKey && !event.metaKey && !event.altKey && press(event.key)) event.preventDefault();
  });
  for (const button of document.querySelectorAll("[data-key]")) {
    button.addEventListener("click", () => press(button.dataset.key));
  }

  for (const button of document.querySelectorAll(".switches button")) {
    button.addEventListener("click", () => {
      const shown = button.getAttribute("aria-pressed") !== "true";
      button.setAttribute("aria-pressed", String(shown));
      for (const row of list.children) if (row.dataset.kind === button.dataset.kind) row.hidden = !shown;
      if (current?.hidden) step(1);
    });
  }

  addEventListener("message", (event) => {
    const from = frames.findIndex((frame) => frame.contentWindow === event.source);
    const message = event.data?.vclean;
    if (from < 0 || !message) return;
    if ("top" in message) send(frames[1 - from], message);
    if ("key" in message) press(message.key);
    if ("select" in message) {
      const row = [...list.children].find((each) => blockOf(each) === message.select);
      if (row) choose(row, false);
      else send(frames[1 - from], { show: message.select });
    }
    if (message.ready && current) send(frames[from], { show: blockOf(current) });
  });

  // Both overlays share one screenshot, which replaces the empty address in each. JSON escapes the quotation marks of
  // all texts, so no text matches the pattern.
  if (frames.length) {
    const { screenshot, pages } = JSON.parse(document.getElementById("overlays").textContent);
    const address = `"screenshot":${JSON.stringify(screenshot)}`;
    frames.forEach((frame, side) => { frame.srcdoc = pages[side].replace('"screenshot":""', () => address); });
  }
  if (frames.length && list.children.length) choose(list.children[0], false);
})();
