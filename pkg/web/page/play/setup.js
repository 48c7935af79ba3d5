// The dialog in which games begin and players change.

const $ = (id) => document.getElementById(id);

// parseSeat reads a player with its settings, "uniform,visits=400,temperature=1".
export function parseSeat(text) {
  const [player, ...settings] = text.split(",");
  return { player, ...Object.fromEntries(settings.map((setting) => setting.split("="))) };
}

// Side is the part of the dialog for one side.
class Side {
  constructor(root) {
    root.append($("sidefields").content.cloneNode(true));
    this.root = root;
    this.find = (name) => root.querySelector(`.${name}`);
    this.find("who").addEventListener("change", () => this.set(this.player().usual));
    this.find("limit").addEventListener("change", () => this.mark());
    root.addEventListener("input", (e) => {
      if (e.target !== this.find("who")) this.text = ""; // set() has set it for another player
    });
  }

  player() { return this.players.find((p) => p.id === this.find("who").value); }

  offer(players) {
    this.players = players;
    this.find("who").replaceChildren(...players.map((p) => new Option(p.name, p.id)));
  }

  set(text) {
    if (!this.players.some((p) => p.id === parseSeat(text).player)) text = this.players[0].usual;
    const seat = parseSeat(text);
    this.text = text; // what the fields cannot say is in it, until one is changed
    for (const field of this.root.querySelectorAll("input")) field.value = field.defaultValue;
    this.find("who").value = seat.player;
    this.find("limit").value = seat.movetime ? "seconds" : "visits";
    if (seat.visits) this.find("visits").value = seat.visits;
    if (seat.movetime) this.find("seconds").value = this.find("most").value = seat.movetime / 1000;
    this.find("temperature").value = seat.temperature ?? 0;
    if (seat.depth) this.find("depth").value = seat.depth;
    this.mark();
  }

  // mark shows the fields of the player, and excludes the others from validation.
  mark() {
    const kind = this.player().kind;
    const limit = this.find("limit").value;
    for (const part of this.root.querySelectorAll(".of")) part.hidden = !part.classList.contains(kind);
    this.find("visits").hidden = limit !== "visits";
    this.find("seconds").hidden = limit !== "seconds";
    this.find("unit").textContent = limit === "visits" ? "Visits" : "Seconds";
    for (const field of this.root.querySelectorAll("input")) field.disabled = field.hidden || Boolean(field.closest("[hidden]"));
  }

  get() {
    if (this.text) return this.text;
    const number = (name) => Number(this.find(name).value) || 0;
    const milliseconds = (name) => Math.round(1000 * number(name));
    const seat = [this.player().id];
    switch (this.player().kind) {
      case "tree":
        seat.push(this.find("limit").value === "visits" ? `visits=${number("visits")}` : `movetime=${milliseconds("seconds")}`);
        if (number("temperature") > 0) seat.push(`temperature=${number("temperature")}`);
        break;
      case "alphabeta":
        seat.push(`depth=${number("depth")}`, `movetime=${milliseconds("most")}`);
    }
    return seat.join(",");
  }
}

export class Setup {
  constructor(setup) {
    this.setup = setup;
    this.dialog = $("setup");
    this.white = new Side($("white"));
    this.black = new Side($("black"));
    $("variants").append(...setup.variants.filter((v) => v.offered).map((v) => {
      const label = document.createElement("label");
      const input = document.createElement("input");
      input.type = "radio";
      input.name = "variant";
      input.value = v.id;
      const name = document.createElement("b");
      name.textContent = v.title;
      const goal = document.createElement("small");
      goal.textContent = v.goal;
      label.append(input, name, goal);
      return label;
    }));
    $("variants").addEventListener("change", () => {
      this.id = this.dialog.querySelector("[name=variant]:checked").value;
      this.offer();
    });
    $("timed").addEventListener("change", () => this.time());
    $("swap").addEventListener("click", () => {
      const [w, b] = [this.white.get(), this.black.get()];
      this.white.set(b);
      this.black.set(w);
    });
    $("cancel").addEventListener("click", () => this.dialog.close());
    $("number").addEventListener("focus", () => this.start("chess960"));
    $("startfen").addEventListener("focus", () => this.start("fen"));
    this.dialog.querySelector("form").addEventListener("submit", (e) => {
      e.preventDefault();
      this.submit();
    });
  }

  start(value) { this.dialog.querySelector(`[name=start][value=${value}]`).checked = true; }

  variant() { return this.setup.variants.find((v) => v.id === this.id); }

  time() { $("minutes").disabled = $("increment").disabled = this.change || !$("timed").checked; }

  // playersOf lists the players of a variant, which may be that of a loaded game.
  playersOf(variant) { return this.setup.players.filter((p) => p.any || p.variants.includes(variant)); }

  // offer adapts the dialog to the variant.
  offer(white = this.white.get(), black = this.black.get()) {
    const v = this.variant() ?? { chess960: false, start: "" };
    const players = this.playersOf(this.id);
    const strongest = players[0].usual;
    for (const [side, seat] of [[this.white, white], [this.black, black]]) {
      side.offer(players);
      side.set(players.some((p) => p.id === parseSeat(seat).player) ? seat : strongest);
    }
    $("start960").hidden = !v.chess960;
    $("number").disabled = this.change || !v.chess960; // hidden, it must not keep the form from being sent
    if (!v.chess960 && this.dialog.querySelector("[name=start]:checked").value === "chess960") this.start("usual");
    $("startfen").placeholder = v.start;
  }

  // open opens the dialog for a new game, or with change for other players of the running
  // game. answer gets the request for the server, and fails if the server refuses it.
  open(variant, seats, change, answer) {
    this.answer = answer;
    this.change = change;
    const offered = this.setup.variants.some((v) => v.id === variant && v.offered);
    this.id = change || offered ? variant : this.setup.variant;
    this.dialog.querySelector(`[name=variant][value="${offered ? variant : this.setup.variant}"]`).checked = true;
    this.time();
    this.dialog.classList.toggle("change", change);
    $("setuptitle").textContent = change ? "Players" : "New game";
    $("begin").textContent = change ? "Use" : "Play";
    $("setuperror").textContent = "";
    this.white.offer(this.playersOf(this.id));
    this.black.offer(this.playersOf(this.id));
    this.offer(seats[0], seats[1]);
    this.dialog.showModal();
    (change ? this.white.find("who") : this.dialog.querySelector("[name=variant]:checked")).focus();
  }

  async submit() {
    const game = { white: this.white.get(), black: this.black.get() };
    if (!this.change) {
      game.variant = this.variant().id;
      switch (this.dialog.querySelector("[name=start]:checked").value) {
        case "fen":
          game.fen = $("startfen").value.trim();
          break;
        case "chess960":
          game.chess960 = $("number").value === "" ? -1 : Number($("number").value);
      }
      if ($("timed").checked) game.clock = { minutes: Number($("minutes").value), seconds: Number($("increment").value) };
    }
    try {
      await this.answer(game);
      this.dialog.close();
    } catch (error) {
      $("setuperror").textContent = error.message;
    }
  }
}
