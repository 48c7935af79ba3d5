// The dialog in which a game of a file, or of a run, is opened.

import { getFiles, listGames } from "./server.js";

const $ = (id) => document.getElementById(id);

export class Load {
  // answer gets the request for the server, and fails if the server refuses it.
  constructor(answer) {
    this.dialog = $("open");
    this.source = null; // {pgn} or {file}
    $("close").addEventListener("click", () => this.dialog.close());
    $("pgnfile").addEventListener("change", async () => {
      const file = $("pgnfile").files[0];
      if (file) this.list({ pgn: await file.text() });
    });
    $("runfile").addEventListener("change", () => $("runfile").value && this.list({ file: $("runfile").value }));
    let typing = 0;
    $("pgntext").addEventListener("input", () => {
      clearTimeout(typing);
      typing = setTimeout(() => this.list({ pgn: $("pgntext").value }), 300);
    });
    $("games").addEventListener("dblclick", () => this.dialog.querySelector("form").requestSubmit());
    this.dialog.querySelector("form").addEventListener("submit", async (e) => {
      e.preventDefault();
      try {
        await answer({ ...this.source, number: Number($("games").value) });
        this.dialog.close();
      } catch (error) {
        $("openerror").textContent = error.message;
      }
    });
  }

  async open() {
    this.dialog.showModal();
    let files = [];
    try {
      files = await getFiles();
    } catch (error) {
      $("openerror").textContent = error.message;
    }
    const chosen = $("runfile").value;
    $("ofruns").hidden = files.length === 0;
    $("runfile").replaceChildren(new Option("choose", ""), ...files.map((f) => new Option(f.title, f.file)));
    $("runfile").value = files.some((f) => f.file === chosen) ? chosen : "";
  }

  // list shows the games of a source.
  async list(source) {
    this.source = source;
    $("chosen").hidden = $("opengame").disabled = true; // the list is of the source before
    let found = { games: [], faults: [], more: 0 };
    try {
      if (source.file || source.pgn.trim()) found = await listGames(source);
    } catch (error) {
      found.faults = [error.message];
    }
    if (this.source !== source) return;
    for (const [id, own] of [["pgnfile", !source.file && source.pgn !== $("pgntext").value], ["runfile", Boolean(source.file)], ["pgntext", source.pgn === $("pgntext").value]]) {
      if (!own) $(id).value = "";
    }
    $("openerror").textContent = found.faults.join(" ");
    $("games").replaceChildren(...found.games.map((g) => new Option(`${g.number}. ${g.white || "?"} – ${g.black || "?"}${/^\d/.test(g.round) ? `, round ${g.round}` : ""}: ${g.result.replace("1/2-1/2", "½–½").replace("-", "–")}, ${Math.ceil(g.plies / 2)} moves`, g.number)));
    $("games").selectedIndex = found.games.length > 0 ? 0 : -1;
    $("count").textContent = `${found.games.length} ${found.games.length === 1 ? "game" : "games"}${found.more ? `, and ${found.more} more that the list has no room for` : ""}`;
    $("chosen").hidden = found.games.length === 0;
    $("opengame").disabled = found.games.length === 0;
  }
}
