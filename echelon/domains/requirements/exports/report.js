"use strict";
const $ = (id) => document.getElementById(id);
const all = (selector, root = document) => [...root.querySelectorAll(selector)];
const items = all(".requirement");
const pages = $("pages");

function filter() {
  const words = $("words").value.toLowerCase().split(/\s+/).filter(Boolean);
  const modality = $("modality").value;
  const category = $("category") ? $("category").value : "";
  let shown = 0;
  for (const item of items) {
    const text = item.textContent.toLowerCase();
    const fits = words.every((word) => text.includes(word))
      && (!modality || item.dataset.modality === modality)
      && (!category || JSON.parse(item.dataset.categories).includes(category));
    item.hidden = !fits;
    shown += fits;
  }
  for (const part of all(".chapter, .document")) {
    part.hidden = all(".requirement", part).every((item) => item.hidden);
  }
  $("shown").value = `${shown} of ${items.length}`;
}

function open(link) {
  const id = link.dataset.requirement;
  const page = $(link.getAttribute("href").slice(1));
  all(".page.open, .requirement.chosen").forEach((old) => old.classList.remove("open", "chosen"));
  all("mark.active").forEach((old) => old.classList.remove("active"));
  page.classList.add("open");
  $(id).classList.add("chosen");
  pages.classList.add("reading");
  $("close").hidden = false;
  const marks = all("mark", page).filter((mark) => mark.dataset.requirements.split(" ").includes(id));
  marks.forEach((mark) => mark.classList.add("active"));
  page.focus({ preventScroll: true });
  (marks[0] || page).scrollIntoView({ block: "center" });
}

function close() {
  pages.classList.remove("reading");
  const chosen = document.querySelector(".requirement.chosen");
  if (chosen) chosen.scrollIntoView({ block: "center" });
}

document.documentElement.classList.add("scripted");
$("filters").hidden = false;
$("filters").addEventListener("input", filter);
$("filters").addEventListener("submit", (event) => event.preventDefault());
$("close").addEventListener("click", close);
document.addEventListener("keydown", (event) => { if (event.key === "Escape") close(); });
document.addEventListener("click", (event) => {
  const link = event.target.closest("a.open");
  if (!link) return;
  event.preventDefault();
  open(link);
});
filter();

/* report.html#R-0012 opens the page of that requirement. */
const linked = $(location.hash.slice(1));
const first = linked && linked.matches(".requirement") && linked.querySelector("a.open");
if (first) open(first);
