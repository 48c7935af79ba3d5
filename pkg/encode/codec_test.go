package encode_test

import (
	"strings"
	"testing"

	"alamos/pkg/chess"
	"alamos/pkg/encode"
)

func position(t testing.TB, v chess.Variant, fen string) chess.Position {
	t.Helper()
	p, err := chess.ParseFEN(v, fen)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// The planes of three positions, written out by hand.
func TestAtomic16(t *testing.T) {
	planes, err := encode.PlanesByName("atomic16")
	if err != nil {
		t.Fatal(err)
	}
	const all = ^uint64(0)
	for _, c := range []struct {
		name, fen string
		want      [16]uint64
	}{
		{"start", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", [16]uint64{
			0xff00, 0x42, 0x24, 0x81, 0x08, 0x10,
			0xff << 48, 0x42 << 56, 0x24 << 56, 0x81 << 56, 0x08 << 56, 0x10 << 56,
			0x81, 0x81 << 56, 0, all,
		}},
		{"en passant", "4k2r/8/8/8/3pP3/8/8/4K2R b Kk e3 0 1", [16]uint64{
			1 << 28, 0, 0, 0x80, 0, 0x10,
			1 << 27, 0, 0, 0x80 << 56, 0, 0x10 << 56,
			0x80, 0x80 << 56, 1 << 20, 0,
		}},
		{"exploded king", "8/8/8/8/8/8/8/4K2R b - - 0 1", [16]uint64{
			0, 0, 0, 0x80, 0, 0x10,
			15: 0,
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := chess.NewGame(position(t, chess.Atomic, c.fen))
			var got [16]uint64
			for i := range got {
				got[i] = 0xdeadbeef // what is left from the last position must go
			}
			planes.Encode(got[:], g)
			for i := range got {
				if got[i] != c.want[i] {
					t.Errorf("plane %d is %#x, want %#x", i, got[i], c.want[i])
				}
			}
		})
	}
	if n := planes.Count(); n != 16 || len(planes.Constant()) != n {
		t.Errorf("Count is %d and Constant has %d, want 16", n, len(planes.Constant()))
	}
}

// A leaf holds the answer from the view of the side to move.
func TestPrepare(t *testing.T) {
	c, err := encode.NewCodec("atomic16", "uci1968", chess.Atomic)
	if err != nil {
		t.Fatal(err)
	}
	g := chess.NewGame(chess.StartPosition(chess.Atomic))
	var leaf encode.Leaf
	var l chess.MoveList
	for _, want := range []float32{1, -1} {
		g.Position().LegalMoves(&l)
		c.Prepare(&leaf, g, l.Slice())
		if leaf.Sign != want {
			t.Errorf("at ply %d Sign is %v, want %v", g.Ply(), leaf.Sign, want)
		}
		if len(leaf.Indices) != l.Len() || len(leaf.Priors) != l.Len() || len(leaf.Planes) != 16 {
			t.Errorf("%d indices, %d priors, %d planes for %d moves", len(leaf.Indices), len(leaf.Priors), len(leaf.Planes), l.Len())
		}
		moves := encode.UCI1968Moves()
		for i, m := range l.Slice() {
			if have := moves[leaf.Indices[i]]; have != g.Position().UCI(m) {
				t.Errorf("index of move %d is that of %s, want %s", i, have, g.Position().UCI(m))
			}
		}
		g.Play(l.At(0))
	}
	if n := testing.AllocsPerRun(10, func() { c.Prepare(&leaf, g, l.Slice()) }); n != 0 {
		t.Errorf("Prepare allocates %v times when warm", n)
	}
}

func TestNames(t *testing.T) {
	for _, name := range encode.PlanesNames() {
		if p, err := encode.PlanesByName(name); err != nil || p.Name() != name {
			t.Errorf("PlanesByName(%q): %v, %v", name, p, err)
		}
	}
	for _, name := range encode.PolicyNames() {
		if p, err := encode.PolicyByName(name); err != nil || p.Name() != name {
			t.Errorf("PolicyByName(%q): %v, %v", name, p, err)
		}
	}
	_, err := encode.NewCodec("atomic17", "uci1968", chess.Atomic)
	if err == nil || !strings.Contains(err.Error(), "atomic16") {
		t.Errorf("an unknown name must be answered with those that are known, have %v", err)
	}
	if _, err := encode.NewCodec("atomic16", "uci1968", chess.Variant(200)); err == nil {
		t.Error("an unknown variant must be refused")
	}
}
