package data

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"math/bits"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"alamos/pkg/chess"
	"alamos/pkg/encode"
)

// lc0Dir has games of lc0's self-play, the same that pin the encodings.
const lc0Dir = "../encode/testdata/lc0_v6"

// lc0Reference is a line of moves.tsv.
type lc0Reference struct {
	file, result string
	moves        []string
}

func lc0Games(t testing.TB) []lc0Reference {
	t.Helper()
	list, err := os.ReadFile(filepath.Join(lc0Dir, "moves.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	var games []lc0Reference
	for _, line := range strings.Split(strings.TrimSpace(string(list)), "\n")[1:] {
		f := strings.Split(line, "\t")
		games = append(games, lc0Reference{f[0], f[1], strings.Fields(f[4])})
	}
	return games
}

// readLC0 reads the records of a file.
func readLC0(name string, data []byte) (all []lc0Record, err error) {
	f, err := openLC0(name, bytes.NewReader(data))
	for err == nil {
		var chunk []byte
		var in string
		if in, chunk, err = f.chunk(); err == nil {
			err = lc0Records(in, chunk, func(r *lc0Record) error { all = append(all, *r); return nil })
		}
	}
	if err == io.EOF {
		err = nil
	}
	return all, err
}

// sampleOf writes a record as a sample of lc0-112 and lc0-1858. It reuses the sample's
// slices.
func sampleOf(r *lc0Record, s *encode.Sample) {
	s.Ply = int32(r.ply)
	s.Value, s.Draw, s.MovesLeft = r.result.q, r.result.d, r.result.m
	s.Planes = append(s.Planes[:0], r.planes[:]...)
	s.Indices, s.Policy = s.Indices[:0], s.Policy[:0]
	for i, p := range r.policy {
		if p >= 0 {
			s.Indices = append(s.Indices, int32(i))
			s.Policy = append(s.Policy, p)
		}
	}
}

// recordsAt reads the records of a whole file.
func recordsAt(t testing.TB, path string) []lc0Record {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	all, err := readLC0(path, data)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// The records of real games are what the encodings say of their positions, and
// their results what the games ended in.
func TestLC0(t *testing.T) {
	codec, err := encode.NewCodec("lc0-112", "lc0-1858", chess.Standard)
	if err != nil {
		t.Fatal(err)
	}
	var leaf encode.Leaf
	var s encode.Sample
	for _, game := range lc0Games(t) {
		records := recordsAt(t, filepath.Join(lc0Dir, game.file))
		if len(records) != len(game.moves) {
			t.Fatalf("%s: %d records of %d moves", game.file, len(records), len(game.moves))
		}
		white := map[string]float32{"whitewon": 1, "draw": 0, "blackwon": -1}[game.result]
		g := chess.NewGame(chess.StartPosition(chess.Standard))
		for i := range records {
			rec := &records[i]
			p := g.Position()
			var l chess.MoveList
			p.LegalMoves(&l)
			codec.Prepare(&leaf, g, l.Slice())
			sampleOf(rec, &s)
			if !slices.Equal(s.Planes, leaf.Planes) {
				t.Fatalf("%s, ply %d: the planes are not those of %s", game.file, i, p.FEN())
			}
			slices.Sort(leaf.Indices)
			if !slices.Equal(s.Indices, leaf.Indices) {
				t.Fatalf("%s, ply %d: the moves are not those of %s", game.file, i, p.FEN())
			}
			if err := (shape{planes: 112, policy: 1858}).check(&s); err != nil {
				t.Fatalf("%s: %v", game.file, err)
			}
			m, err := p.ParseUCI(game.moves[i])
			if err != nil {
				t.Fatal(err)
			}
			sign := float32(1)
			if p.Turn() == chess.Black {
				sign = -1
			}
			drawn := float32(0)
			if white == 0 {
				drawn = 1
			}
			if rec.played != codec.Policy.Index(p, m) || rec.ply != i || rec.format != 1 ||
				rec.blackToMove != (sign < 0) || rec.rule50 != p.Rule50() || rec.result.q != sign*white || rec.result.d != drawn || s.Value != sign*white {
				t.Fatalf("%s, ply %d of %s: ply %d, format %d, played %d, black %v, clock %d, result %+v",
					game.file, i, game.result, rec.ply, rec.format, rec.played, rec.blackToMove, rec.rule50, rec.result)
			}
			if i > 0 && rec.result.m != records[i-1].result.m-1 {
				t.Fatalf("%s, ply %d: %v plies are left after %v", game.file, i, rec.result.m, records[i-1].result.m)
			}
			g.Play(m)
		}
	}
}

// Every number of a record is read at its offset in lc0's trainingdata_v6.h.
func TestLC0Fields(t *testing.T) {
	b := [lc0Size]byte(lc0Forge(chess.NewGame(chess.StartPosition(chess.Standard)), 1, 0))
	for i := range 15 {
		binary.LittleEndian.PutUint32(b[8280+4*i:], math.Float32bits(float32(i)/16))
	}
	var rec lc0Record
	for flags, want := range map[byte]bool{0: false, 1 << 6: true, 1<<5 | 1<<4 | 1<<3: false} {
		b[8278] = flags
		if err := rec.decode(&b); err != nil {
			t.Fatal(err)
		}
		if rec.discarded != want {
			t.Errorf("flags %#b are read as %v", flags, rec.discarded)
		}
	}
	// In the file: root and best q, root and best d, root and best m, plies left,
	// result q and d.
	if want := (lc0Score{q: 7. / 16, d: 8. / 16, m: 6. / 16}); rec.result != want {
		t.Errorf("result is %v, want %v", rec.result, want)
	}
}

// A tar of chunks is read as its chunks in order; its other files are skipped.
func TestLC0Tar(t *testing.T) {
	var file bytes.Buffer
	w := tar.NewWriter(&file)
	add := func(name string, kind byte, data []byte) {
		t.Helper()
		if err := w.WriteHeader(&tar.Header{Name: name, Typeflag: kind, Size: int64(len(data)), Mode: 0o644}); err != nil {
			t.Fatal(err)
		}
		w.Write(data)
	}
	add("training-run1/", tar.TypeDir, nil)
	add("training-run1/LICENSE", tar.TypeReg, []byte("text"))
	add("training-run1/latest.gz", tar.TypeSymlink, nil)
	games := lc0Games(t)[10:14]
	for _, game := range games {
		data, err := os.ReadFile(filepath.Join(lc0Dir, game.file))
		if err != nil {
			t.Fatal(err)
		}
		add("training-run1/"+game.file, tar.TypeReg, data)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "run.tar")
	if err := os.WriteFile(path, file.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	have := recordsAt(t, path)
	for _, game := range games {
		want := recordsAt(t, filepath.Join(lc0Dir, game.file))
		for i := range want {
			if len(have) <= i || have[i].planes != want[i].planes || have[i].policy != want[i].policy || have[i].ply != i {
				t.Fatalf("record %d of %s is not that of the chunk", i, game.file)
			}
		}
		have = have[len(want):]
	}
	if len(have) != 0 {
		t.Errorf("%d records too many", len(have))
	}

	// Damage in a tar names the chunk.
	cut := file.Bytes()[:file.Len()-20_000]
	_, err := readLC0("cut.tar", cut)
	if !errors.Is(err, io.ErrUnexpectedEOF) || !strings.Contains(err.Error(), "lc0 data cut.tar, chunk nn_game_0000") {
		t.Errorf("a tar that was cut off: %v", err)
	}
}

// A tar that ends between two of its files, in the padding of one, with one block of
// zeros, or that has a hole, is not taken for a whole one, compressed or not.
func TestLC0TarWithoutEnd(t *testing.T) {
	var file bytes.Buffer
	w := tar.NewWriter(&file)
	var ends []int // of the chunks, with their padding
	for _, game := range lc0Games(t)[:4] {
		data, err := os.ReadFile(filepath.Join(lc0Dir, game.file))
		if err == nil {
			err = w.WriteHeader(&tar.Header{Name: game.file, Mode: 0o644, Size: int64(len(data))})
		}
		if err == nil {
			_, err = w.Write(data)
		}
		if err == nil {
			err = w.Flush()
		}
		if err != nil {
			t.Fatal(err)
		}
		ends = append(ends, file.Len())
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	whole := file.Bytes()
	hole := bytes.Clone(whole)
	clear(hole[ends[1] : ends[1]+2048])
	games := func(data []byte) (n int, err error) {
		f, err := openLC0("run.tar", bytes.NewReader(data))
		for err == nil {
			if _, _, err = f.chunk(); err == nil {
				n++
			}
		}
		return n, err
	}
	sum := gzipped(t, whole)
	sum[len(sum)-6] ^= 1
	if n, err := games(sum); n != 4 || !errors.Is(err, gzip.ErrChecksum) {
		t.Errorf("a checksum that does not hold: %d games, error %v", n, err)
	}
	for name, x := range map[string]struct {
		data  []byte
		games int
		err   error
	}{
		"whole":           {whole, 4, io.EOF},
		"padded":          {append(bytes.Clone(whole), make([]byte, 10_000)...), 4, io.EOF},
		"after a chunk":   {whole[:ends[1]], 2, io.ErrUnexpectedEOF},
		"in the padding":  {whole[:ends[1]-1], 2, io.ErrUnexpectedEOF},
		"after the last":  {whole[:ends[3]], 4, io.ErrUnexpectedEOF},
		"one block":       {whole[:ends[3]+512], 4, io.ErrUnexpectedEOF},
		"a hole":          {hole, 2, io.ErrUnexpectedEOF},
		"followed by one": {append(bytes.Clone(whole), whole...), 4, io.ErrUnexpectedEOF},
	} {
		for packed, data := range map[string][]byte{"tar": x.data, "tgz": gzipped(t, x.data)} {
			n, err := games(data)
			if n != x.games || !errors.Is(err, x.err) {
				t.Errorf("%s, %s: %d games, error %v, want %d, %v", name, packed, n, err, x.games, x.err)
			}
			if x.err != io.EOF && !strings.Contains(err.Error(), fmt.Sprintf("lc0 data run.tar, after chunk %d: the tar is ", x.games)) {
				t.Errorf("%s, %s: the error names no place: %v", name, packed, err)
			}
		}
	}
}

// lc0Forge writes a record of a position by the documentation of the format, with
// a policy that falls from move to move: the board transformed square by square,
// the history as the input format keeps it.
func lc0Forge(g *chess.Game, format uint32, transformation int) []byte {
	p := g.Position()
	black := p.Turn() == chess.Black
	seen := func(s chess.Square) chess.Square { // from the board to the mover's view, transformed
		file, rank := s.File(), s.Rank()
		if black {
			rank = 7 - rank
		}
		if transformation&1 != 0 {
			file = 7 - file
		}
		if transformation&2 != 0 {
			rank = 7 - rank
		}
		if transformation&4 != 0 {
			file, rank = 7-rank, 7-file
		}
		return chess.NewSquare(file, rank)
	}
	repeated := func(back int) bool {
		for i := back + 2; g.Back(i) != nil; i += 2 {
			if g.Back(i).Key() == g.Back(back).Key() {
				return true
			}
		}
		return false
	}

	b := make([]byte, lc0Size)
	u32 := func(at int, v uint32) { binary.LittleEndian.PutUint32(b[at:], v) }
	u32(0, 6)
	u32(4, format)
	step := 0
	for back := 0; step < 8 && g.Back(back) != nil; back++ {
		q := g.Back(back)
		if format >= 3 && back > 0 {
			rights := [2]chess.Bitboard{q.CastlingRooks(chess.White), q.CastlingRooks(chess.Black)}
			if rights != [2]chess.Bitboard{p.CastlingRooks(chess.White), p.CastlingRooks(chess.Black)} || q.EnPassant() != chess.NoSquare {
				break
			}
		}
		if v2 := format == 5 || format == 133; !v2 || back == 0 || repeated(back) {
			for i := range 12 {
				c := p.Turn()
				if i >= 6 {
					c = c.Other()
				}
				var board uint64
				for s := range q.Pieces(c, chess.Pawn+chess.PieceType(i%6)).Squares {
					at := seen(s)
					board |= 1 << (8*at.Rank() + 7 - at.File()) // the highest bit of a byte is the a-file
				}
				binary.LittleEndian.PutUint64(b[7440+8*(13*step+i):], board)
			}
			if repeated(back) {
				binary.LittleEndian.PutUint64(b[7440+8*(13*step+12):], math.MaxUint64)
			}
			step++
		}
		if format >= 3 && q.Rule50() == 0 {
			break
		}
	}
	for i, c := range []chess.Color{p.Turn(), p.Turn().Other()} {
		for s := range p.CastlingRooks(c).Squares {
			at := 8272 + 2*i
			if s > p.King(c) {
				at++
			}
			b[at] = 1
			if format >= 2 {
				b[at] = 1 << s.File()
			}
		}
	}
	switch s := p.EnPassant(); {
	case format >= 3 && s != chess.NoSquare:
		b[8276] = 1 << seen(s).File()
	case format < 3 && black:
		b[8276] = 1
	}
	b[8277] = byte(p.Rule50())
	if format >= 3 {
		b[8278] = byte(transformation)
		if black {
			b[8278] |= 1 << 7
		}
	}
	b[8278] |= 1 << 6

	list := encode.LC01858Moves()
	for i := range list {
		u32(8+4*i, math.Float32bits(-1))
	}
	var l chess.MoveList
	p.LegalMoves(&l)
	for i, m := range l.Slice() {
		name := seen(m.From()).String() + seen(m.To()).String()
		if t := m.Promotion(); t != chess.NoPieceType && t != chess.Knight {
			name += string(" pnbrqk"[t])
		}
		index := slices.Index(list, name)
		u32(8+4*index, math.Float32bits(float32(2*(i+1))/float32(l.Len()*(l.Len()+1))))
		if i == 0 {
			binary.LittleEndian.PutUint16(b[8344:], uint16(index))
		}
		if i == l.Len()-1 {
			binary.LittleEndian.PutUint16(b[8346:], uint16(index))
		}
	}
	u32(8308, math.Float32bits(-1))
	u32(8304, math.Float32bits(12))
	return b
}

func gzipped(t testing.TB, data []byte) []byte {
	t.Helper()
	var file bytes.Buffer
	w := gzip.NewWriter(&file)
	w.Write(data)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

// Positions of games, written in each input format with each transformation that
// lc0 may choose, are read as those positions.
func TestLC0Formats(t *testing.T) {
	codec, err := encode.NewCodec("lc0-112", "lc0-1858", chess.Standard)
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(5, 5))
	var leaf encode.Leaf
	var transformed, enPassants, promotions, histories int
	for _, fen := range []string{
		"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
		"4k3/P1P5/8/2p5/5P2/8/1p4p1/4K3 w - - 0 1",
		"8/pppppk2/8/8/8/8/PPPPPK2/8 b - - 0 1",
		"4k3/2p5/8/3P4/8/8/8/4K3 b - - 0 1", // begins with c7c5
		"4k3/8/8/8/7p/8/6P1/4K3 w - - 0 1",  // begins with g2g4
		"3qk3/8/8/8/8/8/8/3QKB2 b - - 0 1",
		"8/8/3k4/8/8/3K4/8/7R w - - 0 1",
	} {
		p, err := chess.ParseFEN(chess.Standard, fen)
		if err != nil {
			t.Fatal(err)
		}
		g := chess.NewGame(p)
		for _, advance := range []string{"c7c5", "g2g4"} {
			if m, err := p.ParseUCI(advance); err == nil && g.Ply() == 0 && p.Occupied().Count() == 4 {
				g.Play(m)
			}
		}
		for range 60 {
			p := g.Position()
			var l chess.MoveList
			p.LegalMoves(&l)
			if g.Outcome(&l).Over() {
				break
			}
			for _, format := range []uint32{1, 2, 3, 4, 5, 132, 133} {
				// By lc0's rule (encoder.cc): no transformation while anybody may
				// castle, of the files only while there are pawns.
				transformation := 0
				if rights := p.CastlingRooks(chess.White) | p.CastlingRooks(chess.Black); format >= 3 && rights == 0 {
					transformation = rng.IntN(8)
					if p.Pieces(chess.White, chess.Pawn)|p.Pieces(chess.Black, chess.Pawn) != 0 {
						transformation &= 1
					}
				}
				records, err := readLC0("forged", gzipped(t, lc0Forge(g, format, transformation)))
				if err != nil {
					t.Fatalf("%s in format %d: %v", p.FEN(), format, err)
				}
				rec := &records[0]
				codec.Prepare(&leaf, g, l.Slice())
				// What a format leaves out is zero, the rest as in format 1.
				for i, want := range leaf.Planes {
					if have := rec.planes[i]; have != want && !(i >= 13 && i < 104 && format >= 3 && have == 0) {
						t.Fatalf("%s in format %d, transformed by %d: plane %d is %#x, want %#x", p.FEN(), format, transformation, i, have, want)
					}
				}
				past := slices.Max(rec.planes[13:104]) != 0
				if past {
					histories++
				}
				switch v2 := format == 5 || format == 133; {
				case p.EnPassant() != chess.NoSquare && g.Ply() > 0 && !past:
					t.Fatalf("%s in format %d: the step before the advance is missing", p.FEN(), format)
				case v2 && p.EnPassant() == chess.NoSquare && past:
					t.Fatalf("%s in format %d: there is a history", p.FEN(), format)
				case (format < 3 || format == 3 && p.Rule50() > 3) && g.Ply() > 0 && !past:
					t.Fatalf("%s in format %d: there is no history", p.FEN(), format)
				}
				for i, index := range leaf.Indices {
					if want := float32(2*(i+1)) / float32(l.Len()*(l.Len()+1)); rec.policy[index] != want {
						t.Fatalf("%s in format %d, transformed by %d: %s has %v, want %v", p.FEN(), format, transformation, p.UCI(l.At(i)), rec.policy[index], want)
					}
					rec.policy[index] = -1
				}
				if slices.Max(rec.policy[:]) != -1 {
					t.Fatalf("%s in format %d: a move has a probability that is not legal", p.FEN(), format)
				}
				if rec.played != int(leaf.Indices[0]) || rec.blackToMove != (p.Turn() == chess.Black) ||
					rec.format != int(format) || !rec.discarded || rec.result != (lc0Score{-1, 0, 12}) {
					t.Fatalf("%s in format %d: %+v", p.FEN(), format, rec)
				}
				transformed += bits.OnesCount(uint(transformation))
				if p.EnPassant() != chess.NoSquare {
					enPassants++
				}
				if slices.ContainsFunc(l.Slice(), func(m chess.Move) bool { return m.Promotion() != chess.NoPieceType }) {
					promotions++
				}
			}
			m := l.At(rng.IntN(l.Len()))
			// Most moves take the last one back where they can, so that positions
			// occur again.
			if moves := g.Moves(); len(moves) >= 2 && rng.IntN(5) > 0 {
				last := moves[len(moves)-2]
				if i := slices.IndexFunc(l.Slice(), func(m chess.Move) bool { return m.From() == last.To() && m.To() == last.From() }); i >= 0 {
					m = l.At(i)
				}
			}
			g.Play(m)
		}
	}
	if transformed == 0 || enPassants == 0 || promotions == 0 || histories == 0 {
		t.Errorf("met %d transformations, %d en passant squares, %d promotions, %d histories: this test must meet all", transformed, enPassants, promotions, histories)
	}
}

// Errors name the file and the record.
func TestLC0Errors(t *testing.T) {
	g := chess.NewGame(chess.StartPosition(chess.Standard))
	good := lc0Forge(g, 3, 0)
	forged := func(change func(b []byte)) []byte {
		b := slices.Clone(good)
		change(b)
		return gzipped(t, slices.Concat(good, b))
	}
	put := func(at int, v uint32) func([]byte) {
		return func(b []byte) { binary.LittleEndian.PutUint32(b[at:], v) }
	}
	nan := math.Float32bits(float32(math.NaN()))
	whole := gzipped(t, slices.Concat(good, good))
	var empty bytes.Buffer
	if err := tar.NewWriter(&empty).Close(); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		file []byte
		want string
	}{
		"nothing":     {nil, "lc0 data bad: the file is empty"},
		"text":        {[]byte(strings.Repeat("a game ", 100)), "neither a gzip file nor a tar"},
		"empty tar":   {empty.Bytes(), "neither a gzip file nor a tar"},
		"no chunk":    {tarOf(t, "README"), "lc0 data bad: a tar without a chunk"},
		"empty chunk": {tarOf(t, "a/b.gz"), "lc0 data bad, chunk b.gz, record 1: unexpected EOF"},
		"cut":         {whole[:len(whole)-9], "lc0 data bad, record 3: 0 bytes of 8356"},
		"half":        {gzipped(t, good[:5000]), "lc0 data bad, record 1: 5000 bytes of 8356"},
		"checksum":    {flipped(whole, len(whole)-6), "lc0 data bad, record 3: gzip: invalid checksum"},
		"version":     {forged(put(0, 5)), "lc0 data bad, record 2: version 5: want training data of version 6"},
		"format":      {forged(put(4, 6)), "record 2: input format 6 is unknown: want 1 to 5, 132 or 133"},
		"side":        {forged(func(b []byte) { b[4], b[8276] = 1, 2 }), "the side to move is 2"},
		"castling":    {forged(func(b []byte) { b[8273] = 3 }), "the right to castle is 0b11"},
		"en passant":  {forged(func(b []byte) { b[8276] = 4 }), "en passant on files 0b100: want one file, with a pawn"},
		"probability": {forged(put(8, nan)), "the probability of move 0 is NaN"},
		"sum":         {forged(put(8, math.Float32bits(0.5))), "the probabilities of the legal moves have the sum 1.5"},
		"played":      {forged(put(8344, 1858)), "played is move 1858"},
		"result":      {forged(put(8308, nan)), "the result is NaN"},
		"plies":       {forged(put(8304, nan)), "in NaN plies"},
		"many plies":  {forged(put(8304, math.Float32bits(8e11))), "in 8e+11 plies"},
		"transformed": {forged(func(b []byte) { b[8278] |= 2; put(8+4*1792, 0)(b) }), "move 1792 is a promotion where the board was transformed"},
		"turned":      {forged(func(b []byte) { b[8278] |= 4; binary.LittleEndian.PutUint16(b[8344:], 1792) }), "played is move 1792"},
	} {
		_, err := readLC0("bad", c.file)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

// tarOf is a tar with an empty file of a name.
func tarOf(t *testing.T, name string) []byte {
	t.Helper()
	var file bytes.Buffer
	w := tar.NewWriter(&file)
	if err := w.WriteHeader(&tar.Header{Name: name, Typeflag: tar.TypeReg, Mode: 0o644}); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

func flipped(file []byte, at int) []byte {
	file = slices.Clone(file)
	file[at] ^= 1
	return file
}

// Whatever bytes a record has, reading it ends in an error or in a sample that can
// be learned from.
func FuzzLC0Record(f *testing.F) {
	g := chess.NewGame(chess.StartPosition(chess.Standard))
	var records [][lc0Size]byte
	for _, format := range []uint32{1, 2, 3, 4, 5, 132, 133} {
		records = append(records, [lc0Size]byte(lc0Forge(g, format, 0)))
	}
	for _, at := range []int{0, 4, lc0PolicyAt, lc0HistoryAt, lc0CastlingAt, lc0SideAt, lc0FlagsAt, lc0ResultAt, lc0PlayedAt} {
		f.Add(uint8(at), uint16(at), uint64(math.MaxUint64))
		f.Add(uint8(at/2), uint16(at), uint64(1))
	}
	f.Fuzz(func(t *testing.T, record uint8, at uint16, change uint64) {
		b := records[int(record)%len(records)]
		for i := range 8 {
			b[(int(at)+i)%len(b)] ^= byte(change >> (8 * i))
		}
		var rec lc0Record
		var s encode.Sample
		if rec.decode(&b) == nil {
			sampleOf(&rec, &s)
			if err := (shape{planes: 112, policy: 1858}).check(&s); err != nil {
				t.Error(err)
			}
		}
	})
}

// Reading allocates nothing for a record.
func TestLC0Allocates(t *testing.T) {
	data, err := os.ReadFile(filepath.Join(lc0Dir, "nn_game_000018.gz"))
	if err != nil {
		t.Fatal(err)
	}
	records := 0
	n := testing.AllocsPerRun(10, func() {
		records = 0
		err = lc0Records("game", data, func(*lc0Record) error { records++; return nil })
	})
	if n >= float64(records) || err != nil { // gzip makes some for its tables
		t.Errorf("%v allocations for %d records, %v", n, records, err)
	}
}
