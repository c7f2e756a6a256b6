"use strict";
// Pixels from the pointer, within which a value is shown.
const NEAR = 24;
// The claims' table: search, filters, sorting. Without this script the page shows all of it.
const table = document.querySelector(".claims");
const claims = [...table.querySelectorAll(".claim")];
// What a claim says, and of what; not all that is said of its checks.
const texts = new Map(
  claims.map((claim) => {
    const summary = claim.querySelector("summary").textContent;
    return [claim, `${claim.rows[0].textContent} ${summary}`.toLowerCase().replace(/\s+/g, " ")];
  })
);
const [search, verdict, by, sort, count, allChecks] = ["search", "verdict", "by", "sort", "count", "all-checks"].map(
  (id) => document.getElementById(id)
);

function filter() {
  // "Figure 3" is one word, and is not in "Figure 30".
  const words = search.value.toLowerCase().match(/(figure|section|equation) \w+|[^\s,]+/g) ?? [];
  const sought = words.map((word) => new RegExp(`(^|\\W)${word.replace(/\W/g, "\\$&")}${/\d$/.test(word) ? "(?!\\d)" : ""}`));
  for (const claim of claims) {
    claim.hidden = !(
      sought.every((word) => word.test(texts.get(claim))) &&
      (!verdict.value || claim.dataset.verdict === verdict.value) &&
      (!by.value || claim.dataset.by === by.value)
    );
  }
  const shown = claims.filter((claim) => !claim.hidden).length;
  count.textContent = `${shown} of ${claims.length} claims`;
  document.getElementById("none-found").hidden = shown > 0;
}

function order(heading, direction) {
  const { key, number } = heading.dataset;
  const compare = (one, other) => {
    const [a, b] = [one.dataset[key], other.dataset[key]];
    // What has no number comes last, whichever way.
    if (a === "" || b === "") return (a === "") - (b === "");
    return direction * (number === undefined ? a.localeCompare(b, "en", { numeric: true }) : a - b);
  };
  const inLedger = (one, other) => one.dataset.place - other.dataset.place;
  table.append(...[...claims].sort((one, other) => compare(one, other) || inLedger(one, other)));
  for (const other of headings) other.removeAttribute("aria-sort");
  heading.setAttribute("aria-sort", direction > 0 ? "ascending" : "descending");
  sort.value = key;
}

const headings = [...table.querySelectorAll("thead th")];
for (const heading of headings) {
  const button = document.createElement("button");
  button.type = "button";
  button.append(...heading.childNodes);
  heading.append(button);
  button.addEventListener("click", () =>
    order(heading, heading.getAttribute("aria-sort") === "ascending" ? -1 : 1)
  );
  sort.add(new Option(button.textContent, heading.dataset.key));
}
sort.addEventListener("change", () => order(headings.find((heading) => heading.dataset.key === sort.value), 1));
for (const field of [search, verdict, by]) field.addEventListener("input", filter);
allChecks.addEventListener("click", () => {
  const open = allChecks.getAttribute("aria-pressed") !== "true";
  allChecks.setAttribute("aria-pressed", open);
  for (const details of table.querySelectorAll("details")) details.open = open;
});

// A link to a claim that a filter hides shows it.
window.addEventListener("hashchange", () => {
  const claim = document.getElementById(location.hash.slice(1));
  if (!claims.includes(claim) || !claim.hidden) return;
  search.value = verdict.value = by.value = "";
  filter();
  claim.scrollIntoView();
});

for (const button of document.querySelectorAll(".actual-size")) {
  button.hidden = false;
  const drawing = button.closest("figure").querySelector(".drawing");
  const enlarge = () => button.setAttribute("aria-pressed", drawing.classList.toggle("full"));
  button.addEventListener("click", enlarge);
  drawing.addEventListener("click", (event) => event.target.closest("a") || enlarge());
}
// The value that is nearest to the pointer or, with arrow keys, the next one of its line.
for (const data of document.querySelectorAll(".picture > script")) {
  const lines = JSON.parse(data.textContent);
  const values = lines.flatMap((line) => line.places.map((place) => ({ line, place })));
  const picture = data.parentElement;
  const [image, output] = [picture.querySelector("img"), picture.querySelector("output")];
  let shown = -1;

  const show = (index) => {
    shown = index;
    output.hidden = index < 0;
    if (index < 0) return;
    const { line, place } = values[index];
    const [left, top, at, value, ...ends] = place;
    const number = (each) => String(each).replace("-", "\u2212");
    const found = number(value) + (ends.length ? ` (${ends.map(number).join(" to ")})` : "");
    const names = [line.panel, line.name].filter(Boolean).join(": ");
    const where = line.axes.map((axis, which) => `${axis} ${number(at[which])}`).join(", ");
    output.textContent = `${names}. ${where}: ${found}`;
    output.style.left = `${100 * left}%`;
    output.style.top = `${100 * top}%`;
    // On the side with more space, and no wider than it.
    output.style.maxWidth = `min(22rem, ${100 * Math.max(left, 1 - left)}% - .6rem)`;
    output.classList.toggle("left", left > 0.5);
  };

  const nearest = (event) => {
    const box = image.getBoundingClientRect();
    const distance = ({ place: [left, top] }) =>
      Math.hypot(box.x + left * box.width - event.clientX, box.y + top * box.height - event.clientY);
    const distances = values.map(distance);
    const least = Math.min(...distances);
    show(least < NEAR ? distances.indexOf(least) : -1);
  };

  for (const event of ["pointermove", "pointerdown"]) image.addEventListener(event, nearest);
  picture.addEventListener("pointerleave", (event) => event.pointerType === "touch" || show(-1));
  image.tabIndex = 0;
  image.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    const other = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === "Escape") show(-1);
    if (!step && !other) return;
    event.preventDefault();
    const line = shown < 0 ? 0 : lines.indexOf(values[shown].line);
    const next = lines[(line + (other ?? 0) + lines.length) % lines.length];
    const start = values.findIndex((value) => value.line === next);
    show(other || shown < 0 ? start : (shown + step + values.length) % values.length);
  });
  image.addEventListener("blur", () => show(-1));
  picture.closest("figure").querySelector(".values").hidden = false;
}
document.querySelector(".filters").hidden = false;
document.querySelector(".filters").addEventListener("submit", (event) => event.preventDefault());
filter();
