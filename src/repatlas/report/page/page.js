"use strict";
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
document.querySelector(".filters").hidden = false;
document.querySelector(".filters").addEventListener("submit", (event) => event.preventDefault());
filter();
