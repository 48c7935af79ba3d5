package chess

import (
	"bufio"
	"os"
	"strings"
	"testing"
)

// playedGame is a line of atomic_games_public.txt.
type playedGame struct {
	line           int
	result, reason string
	moves          []string
	fen            string
}

func playedGames(t testing.TB) []playedGame {
	t.Helper()
	f, err := os.Open("testdata/atomic_games_public.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var games []playedGame
	scanner := bufio.NewScanner(f)
	for scanner.Scan() {
		fields := strings.Split(scanner.Text(), "\t")
		if len(fields) != 4 {
			t.Fatalf("line %d: %d fields", len(games)+1, len(fields))
		}
		games = append(games, playedGame{len(games) + 1, fields[0], fields[1], strings.Fields(fields[2]), fields[3]})
	}
	if err := scanner.Err(); err != nil {
		t.Fatal(err)
	}
	return games
}

// Games played by another engine: every move is legal here, no game is over
// before its end, and the end is the same.
func TestPlayedGames(t *testing.T) {
	t.Parallel()
	var l MoveList
	g := NewGame(StartPosition(Atomic))
	for _, want := range playedGames(t) {
		g.Reset(StartPosition(Atomic))
		for i, s := range want.moves {
			g.Position().LegalMoves(&l)
			if o := g.Outcome(&l); o.Over() {
				t.Errorf("line %d (%s): over after %d of %d plies: %v, %s", want.line, want.reason, i, len(want.moves), o, g.Position().FEN())
				break
			}
			m, err := g.Position().ParseUCI(s)
			if err != nil {
				t.Fatalf("line %d, ply %d: %v", want.line, i+1, err)
			}
			g.Play(m)
		}
		if fen := g.Position().FEN(); fen != want.fen {
			t.Errorf("line %d: final position %s, want %s", want.line, fen, want.fen)
		}
		g.Position().LegalMoves(&l)
		wantOutcome := want.result + " " + strings.TrimSuffix(want.reason, "_lichess")
		if want.reason == "move_limit" {
			wantOutcome = "* ongoing" // the limit was the experiment's, not a rule
		}
		if o := g.Outcome(&l); o.String() != wantOutcome {
			t.Errorf("line %d: outcome %v, want %s, %s", want.line, o, wantOutcome, want.fen)
		}
	}
}
