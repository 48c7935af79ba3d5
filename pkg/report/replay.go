package report

import (
	"cmp"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"io/fs"
	"math"
	"slices"
	"strings"

	"alamos/pkg/chess"
	"alamos/pkg/experiment"
	"alamos/pkg/match"
	"alamos/pkg/store"
	"alamos/plots"
)

//go:embed replay
var replayFiles embed.FS

// ReplayFiles returns what all pages share: colors.css, the board in board.js and board.css, and
// replay.js, which steps through a [Replay]. The document must have the symbols of the pieces, see
// [plots.PieceSymbols].
func ReplayFiles() fs.FS {
	files, err := fs.Sub(replayFiles, "replay")
	if err != nil {
		panic(err) // the folder was there when this was compiled
	}
	return files
}

// Replay is a finished game as a page shows it.
type Replay struct {
	White string  `json:"white"`
	Black string  `json:"black"`
	Title string  `json:"title"` // distinguishes it from others of these players
	Board string  `json:"board"` // the start position, see [chess.Position.Board]
	First int     `json:"first"` // number of the first move, negative if Black begins
	Plies []*Ply  `json:"plies"`
	Text  string  `json:"text"`  // how it ended
	Score float64 `json:"score"` // of White
	Kinds Kinds   `json:"kinds,omitempty"`
}

// Kinds are the kinds of pieces of a variant that chess does not have, or that have another name
// there, by their letters in FEN, in lower case.
type Kinds map[string]Kind

// Kind is how a page shows a kind of piece.
type Kind struct {
	Name   string `json:"name"`
	Symbol string `json:"symbol"` // see [plots.SymbolOf]
}

// KindsOf returns the kinds of a variant that a page must be told of.
func KindsOf(v chess.Variant) Kinds {
	kinds := Kinds{}
	named := chess.RulesOf(v).Pieces
	for i, t := range v.Kinds() {
		letter := string(t.Letter(chess.Black))
		if k := (Kind{named[i].Name, plots.SymbolOf(v, t)}); k != (Kind{t.String(), letter}) {
			kinds[letter] = k
		}
	}
	return kinds
}

// Ply is a move of a [Replay].
type Ply struct {
	*Played
	// Changed are the squares that the move changes, each followed by its new piece or a dot:
	// "e2.e4P".
	Changed string `json:"changed"`
	// Value is the expected share of the points of White in percent, in the opinion of the
	// player that moves; nil: unknown.
	Value *int `json:"value,omitempty"`
	// Blunder is set if the move loses blunderPercent or more, see [Blunders].
	Blunder bool `json:"blunder,omitempty"`
}

// Played is a move as pages show it.
type Played struct {
	SAN  string `json:"san"`
	UCI  string `json:"uci,omitempty"`
	From string `json:"from,omitempty"` // none: a drop
	To   string `json:"to"`             // of the king in castling

	// Explodes is set for a capture that destroys what is around To.
	Explodes bool `json:"explodes,omitempty"`
}

// PlayedOf returns the legal move m of a position for a page.
func PlayedOf(before *chess.Position, m chess.Move) *Played {
	v := &Played{
		SAN: before.SAN(m), UCI: before.UCI(m), From: m.From().String(), To: m.To().String(),
		Explodes: Captures(before, m) && chess.RulesOf(before.Variant()).Explosion > 0,
	}
	switch {
	case m.IsDrop():
		v.From = ""
	case m.IsCastle():
		after := *before
		after.Play(m)
		v.To = after.King(before.Turn()).String()
	}
	return v
}

// Captures reports whether a legal move captures.
func Captures(p *chess.Position, m chess.Move) bool {
	return m.IsEnPassant() || !m.IsCastle() && !m.IsDrop() && p.Occupied().Has(m.To())
}

// blunderPercent is the fall of the expected share of the points, in percent, that makes a
// move a blunder.
const blunderPercent = 30

// Opinion is an evaluation of a position: White's expected share of the points in percent.
type Opinion struct {
	By    string // a player or another engine
	Value int
}

// Share converts an expected result of White, from -1 to 1, to percent of the points.
func Share(result float64) int { return int(math.Round(50 * (1 + result))) }

// Blunders returns the percent of the points that each blunder loses, and 0 for other moves.
// opinions are those on the positions before the moves, nil where there is none. white
// reports whether White moves first. A move is a blunder if the share of the side that moves
// falls from the opinion before it, its own or else its opponent's last one, to the next
// opinion of the same player.
func Blunders(opinions []*Opinion, white bool) []int {
	lost := make([]int, len(opinions))
	all := slices.Concat([]*Opinion{nil}, opinions, []*Opinion{nil, nil}) // all[i+1] is opinions[i]
	for i := range opinions {
		before := cmp.Or(all[i+1], all[i])
		if before == nil {
			continue
		}
		for _, after := range all[i+2 : i+4] {
			if after == nil || after.By != before.By {
				continue
			}
			fall := before.Value - after.Value
			if white != (i%2 == 0) {
				fall = -fall
			}
			if fall >= blunderPercent {
				lost[i] = fall
			}
			break
		}
	}
	return lost
}

// NewReplay returns a game for a page.
func NewReplay(g *match.Game) *Replay {
	at := g.Start
	r := &Replay{White: g.White, Black: g.Black, Title: fmt.Sprintf("game %d", g.Number+1), Board: at.Board(), First: at.FullMove(), Text: Ending(g.Outcome), Score: g.Points(g.White), Kinds: KindsOf(at.Variant()), Plies: []*Ply{}}
	if g.White == g.Black { // of self-play
		r.Score = (1 + float64(g.Outcome.Result)) / 2
	}
	if r.Text == "" {
		r.Text = g.Outcome.String()
	}
	if at.Turn() == chess.Black {
		r.First = -r.First
	}
	opinions := make([]*Opinion, len(g.Moves))
	for i, m := range g.Moves {
		p := &Ply{Played: PlayedOf(&at, m)}
		p.UCI = ""
		before, turn := at.Board(), at.Turn()
		at.Play(m)
		p.Changed = changed(before, at.Board())
		if i < len(g.Infos) && g.Infos[i].Score != nil {
			value, by := *g.Infos[i].Score, g.White
			if turn == chess.Black {
				value, by = -value, g.Black
			}
			opinions[i] = &Opinion{by, Share(value)}
			p.Value = &opinions[i].Value
		}
		r.Plies = append(r.Plies, p)
	}
	for i, lost := range Blunders(opinions, g.Start.Turn() == chess.White) {
		r.Plies[i].Blunder = lost > 0
	}
	return r
}

// changed returns what differs between two boards, see [Ply.Changed].
func changed(before, after string) string {
	var b strings.Builder
	for i := range after {
		if before[i] != after[i] {
			fmt.Fprintf(&b, "%c%d%c", 'a'+i%8, 8-i/8, after[i])
		}
	}
	return b.String()
}

// Games are games that the reader of the HTML page can replay. Other forms name their file.
type Games struct {
	Caption string
	Games   []*Replay
	Files   []string
}

// Numbers of games on a page, and their largest total size.
const (
	mostTournamentGames = 24 // of a trial
	mostSelfPlayGames   = 6
	replayRoom          = 2 << 20
)

// replays returns the games of a trial to replay: the first ones of each pair of the
// tournament with the last network, or of the last generation of self-play.
func replays(t *store.Trial, of string) (Games, error) {
	g := t.Done()
	b := Games{Caption: fmt.Sprintf("Games of self-play with %s.", store.CheckpointName(t.Declared.Settings.PlayedBy(g))), Files: []string{store.GamesFile(g)}}
	most := mostSelfPlayGames
	wanted := func(*match.Game) bool { return true }
	if of == experiment.TournamentGames {
		if t.Tournament() == nil {
			return b, nil
		}
		last := store.CheckpointName(g)
		most = mostTournamentGames
		b.Caption = fmt.Sprintf("Games of %s in the tournament, the first two against each opponent. The line is White's expected share of the points, by the player that moves. ?? marks a move that loses %d points or more, in the player's own opinion or, where it has none, in its opponent's.", last, blunderPercent)
		b.Files = []string{store.TournamentGames}
		wanted = func(g *match.Game) bool { return g.Number < 2 && (g.White == last || g.Black == last) }
	} else if t.Declared.Settings.Data != nil || g == 0 {
		return b, nil
	}
	err := match.ReadGames(t.Path(b.Files[0]), func(_ string, g *match.Game) error {
		if len(b.Games) < most && wanted(g) {
			b.Games = append(b.Games, NewReplay(g))
		}
		return nil
	})
	if errors.Is(err, fs.ErrNotExist) { // games may be deleted to save space
		err = nil
	}
	return b, err
}

func (b Games) write(w *writer) {
	data, err := json.Marshal(b.Games)
	if err != nil {
		panic(err) // it has only numbers and texts
	}
	w.htmlTag(`<figure class="replay">`)
	if w.replayRoom -= len(data); w.html && w.replayRoom >= 0 {
		w.replays = true
		fmt.Fprintf(w, "<div data-games=\"%s\"></div>\n", html.EscapeString(string(data)))
	} else {
		w.htmlTag(`<p class="none">These games are in their file only: the page has no room for more.</p>`)
	}
	w.htmlTag(`<figcaption>`)
	w.markdown(escape(b.Caption) + links(b.Files))
	w.htmlTag(`</figcaption>`)
	w.htmlTag(`</figure>`)
}

func (b Games) text(w *textWriter) {
	w.WriteString(b.Caption + " " + strings.Join(b.Files, " ") + "\n")
}

// replayScript returns the module of a page with games.
func replayScript() string {
	var parts []string
	for _, name := range []string{"board.js", "replay.js", "page.js"} {
		text, err := fs.ReadFile(ReplayFiles(), name)
		if err != nil {
			panic(err) // it was there when this was compiled
		}
		lines := slices.DeleteFunc(strings.Split(string(text), "\n"), func(l string) bool { return strings.HasPrefix(l, "import ") })
		parts = append(parts, strings.Join(lines, "\n"))
	}
	return strings.Join(parts, "\n")
}

// wins and draws are the ends of games as sentences.
var (
	wins = map[chess.Reason]string{
		chess.Checkmate:      "WINNER wins by checkmate.",
		chess.KingExploded:   "WINNER wins: LOSER’s king has exploded.",
		chess.Stalemate:      "WINNER wins by stalemate.",
		chess.Resignation:    "WINNER wins: LOSER has resigned.",
		chess.TimeForfeit:    "WINNER wins: LOSER has no time left.",
		chess.KingInCenter:   "WINNER wins: its king is on the hill.",
		chess.ThreeChecks:    "WINNER wins with the third check.",
		chess.HordeDestroyed: "WINNER wins: the horde is destroyed.",
		chess.RaceFinished:   "WINNER wins the race.",
		chess.PiecesLost:     "WINNER wins: it has lost all its pieces.",
		chess.GoalReached:    "WINNER wins: it has reached its goal.",
		chess.Extinction:     "WINNER wins by the rule about lost pieces.",
		chess.CheckLimit:     "WINNER wins with the last check.",
	}
	draws = map[chess.Reason]string{
		chess.Stalemate:            "Draw by stalemate.",
		chess.Threefold:            "Draw: the position has occurred three times.",
		chess.FiftyMoves:           "Draw: fifty moves without a capture or a pawn’s move.",
		chess.InsufficientMaterial: "Draw: neither side can win with what is left.",
		chess.TimeForfeit:          "Draw: one side has no time left, and the other cannot win with what it has.",
		chess.MoveLimit:            "Draw: the game has become too long.",
		chess.RaceFinished:         "Draw: both kings have reached the eighth rank.",
	}
)

// Ending returns why a game is over, as a sentence.
func Ending(o chess.Outcome) string {
	winner, loser := "White", "Black"
	switch o.Result {
	case chess.Draw:
		return draws[o.Reason]
	case chess.BlackWins:
		winner, loser = loser, winner
	}
	return strings.NewReplacer("WINNER", winner, "LOSER", loser).Replace(wins[o.Reason])
}
