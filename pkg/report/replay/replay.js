// A player of finished games: the board, the evaluations as a line, and the moves.

import { Board, element, shape } from "./board.js";

const step = 450; // ms between two moves that play by themselves

// Values is White's expected share as a line over the moves of a game.
export class Values {
  // onChoose(ply) is called when a place of the line was clicked.
  constructor(root, onChoose) {
    this.picture = shape("svg", { viewBox: "0 0 100 100", preserveAspectRatio: "none", class: "values", "aria-hidden": "true" }, root);
    this.picture.addEventListener("click", (e) => {
      const box = this.picture.getBoundingClientRect();
      onChoose(Math.round(((e.clientX - box.left) / box.width) * this.plies));
    });
  }

  // show draws points [ply, percent], and marks of blunders at their plies.
  show(plies, points, blunders) {
    this.plies = plies;
    this.picture.replaceChildren();
    this.picture.style.display = points.length > 1 ? "" : "none";
    this.line("line", { x1: 0, x2: 100, y1: 50, y2: 50 });
    this.line("polyline", { points: points.map(([at, v]) => `${this.x(at)},${100 - v}`).join(" ") });
    for (const at of blunders) this.line("line", { class: "blunder", x1: this.x(at), x2: this.x(at), y1: 0, y2: 100 });
    this.now = this.line("line", { class: "now", y1: 0, y2: 100 });
  }

  x(at) { return (100 * at) / Math.max(1, this.plies); }

  line(tag, attributes) { return shape(tag, attributes, this.picture); }

  // go shows the place of the reader.
  go(at) {
    for (const name of ["x1", "x2"]) this.now.setAttribute(name, this.x(at));
  }
}

export class Replay {
  // onEnd is called when a game has played to its end by itself.
  constructor(root, onEnd = () => {}) {
    this.onEnd = onEnd;
    this.game = null;
    this.at = 0;
    this.playing = false;
    root.classList.add("player-of-games");
    this.left = element("div", "left", root);
    this.players = element("p", "players", this.left);
    this.board = new Board(element("div", "board", this.left));
    this.values = new Values(this.left, (at) => {
      this.stop();
      this.go(at);
    });
    const buttons = element("div", "steps", this.left);
    const button = (label, text, f) => {
      const b = element("button", "", buttons, text);
      b.type = "button";
      b.setAttribute("aria-label", label);
      b.addEventListener("click", f);
      return b;
    };
    const by = (to) => () => {
      this.stop();
      this.go(to());
    };
    button("First position", "«", by(() => 0));
    button("Previous position", "‹", by(() => this.at - 1));
    this.start = button("Play", "▶", () => (this.playing ? this.stop() : this.play()));
    button("Next position", "›", by(() => this.at + 1));
    button("Last position", "»", by(() => Infinity));
    this.right = element("div", "right", root);
    this.moves = element("ol", "moves", this.right);
    this.said = element("p", "said", this.right);
    this.said.setAttribute("role", "status");
  }

  // show shows the start of a game.
  show(game) {
    this.stop();
    this.game = game;
    const white = game.first > 0;
    const boards = [game.board];
    for (const p of game.plies) {
      const squares = [...boards.at(-1)];
      for (const [, file, rank, piece] of p.changed.matchAll(/([a-h])([1-8])(.)/g)) squares["abcdefgh".indexOf(file) + 8 * (8 - Number(rank))] = piece;
      boards.push(squares.join(""));
    }
    this.board.setKinds(game.kinds);
    this.positions = boards.map((board, i) => ({ board, move: i > 0 ? game.plies[i - 1] : undefined }));
    this.players.textContent = game.white === game.black ? `Self-play of ${game.white}, ${game.title}` : `${game.white} – ${game.black}, ${game.title}`;
    this.number = (i) => Math.abs(game.first) + Math.floor((i + (white ? 0 : 1)) / 2);
    this.moves.replaceChildren();
    game.plies.forEach((p, i) => {
      const isWhite = (i % 2 === 0) === white;
      if (isWhite || i === 0) {
        const row = element("li", "", this.moves);
        element("span", "", row, `${this.number(i)}.`);
        if (!isWhite) element("span", "", row);
      }
      const b = element("button", p.blunder ? "blunder" : "", this.moves.lastElementChild, p.blunder ? `${p.san}??` : p.san);
      b.type = "button";
      if (p.value !== undefined) b.title = `White ${p.value} %`;
      b.addEventListener("click", () => {
        this.stop();
        this.go(i + 1);
      });
    });
    const points = game.plies.map((p, i) => [i, p.value]).filter(([, v]) => v !== undefined);
    const blunders = game.plies.map((p, i) => (p.blunder ? i : -1)).filter((i) => i >= 0);
    this.values.show(game.plies.length, points, blunders);
    this.go(0, false);
  }

  go(to, lively = true) {
    const end = this.game.plies.length;
    const before = this.at;
    this.at = Math.max(0, Math.min(to, end));
    const p = this.positions[this.at];
    this.board.show(p, lively && Math.abs(this.at - before) <= 1, this.at === before + 1);
    this.values.go(this.at);
    const all = this.moves.querySelectorAll("button");
    this.moves.querySelector("[aria-current]")?.removeAttribute("aria-current");
    const now = all[this.at - 1];
    now?.setAttribute("aria-current", "true");
    this.moves.scrollTop = now ? now.offsetTop - this.moves.clientHeight / 2 : 0;
    const value = p.move?.value === undefined ? "" : `White ${p.move.value} %`;
    this.said.textContent = this.at === end ? this.game.text : value;
  }

  get ended() { return this.game === null || this.at === this.game.plies.length; }

  play() {
    if (this.ended) this.go(0, false);
    this.playing = true;
    this.mark();
    const next = () => {
      if (this.ended) {
        this.stop();
        this.onEnd();
        return;
      }
      this.go(this.at + 1);
      this.timer = setTimeout(next, step);
    };
    this.timer = setTimeout(next, step);
  }

  stop() {
    clearTimeout(this.timer);
    this.playing = false;
    this.mark();
  }

  mark() {
    this.start.textContent = this.playing ? "❚❚" : "▶";
    this.start.setAttribute("aria-label", this.playing ? "Pause" : "Play");
  }
}
