// The board: squares, sliding pieces, arrows, explosions, and the ways to enter a move.
// It knows no rules: setLegal gives it the legal moves.

const files = "abcdefgh";
const names = { p: "pawn", n: "knight", b: "bishop", r: "rook", q: "queen", k: "king" };
const slide = 190; // ms, as in board.css
const still = matchMedia("(prefers-reduced-motion: reduce)");
const isWhite = (letter) => letter === letter.toUpperCase();

// element makes an element of a page, and shape one of a picture.
export const element = (tag, name, parent, text) => {
  const e = document.createElement(tag);
  if (name) e.className = name;
  if (text !== undefined) e.textContent = text;
  parent?.append(e);
  return e;
};
export const shape = (tag, attributes, parent, text) => {
  const e = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) e.setAttribute(name, value);
  if (text !== undefined) e.textContent = text;
  parent?.append(e);
  return e;
};

export class Board {
  // onMove(uci) is called when a move was entered; without it, none can be.
  constructor(root, onMove) {
    this.root = root;
    this.onMove = onMove;
    this.flipped = false;
    this.pieces = new Map(); // by square: {letter, node}
    this.kinds = {};
    this.legal = [];
    this.picked = null; // {from} or {drop}
    this.cursor = "e2";

    root.setAttribute("role", "grid");
    root.setAttribute("aria-label", onMove ? "Chess board: arrows walk, Enter picks up and puts down, Escape lets go" : "Chess board: arrows walk");
    this.squares = new Map();
    this.grid = element("div", "squares", root);
    this.layer = element("div", "pieces", root);
    this.lines = shape("svg", { class: "arrows", "aria-hidden": "true" }, root);
    this.resize(".".repeat(64));

    root.addEventListener("pointerdown", (e) => this.down(e));
    root.addEventListener("keydown", (e) => this.key(e));
    root.addEventListener("focusin", (e) => {
      if (e.target.dataset.square) this.walk(e.target.dataset.square, false);
    });
    root.addEventListener("contextmenu", (e) => e.preventDefault());
  }

  // setKinds tells of kinds of pieces that chess does not have, by letter: {name, symbol}.
  setKinds(kinds = {}) {
    if (JSON.stringify(kinds) === JSON.stringify(this.kinds)) return;
    this.kinds = kinds;
    this.clear();
  }

  clear() {
    for (const p of this.pieces.values()) p.node.remove();
    this.pieces.clear();
  }

  kindName(letter) {
    const l = letter.toLowerCase();
    return this.kinds[l]?.name ?? names[l] ?? `piece ${letter.toUpperCase()}`;
  }

  pieceName(letter) { return `${isWhite(letter) ? "white" : "black"} ${this.kindName(letter)}`; }

  draw(letter) {
    const piece = shape("svg", { viewBox: "0 0 100 100", class: `piece ${isWhite(letter) ? "white" : "black"}`, "aria-hidden": "true" });
    shape("use", { href: `#${this.kinds[letter.toLowerCase()]?.symbol ?? letter.toLowerCase()}` }, piece);
    return piece;
  }

  // resize makes the cells of a board, which has spaces where there are no squares.
  resize(board) {
    const holes = board.replace(/[^ ]/g, ".");
    if (holes === this.holes) return;
    this.holes = holes;
    this.clear(); // a square has another place on another board
    const rows = holes.match(/.{8}/g);
    this.files = Math.max(...rows.map((row) => row.trimEnd().length));
    this.ranks = 8 - rows.findIndex((row) => row.includes("."));
    this.root.style.setProperty("--files", this.files);
    this.root.style.setProperty("--ranks", this.ranks);
    this.lines.setAttribute("viewBox", `0 0 ${this.files} ${this.ranks}`);
    this.grid.replaceChildren();
    for (let i = 0; i < this.ranks; i++) {
      const row = element("div", "row", this.grid);
      row.setAttribute("role", "row");
      for (let k = 0; k < this.files; k++) {
        const cell = element("div", "square", row);
        cell.setAttribute("role", "gridcell");
        cell.tabIndex = -1;
      }
    }
    this.cells = [...this.grid.querySelectorAll(".square")];
    this.lay();
  }

  // lay names the cells, as seen from the side below.
  lay() {
    this.squares.clear();
    this.cells.forEach((cell, i) => {
      const at = this.flipped ? this.cells.length - 1 - i : i;
      const file = at % this.files;
      const rank = this.ranks - Math.floor(at / this.files);
      const name = files[file] + rank;
      cell.dataset.square = name;
      cell.classList.toggle("dark", (file + rank) % 2 === 1);
      cell.classList.toggle("hole", this.holes[8 * (8 - rank) + file] === " ");
      cell.dataset.rank = i % this.files === 0 ? rank : "";
      cell.dataset.file = i >= this.cells.length - this.files ? files[file] : "";
      this.squares.set(name, cell);
    });
    const cell = this.squares.get(this.cursor);
    this.walk(cell && !cell.matches(".hole") ? this.cursor : this.grid.querySelector(".square:not(.hole)").dataset.square, false);
  }

  flip(on) {
    if (on === this.flipped) return;
    this.letGo();
    this.flipped = on;
    this.lay();
    for (const [square, p] of this.pieces) this.put(p.node, square, false);
    this.mark();
    this.setArrows(this.drawn ?? []);
  }

  // spot is the visible column and row of a square, from the upper left.
  spot(square) {
    const x = files.indexOf(square[0]);
    const y = this.ranks - Number(square[1]);
    return this.flipped ? [this.files - 1 - x, this.ranks - 1 - y] : [x, y];
  }

  put(node, square, slides = true) {
    const [x, y] = this.spot(square);
    node.classList.toggle("sliding", slides && !still.matches);
    node.style.transform = `translate(${x * 100}%, ${y * 100}%)`;
  }

  // show shows a position. Lively, the pieces slide there from the one before. Only a step forward
  // shows explosions.
  show(position, lively, forward) {
    this.letGo();
    this.resize(position.board);
    const want = new Map();
    [...position.board].forEach((letter, i) => {
      if (letter !== "." && letter !== " ") want.set(files[i % 8] + (8 - Math.floor(i / 8)), letter);
    });
    const move = position.move;
    const gone = [...this.pieces].filter(([square, p]) => want.get(square) !== p.letter).map(([square]) => square);
    const missing = [...want].filter(([square, letter]) => this.pieces.get(square)?.letter !== letter).map(([square]) => square);
    const taken = new Map();
    for (const square of gone) {
      taken.set(square, this.pieces.get(square));
      this.pieces.delete(square);
    }
    const arrive = (from, to) => {
      const p = taken.get(from);
      taken.delete(from);
      missing.splice(missing.indexOf(to), 1);
      if (p.letter !== want.get(to)) { // a pawn that was promoted, or was a queen
        const fresh = this.draw(want.get(to));
        fresh.style.transform = p.node.style.transform;
        p.node.replaceWith(fresh);
        fresh.getBoundingClientRect(); // where it slides from
        p.node = fresh;
        p.letter = want.get(to);
      }
      this.pieces.set(to, p);
      this.put(p.node, to, lively);
    };
    if (move?.from && taken.has(move.from) && missing.includes(move.to) && isWhite(taken.get(move.from).letter) === isWhite(want.get(move.to))) {
      arrive(move.from, move.to);
    }
    for (const to of [...missing]) {
      const near = [...taken.keys()].filter((from) => taken.get(from).letter === want.get(to));
      near.sort((a, b) => this.away(a, to) - this.away(b, to));
      if (near.length > 0) arrive(near[0], to);
    }
    const blast = lively && forward && move?.explodes;
    for (const [square, p] of taken) {
      if (!lively) p.node.remove();
      else if (blast) this.shatter(p.node, square === move.from ? move.to : square, move.to);
      else this.vanish(p.node);
    }
    for (const to of missing) {
      const p = { letter: want.get(to), node: this.draw(want.get(to)) };
      this.put(p.node, to, false);
      if (lively) p.node.classList.add("appearing");
      this.layer.append(p.node);
      this.pieces.set(to, p);
    }
    if (blast) setTimeout(() => this.blast(move.to), still.matches ? 0 : slide);
    this.position = position;
    this.mark();
  }

  away(a, b) {
    const [x, y] = this.spot(a);
    const [u, v] = this.spot(b);
    return Math.hypot(x - u, y - v);
  }

  vanish(node) {
    node.classList.add("vanishing");
    setTimeout(() => node.remove(), slide);
  }

  // shatter lets a piece explode where it stands, or where it arrives.
  shatter(node, square, center) {
    this.put(node, square);
    const wait = still.matches ? 0 : slide + 45 * this.away(square, center);
    setTimeout(() => node.classList.add("shattering"), wait);
    setTimeout(() => node.remove(), wait + 420);
  }

  blast(square) {
    const [x, y] = this.spot(square);
    const blast = element("div", "blast", this.root);
    blast.style.left = `${((x + 0.5) * 100) / this.files}%`;
    blast.style.top = `${((y + 0.5) * 100) / this.ranks}%`;
    element("i", "flash", blast);
    element("i", "ring", blast);
    for (let i = 0; i < 18; i++) {
      const spark = element("i", "spark", blast);
      spark.style.setProperty("--turn", `${i * 20 + Math.random() * 18}deg`);
      spark.style.setProperty("--far", `${0.12 + Math.random() * 0.16}`);
      spark.style.setProperty("--size", `${0.5 + Math.random()}`);
    }
    this.root.classList.add("shaken");
    setTimeout(() => {
      blast.remove();
      this.root.classList.remove("shaken");
    }, 900);
  }

  setLegal(legal) {
    this.legal = legal;
    this.mark();
  }

  from(square) { return this.legal.filter((m) => m.from === square); }

  // targets are the moves of the picked piece, by target square.
  targets() {
    const to = new Map();
    if (!this.picked) return to;
    for (const m of this.legal) {
      if (this.picked.from ? m.from !== this.picked.from : m.drop !== this.picked.drop) continue;
      for (const square of m.to) to.set(square, [...(to.get(square) ?? []), m]);
    }
    return to;
  }

  // mark colors the squares, and labels them.
  mark() {
    const targets = this.targets();
    const last = this.position?.move;
    for (const [name, cell] of this.squares) {
      const piece = this.pieces.get(name);
      const can = targets.get(name);
      cell.classList.toggle("last", name === last?.to || name === last?.from);
      cell.classList.toggle("check", name === this.position?.check);
      cell.classList.toggle("picked", name === this.picked?.from);
      cell.classList.toggle("target", Boolean(can));
      cell.classList.toggle("taking", Boolean(can) && Boolean(piece));
      cell.classList.toggle("movable", this.legal.some((m) => m.from === name));
      let label = name;
      if (piece) label += `, ${this.pieceName(piece.letter)}`;
      if (name === this.position?.check) label += ", in check";
      if (name === this.picked?.from) label += ", picked up";
      if (can) label += can[0].capture ? ", can be taken" : ", can move here";
      cell.setAttribute("aria-label", label);
    }
  }

  pick(what) {
    this.letGo();
    this.picked = what;
    this.mark();
  }

  letGo() {
    this.chooser?.remove();
    this.chooser = null;
    this.drag?.();
    if (!this.picked) return;
    this.picked = null;
    this.mark();
    this.onPick?.();
  }

  // say plays the picked piece to a square, if that is a legal move.
  say(square, dragged = false) {
    const moves = this.targets().get(square);
    if (!moves) return false;
    if (moves.length > 1) {
      this.choose(square, moves);
      return true;
    }
    const from = this.picked.from;
    this.letGo();
    const piece = from && this.pieces.get(from);
    if (piece && dragged && !this.pieces.has(square)) { // it is there already
      this.pieces.delete(from);
      this.pieces.set(square, piece);
      this.put(piece.node, square, false);
    }
    this.onMove(moves[0].uci);
    return true;
  }

  // choose asks for the piece of a promotion.
  choose(square, moves) {
    const white = this.position.turn === "white";
    const [x, y] = this.spot(square);
    const chooser = element("div", "chooser", this.root);
    chooser.setAttribute("role", "menu");
    chooser.setAttribute("aria-label", "Promote to");
    chooser.style.left = `${(x * 100) / this.files}%`;
    chooser.classList.toggle("up", y >= this.ranks / 2);
    const order = "QNRBKACDEFGHIJLMSTUVWXYZP";
    const place = (m) => order.indexOf(m.promotion ?? "P");
    for (const m of moves.toSorted((a, b) => place(a) - place(b))) {
      const kind = m.promotion ?? "P"; // a pawn may stay one by some rules
      const letter = white ? kind : kind.toLowerCase();
      const b = element("button", "", chooser);
      b.type = "button";
      b.setAttribute("role", "menuitem");
      b.dataset.promotion = kind;
      b.setAttribute("aria-label", this.kindName(kind));
      b.append(this.draw(letter));
      b.addEventListener("click", () => {
        this.letGo();
        this.walk(square, true); // the focus was on the button
        this.onMove(m.uci);
      });
    }
    this.chooser?.remove();
    this.chooser = chooser;
    chooser.querySelector("button").focus();
  }

  // click handles a click on a square, or Enter.
  click(square) {
    if (this.chooser) return this.letGo();
    if (this.picked && this.say(square)) return;
    if (this.picked?.from !== square && this.from(square).length > 0) this.pick({ from: square });
    else this.letGo();
  }

  under(e) {
    const box = this.layer.getBoundingClientRect();
    const x = Math.floor(((e.clientX - box.left) / box.width) * this.files);
    const y = Math.floor(((e.clientY - box.top) / box.height) * this.ranks);
    if (x < 0 || x >= this.files || y < 0 || y >= this.ranks) return null;
    return this.cells[y * this.files + x].dataset.square;
  }

  down(e) {
    if (e.button !== 0 || e.target.closest(".chooser")) return;
    const square = this.under(e);
    if (!square) return;
    e.preventDefault();
    this.walk(square, true);
    const already = this.picked?.from === square;
    if (already || this.chooser || (this.picked && this.targets().has(square)) || this.from(square).length === 0) {
      if (!already) return this.click(square);
    } else {
      this.pick({ from: square });
    }
    const node = this.pieces.get(square).node;
    this.follow(e, node, () => this.put(node, square), () => {
      if (already) this.letGo();
    });
  }

  // grab picks up a piece of the pocket; a pointer can drag it.
  grab(e, drop, letter) {
    if (this.picked?.drop === drop) return this.letGo();
    this.pick({ drop });
    if (!e.clientX && !e.clientY) return;
    const node = this.draw(letter);
    node.classList.add("ghost");
    this.layer.append(node);
    this.follow(e, node, () => node.remove(), () => node.remove());
  }

  // follow moves a piece with the pointer. Released on no target it goes back; released
  // where it was it counts as a click.
  follow(e, node, back, clicked) {
    const start = [e.clientX, e.clientY];
    let moving = false;
    const over = (at) => {
      for (const [name, cell] of this.squares) cell.classList.toggle("over", name === at && cell.classList.contains("target"));
    };
    const move = (e) => {
      if (!moving && Math.hypot(e.clientX - start[0], e.clientY - start[1]) < 5) return;
      moving = true;
      const box = this.layer.getBoundingClientRect();
      const side = box.width / this.files;
      node.classList.remove("sliding");
      node.classList.add("dragging");
      node.style.transform = `translate(${e.clientX - box.left - side / 2}px, ${e.clientY - box.top - side / 2}px)`;
      over(this.under(e));
    };
    const end = () => {
      document.removeEventListener("pointermove", move);
      document.removeEventListener("pointerup", up);
      document.removeEventListener("pointercancel", cancel);
      node.classList.remove("dragging");
      over(null);
      this.drag = null;
      if (node.classList.contains("ghost")) node.remove();
    };
    const up = (e) => {
      end();
      if (!moving) return clicked();
      const to = this.under(e);
      if (!to || !this.say(to, true)) {
        back();
        this.letGo();
      } else if (this.chooser) {
        back();
      }
    };
    const cancel = () => {
      end();
      back();
    };
    this.drag?.();
    this.drag = cancel;
    document.addEventListener("pointermove", move);
    document.addEventListener("pointerup", up);
    document.addEventListener("pointercancel", cancel);
  }

  walk(square, focus) {
    for (const cell of this.cells) if (cell.tabIndex === 0) cell.tabIndex = -1;
    this.cursor = square;
    const cell = this.squares.get(square);
    cell.tabIndex = 0;
    if (focus) cell.focus({ preventScroll: true });
  }

  key(e) {
    if (e.key === "Escape") {
      e.preventDefault();
      this.letGo();
      this.walk(this.cursor, true);
      return;
    }
    const steps = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
    if (e.target.closest(".chooser")) {
      if (!steps[e.key]) return;
      const all = [...this.chooser.children];
      const step = steps[e.key][0] + steps[e.key][1];
      all[(all.indexOf(document.activeElement) + step + all.length) % all.length].focus();
    } else if (steps[e.key]) {
      let [x, y] = this.spot(this.cursor);
      let cell;
      do { // over holes
        x += steps[e.key][0];
        y += steps[e.key][1];
        cell = x >= 0 && x < this.files && y >= 0 && y < this.ranks ? this.cells[y * this.files + x] : null;
      } while (cell?.matches(".hole"));
      this.walk((cell ?? this.squares.get(this.cursor)).dataset.square, true);
    } else if (e.key === "Enter" || e.key === " ") {
      this.click(this.cursor);
    } else {
      return;
    }
    e.preventDefault();
    e.stopPropagation();
  }

  // setArrows draws moves: {from, to, visits, prior, best}, shares from 0 to 1. The
  // width of the shaft shows the visits, that of the outline the prior.
  setArrows(list) {
    this.drawn = list;
    this.lines.replaceChildren();
    for (const a of [...list].reverse()) {
      const group = shape("g", { class: a.best ? "best" : "" }, this.lines);
      const add = (tag, attributes) => shape(tag, attributes, group);
      const [x, y] = this.spot(a.to).map((v) => v + 0.5);
      if (!a.from || a.from === a.to) { // a drop, or castling with a king that stays
        if (a.prior !== null) add("circle", { class: "prior", cx: x, cy: y, r: 0.4 + thick(a.prior) / 2 });
        add("circle", { class: "drop", cx: x, cy: y, r: 0.4, "stroke-width": thick(a.visits) });
      } else {
        const [u, v] = this.spot(a.from).map((w) => w + 0.5);
        add("path", { class: "visits", d: arrow(u, v, x, y, thick(a.visits)) });
        if (a.prior !== null) add("path", { class: "prior", d: arrow(u, v, x, y, thick(a.prior)) });
      }
    }
  }
}

// thick is the width of an arrow for a share, in squares: small shares stay visible.
const thick = (share) => 0.04 + 0.26 * Math.sqrt(share);

// arrow is the outline of an arrow between the centers of two squares.
function arrow(x0, y0, x1, y1, width) {
  const length = Math.hypot(x1 - x0, y1 - y0);
  const [dx, dy] = [(x1 - x0) / length, (y1 - y0) / length];
  const at = (along, beside) => `${(x0 + along * dx - beside * dy).toFixed(3)} ${(y0 + along * dy + beside * dx).toFixed(3)}`;
  const half = width / 2;
  const wide = 0.11 + width * 0.85;
  const head = length - 0.2 - 1.3 * width;
  const start = 0.3;
  return `M${at(start, -half)}L${at(head, -half)}L${at(head, -wide)}L${at(length - 0.02, 0)}L${at(head, wide)}L${at(head, half)}L${at(start, half)}Z`;
}
