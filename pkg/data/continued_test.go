package data

import (
	"context"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"alamos/pkg/chess"
	"alamos/pkg/encode"
)

// Samples of games have the opponent's reply and a later board; a file of samples gives them
// on.
func TestContinuations(t *testing.T) {
	const plies = 5
	c := codecOf(t, "mover15", "uci1968-mover")
	all := func(cfg Config) map[[2]int32]encode.Sample {
		cfg.Continued, cfg.Future = true, plies
		_, set := chunk(t, open(t, cfg, 1, 0), 1, c)
		if set.Meta().Future != plies {
			t.Errorf("meta %+v", set.Meta())
		}
		samples := map[[2]int32]encode.Sample{}
		for i := range set.Len() {
			s := set.Sample(i)
			samples[[2]int32{s.Game, s.Ply}] = *s
		}
		return samples
	}
	pgn := all(Config{Kind: PGN, Files: []string{gamesPGN}})
	replies, at := 0, int32(0)
	for _, g := range games(t) {
		p := g.Start
		for ply, m := range g.Moves {
			if g.Result == chess.Unfinished { // such a game gives no positions
				break
			}
			have, ok := pgn[[2]int32{at, int32(ply)}]
			var want encode.Sample
			if c.Continue(&want, &p, g.Moves[ply:], plies); !ok || have.Reply != want.Reply || !cmp.Equal(have.Future, want.Future) {
				t.Fatalf("game %d, ply %d (there %t): reply %d, board %x, want %d, %x", at, ply, ok, have.Reply, have.Future, want.Reply, want.Future)
			}
			if have.Reply >= 0 {
				replies++
			}
			p.Play(m)
		}
		at++
	}
	if replies == 0 {
		t.Error("nothing was tested")
	}

	path := filepath.Join(t.TempDir(), "pgn.parquet")
	cfg := Config{Kind: PGN, Files: []string{gamesPGN}, Continued: true, Future: plies}
	chunkAt(t, open(t, cfg, 1, 0), 1, c, path, nil)
	anonymous := func(samples map[[2]int32]encode.Sample) (all []string) { // games are numbered as they are read
		for _, s := range samples {
			s.Game = 0
			all = append(all, fmt.Sprint(s))
		}
		slices.Sort(all)
		return all
	}
	if !slices.Equal(anonymous(pgn), anonymous(all(Config{Kind: Parquet, Files: []string{path}}))) {
		t.Error("samples read from samples differ")
	}

	lc0 := all(Config{Kind: LC0, Files: []string{lc0Names(t)[0]}})
	for i := int32(0); ; i++ {
		s, ok := lc0[[2]int32{0, i}]
		next, more := lc0[[2]int32{0, i + 1}]
		switch {
		case !ok:
			t.Fatal("the game has holes")
		case len(s.Future) == 0 || more != (s.Reply >= 0):
			t.Fatalf("ply %d: reply %d, board %x", i, s.Reply, s.Future)
		case !more:
			return
		}
		legal := false // the reply is a move of the next position
		for _, index := range next.Indices {
			legal = legal || index == s.Reply
		}
		if !legal {
			t.Fatalf("ply %d: the reply %d is not among the legal moves %v", i, s.Reply, next.Indices)
		}
	}
}

// Files that do not show how games continued are refused where that is to be learned.
func TestContinuationsAreMissing(t *testing.T) {
	known := meta
	known.Continued = true
	samples := write(t, known, randomGames(newRand(1), 0, 1, 3, 3))
	marro := writeMarro(t, marroRows(t, squareOrder{}, true)[:20])
	for name, c := range map[string]struct {
		cfg  Config
		v    chess.Variant
		want string
	}{
		"no boards":    {Config{Files: []string{samples}, Future: 3}, chess.Atomic, "the file has no boards of 3 plies later, which network.future_board predicts"},
		"other boards": {Config{Files: []string{withBoards(t)}, Future: 3}, chess.Atomic, "of 3 plies later, which network.future_board predicts; it has those of 7 plies later"},
		"no replies":   {Config{Files: []string{write(t, meta, randomGames(newRand(1), 0, 1, 3, 3))}}, chess.Atomic, "does not have the moves that followed"},
		"ChessMarro's": {Config{Files: []string{marro}}, chess.Standard, "does not have the moves that followed"},
	} {
		c.cfg.Kind, c.cfg.Variant, c.cfg.Continued = Parquet, c.v, true
		codec, err := Meta{Encoder: "atomic16", Policy: "uci1968", Variant: c.v.String()}.Codec()
		if name == "ChessMarro's" {
			codec, err = codecOf(t, marroMeta.Encoder, marroMeta.Policy), nil
		}
		if err != nil {
			t.Fatal(err)
		}
		_, err = open(t, c.cfg, 1, 0).Chunk(context.Background(), First, codec, filepath.Join(t.TempDir(), "x.parquet"), nil, nil)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", name, err, c.want)
		}
	}
}

// withBoards writes samples with boards of seven plies later.
func withBoards(t *testing.T) string {
	t.Helper()
	samples := randomGames(newRand(1), 0, 1, 3, 3)
	for i := range samples {
		samples[i].Future = samples[i].Planes[:4]
	}
	m := meta
	m.Continued, m.Future = true, 7
	return write(t, m, samples)
}

// The next sample is that of the next position of the same game, if it follows in the file;
// samples may be repeated.
func TestNext(t *testing.T) {
	var samples []encode.Sample
	for _, at := range [][2]int32{{0, 0}, {0, 1}, {0, 1}, {0, 2}, {0, 5}, {1, 6}, {1, 7}} {
		s := randomGames(newRand(1), 0, 1, 1, 3)[0]
		s.Game, s.Ply = at[0], at[1]
		samples = append(samples, s)
	}
	first, second := meta, meta
	second.Generation++
	set, err := ReplayWindow(read(t, write(t, first, samples)), read(t, write(t, second, samples[6:])))
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []int{1, 3, 3, -1, -1, 6, -1, -1} {
		next := set.Next(i)
		if want < 0 && next != nil || want >= 0 && !reflect.DeepEqual(next, set.Sample(want)) {
			t.Errorf("sample %d: %+v, want number %d", i, next, want)
		}
	}
}
