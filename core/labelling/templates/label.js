"use strict";
/* Labelling, on top of the overlay: keys and buttons change the selected blocks, at once here and then on the server;
   what other tabs changed is asked for every second. The page's address is BASE/page/N: see the module `server`. */
(() => {
  const { data, state, element } = vclean;
  const NUMBER = location.pathname.split("/").pop();
  const POLL = 1000;
  const GONE = "The server does not answer";
  const labels = Object.entries(data.pens.label).map(([label, pen]) => [label, pen.meaning.split(",")[0]]);
  const roles = Object.keys(data.pens.role).filter((role) => role !== "none");
  const known = { revision: 0, status: "open", undo: false, redo: false, next: null, progress: null };
  const predicted = data.blocks.map(({ label, role }) => ({ label, role }));
  for (const block of data.blocks) block.predicted = block.label; // the reasons are the model's
  const versions = new Uint32Array(data.blocks.length);
  let sent = 0; // changes on their way
  let lost = ""; // why the server was not reached, or did not take the last change
  let line = Promise.resolve();

  /* --- the server ------------------------------------------------------------------------------------------ */

  async function ask(path, body) {
    const options = body && { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) };
    const response = await fetch(`../${path}`, options);
    const answer = await response.json();
    if (!response.ok) throw new Error(answer.error);
    return answer;
  }

  /* Changes go one after the other, each after the one before has been answered: the last one wins on the server too. */
  function post(path, body = {}) {
    sent += 1;
    show();
    line = line.then(async () => {
      try {
        const answer = await ask(path, { since: known.revision, ...body });
        if (sent === 1) take(answer); // else the next answer brings all that changed, and nothing flickers
        lost = "";
      } catch (error) {
        lost = `Not saved: ${error.message}`;
        await refetch();
      } finally {
        sent -= 1;
        show();
      }
    });
    return line;
  }

  /* Shows what the server has, not what it did not take. */
  async function refetch() {
    try {
      const answer = await ask(`state/${NUMBER}/0`);
      reset();
      known.revision = 0;
      take(answer);
    } catch {
      lost = `Not saved. ${GONE}: start vclean label again. What was saved is kept.`;
    }
  }

  async function look() {
    if (sent || document.hidden) return;
    try {
      const answer = await ask(`state/${NUMBER}/${known.revision}`);
      if (!sent) take(answer);
      if (lost.startsWith(GONE)) lost = "";
    } catch {
      lost ||= `${GONE}: start vclean label again. What was saved is kept.`;
    }
    show();
  }

  function take({ blocks, ...facts }) {
    if (facts.revision < known.revision) return;
    Object.assign(known, facts);
    const newer = blocks.filter(([row, , , , version]) => version >= versions[row]);
    const groups = new Map();
    for (const [row, label, role, byHand, version] of newer) {
      versions[row] = version;
      const values = { label, role, changed: byHand ? told(row, label, role) : "" };
      const block = data.blocks[row];
      if (block.label === label && block.role === role && (block.changed || "") === values.changed) continue;
      const key = JSON.stringify(values);
      if (!groups.has(key)) groups.set(key, { rows: [], values });
      groups.get(key).rows.push(row);
    }
    for (const { rows, values } of groups.values()) vclean.update(rows, values);
    show();
  }

  function told(row, label, role) {
    const was = predicted[row];
    const parts = [];
    if (was.label !== label) parts.push(`label ${was.label} → ${label}`);
    if (was.role !== role) parts.push(`role ${was.role || "none"} → ${role || "none"}`);
    return parts.join(", ") || "confirmed";
  }

  function reset() {
    data.blocks.forEach((block, row) => Object.assign(block, predicted[row], { changed: "" }));
    versions.fill(0);
    vclean.update([], {});
  }

  /* --- what the annotator does ------------------------------------------------------------------------------ */

  function set(values) {
    const rows = state.list < 0 ? [...state.selected] : [];
    if (!rows.length) return vclean.announce("Select a block first.");
    const groups = new Map();
    for (const row of rows) {
      const { label, role } = { ...data.blocks[row], ...values };
      const key = told(row, label, role);
      if (!groups.has(key)) groups.set(key, []);
      groups.get(key).push(row);
    }
    for (const [changed, of] of groups) vclean.update(of, { ...values, changed });
    post(`change/${NUMBER}`, { blocks: rows.map((block) => ({ block, ...values })) });
    const name = "label" in values ? labels.find(([label]) => label === values.label)[1] : values.role || "no role";
    vclean.announce(`${rows.length === 1 ? "Block" : `${rows.length} blocks`}: ${name}`);
  }

  function move(name) {
    if (!known[name] && !sent) return vclean.announce(`Nothing to ${name}.`);
    return post(`${name}/${NUMBER}`).then(() => vclean.announce(name === "undo" ? "Undone." : "Done again."));
  }

  async function mark(status) {
    await post(`mark/${NUMBER}`, { status });
    if (lost || status === "open") return;
    location.href = known.next === null ? "../" : String(known.next);
  }

  function go() {
    if (known.next === null) location.href = "../";
    else line.then(() => { location.href = String(known.next); });
  }

  /* --- controls --------------------------------------------------------------------------------------------- */

  const button = (text, key, act, properties = {}) => {
    const made = element("button", { type: "button", ...properties }, text, ...(key ? [element("kbd", {}, key)] : []));
    made.addEventListener("click", (event) => {
      if (event.detail) made.blur(); // by the mouse: the next Enter is not for this button
      act();
    });
    return made;
  };

  function labelButton([label, meaning]) {
    const swatch = element("i", { className: "swatch" }, label);
    swatch.style.setProperty("--pen", `rgb(${data.pens.label[label].color})`);
    const made = button(swatch, "", () => set({ label }), { className: "label", title: `Key ${label}`, "data-label": label, "aria-keyshortcuts": label });
    made.append(meaning);
    return made;
  }

  /* The first letter of a role that no role before it has. */
  const letters = new Map();
  for (const role of [...roles, ""]) {
    const letter = role ? [...role].find((each) => !letters.has(each)) : "0";
    letters.set(letter, role);
  }

  const roleDialog = element("dialog", { id: "roles", "aria-label": "Role of the region round the selected blocks" },
    ...[...letters].map(([letter, role]) => button(role || "no role", letter, () => choose(role))));
  document.body.append(roleDialog);
  function choose(role) {
    roleDialog.close();
    set({ role: role || null });
  }
  roleDialog.addEventListener("keydown", (event) => {
    event.stopPropagation(); // letters are roles here
    if (event.key === "Escape") {
      event.preventDefault(); // the browser may take its time, and close the dialog that is opened next
      roleDialog.close();
    } else if (!event.ctrlKey && !event.metaKey && !event.altKey && letters.has(event.key)) choose(letters.get(event.key));
  });
  roleDialog.addEventListener("click", (event) => { if (event.target === roleDialog) roleDialog.close(); });

  const roleName = element("span", {}, "role");
  const roleButton = button(roleName, "r", openRoles, { id: "role", "aria-haspopup": "dialog", "aria-keyshortcuts": "r" });
  function openRoles() {
    if (state.list < 0 && state.selected.length) roleDialog.showModal();
    else vclean.announce("Select a block first.");
  }

  const undo = button("Undo", "u", () => move("undo"), { "aria-keyshortcuts": "u Control+z" });
  const redo = button("Redo", "U", () => move("redo"), { "aria-keyshortcuts": "Shift+u Control+y" });
  const skip = button("Skip", "s", () => mark("skipped"), { title: "Pass the page over" });
  const done = button("Done", "⏎", () => mark("done"), { className: "main", title: "The page is right: on to the next" });
  const reopen = button("Reopen", "", () => mark("open"), { title: "The page is not done after all" });
  const next = button("Next", "n", go, { title: "On to the next page; this one stays open" });
  const saved = element("output", { id: "saved" });
  const bar = element("progress", { max: 1, value: 0, "aria-label": "Pages done" });
  const count = element("a", { href: "../", id: "progress-text", title: "All pages" });
  const alert = element("p", { id: "lost", role: "alert", hidden: true });

  const group = (name, ...children) => element("div", { className: "group", role: "group", "aria-label": name }, ...children);
  document.getElementById("tools").append(
    group("Label of the selected blocks", ...labels.map(labelButton), roleButton),
    group("Changes", undo, redo, saved),
    group("Page", count, bar, skip, next, reopen, done));
  document.getElementById("top").after(alert);

  function show() {
    undo.disabled = !known.undo && !sent;
    redo.disabled = !known.redo;
    const { progress, status } = known;
    saved.textContent = lost ? "not saved" : sent ? "saving …" : known.revision ? "saved" : "";
    alert.hidden = !lost;
    if (alert.textContent !== lost) alert.textContent = lost;
    document.body.dataset.status = status;
    reopen.hidden = status === "open";
    skip.hidden = status !== "open";
    done.hidden = status === "done";
    if (!progress) return;
    const finished = progress.done + progress.skipped;
    bar.max = Math.max(progress.total, 1);
    bar.value = finished;
    const here = status === "open" ? "" : `${status} · `;
    count.textContent = `${here}${progress.done} of ${progress.total}${progress.ready ? "" : "+"} done`;
    next.disabled = known.next === null;
  }

  /* The overlay tells what the model kept; here it is what is kept now. */
  const kept = [...document.querySelectorAll("#facts dt")].find((name) => name.textContent === "Kept")?.nextSibling;
  function showKept() {
    if (kept) kept.textContent = `${data.blocks.filter((block) => block.label !== "o").length} of ${data.blocks.length} blocks`;
  }

  function showSelection() {
    const chosen = state.list < 0 ? state.selected.map((row) => data.blocks[row]) : [];
    const one = (name) => (chosen.length && chosen.every((block) => block[name] === chosen[0][name]) ? chosen[0][name] : undefined);
    const [label, role] = [one("label"), one("role")];
    document.querySelectorAll("[data-label]").forEach((each) => {
      each.disabled = !chosen.length;
      each.setAttribute("aria-pressed", each.dataset.label === label);
    });
    roleButton.disabled = !chosen.length;
    roleName.textContent = role === undefined ? "role" : role || "no role";
  }

  /* --- keys -------------------------------------------------------------------------------------------------- */

  for (const [label, meaning] of labels) vclean.addKey(label, `the selected blocks are: ${meaning}`, () => set({ label }));
  vclean.addKey("r", "choose the role of the selected blocks", openRoles);
  vclean.addKey("u", "undo (also Ctrl+Z)", () => move("undo"));
  vclean.addKey("U", "redo (also Ctrl+Y)", () => move("redo"));
  vclean.addKey("Enter", "the page is done: on to the next", () => mark("done"));
  vclean.addKey("s", "skip the page", () => mark("skipped"));
  vclean.addKey("n", "the next page, and leave this one open", go);
  vclean.addKey("a", "select all that is listed", () => vclean.select([...state.shown], "keys"));
  document.addEventListener("keydown", (event) => {
    if (!(event.ctrlKey || event.metaKey) || event.altKey || event.target.matches("input, textarea")) return;
    const key = event.key.toLowerCase();
    if (key !== "z" && key !== "y") return;
    event.preventDefault();
    move(key === "y" || event.shiftKey ? "redo" : "undo");
  });
  addEventListener("beforeunload", (event) => { if (sent) event.preventDefault(); });
  document.addEventListener("visibilitychange", look);

  vclean.on("select", showSelection);
  vclean.on("change", showSelection);
  vclean.on("change", showKept);
  showSelection();
  show();
  look();
  setInterval(look, POLL);
})();
