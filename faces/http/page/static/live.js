// Keeps a page up to date: the server renders it, this fetches it again when something happened and swaps what differs.
"use strict";

const LIVE = "[data-live], #live";
const PAUSE = 400, AGAIN = 2000; // milliseconds between two looks at least, and before an end of the stream is taken for one
let waiting = null, took = 0;

function isBusy(section) {
  const active = document.activeElement;
  return section.contains(active) && /^(TEXTAREA|INPUT|SELECT)$/.test(active.tagName);
}

function swap(fresh) {
  for (const section of fresh.querySelectorAll(LIVE)) {
    const old = document.getElementById(section.id);
    if (!old || isBusy(old) || old.innerHTML === section.innerHTML) continue;
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

function away(is) { document.getElementById("away").hidden = !is; }

async function refresh() {
  waiting = null;
  const began = Date.now();
  try {
    const answer = await fetch(location.href, { headers: { Accept: "text/html" }, credentials: "same-origin" });
    if (answer.ok) swap(new DOMParser().parseFromString(await answer.text(), "text/html"));
    away(!answer.ok || answer.redirected); // a session that is over is sent to the form that asks for a token
  } catch (error) { away(true); }
  took = Date.now() - began;
}

// What takes the server long is asked for less often: it stays free for others.
function soon(milliseconds) { if (waiting === null) waiting = setTimeout(refresh, Math.max(milliseconds, 4 * took)); }

function follow(job) {
  const source = new EventSource(job.dataset.events);
  for (const kind of job.dataset.kinds.split(" ")) source.addEventListener(kind, () => soon(PAUSE));
  source.addEventListener("end", () => { source.close(); soon(0); });
  source.addEventListener("open", () => soon(PAUSE));
  source.addEventListener("error", () => {
    soon(AGAIN);
    if (source.readyState === EventSource.CLOSED) setTimeout(follow, AGAIN, job); // it was answered, but not with events
  });
}

const job = document.getElementById("job");
if (job && job.dataset.over !== "yes") follow(job);

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
