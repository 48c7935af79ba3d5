package encode_test

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"io"
	"math"
	"math/bits"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"alamos/pkg/chess"
	"alamos/pkg/encode"
)

// leelaGame is a game that lc0 played against itself: its moves as UCI strings,
// castling as the king taking his rook, and the records that lc0 wrote, one before
// each move.
type leelaGame struct {
	name    string
	moves   []string
	records [][]byte
}

// Offsets in a record of version 6; see lc0's trainingdata_v6.h.
const (
	leelaRecordSize   = 8356
	leelaPolicyAt     = 8
	leelaPlanesAt     = 7440
	leelaCastlingAt   = 8272 // us long, us short, them long, them short
	leelaBlackAt      = 8276
	leelaRule50At     = 8277
	leelaPlayedAt     = 8344
	leelaPolicyLength = 1858
)

// leelaGames reads the games in testdata: lc0 0.33-dev's self-play, with a random
// network and with its trivial backend.
func leelaGames(t testing.TB) []leelaGame {
	t.Helper()
	list, err := os.ReadFile("testdata/lc0_v6/moves.tsv")
	if err != nil {
		t.Fatal(err)
	}
	var games []leelaGame
	for _, line := range strings.Split(strings.TrimSpace(string(list)), "\n")[1:] {
		f := strings.Split(line, "\t")
		file, err := os.ReadFile(filepath.Join("testdata/lc0_v6", f[0]))
		if err != nil {
			t.Fatal(err)
		}
		z, err := gzip.NewReader(bytes.NewReader(file))
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(z)
		if err != nil {
			t.Fatal(err)
		}
		g := leelaGame{name: f[0], moves: strings.Fields(f[4]), records: slices.Collect(slices.Chunk(data, leelaRecordSize))}
		if len(g.moves) != len(g.records) || len(data)%leelaRecordSize != 0 {
			t.Fatalf("%s: %d moves and %d bytes of records", g.name, len(g.moves), len(data))
		}
		games = append(games, g)
	}
	return games
}

// Every position of lc0's games has the planes that lc0 gave it, and every legal
// move the index that lc0 gave it, bit for bit.
func TestLeelaRecords(t *testing.T) {
	codec, err := encode.NewCodec("lc0-112", "lc0-1858", chess.Standard)
	if err != nil {
		t.Fatal(err)
	}
	list := encode.LC01858Moves()
	var positions, repeated, castled, rights, promotions int
	var leaf encode.Leaf
	for _, game := range leelaGames(t) {
		g := chess.NewGame(chess.StartPosition(chess.Standard))
		for ply, record := range game.records {
			p := g.Position()
			var l chess.MoveList
			p.LegalMoves(&l)
			codec.Prepare(&leaf, g, l.Slice())

			for i := range 104 {
				// In a record the highest bit of a byte is the a-file.
				stored := bits.ReverseBytes64(bits.Reverse64(binary.LittleEndian.Uint64(record[leelaPlanesAt+8*i:])))
				if leaf.Planes[i] != stored {
					t.Fatalf("%s, ply %d, %s: plane %d is %#x, lc0 has %#x", game.name, ply, p.FEN(), i, leaf.Planes[i], stored)
				}
				if i%13 == 12 && stored != 0 {
					repeated++
				}
			}
			for i := range 5 {
				// FORMAT: the flags are a byte each, the planes all ones or zeros.
				if want := -uint64(record[leelaCastlingAt+i]); leaf.Planes[104+i] != want {
					t.Fatalf("%s, ply %d, %s: plane %d is %#x, want %#x", game.name, ply, p.FEN(), 104+i, leaf.Planes[104+i], want)
				}
				if i < 4 {
					rights += int(record[leelaCastlingAt+i])
				}
			}
			if want := float32(record[leelaRule50At]); math.Float32frombits(uint32(leaf.Planes[109])) != want {
				t.Fatalf("%s, ply %d: the plane of the clock is %v, lc0 has %v", game.name, ply, math.Float32frombits(uint32(leaf.Planes[109])), want)
			}
			if leaf.Planes[110] != 0 || leaf.Planes[111] != ^uint64(0) {
				t.Fatalf("%s, ply %d: planes 110 and 111 are %#x and %#x, want zeros and ones", game.name, ply, leaf.Planes[110], leaf.Planes[111])
			}

			var legal []int32
			for i := range leelaPolicyLength {
				if math.Float32frombits(binary.LittleEndian.Uint32(record[leelaPolicyAt+4*i:])) >= 0 {
					legal = append(legal, int32(i))
				}
			}
			m, err := p.ParseUCI(game.moves[ply])
			if err != nil {
				t.Fatalf("%s, ply %d: %v", game.name, ply, err)
			}
			played := int(binary.LittleEndian.Uint16(record[leelaPlayedAt:]))
			if have := codec.Policy.Index(p, m); have != played {
				t.Fatalf("%s, ply %d: %s has index %d (%s), lc0 has %d (%s)", game.name, ply, game.moves[ply], have, list[have], played, list[played])
			}
			slices.Sort(leaf.Indices)
			if !slices.Equal(leaf.Indices, legal) {
				t.Fatalf("%s, ply %d, %s: legal indices are %v, lc0 has %v", game.name, ply, p.FEN(), leaf.Indices, legal)
			}
			if m.IsCastle() {
				castled++
			}
			if m.Promotion() != chess.NoPieceType {
				promotions++
			}
			positions++
			g.Play(m)
		}
	}
	t.Logf("%d positions, %d repetition planes, %d castling rights; played: %d castlings, %d promotions", positions, repeated, rights, castled, promotions)
	if positions == 0 || repeated == 0 || castled == 0 || rights == 0 || promotions == 0 {
		t.Error("the records must have some of each")
	}
}

// The order of the list is lc0's: these entries are pinned.
func TestLeelaList(t *testing.T) {
	moves := encode.LC01858Moves()
	if len(moves) != 1858 {
		t.Fatalf("%d moves, want 1858", len(moves))
	}
	for i, want := range map[int]string{
		0: "a1b1", 7: "a1a2", 1791: "h8g8",
		1792: "a7a8q", 1793: "a7a8r", 1794: "a7a8b", 1795: "a7b8q", 1798: "b7a8q", 1857: "h7h8b",
	} {
		if moves[i] != want {
			t.Errorf("move %d is %s, want %s", i, moves[i], want)
		}
	}
}

// A game that begins with an en passant square has one position before: the pawn
// had not advanced.
func TestLeelaEnPassant(t *testing.T) {
	planes, err := encode.PlanesByName("lc0-112")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		fen    string
		before [2]uint64 // own pawns, the other's pawns one step back, as the mover sees them
	}{
		{"4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", [2]uint64{1 << 36, 1 << 51}},
		{"4k3/8/8/8/3pP3/8/8/4K3 b - e3 0 1", [2]uint64{1 << 35, 1 << 52}},
		{"4k3/8/8/3pP3/8/8/8/4K3 w - - 0 1", [2]uint64{}},
	} {
		g := chess.NewGame(position(t, chess.Standard, c.fen))
		dst := make([]uint64, planes.Count())
		for range 7 {
			for i := range dst {
				dst[i] = 0xdeadbeef // what is left from the last position must go
			}
			planes.Encode(dst, g)
			if c.before == [2]uint64{} {
				break
			}
			var l chess.MoveList
			g.Position().LegalMoves(&l)
			step := dst[13*(g.Ply()+1):]
			if g.Ply() == 0 && (step[0] != c.before[0] || step[6] != c.before[1]) {
				t.Errorf("%s: pawns one step back are %#x and %#x, want %#x", c.fen, step[0], step[6], c.before)
			}
			if step[5] == 0 || step[11] == 0 || step[12] != 0 {
				t.Errorf("%s after %d plies: kings %#x and %#x, repetition %#x one step before the start", c.fen, g.Ply(), step[5], step[11], step[12])
			}
			if g.Ply() < 6 && slices.Max(step[13:13*(7-g.Ply())]) != 0 {
				t.Errorf("%s after %d plies: two steps before the start are not empty", c.fen, g.Ply())
			}
			king := g.Position().King(g.Position().Turn())
			g.Play(l.At(slices.IndexFunc(l.Slice(), func(m chess.Move) bool { return m.From() == king })))
		}
		if c.before == [2]uint64{} && slices.Max(dst[13:104]) != 0 {
			t.Errorf("%s: there is history before the start", c.fen)
		}
	}
}
