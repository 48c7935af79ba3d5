// The page: follows the results that the server reads, and asks for what is shown.

import { Replay } from "/shared/replay.js";
import { colorOf, count, drawLines, format, isDashed } from "./chart.js";

const $ = (id) => document.getElementById(id);
const mostTicked = 16;
const mostKeys = 4; // with a column each
const mostAgainst = 12; // players of a crosstable
const finalEvery = 3_000; // ms between two tables of the final tournament

let runs = new Map(); // by name of the folder
let trials = new Map(); // of the shown experiment, by number
let shown = ""; // name of the experiment
let chosen = 0; // number of the trial; 0: none
let ticked = new Set();
let touched = false; // the reader has ticked
let sort = { column: "#", down: false }; // by a column's key
let source = null;

// --- Texts ---

function duration(seconds) {
  if (seconds < 90) return `${Math.max(1, Math.round(seconds))} s`;
  if (seconds < 5400) return `${Math.round(seconds / 60)} min`;
  const minutes = Math.round(seconds / 60);
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

const left = (seconds) => (seconds > 0 ? `about ${duration(seconds)} left` : "");
const short = (key) => key.split(".").at(-1);

function ago(time) {
  const seconds = (Date.now() - Date.parse(time)) / 1000;
  return seconds < 2 ? "now" : `${duration(seconds)} ago`;
}

function element(tag, text, attributes = {}) {
  const e = document.createElement(tag);
  if (text !== undefined) e.textContent = text;
  for (const [name, value] of Object.entries(attributes)) e.setAttribute(name, value);
  return e;
}

// --- Events ---

let heard = false; // whether an event of the shown experiment has arrived
function listen() {
  source?.close();
  trials = new Map();
  heard = false;
  source = new EventSource(`/api/events?run=${encodeURIComponent(shown)}`);
  source.onmessage = (e) => {
    $("banner").hidden = true;
    hear(JSON.parse(e.data));
  };
  source.onerror = () => {
    $("banner").textContent = "The server does not answer. Is alamos serve still running?";
    $("banner").hidden = false;
    if (source.readyState === EventSource.CLOSED) setTimeout(listen, 2_000);
  };
}

// A browser allows few connections to a server from all its tabs: a hidden tab closes its own.
document.addEventListener("visibilitychange", () => {
  if (document.hidden) source?.close();
  else listen();
});

function hear(news) {
  for (const run of news.runs) runs.set(run.name, run);
  runs = new Map(news.all.filter((name) => runs.has(name)).map((name) => [name, runs.get(name)]));
  for (const t of news.trials) trials.set(t.number, t);
  for (const number of trials.keys()) if (number > runs.get(shown)?.trials) trials.delete(number); // the experiment has fewer now
  const first = !heard;
  heard = true;
  if (chosen === 0 && runs.get(shown)?.trials === 1) chosen = 1;
  if (!runs.has(shown)) {
    trials.clear();
    const latest = [...runs.values()].sort((a, b) => (a.state === "running") - (b.state === "running") || (Date.parse(a.changed) || 0) - (Date.parse(b.changed) || 0)).at(-1);
    if (latest && !location.hash) return void (location.hash = encodeURIComponent(latest.name));
  }
  drawRuns();
  drawRun();
  if (runs.has(shown) && (first || news.trials.length > 0)) { // at first, to replace what is drawn of the experiment before
    drawTrials();
    drawChart();
    drawTrial();
  }
}

// --- Experiments ---

let listed = ""; // names the experiments of the list, whose links are kept, with the focus and clicks in them
function drawRuns() {
  $("none").hidden = runs.size > 0;
  const names = JSON.stringify([...runs.keys()]);
  if (names !== listed) {
    listed = names;
    $("runs").replaceChildren(...[...runs.keys()].map((name) => {
      const item = element("li");
      const link = element("a", undefined, { href: `#${encodeURIComponent(name)}` });
      link.append(element("b", name), element("small"));
      item.append(link);
      return item;
    }));
  }
  for (const [i, run] of [...runs.values()].entries()) {
    const link = $("runs").children[i].firstChild;
    if (run.name === shown) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
    link.lastChild.textContent = `${run.state}, ${run.ended} of ${run.trials} ${run.trials === 1 ? "trial" : "trials"}`;
  }
}

function drawRun() {
  const run = runs.get(shown);
  $("run").hidden = !run;
  $("title").textContent = run ? run.name : "Results";
  document.title = run ? `${run.name} – alamos` : "alamos results";
  if (!run) return;
  $("progress").value = run.generations > 0 ? run.done / run.generations : 0;
  const final = run.final > 0 ? `final tournament: ${count(run.final)}${run.final_of > 0 ? ` of ${count(run.final_of)}` : ""} games` : "";
  drawFinal(run);
  drawWorkers(run.workers);
  const parts = [run.variant, run.state, `${count(run.ended)} of ${count(run.trials)} trials`, `${count(run.done)} of ${count(run.generations)} generations`, final, left(run.left)];
  if (run.changed && run.state !== "running") parts.push(`changed ${ago(run.changed)}`);
  $("state").textContent = parts.filter(Boolean).join(", ");
  $("fault").textContent = run.fault ?? "";
  $("fault").hidden = !run.fault;
  if (run.metrics.join() !== [...$("metric").options].map((o) => o.value).join()) {
    const before = $("metric").value || "loss";
    $("metric").replaceChildren(...run.metrics.map((m) => new Option(run.labels[m] ?? m, m)));
    if (run.metrics.includes(before)) $("metric").value = before;
  }
}

// drawWorkers lists the workers of a run on other machines.
function drawWorkers(workers) {
  $("workers").hidden = workers.length === 0;
  const view = $("workers").querySelector("table");
  const head = element("tr");
  for (const [name, numeric] of [["worker"], ["host"], ["kind"], ["games", true], ["verified", true], ["per second", true], ["at work on", true], ["state"]]) {
    head.append(element("th", name, numeric ? { class: "num" } : {}));
  }
  view.tHead.replaceChildren(head);
  view.tBodies[0].replaceChildren(...workers.map((w) => {
    const row = element("tr");
    for (const text of [w.name, w.host, [w.kind.device, w.kind.precision].filter(Boolean).join(" ")]) row.append(element("td", text));
    for (const text of [count(w.taken), count(w.verified), format(w.speed), count(w.held)]) row.append(element("td", text, { class: "num" }));
    row.append(element("td", w.refused ? `refused: ${w.refused}` : `heard ${ago(w.seen)}`));
    return row;
  }));
}

let finalAt = 0; // when the table was asked for
async function drawFinal(run) {
  if (run.final === 0) return void ($("final").hidden = true);
  if (Date.now() - finalAt < finalEvery) return;
  finalAt = Date.now();
  const of = shown;
  try {
    const table = await ask(`/api/runs/${encodeURIComponent(of)}/final`);
    if (of === shown) drawTable($("final"), table);
  } catch {
    // the events tell that the server is gone
  }
}

// --- Trials ---

// stageOf says what a trial does.
function stageOf(t) {
  if (t.state !== "running") return t.why ? `${t.state}: ${t.why}` : t.state;
  if (t.parts === 0 && t.of === 0) return t.stage;
  const unit = t.stage.startsWith("training") ? "steps" : "games";
  return `${t.stage}: ${count(t.parts)}${t.of > 0 ? ` of ${count(t.of)}` : ""} ${unit}`;
}

const columnMetrics = ["loss", "score", "elo"];

// columns are the columns of the table of trials: names, and cells as numbers or texts.
function columns() {
  const run = runs.get(shown);
  const metrics = columnMetrics.filter((m) => run.metrics.includes(m));
  if (!metrics.includes($("metric").value) && run.metrics.includes($("metric").value)) metrics.push($("metric").value);
  const keys = run.axes.map((axis, i) => ({ name: short(axis), key: axis, title: axis, value: (t) => t.values?.[i] ?? "" }));
  return [
    { name: "#", value: (t) => t.number, numeric: true },
    ...(keys.length > mostKeys ? [] : keys),
    { name: "state", value: stageOf },
    { name: "generation", value: (t) => t.generation, text: (t) => `${t.generation}/${t.generations}`, numeric: true },
    ...metrics.map((m) => ({ name: run.labels[m] ?? m, value: (t) => t.metrics[m] ?? null, text: (t) => format(t.metrics[m]), numeric: true })),
    { name: "evaluations/s", value: (t) => t.speed, text: (t) => (t.speed > 0 ? count(t.speed) : ""), numeric: true },
    { name: "left", value: (t) => t.left, text: (t) => (t.left > 0 ? duration(t.left) : ""), numeric: true },
    ...(keys.length > mostKeys ? [{ name: "settings", value: (t) => t.label }] : []),
  ].map((column) => ({ key: column.name, ...column }));
}

// matches reports whether a trial has all words of the filter: in its label, its state, or as
// a comparison such as loss<2.5.
function matches(t, words) {
  return words.every((word) => {
    const compared = /^([\w.-]+)([<>])(-?[\d.]+(?:e[+-]?\d+)?)$/.exec(word);
    if (compared) {
      const value = Object.entries(t.metrics).find(([name]) => name.toLowerCase() === compared[1])?.[1];
      return value !== undefined && (compared[2] === "<" ? value < Number(compared[3]) : value > Number(compared[3]));
    }
    const text = `#${t.number} ${t.label} ${t.state} ${t.stage ?? ""}`.toLowerCase();
    return word.includes("=") ? ` ${text} `.includes(` ${word} `) : text.includes(word);
  });
}

const collator = new Intl.Collator("en", { numeric: true });
let rows = new Map(); // of the table, by number of the trial: kept, with the focus and clicks in them
let heads = ""; // names the columns of these rows

function drawTrials() {
  if (!touched) ticked = new Set([...trials.keys()].slice(0, 8));
  const all = columns();
  const by = all.find((c) => c.key === sort.column) ?? all[0];
  const words = $("filter").value.toLowerCase().split(/\s+/).filter(Boolean);
  const matching = [...trials.values()].filter((t) => matches(t, words));
  const blank = (v) => v === null || v === "";
  matching.sort((a, b) => {
    const [x, y] = [by.value(a), by.value(b)];
    if (blank(x) !== blank(y)) return blank(x) - blank(y);
    const order = typeof x === "number" ? x - y : collator.compare(String(x), String(y));
    return (sort.down ? -order : order) || a.number - b.number;
  });
  $("count").textContent = matching.length < trials.size ? `${matching.length} of ${trials.size} trials` : `${trials.size} trials`;
  const now = [shown, ...all.map((c) => c.key)].join();
  if (now !== heads) {
    heads = now;
    rows = new Map();
    drawHeads(all);
  }
  for (const [i, c] of all.entries()) {
    const th = $("trials").tHead.rows[0].cells[i + 1];
    if (c === by) th.setAttribute("aria-sort", sort.down ? "descending" : "ascending");
    else th.removeAttribute("aria-sort");
  }
  const places = new Map([...ticked].map((number, i) => [number, i])); // which decide the lines' looks
  const order = matching.map((t) => {
    if (!rows.has(t.number)) rows.set(t.number, newRow(t.number, all));
    const row = rows.get(t.number);
    fillRow(row, t, all, places.get(t.number));
    return row;
  });
  const body = $("trials").tBodies[0];
  if (order.length === body.rows.length && order.every((row, i) => row === body.rows[i])) return;
  const held = document.activeElement;
  body.replaceChildren(...order);
  if (body.contains(held)) held.focus({ preventScroll: true });
}

function drawHeads(all) {
  const head = element("tr");
  head.append(element("th", ""));
  for (const c of all) {
    const th = element("th", undefined, c.numeric ? { class: "num", scope: "col" } : { scope: "col" });
    if (c.title) th.title = c.title;
    const button = element("button", c.name, { type: "button" });
    button.addEventListener("click", () => {
      sort = { column: c.key, down: sort.column === c.key && !sort.down };
      drawTrials();
    });
    th.append(button);
    head.append(th);
  }
  $("trials").tHead.replaceChildren(head);
}

// newRow makes the row of a trial: a box to tick it, its number, and empty cells.
function newRow(number, all) {
  const row = element("tr");
  const box = element("input", undefined, { type: "checkbox", "aria-label": `Compare trial ${number}` });
  box.addEventListener("change", () => {
    touched = true;
    if (box.checked) ticked.add(number);
    else ticked.delete(number);
    if (ticked.size > mostTicked) ticked.delete(ticked.values().next().value);
    drawTrials();
    drawChart();
  });
  const button = element("button", String(number), { type: "button", "aria-label": `Show trial ${number}` });
  button.addEventListener("click", () => { location.hash = `${encodeURIComponent(shown)}/${number}`; });
  row.append(element("td"), ...all.map((c) => element("td", undefined, c.numeric ? { class: "num" } : {})));
  row.cells[0].append(box, element("span", undefined, { class: "key" }));
  row.cells[1].append(button);
  return row;
}

function fillRow(row, t, all, place) {
  if (t.number === chosen) row.setAttribute("aria-current", "true");
  else row.removeAttribute("aria-current");
  const [box, key] = row.cells[0].children;
  box.checked = place !== undefined;
  key.hidden = place === undefined;
  const color = colorOf(place ?? 0);
  key.style.background = isDashed(place) ? `linear-gradient(90deg, ${color} 40%, transparent 40% 60%, ${color} 60%)` : color;
  for (const [i, c] of all.entries()) {
    const text = String((c.text ?? c.value)(t));
    if (row.cells[i + 1].textContent !== text) row.cells[i + 1].textContent = text;
  }
}

// --- Figure ---

async function ask(path) {
  const response = await fetch(path);
  const value = await response.json();
  if (!response.ok) throw new Error(value.error);
  return value;
}

let drawing = 0;
async function drawChart() {
  const metric = $("metric").value;
  const numbers = [...ticked].filter((n) => trials.get(n)?.generation > 0);
  const mine = ++drawing;
  let lines = [];
  if (metric && numbers.length > 0) {
    const query = new URLSearchParams({ metric, trials: numbers.join(",") });
    try {
      lines = await ask(`/api/runs/${encodeURIComponent(shown)}/series?${query}`);
    } catch {
      return; // the events tell that the server is gone
    }
  }
  if (mine !== drawing) return;
  const over = $("over").value;
  const drawn = lines.map((l) => ({
    name: trials.get(l.trial)?.label || shown,
    color: colorOf([...ticked].indexOf(l.trial)),
    dashed: isDashed([...ticked].indexOf(l.trial)),
    points: l.values.map((y, i) => [over === "samples" ? l.samples[i] : i + 1, y]).filter(([, y]) => y !== null),
  })).filter((l) => l.points.length > 0);
  $("nothing").hidden = drawn.length > 0;
  $("chart").hidden = drawn.length === 0;
  drawLines($("chart"), drawn, over); // which measures the box
}

// --- One trial ---

const lossKeys = { validation: colorOf(0), training: colorOf(1), "steps of this generation": colorOf(3) };
let lossesOf = ""; // names what the figure of losses shows
async function drawLosses(t) {
  const now = [shown, chosen, t.generation, t.stage, t.stage?.startsWith("training") ? t.parts : 0].join();
  if (now === lossesOf) return;
  lossesOf = now;
  let lines;
  try {
    lines = await ask(`/api/runs/${encodeURIComponent(shown)}/trials/${chosen}/losses`);
  } catch {
    if (lossesOf === now) lossesOf = ""; // to ask again: the events tell that the server is gone
    return;
  }
  if (lossesOf !== now) return;
  $("losses").hidden = lines.length === 0;
  $("losskey").replaceChildren(...lines.map((l) => {
    const item = element("span", l.name);
    const key = element("span", undefined, { class: "key" });
    key.style.background = lossKeys[l.name];
    item.prepend(key);
    return item;
  }));
  drawLines($("losschart"), lines.map((l) => ({ ...l, color: lossKeys[l.name] })), "epochs");
}

const replay = new Replay($("game"), () => setTimeout(drawTrial, 2_000)); // there may be another game
let latest = ""; // names the game and the table that were loaded last
let replayed = ""; // names the game that was loaded for the replay

function drawTrial() {
  const t = trials.get(chosen);
  $("trial").hidden = !t;
  if (!t) return;
  $("name").textContent = t.label ? `Trial ${t.number}: ${t.label}` : `${shown}: ${stageOf(t)}`;
  $("metrics").replaceChildren(...Object.entries(t.metrics).sort(([a], [b]) => a.localeCompare(b)).map(([name, value]) => {
    const pair = element("div");
    pair.append(element("dt", runs.get(shown).labels[name] ?? name, { title: name }), element("dd", format(value)));
    return pair;
  }));
  drawLosses(t);
  const now = `${shown}/${chosen} ${t.latest} ${t.stage}`;
  const sameTrial = latest.startsWith(`${shown}/${chosen} `);
  const free = !sameTrial || replay.ended && !replay.playing;
  if (now !== latest || free && now !== replayed) load(now, sameTrial, free);
}

async function load(name, sameTrial, free) {
  latest = name;
  let detail;
  try {
    detail = await ask(`/api/runs/${encodeURIComponent(shown)}/trials/${chosen}`);
  } catch {
    if (latest === name) latest = ""; // likewise
    return;
  }
  if (latest !== name) return;
  drawTable($("tournament"), detail.table);
  if (!free) return;
  replayed = name;
  if (!detail.game && sameTrial) return;
  $("game").hidden = !detail.game;
  if (detail.game) {
    replay.show(detail.game);
    replay.play();
  }
}

function drawTable(box, table) {
  box.hidden = !table;
  if (!table) return;
  const against = table.players.length <= mostAgainst;
  const head = element("tr");
  for (const name of ["player", "games", "score", "Elo", ...(against ? table.players.map((_, i) => String(i + 1)) : [])]) {
    head.append(element("th", name, name === "player" ? {} : { class: "num" }));
  }
  const view = box.querySelector("table");
  view.tHead.replaceChildren(head);
  view.tBodies[0].replaceChildren(...table.players.map((name, i) => {
    const row = element("tr");
    row.append(element("td", `${i + 1}. ${name}`));
    for (const text of [table.games[i], `${table.shares[i].toFixed(1)} %`, table.elo[i], ...(against ? table.points[i] : [])]) row.append(element("td", String(text), { class: "num" }));
    return row;
  }));
}

// --- Controls ---

$("filter").addEventListener("input", drawTrials);
$("untick").addEventListener("click", () => {
  touched = true;
  ticked.clear();
  drawTrials();
  drawChart();
});
$("metric").addEventListener("change", () => {
  drawTrials();
  drawChart();
});
$("over").addEventListener("change", drawChart);
setInterval(() => !document.hidden && drawRun(), 5_000); // times that have passed
addEventListener("resize", () => {
  drawChart();
  lossesOf = "";
  drawTrial();
});

function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // of an address that someone typed
  }
}

function route() {
  const [name, number] = location.hash.slice(1).split("/").map(decoded);
  chosen = Number(number) || 0;
  for (const part of ["game", "tournament", "losses"]) $(part).hidden = true; // until those of this trial are there
  lossesOf = latest = "";
  if (name !== shown || source === null) {
    shown = name;
    finalAt = 0;
    $("final").hidden = true;
    ticked = new Set();
    touched = false;
    listen();
  } else if (runs.has(shown)) drawTrials();
  if (chosen === 0 && runs.get(shown)?.trials === 1) chosen = 1;
  drawRuns();
  drawRun();
  drawTrial();
}
addEventListener("hashchange", route);
route();
