package encode_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"alamos/pkg/chess"
	"alamos/pkg/encode"
)

// boards are the twelve boards of a position as a side sees it, read from its FEN:
// own pawns to king, the other's pawns to king.
func boards(p *chess.Position, own chess.Color) (b [12]uint64) {
	letters := "PNBRQKpnbrqk"
	if own == chess.Black {
		letters = "pnbrqkPNBRQK"
	}
	for i, row := range strings.Split(strings.Fields(p.FEN())[0], "/") {
		file := 0
		for _, r := range row {
			if r >= '1' && r <= '8' {
				file += int(r - '0')
				continue
			}
			square := 8*(7-i) + file
			if own == chess.Black && p.Variant() == chess.RacingKings {
				square = 8*(7-i) + 7 - file
			} else if own == chess.Black {
				square = 8*i + file
			}
			b[strings.IndexRune(letters, r)] |= 1 << square
			file++
		}
	}
	return b
}

// situation is what a FEN says but for the clocks, which tells repetitions.
func situation(p *chess.Position) string {
	return strings.Join(strings.Fields(p.FEN())[:4], " ")
}

// alphazero119 is compared with the planes that FENs of the game give, in random
// games of every variant that it expresses.
func TestAlphaZero119(t *testing.T) {
	planes, err := encode.PlanesByName("alphazero119")
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 1))
	dst := make([]uint64, 119)
	ones := func(b bool) uint64 {
		if b {
			return ^uint64(0)
		}
		return 0
	}
	var once, twice, rights int
	for _, v := range chess.Variants() {
		if planes.Supports(v) != nil {
			continue
		}
		for range 6 {
			g := chess.NewGame(chess.StartPosition(v))
			var l chess.MoveList
			var before []string
			var counts []int // how often each position of the game had occurred before
			for range 120 {
				p := g.Position()
				n := 0
				for _, s := range before {
					if s == situation(p) {
						n++
					}
				}
				before, counts = append(before, situation(p)), append(counts, n)

				for i := range dst {
					dst[i] = 0xdeadbeef // what is left from the last position must go
				}
				planes.Encode(dst, g)
				var want []uint64
				for back := range 8 {
					step := make([]uint64, 14)
					if q := g.Back(back); q != nil {
						b := boards(q, p.Turn())
						n := counts[len(counts)-1-back]
						copy(step, b[:])
						step[12], step[13] = ones(n >= 1), ones(n >= 2)
						once += min(1, n)
						twice += n / 2
					}
					want = append(want, step...)
				}
				fen := strings.Fields(p.FEN())
				us, them := "KQ", "kq"
				if p.Turn() == chess.Black {
					us, them = them, us
				}
				want = append(want, ones(fen[1] == "b"), uint64(math.Float32bits(min(1, float32(g.Ply())/512))))
				for _, right := range us + them {
					has := strings.ContainsRune(fen[2], right)
					want = append(want, ones(has))
					if has {
						rights++
					}
				}
				want = append(want, uint64(math.Float32bits(min(1, float32(p.Rule50())/100))))
				if !slices.Equal(dst, want) {
					for i := range want {
						if dst[i] != want[i] {
							t.Fatalf("%s after %d plies, %s: plane %d is %#x, want %#x", v, g.Ply(), p.FEN(), i, dst[i], want[i])
						}
					}
				}

				p.LegalMoves(&l)
				if l.Len() == 0 {
					break
				}
				m := l.At(rng.IntN(l.Len()))
				// Every second move takes the last one back, where it can.
				if moves := g.Moves(); len(moves) >= 2 && rng.IntN(3) > 0 {
					last := moves[len(moves)-2]
					if i := slices.IndexFunc(l.Slice(), func(m chess.Move) bool { return m.From() == last.To() && m.To() == last.From() }); i >= 0 {
						m = l.At(i)
					}
				}
				g.Play(m)
			}
		}
	}
	if once == 0 || twice == 0 || rights == 0 {
		t.Errorf("met %d positions that had occurred once, %d twice, %d castling rights: this test must meet all", once, twice, rights)
	}
	constant := planes.Constant()
	for i, c := range constant {
		if c != (i == 113 || i == 118) {
			t.Errorf("Constant says %v of plane %d", c, i)
		}
	}
}

// The planes of two positions, written out by hand.
func TestAlphaZero119Golden(t *testing.T) {
	planes, err := encode.PlanesByName("alphazero119")
	if err != nil {
		t.Fatal(err)
	}
	const all = ^uint64(0)
	g := chess.NewGame(chess.StartPosition(chess.Standard))
	m, err := g.Position().ParseUCI("e2e4")
	if err != nil {
		t.Fatal(err)
	}
	start := []uint64{0xff00, 0x42, 0x24, 0x81, 0x08, 0x10, 0xff << 48, 0x42 << 56, 0x24 << 56, 0x81 << 56, 0x08 << 56, 0x10 << 56, 0, 0}
	want := make([]uint64, 119)
	copy(want, start)
	copy(want[114:], []uint64{all, all, all, all})
	dst := make([]uint64, 119)
	if planes.Encode(dst, g); !slices.Equal(dst, want) {
		t.Errorf("the planes of the start are %#x, want %#x", dst, want)
	}

	// Black sees its pieces below, and the start one step back.
	g.Play(m)
	copy(want[14:], start)
	want[6] = 0xef<<48 | 1<<36 // white's pawns, e4 at e5
	want[112] = all
	want[113] = uint64(math.Float32bits(1.0 / 512))
	if planes.Encode(dst, g); !slices.Equal(dst, want) {
		t.Errorf("the planes after e2e4 are %#x, want %#x", dst, want)
	}
}
