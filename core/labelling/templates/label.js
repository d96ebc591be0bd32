"use strict";
/* Labelling, on top of the overlay. Keys and buttons change the selected blocks, first in this tab and then on the
   server. Changes of other tabs are requested every second. The address of the page is BASE/page/N: see the module
   `server`. */
(() => {
  const { data, state, controls, addKey, announce } = vclean;
  const byId = (id) => document.getElementById(id);
  const tools = byId("tools");
  const NUMBER = location.pathname.split("/").pop();
  const POLL = 1000;
  const LOST = "The server does not answer: start vclean label again. Saved changes are not lost.";
  const VALUES = ["label", "role", "part"];
  const PARTS = [...tools.querySelectorAll("#parts button")].map((button) => button.value); // that can be corrected
  const remote = { revision: 0, status: "open", undo: false, redo: false, next: null, progress: null };
  const foundParts = data.parts; // parts that vclean found, each with its first block
  const predicted = data.blocks.map(({ label, role }) => ({ label, role, part: null }));
  let pending = 0; // requests not answered yet
  let problem = ""; // reason why the server was not reached, or refused the last change
  let queue = Promise.resolve();

  for (const { kind, block } of foundParts.toReversed()) {
    if (block !== null && PARTS.includes(kind)) predicted[block].part = kind;
  }
  // The reasons explain the prediction.
  data.blocks.forEach((block, row) => Object.assign(block, predicted[row], { predicted: block.label }));

  /* --- blocks ---------------------------------------------------------------------------------------------- */

  function describeChange(row) {
    const [before, after] = [predicted[row], data.blocks[row]];
    const changes = VALUES.filter((name) => before[name] !== after[name])
      .map((name) => `${name} ${before[name] || "none"} → ${after[name] || "none"}`);
    return changes.join(", ") || "confirmed";
  }

  /* Gives a block other values, and draws the kind of part that it becomes. Returns whether something changed. */
  function assign(row, values, byHand = true) {
    const block = data.blocks[row];
    const before = { ...block };
    Object.assign(block, values);
    block.changed = byHand ? describeChange(row) : "";
    const changes = [...VALUES, "changed"].filter((name) => (before[name] || "") !== (block[name] || ""));
    const isNewPart = block.part && changes.includes("part");
    if (isNewPart) controls.querySelector(`[name=part][value=${block.part}]`).checked = true;
    return changes.length > 0;
  }

  /* Shows changed blocks, and the parts as they are now: those that cannot be corrected, and those of the blocks, with
     the box that vclean found or that of the block. */
  function update(rows) {
    const fixed = foundParts.filter(({ kind, block }) => block === null || !PARTS.includes(kind));
    const parts = [...data.blocks.entries()].filter(([, block]) => block.part)
      .map(([row, { part: kind, box, text }]) => foundParts.find((part) => part.kind === kind && part.block === row)
        ?? { kind, box, text, block: row });
    data.parts = [...fixed, ...parts.filter((part) => part.box)];
    if (rows.length) vclean.changed(rows);
  }

  /* --- the server ------------------------------------------------------------------------------------------ */

  async function request(path, body) {
    const headers = { "Content-Type": "application/json" };
    const response = await fetch(`../${path}`, body && { method: "POST", headers, body: JSON.stringify(body) });
    const answer = await response.json();
    if (!response.ok) throw new Error(answer.error);
    return answer;
  }

  /* Sends changes one at a time, each after the answer to the one before: the last one then wins on the server too. */
  function post(path, body = {}) {
    pending += 1;
    show();
    queue = queue.then(async () => {
      try {
        const answer = await request(path, { since: remote.revision, ...body });
        if (pending === 1) apply(answer); // otherwise the next answer contains all changes; this avoids flicker
        problem = "";
      } catch (error) {
        problem = `Not saved: ${error.message}`;
        await refetch().catch(() => { problem = `Not saved. ${LOST}`; });
      }
      pending -= 1;
      show();
    });
    return queue;
  }

  /* Shows the state of the server, without the changes that it refused. */
  async function refetch() {
    const answer = await request(`state/${NUMBER}/0`);
    data.blocks.forEach((block, row) => Object.assign(block, predicted[row], { changed: "" }));
    remote.revision = 0;
    update([...data.blocks.keys()]);
    apply(answer);
  }

  async function poll() {
    if (pending || document.hidden) return;
    try {
      const answer = await request(`state/${NUMBER}/${remote.revision}`);
      if (!pending) apply(answer);
      if (problem === LOST) problem = "";
    } catch {
      problem ||= LOST;
    }
    show();
  }

  function apply({ blocks, ...facts }) {
    if (facts.revision < remote.revision) return;
    Object.assign(remote, facts);
    const changed = blocks.filter(([row, label, role, part, byHand]) => assign(row, { label, role, part }, byHand));
    update(changed.map(([row]) => row));
  }

  /* --- what the annotator does ----------------------------------------------------------------------------- */

  function set(kind, value) {
    const rows = state.selected;
    if (!rows.length) return announce("Select a block first.");
    for (const row of rows) assign(row, { [kind]: value });
    update(rows);
    post(`change/${NUMBER}`, { blocks: rows.map((block) => ({ block, [kind]: value })) });
    const name = data.pens[kind][value]?.meaning ?? `no ${kind}`;
    announce(`${rows.length === 1 ? "Block" : `${rows.length} blocks`}: ${name}`);
  }

  async function move(name) {
    if (!remote[name] && !pending) return announce(`Nothing to ${name}.`);
    await post(`${name}/${NUMBER}`);
    announce(name === "undo" ? "Undone." : "Redone.");
  }

  const openNext = () => { location.href = remote.next === null ? "../" : String(remote.next); };

  async function mark(status) {
    await post(`mark/${NUMBER}`, { status });
    if (!problem && status !== "open") openNext();
  }

  function openDialog(id) {
    if (state.selected.length) byId(id).showModal();
    else announce("Select a block first.");
  }

  for (const dialog of tools.querySelectorAll(".chooser")) {
    dialog.addEventListener("click", ({ target }) => {
      const button = target.closest("button");
      if (button || target === dialog) dialog.close();
      if (button) set(dialog.dataset.kind, button.value || null);
    });
    dialog.addEventListener("keydown", (event) => {
      event.stopPropagation(); // letters choose values in the dialog
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      [...dialog.children].find((button) => button.lastChild.textContent === event.key)?.click();
      if (event.key !== "Escape") return;
      event.preventDefault(); // the browser may close late, and would then close the next dialog
      dialog.close();
    });
  }

  for (const label of Object.keys(data.pens.label)) {
    addKey(label, `label the selected blocks: ${data.pens.label[label].meaning}`, () => set("label", label));
  }
  addKey("r", "choose the role of the selected blocks", () => openDialog("roles"));
  addKey("t", "choose the part of the page that the selected blocks are or begin", () => openDialog("parts"));
  addKey("u", "undo (also Ctrl+Z)", () => move("undo"));
  addKey("U", "redo (also Ctrl+Y)", () => move("redo"));
  addKey("Ctrl+z", "", () => move("undo"));
  for (const key of ["Ctrl+y", "Ctrl+Z"]) addKey(key, "", () => move("redo"));
  addKey("Enter", "mark the page as done, next page", () => mark("done"));
  addKey("reopen", "", () => mark("open"));
  addKey("s", "skip the page", () => mark("skipped"));
  addKey("n", "next page, leave this one open", () => queue.then(openNext));
  addKey("a", "select all listed blocks", () => vclean.select(state.shown, "keys"));

  /* --- controls -------------------------------------------------------------------------------------------- */

  const [undo, redo, next] = ["u", "U", "n"].map((key) => tools.querySelector(`[data-key=${key}]`));
  const facts = [...document.querySelectorAll(".facts dt")];
  const kept = facts.find((name) => name.textContent === "Kept")?.nextElementSibling;

  function show() {
    const { progress, status } = remote;
    undo.disabled = !remote.undo && !pending;
    redo.disabled = !remote.redo;
    next.disabled = remote.next === null;
    document.body.dataset.status = status;
    byId("saved").value = problem ? "not saved" : pending ? "saving …" : remote.revision ? "saved" : "";
    byId("lost").hidden = !problem;
    if (byId("lost").textContent !== problem) byId("lost").textContent = problem;
    if (!progress) return;
    const { total, ready, done, skipped } = progress;
    Object.assign(tools.querySelector("progress"), { max: Math.max(total, 1), value: done + skipped });
    const prefix = status === "open" ? "" : `${status} · `;
    byId("progress-text").textContent = `${prefix}${done} of ${total}${ready ? "" : "+"} done`;
  }

  /* Shows what the selected blocks have in common, and how many blocks are kept now. */
  function showBlocks() {
    const [first, ...others] = state.selected.map((row) => data.blocks[row]);
    const common = (name) => (others.every((block) => block[name] === first[name]) ? first?.[name] : undefined);
    for (const button of tools.querySelectorAll("[data-label]")) {
      button.disabled = !first;
      button.setAttribute("aria-pressed", button.dataset.label === common("label"));
    }
    for (const kind of ["role", "part"]) {
      byId(kind).disabled = !first;
      byId(kind).querySelector("span").textContent = common(kind) === null ? `no ${kind}` : common(kind) ?? kind;
    }
    const number = data.blocks.filter((block) => block.label !== "o").length;
    if (kept) kept.textContent = kept.textContent.replace(/^\d+/, number);
  }

  vclean.on("select", showBlocks);
  vclean.on("change", showBlocks);
  addEventListener("beforeunload", (event) => { if (pending) event.preventDefault(); });
  document.addEventListener("visibilitychange", poll);
  showBlocks();
  show();
  poll();
  setInterval(poll, POLL);
})();
