package run

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"alamos/pkg/chess"
	"alamos/pkg/experiment"
)

// The figure of a policy shows what the network says, whatever the settings of a search make of it.
func TestPolicyOfTheNetworkAlone(t *testing.T) {
	t.Parallel()
	var files []string
	for _, search := range []string{"{}", "{policy_temperature: 3, solver: true, lookahead: 1}"} {
		s := finishedSite(t)
		s.run(t, "tournament.rounds=0", "notebook=[{figure: {kind: policy}}]", "tournament.search="+search)
		found, err := filepath.Glob(filepath.Join(s.trial(t), "figures/data/*.json"))
		if err != nil || len(found) != 1 {
			t.Fatal(found, err)
		}
		b, err := os.ReadFile(found[0])
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, string(b))
	}
	if files[0] != files[1] {
		t.Errorf("%s\nand with other settings of the search\n%s", files[0], files[1])
	}
}

// A position is searched for the trials that its figure shows, with the visits of their tournaments.
func TestPositionsOfSomeTrials(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	p := s.plan(t, filepath.Join(s.dir, "small.yaml"), false, "generations=1", "training.window=1", "sweep={grid: {search.visits: [4, 6, 8]}}", "notebook=[{figure: {kind: tree, only: [visits=6, visits=8]}}]")
	for i, want := range []string{"", "position start, 6 visits of gen-1", "position start, 8 visits of gen-1"} {
		have := ""
		for _, stage := range p.Trials[i].Stages {
			if strings.HasPrefix(stage.Name, "position") {
				have += stage.Name
			}
		}
		if have != want {
			t.Errorf("trial %d: %q, want %q", i+1, have, want)
		}
	}
	_, err := s.try(context.Background(), nil, "sweep={grid: {search.visits: [4, 6, 8]}}", "notebook=[{text: x}, {figure: {kind: tree, only: [visits=6, visits=7]}}]")
	wantError(t, err, "small.yaml", "notebook[1].figure.only", `no trial "visits=7"`)
}

// A gauntlet among players that have met in a round robin takes its games from there;
// a book and a judge change how games go, and are seen in them.
func TestConditionsOfTournaments(t *testing.T) {
	t.Parallel()
	s := finishedSite(t)
	games := func() []*chess.PGN { return readGames(t, filepath.Join(s.trial(t), "tournament/games.pgn")) }
	all := games()
	r := s.run(t, "tournament.format=gauntlet")
	if r.ran[tournamentName] == "" || !strings.Contains(r.ran[tournamentName], "tournament.format.kind gauntlet (new)") {
		t.Errorf("ran %v", r.ran)
	}
	kept := games()
	for _, g := range kept {
		i := slices.IndexFunc(all, func(o *chess.PGN) bool {
			return o.Tag("White") == g.Tag("White") && o.Tag("Black") == g.Tag("Black") && o.Tag("Round") == g.Tag("Round")
		})
		if i < 0 || !slices.Equal(all[i].Moves, g.Moves) {
			t.Errorf("%s - %s, round %s, was played again", g.Tag("White"), g.Tag("Black"), g.Tag("Round"))
		}
	}
	if len(kept) == 0 || len(kept) >= len(all) {
		t.Errorf("%d games of %d", len(kept), len(all))
	}

	_, err := s.try(t.Context(), nil, "tournament.format={kind: gauntlet, first: 4}")
	wantError(t, err, "a gauntlet of 4 players leaves no opponent among 4")

	book := filepath.Join(s.dir, "book.epd")
	const start = "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq -"
	if err := os.WriteFile(book, []byte(start+" bm Nf3;\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	set := []string{"tournament.openings=" + book, "tournament.resign={score: -0.001, moves: 1}", "tournament.draw={score: 0.999, moves: 1, from: 3}"}
	r = s.run(t, set...)
	if len(r.ran) != 1 || r.ran[tournamentName] == "" {
		t.Errorf("ran %v", r.ran)
	}
	judged := 0
	for _, g := range games() {
		if fen := g.Start.FEN(); !strings.HasPrefix(fen, start) {
			t.Errorf("a game begins at %s", fen)
		}
		if g.Tag("Termination") == chess.Adjudication.String() {
			judged++
		}
	}
	if judged == 0 {
		t.Error("no game was ended by its players")
	}
	s.run(t, set...).stages(t, map[string]string{})

	if err := os.WriteFile(book, []byte("8/8/8 w - -\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	_, err = experiment.LoadChecked(s.file(), set)
	wantError(t, err, "tournament.openings.file", "book.epd:1: ")
}

const tournamentName = "tournament"
