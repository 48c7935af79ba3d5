// The page: shows the game that the server describes, and sends requests.

import { askGame, beginGame, getPGN, getSetup, pgnAddress, watch } from "./server.js";
import { Board } from "/shared/board.js";
import { Values } from "/shared/replay.js";
import { Load } from "./load.js";
import { Setup, parseSeat } from "./setup.js";

const $ = (id) => document.getElementById(id);
const main = document.querySelector("main");
const stored = (key) => {
  try {
    return localStorage.getItem(key);
  } catch {
    return null; // the browser has no storage
  }
};
const store = (key, value) => {
  try {
    localStorage.setItem(key, value);
  } catch {
    // without storage, nothing is kept
  }
};

const setup = await getSetup();
const dialog = new Setup(setup);
const board = new Board($("board"), (move) => say(move));
const values = new Values($("values"), (at) => lookAt(at));
const load = new Load((source) => begin(source));

let id = ""; // of the game
let game = null; // the last update, with all positions
let reports = []; // by ply
let marks = []; // by ply: what stands beside the moves
let heardAt = 0; // when the clocks of the last update were right
let look = null; // the ply that is shown; null: the last
let flipped = false;
let shown = null; // the position on the board
let stop = () => {};
let sent = ""; // the position for which a move was sent

const last = () => game.positions.length - 1;
const ply = () => look ?? last();
const playerOf = (seat) => setup.players.find((p) => p.id === parseSeat(seat).player);
const isHuman = (i) => playerOf(game.seats[i]).kind === "human";
const mover = () => (game.positions[last()].turn === "white" ? 0 : 1);

// --- Requests to the server ---

async function attempt(f) {
  try {
    await f();
    warn("");
    return true;
  } catch (error) {
    warn(error.message);
    return false;
  }
}

const ask = (what, body) => attempt(() => askGame(id, what, body));

async function say(move) {
  const at = `${id} ${last()}`;
  if (sent === at) return;
  sent = at;
  if (!(await ask("move", { ply: last(), fen: game.positions[last()].fen, move }))) {
    shown = null;
    draw(); // with the pieces where they were
  }
  if (sent === at) sent = "";
}

// warn shows an error until the next move, game or other request that succeeds.
function warn(text) {
  $("banner").textContent = text;
  $("banner").hidden = !text;
}

function play(name) {
  stop();
  id = name;
  game = null;
  main.inert = true; // until the server has described the game
  reports = [];
  marks = [];
  look = null;
  warn("");
  shown = null;
  $("typed").value = "";
  $("pgn").href = pgnAddress(id);
  let lost = false;
  stop = watch(id, hear, (error) => {
    if (error) {
      lost = true;
      warn(error.message);
      if (error.status === 404) newGame();
    } else if (lost) {
      lost = false;
      warn("");
    }
  });
}

async function begin(asked) {
  location.hash = await beginGame(asked); // the change of the hash opens it
}

// usualGame is a human against the strongest player.
function usualGame() {
  const human = setup.players.find((p) => p.kind === "human");
  const other = dialog.playersOf(setup.variant)[0];
  const rival = other.kind === "human" ? setup.players.find((p) => p.kind === "alphabeta") : other;
  return { variant: setup.variant, white: human.usual, black: rival.usual };
}

function newGame() {
  let { variant, white, black } = usualGame();
  if (game && !isLoaded()) {
    ({ variant } = game);
    [white, black] = game.seats;
  }
  dialog.open(variant, [white, black], false, begin);
}

function changePlayers() {
  dialog.open(game.variant, game.seats, true, (seats) => askGame(id, "seats", seats));
}

// --- Updates from the server ---

function hear(update) {
  const first = game === null;
  main.inert = false;
  const before = first ? [] : game.positions;
  const grown = !first && update.positions.length === 1 && update.keep === before.length;
  update.positions = [...before.slice(0, update.keep), ...update.positions];
  reports.length = Math.min(reports.length, update.keep);
  game = update;
  for (const [at, report] of Object.entries(update.reports)) reports[at] = report;
  marks.length = Math.min(marks.length, update.keep);
  for (const [at, mark] of Object.entries(update.marks)) marks[at] = mark;
  heardAt = performance.now();
  if (first && isLoaded() && last() > 0) look = 0;
  if (look !== null && look >= last()) look = null;
  if (first) {
    flipped = !isHuman(0) && isHuman(1);
    const v = setup.variants.find((v) => v.id === game.variant) ?? { title: game.variant, goal: "" }; // of a loaded game
    $("title").textContent = v.title;
    $("goal").textContent = v.goal;
    $("analyst").replaceChildren(...dialog.playersOf(game.variant).filter((p) => ["tree", "alphabeta", "engine"].includes(p.kind)).map((p) => new Option(p.name, p.id)));
  }
  if (update.failure) warn(update.failure);
  else if (grown) warn("");
  if (grown) tellMove();
  draw();
}

function tellMove() {
  const p = game.positions[last()];
  const side = p.turn === "white" ? "Black" : "White";
  $("heard").textContent = `${side} plays ${p.move.san}. ${game.outcome?.text ?? ""}`;
}

// --- Drawing ---

function draw() {
  if (!game) return;
  const at = game.positions[ply()];
  if (shown?.position !== at) {
    const near = shown !== null && shown.id === id && Math.abs(shown.ply - ply()) <= 1;
    board.setKinds(game.kinds);
    board.show(at, near, ply() === shown?.ply + 1);
    shown = { id, ply: ply(), position: at };
  }
  const mine = look === null && !game.outcome && isHuman(mover());
  board.flip(flipped);
  if (board.legal !== (mine ? game.legal : none)) board.setLegal(mine ? game.legal : none);
  document.title = title();
  drawPlayer($(flipped ? "bottom" : "top"), 1, at);
  drawPlayer($(flipped ? "top" : "bottom"), 0, at);
  drawStatus(at);
  drawMoves();
  drawReview();
  drawReport();
  drawClocks();
  const engines = !isHuman(0) || !isHuman(1);
  $("back").textContent = look === null ? "Take back" : "Play from here";
  $("back").disabled = last() === 0;
  $("pause").hidden = !engines;
  $("pause").textContent = game.paused ? "Continue" : "Pause";
  $("pause").disabled = Boolean(game.outcome);
  $("hurry").hidden = !engines;
  $("hurry").disabled = game.thinking !== "move";
  $("resign").hidden = (!isHuman(0) && !isHuman(1)) || isLoaded();
  $("resign").disabled = Boolean(game.outcome);
  $("fen").textContent = at.fen;
  $("typed").disabled = !mine;
  $("first").disabled = $("previous").disabled = ply() === 0;
  $("last").disabled = $("next").disabled = look === null;
  $("analyze").checked = Boolean(game.analyst);
  if (game.analyst) $("analyst").value = game.analyst;
}

const none = [];
const isLoaded = () => game.names.some(Boolean);

function title() {
  if (game.outcome) return `${game.outcome.result} · alamos play`;
  return isHuman(mover()) ? "Your move · alamos play" : "alamos play";
}

function drawStatus(at) {
  let text = `${at.turn === "white" ? "White" : "Black"} to move`;
  $("status").classList.toggle("over", Boolean(game.outcome) && look === null);
  if (look !== null) text = look === 0 ? "The start position" : `After ${numbered(look)}`;
  else if (game.outcome) text = `${game.outcome.result.replace("1/2-1/2", "½–½").replace("-", "–")} ${game.outcome.text}`;
  else if (game.thinking === "move") text = `${playerOf(game.seats[mover()]).name} thinks…`;
  else if (game.paused && !isHuman(mover())) text += ", paused";
  else if (isHuman(mover()) && isHuman(1 - mover()) === false) text = "Your move";
  if (at.check && !(game.outcome && look === null)) text += ", check";
  if ($("status").textContent !== text) $("status").textContent = text;
}

function numbered(i) {
  const before = game.positions[i - 1];
  return `${before.number}${before.turn === "white" ? "." : "…"} ${game.positions[i].move.san}`;
}

function strength(seat) {
  const words = [];
  const { visits, depth, movetime, temperature } = parseSeat(seat);
  if (visits) words.push(`${Number(visits).toLocaleString("en")} visits`);
  if (depth) words.push(depth === "1" ? "1 ply" : `${depth} plies`);
  if (movetime) words.push(`${movetime / 1000} s`);
  if (temperature) words.push(`temperature ${temperature}`);
  return words.join(", ");
}

// drawPlayer shows a side's player, pieces in hand and checks.
function drawPlayer(root, side, at) {
  const seat = game.seats[side];
  const key = JSON.stringify([id, side, seat, game.names[side], Boolean(game.clocks), at.pockets, at.checks, at.turn, mover(), game.thinking, look, Boolean(game.outcome), board.legal.length]);
  if (root.dataset.key === key) return;
  root.dataset.key = key;
  const parts = [];
  const name = document.createElement("button");
  name.type = "button";
  name.className = "name";
  name.title = "Change players";
  name.addEventListener("click", changePlayers);
  const dot = document.createElement("i");
  dot.className = `dot ${side === 0 ? "white" : "black"}`;
  const who = document.createElement("b");
  who.textContent = game.names[side] || (playerOf(seat).kind === "human" ? (side === 0 ? "White" : "Black") : playerOf(seat).name);
  const how = document.createElement("small");
  how.textContent = strength(seat);
  name.append(dot, who, how);
  parts.push(name);
  root.classList.toggle("turn", !game.outcome && look === null && mover() === side);
  root.classList.toggle("thinking", game.thinking === "move" && mover() === side);
  if (game.clocks) {
    const clock = document.createElement("time");
    clock.className = "clock";
    clock.dataset.side = side;
    clock.setAttribute("role", "timer");
    parts.push(clock);
  }
  if (at.pockets) {
    const pocket = document.createElement("div");
    pocket.className = "pocket";
    pocket.setAttribute("aria-label", `${side === 0 ? "White" : "Black"}’s pocket`);
    pocket.setAttribute("role", "group");
    const mine = look === null && isHuman(side) && mover() === side && !game.outcome;
    for (const { kind, count } of at.pockets[side]) {
      const letter = side === 0 ? kind : kind.toLowerCase();
      const b = document.createElement("button");
      b.type = "button";
      b.dataset.drop = kind;
      b.disabled = count === 0 || !mine;
      b.classList.toggle("empty", count === 0);
      b.setAttribute("aria-label", `${count} ${board.pieceName(letter)} in hand`);
      b.append(board.draw(letter));
      const n = document.createElement("span");
      n.textContent = count || "";
      b.append(n);
      b.addEventListener("pointerdown", (e) => {
        if (e.button !== 0 || b.disabled) return;
        e.preventDefault();
        board.grab(e, kind, letter);
        markPockets();
      });
      b.addEventListener("keydown", (e) => {
        if (e.key !== "Enter" && e.key !== " ") return;
        e.preventDefault();
        board.grab(e, kind, letter);
        markPockets();
        board.walk(board.cursor, true);
      });
      pocket.append(b);
    }
    parts.push(pocket);
  }
  if (at.checks) {
    const checks = document.createElement("span");
    checks.className = "checks";
    const given = at.limit - at.checks[side];
    checks.textContent = "+".repeat(given) + "·".repeat(at.checks[side]);
    checks.setAttribute("aria-label", `${given} of ${at.limit} checks given`);
    checks.setAttribute("role", "img");
    checks.title = `${given} of ${at.limit} checks given`;
    parts.push(checks);
  }
  root.replaceChildren(...parts);
}

function markPockets() {
  for (const b of document.querySelectorAll(".pocket button")) b.classList.toggle("picked", board.picked?.drop === b.dataset.drop && !b.disabled);
}
board.onPick = markPockets;

let listed = [];
function drawMoves() {
  const list = $("moves");
  const same = listed.length <= game.positions.length && listed.every((p, i) => p === game.positions[i]);
  if (!same || listed.length === 0) {
    list.replaceChildren(...notes(game.positions[0]));
    listed = [game.positions[0]];
  }
  for (let i = listed.length; i < game.positions.length; i++) {
    const before = game.positions[i - 1];
    const cut = list.lastElementChild?.className === "note"; // within the two moves of a row
    if (i === 1 || before.turn === "white" || cut) {
      const row = document.createElement("li");
      const number = document.createElement("span");
      number.textContent = `${before.number}.`;
      row.append(number);
      if (before.turn === "black") row.append(document.createElement("span"));
      list.append(row);
    }
    const b = document.createElement("button");
    b.type = "button";
    b.append(game.positions[i].move.san + (game.positions[i].glyphs ?? ""), document.createElement("small"));
    b.dataset.ply = i;
    b.addEventListener("click", () => lookAt(i));
    list.lastElementChild.append(b);
    list.append(...notes(game.positions[i]));
    listed.push(game.positions[i]);
  }
  for (const b of list.querySelectorAll("button")) {
    const { score = "", lost = 0 } = marks[b.dataset.ply] ?? {};
    b.classList.toggle("blunder", lost > 0);
    const text = `${lost > 0 ? "??" : ""} ${score}`.trimEnd();
    if (b.lastElementChild.textContent !== text) b.lastElementChild.textContent = text;
  }
  for (const b of list.querySelectorAll("[aria-current]")) b.removeAttribute("aria-current");
  const now = list.querySelector(`[data-ply="${ply()}"]`);
  now?.setAttribute("aria-current", "true");
  if (list.dataset.at !== `${id} ${ply()} ${last()}`) {
    list.dataset.at = `${id} ${ply()} ${last()}`;
    if (!now) list.scrollTop = 0;
    else list.scrollTop = now.offsetTop - list.clientHeight / 2;
  }
}

// notes returns the comment on a move of a loaded game, and the lines that the file gives
// beside it.
function notes(position) {
  const texts = [position.note, ...(position.lines ?? []).map((line) => `(${line})`)].filter(Boolean);
  return texts.map((text) => {
    const row = document.createElement("li");
    row.className = "note";
    row.textContent = text;
    return row;
  });
}

let reviewKey = "";
// drawReview shows the values of the game as a line, and lists the blunders.
function drawReview() {
  const isReviewing = game.reviewer !== "";
  $("review").textContent = isReviewing ? "Stop the review" : "Review the game";
  $("review").disabled = last() === 0;
  $("reviewed").textContent = isReviewing ? `${game.left} of ${last() + 1} positions left` : "";
  const key = JSON.stringify([id, last(), marks]);
  if (key !== reviewKey) {
    reviewKey = key;
    const known = [...marks.entries()].filter(([, m]) => m?.score);
    const blunders = [...marks.entries()].filter(([, m]) => m?.lost > 0);
    values.show(last(), known.map(([i, m]) => [i, m.value]), blunders.map(([i]) => i));
    $("blunders").replaceChildren(...blunders.map(([i, m]) => {
      const item = document.createElement("li");
      const b = document.createElement("button");
      b.type = "button";
      b.textContent = `${numbered(i)}?? −${m.lost} %`;
      b.title = `This move loses ${m.lost} % of the points.`;
      b.addEventListener("click", () => lookAt(i));
      item.append(b);
      return item;
    }));
  }
  values.go(ply());
}

// drawClocks shows the time left now.
function drawClocks() {
  if (!game?.clocks) return;
  for (const clock of document.querySelectorAll("time.clock")) {
    const side = Number(clock.dataset.side);
    const isRunning = game.clocks.running && mover() === side;
    const left = Math.max(0, game.clocks.left[side] - (isRunning ? performance.now() - heardAt : 0));
    const seconds = left < 10_000 ? (left / 1000).toFixed(1).padStart(4, "0") : String(Math.floor(left / 1000) % 60).padStart(2, "0");
    const minutes = left < 10_000 ? 0 : Math.floor(left / 60_000);
    const text = minutes < 60 ? `${minutes}:${seconds}` : `${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, "0")}:${seconds}`;
    if (clock.textContent !== text) clock.textContent = text;
    clock.classList.toggle("running", isRunning);
    clock.classList.toggle("low", left < 20_000);
  }
}
setInterval(drawClocks, 100);

function lookAt(i) {
  const to = Math.max(0, Math.min(last(), i));
  look = to === last() ? null : to;
  if (game.analyst) ask("analyze", { player: game.analyst, ply: to });
  draw();
}

// drawReport shows the search of the position: bar, table and arrows.
function drawReport() {
  const at = ply();
  const report = reports[at];
  // The bar keeps the last known value.
  let known = at;
  while (known > 0 && !reports[known]) known--;
  let value = reports[known]?.value ?? 0;
  let percent = reports[known]?.score ?? "";
  if (game.outcome && look === null) {
    value = { "1-0": 1, "0-1": -1 }[game.outcome.result] ?? 0;
    percent = game.outcome.result.replace("1/2-1/2", "½").replace("-", "–");
  }
  const share = 50 * (1 + value);
  $("bar").classList.toggle("flipped", flipped);
  $("bar").classList.toggle("unknown", percent === "");
  $("bar").style.setProperty("--share", `${share}%`);
  $("bar").setAttribute("aria-label", percent ? `White’s expected share: ${share.toFixed(0)} %` : "No search has seen this position");
  $("percent").textContent = percent.replace(" %", "");
  $("percent").classList.toggle("low", share < 50);

  const rows = report?.moves ?? [];
  $("candidates").hidden = rows.length === 0;
  $("candidates").classList.toggle("plain", !report?.tree);
  $("quiet").hidden = Boolean(report);
  $("score").textContent = report ? report.score : "";
  $("effort").textContent = report ? effort(report) : "";
  $("score").parentElement.classList.toggle("active", Boolean(report?.active) && game.thinking !== "");
  const body = $("candidates").tBodies[0];
  while (body.rows.length > rows.length) body.deleteRow(-1);
  if (hovered >= rows.length) hovered = -1; // of a deleted row
  const total = report?.nodes || 1;
  const widest = Math.max(0.01, ...rows.map((c) => Math.max(c.visits / total, c.prior))); // of the bars
  rows.forEach((c, i) => {
    const row = body.rows[i] ?? addRow(body);
    row.cells[0].textContent = c.line[0];
    row.cells[1].style.setProperty("--visits", `${(100 * c.visits) / total / widest}%`);
    row.cells[1].style.setProperty("--prior", `${(100 * c.prior) / widest}%`);
    row.cells[1].title = `${c.visits.toLocaleString("en")} visits, prior ${(100 * c.prior).toFixed(1)} %`;
    row.cells[1].lastElementChild.textContent = `${short(c.visits)} · ${(100 * c.prior).toFixed(0)} %`;
    row.cells[2].textContent = c.score;
    row.cells[3].textContent = c.line.slice(1).join(" ");
  });
  drawArrows(rows, total, report?.tree);
}

function addRow(body) {
  const row = body.insertRow();
  const head = document.createElement("th");
  head.scope = "row";
  row.append(head);
  const bars = row.insertCell();
  bars.className = "bars";
  bars.append(document.createElement("i"), document.createElement("i"), document.createElement("span"));
  row.insertCell().className = "num";
  row.insertCell().className = "line";
  row.addEventListener("pointerenter", () => { hovered = row.rowIndex - 1; draw(); });
  row.addEventListener("pointerleave", () => { hovered = -1; draw(); });
  return row;
}

let hovered = -1; // the row of the table whose arrow is drawn alone
let arrowsKey = "";

function drawArrows(rows, total, isTree) {
  let list = [];
  if ($("arrows").checked && !(game.outcome && look === null)) {
    list = rows.map((c, i) => ({
      from: c.from, to: c.to, best: i === 0,
      visits: isTree ? c.visits / total : 0.3, prior: isTree ? c.prior : null,
      worth: !isTree || c.visits / total >= 0.02 || c.prior >= 0.05,
    })).filter((a, i) => (hovered >= 0 ? i === hovered : a.worth && (isTree || i < 3)));
  }
  const key = JSON.stringify([list, flipped]);
  if (key === arrowsKey) return;
  arrowsKey = key;
  board.setArrows(list);
}

function short(n) {
  if (n >= 1e6) return `${(n / 1e6).toFixed(1)}M`;
  if (n >= 1e4) return `${(n / 1e3).toFixed(0)}k`;
  return String(n);
}

function effort(r) {
  const what = r.tree ? "visits" : "positions";
  if (r.speed === 0) return `for White · ${r.by}`; // of a file
  return `for White · ${short(r.nodes)} ${what} · depth ${r.depth} · ${short(r.speed)}/s · ${r.by}`;
}

// --- Input ---

$("new").addEventListener("click", newGame);
$("load").addEventListener("click", () => load.open());
$("review").addEventListener("click", () => ask("review", { player: game.reviewer ? "" : $("analyst").value }));
$("back").addEventListener("click", async () => {
  const to = look;
  const choose = isLoaded(); // who plays from here?
  look = null;
  if ((await ask("back", to === null ? {} : { ply: to })) && choose) changePlayers();
});
$("flip").addEventListener("click", flip);
function flip() {
  flipped = !flipped;
  draw();
}
$("pause").addEventListener("click", () => ask("pause", { paused: !game.paused }));
$("hurry").addEventListener("click", () => ask("hurry"));
$("resign").addEventListener("click", () => ask("resign"));
$("first").addEventListener("click", () => lookAt(0));
$("previous").addEventListener("click", () => lookAt(ply() - 1));
$("next").addEventListener("click", () => lookAt(ply() + 1));
$("last").addEventListener("click", () => lookAt(last()));
$("type").addEventListener("submit", async (e) => {
  e.preventDefault();
  const move = $("typed").value.trim();
  if (move && (await ask("move", { ply: last(), fen: game.positions[last()].fen, move }))) $("typed").value = "";
});
const analyze = () => ask("analyze", { player: $("analyze").checked ? $("analyst").value : "", ply: look ?? undefined });
$("analyze").addEventListener("change", analyze);
$("analyst").addEventListener("change", () => $("analyze").checked && analyze());
$("arrows").checked = stored("arrows") !== "off";
$("arrows").addEventListener("change", () => {
  store("arrows", $("arrows").checked ? "on" : "off");
  draw();
});

for (const [button, text] of [["copypgn", () => getPGN(id)], ["copyfen", async () => game.positions[ply()].fen]]) {
  const name = $(button).textContent;
  $(button).hidden = !navigator.clipboard; // of a page without TLS from another machine
  $(button).addEventListener("click", async () => {
    if (!(await attempt(async () => navigator.clipboard.writeText(await text())))) return;
    $(button).textContent = "Copied";
    setTimeout(() => { $(button).textContent = name; }, 1_500);
  });
}

document.addEventListener("keydown", (e) => {
  if (!game || e.ctrlKey || e.metaKey || e.altKey || e.target.closest("input:not([type=checkbox]), select, textarea, dialog, .board")) return;
  if (e.key === "ArrowLeft") lookAt(ply() - 1);
  else if (e.key === "ArrowRight") lookAt(ply() + 1);
  else if (e.key === "f") flip();
  else if (e.key === "Escape") board.letGo();
  else return;
  e.preventDefault();
});

// --- Start ---

window.addEventListener("hashchange", () => location.hash.length > 1 && play(location.hash.slice(1)));
if (location.hash.length > 1) play(location.hash.slice(1));
else await attempt(() => begin(usualGame()));
