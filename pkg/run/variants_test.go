package run

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"alamos/pkg/chess"
	"alamos/pkg/data"
	"alamos/pkg/encode"
	"alamos/pkg/experiment"
)

// variantSite is a site with a tiny experiment of a variant, whose hook counts
// ends of games.
func variantSite(t *testing.T, game, network string) site {
	t.Helper()
	s := site{t.TempDir()}
	experiment := fmt.Sprintf(`alamos: 1
name: small
game: %s
network: {depth: 1, width: 8, policy_head: conv-linear, policy_channels: 2, %s}
search: {visits: 4, noise: {weight: 0.25}}
selfplay: {games: 4, opening: {random_plies: 2}}
generations: 1
training: {epochs: 1, batch: 32, window: 1, validation: 0.25}
tournament: {rounds: 2, max_moves: 20, players: [last, untrained, random]}
hooks: [ends.go]
notebook: [text: Short]
`, game, network)
	hook := `package main

import "alamos/pkg/hook/alamos"

func Measure(g alamos.Generation) alamos.Metrics {
	m := alamos.Metrics{}
	for _, game := range g.Games {
		m[game.Reason]++
		all := game.Positions()
		last := all[len(all)-1]
		if how := last.Ended(); how == game.Reason || how == "" && game.Winner() == "" {
			m["agree"]++
		}
	}
	return m
}
`
	for name, text := range map[string]string{s.file(): experiment, filepath.Join(s.dir, "ends.go"): hook} {
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// Every variant is played, learned and measured: self-play, samples, hooks,
// training, tournament.
func TestEveryVariantIsTrained(t *testing.T) {
	t.Parallel()
	for _, v := range chess.Variants() {
		t.Run(v.String(), func(t *testing.T) {
			s := variantSite(t, fmt.Sprintf("{variant: %s, max_moves: 400}", v), "input: variants31, policy: uci2206-mover")
			s.run(t)
			checkVariant(t, s, v)
		})
	}
}

// The encodings of the board alone do for the variants that they express.
func TestBoardEncodings(t *testing.T) {
	if testing.Short() {
		t.Skip("king of the hill is trained once more, with other encodings")
	}
	s := variantSite(t, "{variant: kingofthehill, max_moves: 400}", "input: mover15, policy: uci1968-mover")
	s.run(t)
	checkVariant(t, s, chess.KingOfTheHill)
}

// Games of self-play and of the tournament start from chess960.
func TestChess960IsTrained(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("crazyhouse is trained once more, from elsewhere")
	}
	s := variantSite(t, "{variant: crazyhouse, start: chess960, max_moves: 2000}", "input: variants31, policy: uci2206-mover")
	s.run(t, "generations=2")
	checkVariant(t, s, chess.Crazyhouse)
	games := readGames(t, filepath.Join(s.trial(t), "tournament/games.pgn"))
	all := map[chess.Position]bool{}
	for n := range 960 {
		p, err := chess.Chess960(chess.Crazyhouse, n)
		if err != nil {
			t.Fatal(err)
		}
		all[p] = true
	}
	starts := map[string]bool{}
	for _, p := range games {
		if !all[p.Start] {
			t.Errorf("a game of the tournament starts from %s", p.Start.FEN())
		}
		starts[p.Start.FEN()] = true
	}
	if len(starts) != 1 { // a pair of games, with the same start for all pairs of players
		t.Errorf("%d starts of %d games, want 1", len(starts), len(games))
	}
}

// checkVariant wants games of the variant with ends by its rules, samples of all
// their positions, and a tournament.
func checkVariant(t *testing.T, s site, v chess.Variant) {
	t.Helper()
	dir := s.trial(t)
	all, err := filepath.Glob(filepath.Join(dir, "games", "gen-*.pgn"))
	if err != nil || len(all) == 0 {
		t.Fatalf("no games: %v", err)
	}
	for _, file := range all {
		g := strings.TrimSuffix(filepath.Base(file), ".pgn")
		plies := 0
		for _, p := range readGames(t, filepath.Join(dir, "games", g+".pgn")) {
			game := chess.NewGame(p.Start)
			for _, m := range p.Moves {
				game.Play(m)
			}
			var l chess.MoveList
			game.Position().LegalMoves(&l)
			if o := game.Outcome(&l); p.Variant != v || o.Result != p.Result || o.Reason.String() != p.Tag("Termination") || !o.Over() {
				t.Errorf("%s: a game of %s ended with %s, its tags say %v", g, p.Variant, o, p.Tags)
			}
			plies += len(p.Moves)
		}
		set, err := data.Read(filepath.Join(dir, "samples", g+".parquet"))
		if err != nil {
			t.Fatal(err)
		}
		if set.Len() != plies || plies == 0 {
			t.Errorf("%s: %d samples of %d positions", g, set.Len(), plies)
		}
	}
	hook := readCSV(t, filepath.Join(dir, "hooks/ends.csv"))
	for _, row := range hook[1:] {
		if row[1] != "4" { // the column agree
			t.Errorf("the hook sees ends of games: %v", hook)
		}
	}
	if n := len(readGames(t, filepath.Join(dir, "tournament/games.pgn"))); n != 6 {
		t.Errorf("%d games of the tournament, want 6", n)
	}
}

// An encoding that cannot express the variant is refused before anything runs,
// where it was chosen, with one that can.
func TestLoadRefusesEncodings(t *testing.T) {
	for _, c := range []struct {
		game, network string
		want          []string
	}{
		{"{variant: crazyhouse}", "value: tanh", []string{
			"small.yaml:3:8: game.variant: encoding atomic16 cannot express variant crazyhouse: it has no planes for the pieces in hand (set network.input: variants31)",
			"small.yaml:3:8: game.variant: encoding uci1968 cannot express variant crazyhouse: it has no indices for drops (set network.policy: uci2206-mover)"}},
		{"{variant: antichess}", "input: mover15, policy: uci1968-mover", []string{
			"small.yaml:4:93: network.policy: encoding uci1968-mover cannot express variant antichess: it has no indices for promotions to a king"}},
		{"{variant: racingkings}", "input: mover15", []string{"small.yaml:4:77: network.input", "(set network.input: atomic16 or variants31)"}},
		{"{variant: horde, start: chess960}", "input: mover15", []string{"small.yaml:3:24: game.start: start position 1"}},
		{"{start: [8/8/8/4k3/8/4K3/4P3/8 b - - 3 40, chess690]}", "input: mover15", []string{"small.yaml:3:8: game.start: start position 2"}},
	} {
		s := variantSite(t, c.game, c.network)
		_, err := experiment.LoadChecked(s.file(), nil)
		wantError(t, err, c.want...)
	}
	for _, v := range chess.Variants() {
		for _, input := range encode.PlanesFor(v) {
			for _, policy := range encode.PolicyFor(v) {
				s := variantSite(t, fmt.Sprintf("{variant: %s}", v), fmt.Sprintf("input: %s, policy: %s", input, policy))
				if _, err := experiment.LoadChecked(s.file(), nil); err != nil {
					t.Errorf("%s with %s and %s: %v", v, input, policy, err)
				}
			}
		}
	}
}
