package web

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"alamos/pkg/chess"
)

// list asks for the games of a source.
func (h *house) list(source string) (status int, l gameList, problem string) {
	h.Helper()
	r, err := http.Post(h.url+"/api/pgn", "application/json", strings.NewReader(source))
	if err != nil {
		h.Fatal(err)
	}
	defer r.Body.Close()
	b, err := io.ReadAll(r.Body)
	if err != nil {
		h.Fatal(err)
	}
	said := struct{ Error string }{}
	if json.Unmarshal(b, &l) != nil || json.Unmarshal(b, &said) != nil {
		h.Fatalf("no JSON: %s", b)
	}
	return r.StatusCode, l, said.Error
}

func pgnSource(text string) string {
	b, err := json.Marshal(map[string]string{"pgn": text})
	if err != nil {
		panic(err) // it is a text
	}
	return string(b)
}

const threeGames = `[Event "club"]
[White "Ann"]
[Black "Bob"]
[Annotator "an engine"]
[Result "0-1"]

1. f3 {[%eval -0.60]} 1... e5 {[%eval 0.00]} 2. g4 {[%eval #-1]} 2... Qh4# 0-1

[Event "club"]
[White "Cy"]
[Black "Di"]

1. e4 e5
2. Ke3 *

[Event "club"]
[Variant "Atomic"]
[White "Eve"]
[Black "Fay"]
[Termination "resignation"]

1. Nf3 f6 1-0
`

func TestLoadPGN(t *testing.T) {
	h := open(t, PlayConfig{})
	status, l, _ := h.list(pgnSource(threeGames))
	if status != 200 || len(l.Games) != 2 || l.Games[0] != (listedGame{1, "Ann", "Bob", "", "0-1", 4}) || l.Games[1].Number != 3 {
		t.Fatalf("%d %+v", status, l)
	}
	if len(l.Faults) != 1 || !strings.HasPrefix(l.Faults[0], `Line 14, game 2, move 2.: san move "Ke3": not legal`) {
		t.Errorf("%q", l.Faults)
	}
	for source, want := range map[string]string{
		pgnSource(" \n"):                 "There is no game",
		pgnSource("nonsense"):            "",
		`{"file": "../../etc/passwd"}`:   "There is no file of games",
		`{"file": "a/games.pgn"}`:        "There is no file of games",
		`{"pgn": 7}`:                     "not the expected JSON",
		`{"pgn": "1. e4 *", "fil": "x"}`: "not the expected JSON",
	} {
		if status, l, problem := h.list(source); want != "" && (status != 400 || !strings.Contains(problem, want)) || want == "" && len(l.Faults) != 1 {
			t.Errorf("%s: %d %q %+v", source, status, problem, l)
		}
	}

	body := strings.TrimSuffix(pgnSource(threeGames), "}")
	game := h.begin(body + `, "number": 1}`)
	know := h.over(game)
	if know.Names != [2]string{"Ann", "Bob"} || know.Outcome.Text != "Black wins by checkmate." || know.Reports[3].Score != "−#1" || len(know.Positions) != 5 {
		t.Errorf("%+v, %+v", know.update, know.Outcome)
	}
	// f3 loses little, and g4 all.
	if know.Marks[1].Lost != 0 || know.Marks[1].Score != "44 %" || know.Marks[3].Lost != 50 || know.Marks[4] != (mark{}) {
		t.Errorf("%+v %+v", know.Marks[1], know.Marks[3])
	}
	if f := h.pgn(game); f.Tag("White") != "Ann" || f.Tag("Event") != "club" || f.Tag("Annotator") != "an engine" || f.Comment(1) != "[%eval -0.60]" || f.Comment(3) != "[%eval #-1]" || f.Result != chess.BlackWins {
		t.Errorf("%+v", f)
	}
	// The game goes on from an earlier position, with other players.
	h.must(game+"/back", `{"ply": 2}`)
	h.must(game+"/seats", `{"white": "human", "black": "random"}`)
	h.must(game+"/move", move(2, "e4"))
	if know := h.at(game, 4); know.Names != [2]string{} || know.Positions[3].Move.SAN != "e4" {
		t.Errorf("%+v", know.update)
	}
	if know := h.over(h.begin(body + `, "number": 3}`)); know.Outcome.Text != "White wins: Black has resigned." || know.Variant != "atomic" {
		t.Errorf("%+v", know.Outcome)
	}
	for number, want := range map[int]string{2: "Line 14, game 2", 4: "There is no game 4"} {
		if status, v := h.ask("/api/games", fmt.Sprintf(`%s, "number": %d}`, body, number)); status != 400 || !strings.Contains(v["error"], want) {
			t.Errorf("game %d: %d %v", number, status, v)
		}
	}
}

// Comments, marks and variations of a file stand beside the moves; what is for programs does not.
func TestNotesOfALoadedGame(t *testing.T) {
	h := open(t, PlayConfig{})
	const text = `{ A game. } 1. e4! $14 {[%eval 0.30] depth 9 good [%clk 0:03:00]} (1. d4 d5 $2 (1... Nf6 2. c4 (2. Nf3) 2... e6) 2. c4?! {a} {b}) (1. c4) 1... e5 ({only a comment}) 2. Nf3 (2. f4 exf4 3. Nf3) 1-0`
	game := h.begin(strings.TrimSuffix(pgnSource(text), "}") + `, "number": 1}`)
	know := h.over(game)
	var have []string
	for _, p := range know.Positions {
		have = append(have, p.Note+"|"+p.Glyphs+"|"+strings.Join(p.Lines, "; "))
	}
	want := []string{
		"A game.||",
		"good|! +/=|1. d4 d5? (1… Nf6 2. c4 (2. Nf3) 2… e6) 2. c4?! a b; 1. c4",
		"||only a comment",
		"||2. f4 exf4 3. Nf3",
	}
	if diff := cmp.Diff(want, have); diff != "" {
		t.Error(diff)
	}
	if r := know.Reports[1]; r == nil || r.Depth != 9 {
		t.Errorf("%+v", r)
	}
	// A download has them all, also when it is loaded again.
	moves := func() string {
		_, moves, _ := strings.Cut(h.get(game+"/pgn"), "\n\n")
		return strings.Join(strings.Fields(moves), " ")
	}
	const first = `{A game.} 1. e4 $1 $14 {[%eval 0.30] depth 9 good [%clk 0:03:00]} (1. d4 d5 $2 (1... Nf6 2. c4 (2. Nf3) 2... e6) 2. c4 $6 {a b}) (1. c4) `
	for range 2 {
		if diff := cmp.Diff(first+`1... e5 ({only a comment}) 2. Nf3 {White wins.} (2. f4 exf4 3. Nf3) 1-0`, moves()); diff != "" {
			t.Error(diff)
		}
		game = h.begin(strings.TrimSuffix(pgnSource(h.get(game+"/pgn")), "}") + `, "number": 1}`)
	}
	// If the game goes on otherwise, it keeps those of the moves before.
	h.must(game+"/back", `{"ply": 1}`)
	h.must(game+"/move", move(1, "c5"))
	if diff := cmp.Diff(first+"1... c5 *", moves()); diff != "" {
		t.Error(diff)
	}
}

// The games of a run are listed by its title, and load with the evaluations of their players.
func TestLoadGamesOfRuns(t *testing.T) {
	l := openLab(t)
	l.check(l.run())
	h := open(t, PlayConfig{Results: l.dir})
	var files []gameFile
	if err := json.Unmarshal([]byte(h.get("/api/files")), &files); err != nil {
		t.Fatal(err)
	}
	if len(files) != 6 || files[0].Title != "small, visits=4: tournament" || files[5].Title != "small, visits=6: self-play, generation 1" {
		t.Fatalf("%+v", files)
	}
	source := fmt.Sprintf(`{"file": %q`, files[0].File)
	status, games, problem := h.list(source + "}")
	if status != 200 || len(games.Games) != 6 || len(games.Faults) != 0 {
		t.Fatalf("%d %q %+v", status, problem, games)
	}
	for _, g := range games.Games {
		know := h.watch(h.begin(fmt.Sprintf(`%s, "number": %d}`, source, g.Number)), func(*heard) bool { return true })
		if know.Names != [2]string{g.White, g.Black} || len(know.Positions) != g.Plies+1 || know.Outcome == nil || know.Outcome.Result != g.Result {
			t.Errorf("%+v: %+v", g, know.update)
		}
		if first := know.Reports[0]; (first != nil) != (g.White != "random") || first != nil && first.By != g.White {
			t.Errorf("%+v: %+v", g, first)
		}
	}
	if err := os.Remove(filepath.Join(l.dir, files[0].File)); err != nil {
		t.Fatal(err)
	}
	if status, _, problem := h.list(source + "}"); status != 400 || !strings.Contains(problem, "There is no file") {
		t.Errorf("a file that is gone: %d %s", status, problem)
	}
}
