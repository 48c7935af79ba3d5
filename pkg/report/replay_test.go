package report

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"alamos/pkg/chess"
	"alamos/pkg/match"
)

// randomGame plays random moves to the end of a game, or to 200 plies.
func randomGame(v chess.Variant, seed uint64) *match.Game {
	rng := rand.New(rand.NewPCG(seed, uint64(v)))
	g := &match.Game{Variant: v, White: "a", Black: "b", Start: chess.StartPosition(v)}
	line := chess.NewGame(g.Start)
	var l chess.MoveList
	for range 200 {
		line.Position().LegalMoves(&l)
		if g.Outcome = line.Outcome(&l); g.Outcome.Over() {
			break
		}
		m := l.At(rng.IntN(l.Len()))
		line.Play(m)
		g.Moves = append(g.Moves, m)
	}
	return g
}

// The changed squares lead from each board to the next, in all variants.
func TestReplayBoards(t *testing.T) {
	for _, v := range chess.Variants() {
		for seed := range uint64(20) {
			g := randomGame(v, seed)
			r := NewReplay(g)
			board, at := []byte(r.Board), g.Start
			for i, m := range g.Moves {
				for c := r.Plies[i].Changed; c != ""; c = c[3:] {
					board[int(c[0]-'a')+8*int('8'-c[1])] = c[2]
				}
				at.Play(m)
				if string(board) != at.Board() {
					t.Fatalf("%s, seed %d, ply %d: %s leads to %s, want %s", v, seed, i+1, r.Plies[i].Changed, board, at.Board())
				}
			}
		}
	}
}

// The share is White's, and a move is a blunder if its own side's value falls afterwards.
func TestReplayBlunders(t *testing.T) {
	g := &match.Game{White: "a", Black: "b", Start: chess.StartPosition(chess.Standard), Outcome: chess.Outcome{Result: chess.BlackWins, Reason: chess.Checkmate}}
	at := g.Start
	for _, san := range []string{"f3", "e5", "g4", "Qh4#"} {
		m, err := at.ParseSAN(san)
		if err != nil {
			t.Fatal(err)
		}
		g.Moves = append(g.Moves, m)
		at.Play(m)
	}
	for _, score := range []float64{0, 0.2, -0.6, 1} { // of the player that moves
		g.Infos = append(g.Infos, match.Info{Score: &score})
	}
	r := NewReplay(g)
	var values []int
	var blunders []string
	for _, p := range r.Plies {
		values = append(values, *p.Value)
		if p.Blunder {
			blunders = append(blunders, p.SAN)
		}
	}
	if values[0] != 50 || values[1] != 40 || values[2] != 20 || values[3] != 0 || strings.Join(blunders, " ") != "f3" {
		t.Errorf("values %v, blunders %v", values, blunders)
	}
	if r.Text != "Black wins by checkmate." || r.First != 1 || r.Score != 0 || r.Plies[3].To != "h4" {
		t.Errorf("%+v", r)
	}
}

// A move is judged by its own side's opinions or else by its opponent's, never by one against
// another.
func TestBlunders(t *testing.T) {
	for text, want := range map[string][]int{
		"":                        {},
		"a50 a20 a20 a50":         {30, 0, 0, 0}, // of one judge: Black's gain is no loss
		"a50 a80":                 {0},
		"a50 b90 a40 b95":         {0, 0, 0, 0}, // two that differ
		"a50 b40 a20 b45":         {30, 0, 0, 0},
		"- b80 - b40 -":           {0, 0, 40, 0, 0}, // White has no opinion
		"b40 - b80 - b10":         {0, 40, 70, 0, 0},
		"a90 - - a10":             {0, 0, 0, 0}, // too far apart
		"a50 a50 b10 a50 b50 a20": {0, 0, 0, 0, 0, 0},
	} {
		var opinions []*Opinion
		for word := range strings.FieldsSeq(text) {
			if word == "-" {
				opinions = append(opinions, nil)
				continue
			}
			value, err := strconv.Atoi(word[1:])
			if err != nil {
				t.Fatal(err)
			}
			opinions = append(opinions, &Opinion{word[:1], value})
		}
		if lost := Blunders(opinions, true); !slices.Equal(lost[:min(len(lost), len(want))], want) {
			t.Errorf("%s: %v, want %v", text, lost, want)
		}
		for _, o := range opinions { // the same with the colors changed
			if o != nil {
				o.Value = 100 - o.Value
			}
		}
		if lost := Blunders(opinions, false); !slices.Equal(lost[:min(len(lost), len(want))], want) {
			t.Errorf("%s, Black first: %v, want %v", text, lost, want)
		}
	}
}

// A page with games shows the first one; a page without has neither board nor pieces.
func TestReplayInABrowser(t *testing.T) {
	g := randomGame(chess.Atomic, 3)
	page := &Page{Title: "Games", Blocks: []Block{Games{Caption: "Two games & more.", Games: []*Replay{NewReplay(g), NewReplay(randomGame(chess.Atomic, 4))}, Files: []string{"games.pgn"}}}}
	html, err := page.HTML()
	if err != nil {
		t.Fatal(err)
	}
	dom := inBrowser(t, html, "")
	for _, want := range []string{`class="player-of-games"`, "<p class=\"players\">a – b, game 1</p>", `<option>a – b, game 1: `} {
		if !strings.Contains(dom, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
	if pieces := strings.Count(dom, `class="piece `); pieces != 32 {
		t.Errorf("the board has %d pieces", pieces)
	}
	if text := string(page.Markdown()); !strings.Contains(text, `Two games \& more. ([pgn](<games.pgn>))`) || strings.Contains(text, "data-games") {
		t.Error(text)
	}
	plain, err := (&Page{Title: "No games", Blocks: []Block{Text{"None."}}}).HTML()
	if err != nil || strings.Contains(string(plain), "player-of-games") {
		t.Errorf("a page without games has their style, %v", err)
	}
}
