package run

import (
	"os"
	"path/filepath"
	"testing"

	"alamos/pkg/chess"
	"alamos/pkg/data"

	"alamos/pkg/store"
)

// Half of each target is the result and half what the script says of the side to
// move, both as the network predicts them: for White, or for the side to move.
func TestTargets(t *testing.T) {
	t.Parallel()
	const source = `//go:build ignore

package main

import "alamos/pkg/hook/alamos"

// Evaluate likes to be White, more so with every ply.
func Evaluate(positions []alamos.Position) []float64 {
	values := make([]float64, len(positions))
	for i, p := range positions {
		values[i] = float64(p.Count("PNBRQKpnbrqk")) / 64
		if p.Turn() == "black" {
			values[i] = -values[i]
		}
	}
	return values
}
`
	for _, encoding := range [][]string{
		{"network.input=atomic16", "network.policy=uci1968"},
		{"network.input=mover15", "network.policy=uci1968-mover"},
	} {
		s := newSite(t)
		if err := os.WriteFile(filepath.Join(s.dir, "count.go"), []byte(source), 0o644); err != nil {
			t.Fatal(err)
		}
		s.edit(t, "small.yaml", "window: 2, ", "window: 2, value_target: {file: count.go, weight: 0.25}, ")
		set := append(encoding, "tournament.rounds=0", "hooks=[]")
		s.run(t, set...)

		e := s.load(t, set...)
		tr, err := mustRun(t, e, s.options(Quiet{})).open(t.Context(), e.Trials[0], Quiet{})
		if err != nil {
			t.Fatal(err)
		}
		var sets []*data.Set
		for g := 1; g <= 2; g++ {
			set, err := data.Read(tr.Results.Path(store.SamplesFile(g)))
			if err != nil {
				t.Fatal(err)
			}
			sets = append(sets, set)
		}
		have, err := tr.mixedValues(1, sets)
		if err != nil {
			t.Fatal(err)
		}
		at, black := 0, 0
		for g, set := range sets {
			games, err := tr.games(g + 1)
			if err != nil {
				t.Fatal(err)
			}
			for k := range set.Len() {
				sample := set.Sample(k)
				p := games[sample.Game].Start
				for _, m := range games[sample.Game].Moves[:sample.Ply] {
					p.Play(m)
				}
				count := float64(p.Occupied().Count()) / 64 // for White
				if p.Turn() == chess.Black {
					black++
					if !tr.Setup.Codec.Planes.White() {
						count = -count
					}
				}
				if want := float32(0.75*float64(sample.Value) + 0.25*count); have[at] != want {
					t.Fatalf("%s: generation %d, game %d, ply %d: %v, want %v", encoding[0], g+1, sample.Game, sample.Ply, have[at], want)
				}
				at++
			}
		}
		if at != len(have) || black == 0 || black == at {
			t.Errorf("%s: %d targets for %d samples, %d of Black", encoding[0], len(have), at, black)
		}
	}
}
