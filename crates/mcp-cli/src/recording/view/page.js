"use strict";
// Everything from the recording is put in as text, never as markup.
const { header, rows } = JSON.parse(document.getElementById("data").textContent);
const byId = (id) => document.getElementById(id);
const make = (name, className, text) => {
  const element = document.createElement(name);
  if (className) element.className = className;
  if (text !== undefined) element.textContent = text;
  return element;
};
const time = (ms) => (ms >= 10000 ? `${(ms / 1000).toFixed(2)} s` : `${ms.toFixed(1)} ms`);
const longest = rows.reduce((most, row) => Math.max(most, row.took ?? 0), 0);
const isBad = (row) => row.kind === "error" || row.label.startsWith("isError") || row.label.startsWith("ended:") || row.label.startsWith("failed:") || row.label.startsWith("no message");

// One line of the diagram: time, client, arrow, server, how long it took.
function line(row, number) {
  const item = make("li", `${row.kind} ${row.to_server === undefined ? "" : row.to_server ? "right" : "left"}`);
  item.id = `f${number}`;
  const details = make("details");
  const summary = make("summary");
  summary.append(make("span", "time", time(row.ms)), make("span", "post"));
  const wire = make("span", "wire");
  const label = make("span", "", row.label);
  label.title = row.label;
  wire.append(label);
  summary.append(wire, make("span", "post"));
  const took = make("span", "took", row.took === undefined ? "" : time(row.took));
  if (row.took !== undefined && longest > 0) {
    const bar = make("i");
    bar.style.width = `${Math.max(1, (100 * row.took) / longest)}%`;
    took.append(bar);
  }
  summary.append(took);
  details.append(summary);
  details.addEventListener("toggle", () => details.open && fill(row, details));
  item.append(details);
  if (row.pair !== undefined) {
    const both = (on) => [item, items[row.pair]].forEach((end) => end.classList.toggle("paired", on));
    item.addEventListener("mouseenter", () => both(true));
    item.addEventListener("mouseleave", () => both(false));
  }
  return item;
}

// The frame is put in when it is first unfolded: a long recording opens fast.
function fill(row, details) {
  details.querySelectorAll("pre, .jump").forEach((old) => old.remove());
  if (row.pair !== undefined) {
    const jump = make("button", "jump", row.kind === "request" ? "to its reply" : "to its request");
    jump.type = "button";
    jump.addEventListener("click", () => show(row.pair));
    details.append(jump);
  }
  details.append(marked(row.text || row.label));
}

function marked(text) {
  const pre = make("pre");
  const wanted = query();
  const lower = text.toLowerCase();
  let at = 0;
  // Where lower case has another length, places would not match.
  if (wanted && lower.length === text.length) {
    for (let found = lower.indexOf(wanted); found >= 0; found = lower.indexOf(wanted, at)) {
      pre.append(text.slice(at, found), make("mark", "", text.slice(found, found + wanted.length)));
      at = found + wanted.length;
    }
  }
  pre.append(text.slice(at));
  return pre;
}

function show(number) {
  const item = items[number];
  item.hidden = false;
  item.querySelector("details").open = true;
  item.scrollIntoView({ block: "center" });
  item.querySelector("summary").focus({ preventScroll: true });
}

const query = () => byId("search").value.trim().toLowerCase();

function filter() {
  const wanted = query();
  const onlyErrors = byId("errors").checked;
  let shown = 0;
  rows.forEach((row, number) => {
    const fits = (!onlyErrors || isBad(row)) && (!wanted || row.label.toLowerCase().includes(wanted) || row.text.toLowerCase().includes(wanted));
    items[number].hidden = !fits;
    if (fits) shown += 1;
    const details = items[number].firstChild;
    if (fits && details.open) fill(row, details);
  });
  byId("count").textContent = shown === rows.length ? `${rows.length} lines` : `${shown} of ${rows.length} lines`;
}

const foldAll = (open) => items.forEach((item) => { if (!item.hidden) item.firstChild.open = open; });

function fromAddress() {
  const hash = decodeURIComponent(location.hash.slice(1));
  if (hash.startsWith("q=")) {
    byId("search").value = hash.slice(2);
    filter();
  } else if (/^f\d+$/.test(hash) && Number(hash.slice(1)) < rows.length) {
    show(Number(hash.slice(1)));
  }
}

const items = [];
rows.forEach((row, number) => items.push(line(row, number)));
byId("rows").append(...items);
byId("target").textContent = header.target;
document.title = `${header.target} – MCP recording`;
const length = rows.length ? rows[rows.length - 1].ms : 0;
byId("about").textContent = `${new Date(header.startedUnixMs).toLocaleString()} · ${time(length)} · ${rows.length} lines · recorded by ${header.client}`;
byId("search").addEventListener("input", filter);
byId("errors").addEventListener("change", filter);
byId("unfold").addEventListener("click", () => foldAll(true));
byId("fold").addEventListener("click", () => foldAll(false));
byId("tools").addEventListener("submit", (event) => event.preventDefault());
addEventListener("hashchange", fromAddress);
filter();
fromAddress();
