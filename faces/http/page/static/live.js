// Keeps a page up to date: the server renders it, this fetches it again when something happened and swaps what differs.
"use strict";

const LIVE = "[data-live], #live";
let waiting = null;

function isBusy(section) {
  const active = document.activeElement;
  return section.contains(active) && /^(TEXTAREA|INPUT|SELECT)$/.test(active.tagName);
}

function swap(fresh) {
  const seen = new Set();
  for (const section of fresh.querySelectorAll(LIVE)) {
    seen.add(section.id);
    const old = document.getElementById(section.id);
    if (!old) { location.reload(); return; }
    if (isBusy(old) || old.innerHTML === section.innerHTML) continue;
    const text = old.querySelector("textarea");
    if (text && text.value) continue;
    if (section.querySelector("iframe") && old.querySelector("iframe")) continue;
    const open = [...old.querySelectorAll("details[open]")].map((d) => d.id);
    const focus = old.contains(document.activeElement) ? document.activeElement.getAttribute("href") : null;
    old.innerHTML = section.innerHTML;
    for (const id of open) { const d = document.getElementById(id); if (d) d.open = true; }
    if (focus) { const a = old.querySelector(`[href="${CSS.escape(focus)}"]`); if (a) a.focus(); }
  }
}

async function refresh() {
  waiting = null;
  try {
    const answer = await fetch(location.href, { headers: { Accept: "text/html" }, credentials: "same-origin" });
    if (answer.ok) swap(new DOMParser().parseFromString(await answer.text(), "text/html"));
  } catch (error) { /* the server is away for a moment; the next event asks again */ }
}

function soon(milliseconds) { if (waiting === null) waiting = setTimeout(refresh, milliseconds); }

const job = document.getElementById("job");
if (job && job.dataset.over !== "yes") {
  const source = new EventSource(job.dataset.events);
  const kinds = ["intake", "gate", "scope", "moved", "phase", "phase_end", "tool", "refused", "stuck", "limit", "verdict",
    "accepted", "assessment", "milestone", "chore", "escalation", "state"];
  for (const kind of kinds) source.addEventListener(kind, () => soon(400));
  source.addEventListener("end", () => { source.close(); soon(50); });
  source.addEventListener("open", () => soon(400));
}

if (document.querySelector("#live[data-poll]")) setInterval(() => { if (!document.hidden) soon(0); }, 3000);

const drop = document.getElementById("drop");
if (drop) {
  const input = document.getElementById("files"), chosen = document.getElementById("chosen");
  const key = drop.form || drop.closest("form");
  key.elements.key.value = [...crypto.getRandomValues(new Uint8Array(12))].map((b) => b.toString(16).padStart(2, "0")).join("");
  const say = () => { chosen.textContent = [...input.files].map((f) => f.name).join(", "); };
  for (const kind of ["dragenter", "dragover"]) drop.addEventListener(kind, (e) => { e.preventDefault(); drop.classList.add("over"); });
  drop.addEventListener("dragleave", () => drop.classList.remove("over"));
  drop.addEventListener("drop", (e) => { e.preventDefault(); drop.classList.remove("over"); input.files = e.dataTransfer.files; say(); });
  input.addEventListener("change", say);
}
