// The games of a notebook page: a list, and a player of the chosen one.
for (const root of document.querySelectorAll("[data-games]")) {
  const games = JSON.parse(root.dataset.games);
  const list = element("select", "", root);
  list.setAttribute("aria-label", "Game");
  const score = (s) => ({ 1: "1–0", 0.5: "½–½", 0: "0–1" })[s];
  for (const g of games) list.append(new Option(`${g.white === g.black ? "" : `${g.white} – ${g.black}, `}${g.title}: ${score(g.score)}`));
  const replay = new Replay(element("div", "", root));
  const show = () => replay.show(games[list.selectedIndex]);
  list.addEventListener("change", show);
  show();
}
