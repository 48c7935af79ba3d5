package encode_test

import (
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"alamos/pkg/chess"
	"alamos/pkg/encode"
)

// What each encoding expresses, and which are advised, in the order of
// chess.Variants.
func TestSupports(t *testing.T) {
	const (
		all      = "chess atomic antichess kingofthehill 3check horde racingkings crazyhouse"
		boards   = "chess atomic antichess kingofthehill horde racingkings"
		moves    = "chess atomic kingofthehill 3check horde racingkings"
		noRacing = "chess atomic antichess kingofthehill horde"
	)
	want := map[string]string{
		"atomic16": boards, "mover15": noRacing, "mover16": noRacing, "variants31": all,
		"alphazero119": boards, "lc0-112": boards, "marro77": noRacing, "dtu24": boards,
		"uci1968": moves, "uci1968-mover": moves, "uci2206-mover": all,
		"alphazero4672": moves, "lc0-1858": moves, "fromto4096": moves, "marro4096": moves,
	}
	type encoding interface {
		Name() string
		Supports(chess.Variant) error
	}
	var encodings []encoding
	for _, name := range encode.PlanesNames() {
		e, err := encode.PlanesByName(name)
		if err != nil {
			t.Fatal(err)
		}
		encodings = append(encodings, e)
	}
	for _, e := range allPolicies(t) {
		encodings = append(encodings, e)
	}
	if len(encodings) != len(want) {
		t.Errorf("%d encodings, want %d", len(encodings), len(want))
	}
	ours := []string{"atomic16", "mover15", "mover16", "variants31", "uci1968", "uci1968-mover", "uci2206-mover"}
	for _, e := range encodings {
		var have []string
		for _, v := range chess.Variants() {
			supports := e.Supports(v) == nil
			if supports {
				have = append(have, v.String())
			}
			advised := slices.Contains(encode.PlanesFor(v), e.Name()) || slices.Contains(encode.PolicyFor(v), e.Name())
			if advised != (supports && slices.Contains(ours, e.Name())) {
				t.Errorf("%s is advised for %s: %v", e.Name(), v, advised)
			}
		}
		if got := strings.Join(have, " "); got != want[e.Name()] {
			t.Errorf("%s expresses %s, want %s", e.Name(), got, want[e.Name()])
		}
	}
	for _, c := range []struct {
		planes, policy string
		v              chess.Variant
		want           string // of the error
	}{
		{"atomic16", "uci1968", chess.Crazyhouse, "encoding atomic16 cannot express variant crazyhouse: it has no planes for the pieces in hand"},
		{"mover15", "uci1968-mover", chess.ThreeCheck, "checks"},
		{"mover15", "uci1968-mover", chess.RacingKings, "side to move"},
		{"variants31", "uci1968", chess.Crazyhouse, "drops"},
		{"variants31", "uci1968-mover", chess.Antichess, "promotions to a king"},
		{"lc0-112", "lc0-1858", chess.ThreeCheck, "encoding lc0-112 cannot express variant 3check: it has no planes for the checks given"},
		{"alphazero119", "alphazero4672", chess.Antichess, "encoding alphazero4672 cannot express variant antichess: it has no indices for promotions to a king"},
	} {
		if _, err := encode.NewCodec(c.planes, c.policy, c.v); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s with %s for %s: %v, want %q", c.planes, c.policy, c.v, err, c.want)
		}
	}
}

// drawGame draws a random game of a variant, from its start or one of
// chess960, and stops somewhere. Captures and checks are played more often than
// by chance, so that pockets fill and checks are given.
func drawGame(t *rapid.T, v chess.Variant) *chess.Game {
	start := chess.StartPosition(v)
	if p, err := chess.Chess960(v, rapid.IntRange(0, 959).Draw(t, "chess960")); err == nil && rapid.Bool().Draw(t, "from chess960") {
		start = p
	}
	rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
	g := chess.NewGame(start)
	var l chess.MoveList
	for range rng.IntN(300) { // rapid likes small numbers, which end no game
		g.Position().LegalMoves(&l)
		if g.Outcome(&l).Over() {
			break
		}
		m := l.At(rng.IntN(l.Len()))
		for range 2 {
			if lively(g.Position(), m) {
				break
			}
			m = l.At(rng.IntN(l.Len()))
		}
		g.Play(m)
	}
	return g
}

func lively(p *chess.Position, m chess.Move) bool {
	q := *p
	q.Play(m)
	return q.InCheck() || q.Occupied().Count() < p.Occupied().Count() || m.Promotion() != chess.NoPieceType
}

// The two castlings of a king that is not on the e-file, beside its steps.
func TestPolicyChess960(t *testing.T) {
	for fen, want := range map[string][]string{
		"4k3/8/8/8/8/8/8/R4K1R w KQ - 0 1":  {"f1a1", "f1h1"},
		"4k3/8/8/8/8/8/8/RK5R w KQ - 0 1":   {"b1a1", "b1h1"},
		"4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1":  {"e1c1", "e1g1"},
		"4k3/8/8/8/8/8/8/1R2KR2 w KQ - 0 1": {"e1b1", "e1f1"},
	} {
		p := position(t, chess.Standard, fen)
		var l chess.MoveList
		p.LegalMoves(&l)
		for _, name := range []string{"uci1968", "uci1968-mover", "uci2206-mover"} {
			policy, err := encode.PolicyByName(name)
			if err != nil {
				t.Fatal(err)
			}
			list := encode.UCI1968Moves()
			var have []string
			for _, m := range l.Slice() {
				if m.IsCastle() {
					have = append(have, list[policy.Index(&p, m)])
				}
			}
			slices.Sort(have)
			if !slices.Equal(have, want) {
				t.Errorf("%s: castlings of %s are %v, want %v", name, fen, have, want)
			}
		}
	}
}

// The order of the list is part of every trained network: these entries are
// pinned.
func TestUCI2206List(t *testing.T) {
	moves, short := encode.UCI2206Moves(), encode.UCI1968Moves()
	if len(moves) != 2206 {
		t.Fatalf("%d moves, want 2206", len(moves))
	}
	if !slices.Equal(moves[:1880], short[:1880]) {
		t.Error("it does not begin as uci1968 does")
	}
	seen := make(map[string]bool)
	for _, m := range moves {
		if seen[m] {
			t.Errorf("%s is listed twice", m)
		}
		seen[m] = true
	}
	for i, want := range map[int]string{
		1880: "a7a8k", 1881: "a7b8k", 1882: "b7a8k", 1901: "h7h8k", 1902: "P@a2", 1949: "P@h7",
		1950: "N@a1", 2013: "N@h8", 2014: "B@a1", 2078: "R@a1", 2142: "Q@a1", 2205: "Q@h8",
	} {
		if moves[i] != want {
			t.Errorf("move %d is %s, want %s", i, moves[i], want)
		}
	}
}

// Every legal move of every variant has the index of its UCI string as the
// mover sees it.
func TestUCI2206Index(t *testing.T) {
	policy, err := encode.PolicyByName("uci2206-mover")
	if err != nil {
		t.Fatal(err)
	}
	moves := encode.UCI2206Moves()
	check := func(t interface{ Fatalf(string, ...any) }, p *chess.Position) (drops, kings int) {
		var l chess.MoveList
		p.LegalMoves(&l)
		for _, m := range l.Slice() {
			want := p.UCI(m)
			if p.Turn() == chess.Black {
				want = strings.Map(turnedSquare(p.Variant()), want)
			}
			if have := moves[policy.Index(p, m)]; have != want {
				t.Fatalf("%s has the index of %s, want that of %s in %s", p.UCI(m), have, want, p.FEN())
			}
			if m.IsDrop() {
				drops++
			}
			if m.Promotion() == chess.King {
				kings++
			}
		}
		return drops, kings
	}
	rapid.Check(t, func(t *rapid.T) {
		v := rapid.SampledFrom(chess.Variants()).Draw(t, "variant")
		for g := drawGame(t, v); ; g.Undo() {
			check(t, g.Position())
			if g.Ply() == 0 {
				return
			}
		}
	})
	for _, turn := range []string{"w", "b"} {
		p := position(t, chess.Antichess, "8/P6P/8/8/8/8/p6p/8 "+turn+" - - 0 1")
		if _, kings := check(t, &p); kings != 2 {
			t.Errorf("%s: %d promotions to a king, want 2", p.FEN(), kings)
		}
		p = position(t, chess.Crazyhouse, "4k3/8/8/8/8/8/8/4K3[PNBRQpnbrq] "+turn+" - - 0 1")
		if drops, _ := check(t, &p); drops != 48+4*62 {
			t.Errorf("%s: %d drops, want %d", p.FEN(), drops, 48+4*62)
		}
	}
}

// turnedSquare changes the rank of a square's name as black sees it, in racing
// kings the file. Pieces of drops and promotions are left as they are: n, b, r,
// q and k are no ranks, and b is not a promotion in racing kings.
func turnedSquare(v chess.Variant) func(rune) rune {
	return func(r rune) rune {
		switch {
		case v == chess.RacingKings && r >= 'a' && r <= 'h':
			return 'a' + 'h' - r
		case v != chess.RacingKings && r >= '1' && r <= '8':
			return '1' + '8' - r
		}
		return r
	}
}

// seen is the position as the mover sees it, told from its FEN: the colors
// changed and the board turned when black is to move. The number of the move is
// left out; the clock is in all but crazyhouse, at most 100; castling rights are
// given by the rook's file.
func seen(p *chess.Position) string {
	f := strings.Fields(p.FEN())
	board, hands, _ := strings.Cut(strings.TrimSuffix(f[0], "]"), "[")
	rows := strings.Split(board, "/")
	castling := castlingFiles(p)
	checks := ""
	if p.Variant() == chess.ThreeCheck {
		checks = f[4]
	}
	side := f[1]
	if p.Turn() == chess.Black {
		if p.Variant() == chess.RacingKings {
			for i, row := range rows {
				b := []byte(row)
				slices.Reverse(b)
				rows[i] = string(b)
			}
		} else {
			slices.Reverse(rows)
			f[3] = strings.Map(turnedSquare(p.Variant()), f[3])
		}
		for i := range rows {
			rows[i] = strings.Map(swapCase, rows[i])
		}
		hands, castling = strings.Map(swapCase, hands), strings.Map(swapCase, castling)
		if checks != "" {
			checks = checks[2:] + "+" + checks[:1]
		}
	}
	if v := p.Variant(); v != chess.Horde && v != chess.RacingKings {
		side = ""
	}
	clock := min(p.Rule50(), 100)
	if p.Variant() == chess.Crazyhouse {
		clock = 0
	}
	return fmt.Sprintf("%s [%s] %s %s %s %s %d", strings.Join(rows, "/"), sorted(hands), side, sorted(castling), f[3], checks, clock)
}

func swapCase(r rune) rune {
	if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
		return r ^ 0x20
	}
	return r
}

func sorted(s string) string {
	b := []byte(s)
	slices.Sort(b)
	return string(b)
}

// castlingFiles are the files of the rooks that may castle, upper case of white.
func castlingFiles(p *chess.Position) string {
	var b []byte
	for c, a := range []byte{'A', 'a'} {
		for rooks := uint64(p.CastlingRooks(chess.Color(c))); rooks != 0; rooks &= rooks - 1 {
			b = append(b, a+byte(bits.TrailingZeros64(rooks)%8))
		}
	}
	return string(b)
}

// told is what variants31 tells of a position, in the words of seen. It is
// written from the documentation of the planes.
func told(planes []uint64, v chess.Variant) string {
	bit := func(plane, s int) bool { return planes[plane]>>s&1 == 1 }
	number := func(plane int, scale float64) int {
		return int(math.Round(scale * float64(math.Float32frombits(uint32(planes[plane])))))
	}
	var rows []string
	for rank := 7; rank >= 0; rank-- {
		row, empty := "", 0
		flush := func() {
			if empty > 0 {
				row += fmt.Sprint(empty)
			}
			empty = 0
		}
		for s := 8 * rank; s < 8*rank+8; s++ {
			piece := ""
			for i, letter := range "PNBRQKpnbrqk" {
				if bit(i, s) {
					piece += string(letter)
				}
			}
			if piece == "" {
				empty++
				continue
			}
			flush()
			row += piece
			if bit(15, s) {
				row += "~"
			}
		}
		flush()
		rows = append(rows, row)
	}
	hands, castling, enPassant, side, checks := "", "", "-", "", ""
	for i, letter := range "PNBRQpnbrq" {
		hands += strings.Repeat(string(letter), number(16+i, 4))
	}
	for s := range 64 {
		if bit(12, s) {
			castling += string(rune('A' + s%8))
		}
		if bit(13, s) {
			castling += string(rune('a' + s%8))
		}
		if bit(14, s) {
			enPassant = string([]byte{'a' + byte(s%8), '1' + byte(s/8)})
		}
	}
	if v == chess.ThreeCheck {
		checks = fmt.Sprintf("%d+%d", number(26, 3), number(27, 3))
	}
	if v == chess.Horde || v == chess.RacingKings {
		side = []string{"w", "b"}[number(28, 1)]
	}
	return fmt.Sprintf("%s [%s] %s %s %s %s %d", strings.Join(rows, "/"), sorted(hands), side, sorted(castling), enPassant, checks, number(29, 100))
}

// variants31 tells everything about a position that the mover can see: reading
// the planes gives it back, so that no two positions which differ in it are one
// to a network.
func TestVariants31TellsAll(t *testing.T) {
	planes, err := encode.PlanesByName("variants31")
	if err != nil {
		t.Fatal(err)
	}
	words := make([]uint64, planes.Count())
	check := func(t interface{ Fatalf(string, ...any) }, g *chess.Game) {
		p := g.Position()
		for i := range words {
			words[i] = 0xdeadbeefdeadbeef // what is left from the last position must go
		}
		planes.Encode(words, g)
		if have, want := told(words, p.Variant()), seen(p); have != want {
			t.Fatalf("%s:\nthe planes tell %s\nwant            %s", p.FEN(), have, want)
		}
		if x := math.Float32frombits(uint32(words[30])); float64(x) != min(1, float64(g.Repetitions())/2) {
			t.Fatalf("%s: the plane of repetitions is %v after %d", p.FEN(), x, g.Repetitions())
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		v := rapid.SampledFrom(chess.Variants()).Draw(t, "variant")
		for g := drawGame(t, v); ; g.Undo() {
			check(t, g)
			if g.Ply() == 0 {
				return
			}
		}
	})
	// What a random game need not come to.
	for v, fen := range map[chess.Variant]string{
		chess.Crazyhouse:  "r3k2r/8/8/3Pp3/8/8/8/R2Q~K2R[QQRNPPPPPPqbbp] w KQkq e6 7 1",
		chess.ThreeCheck:  "r3k2r/8/8/8/3pP3/8/8/R3K2R b Kq e3 1+2 99 80",
		chess.Antichess:   "kk6/8/8/8/8/8/8/KK6 b - - 100 90",
		chess.Horde:       "4k3/8/8/8/8/8/8/P7 b - - 0 1",
		chess.RacingKings: "7K/k7/8/8/8/8/8/1rbnNBR1 b - - 3 9",
	} {
		check(t, chess.NewGame(position(t, v, fen)))
	}
	if len(planes.Constant()) != 31 || slices.Index(planes.Constant(), true) != 16 {
		t.Errorf("constant planes %v, want 16 boards and 15 constants", planes.Constant())
	}
}

// A position occurring again is told by the last plane.
func TestVariants31Repetitions(t *testing.T) {
	planes, _ := encode.PlanesByName("variants31")
	g := chess.NewGame(chess.StartPosition(chess.Crazyhouse))
	words := make([]uint64, planes.Count())
	for round := range 3 {
		planes.Encode(words, g)
		if x := math.Float32frombits(uint32(words[30])); x != float32(round)/2 {
			t.Errorf("after %d occurrences the plane is %v", round, x)
		}
		for _, s := range []string{"g1f3", "g8f6", "f3g1", "f6g8"} {
			m, err := g.Position().ParseUCI(s)
			if err != nil {
				t.Fatal(err)
			}
			g.Play(m)
		}
	}
}

// mirrored is the position with colors changed and the board upside down.
func mirrored(t testing.TB, p *chess.Position) chess.Position {
	t.Helper()
	f := strings.Fields(turned(p.FEN()))
	if p.Variant() == chess.Crazyhouse {
		board, hands, _ := strings.Cut(strings.Fields(p.FEN())[0], "[")
		f[0] = strings.Fields(turned(board + " w - -"))[0] + "[" + strings.Map(swapCase, hands)
	}
	if p.Variant() == chess.ThreeCheck {
		f[4] = f[4][2:] + "+" + f[4][:1]
	}
	return position(t, p.Variant(), strings.Join(f, " "))
}

// In variants whose sides are alike a position and its mirror image are one to
// the encodings of the mover's view, move by move.
func TestMirror(t *testing.T) {
	alike := []chess.Variant{chess.Standard, chess.Atomic, chess.Antichess, chess.KingOfTheHill, chess.ThreeCheck, chess.Crazyhouse}
	rapid.Check(t, func(r *rapid.T) {
		v := rapid.SampledFrom(alike).Draw(r, "variant")
		g := drawGame(r, v)
		p := *g.Position()
		q := mirrored(t, &p)
		c, err := encode.NewCodec("variants31", "uci2206-mover", v)
		if err != nil {
			r.Fatal(err)
		}
		var one, other encode.Leaf
		var l chess.MoveList
		p.LegalMoves(&l)
		c.Prepare(&one, chess.NewGame(p), l.Slice())
		q.LegalMoves(&l)
		c.Prepare(&other, chess.NewGame(q), l.Slice())
		slices.Sort(one.Indices)
		slices.Sort(other.Indices)
		if !slices.Equal(one.Planes, other.Planes) || !slices.Equal(one.Indices, other.Indices) {
			r.Errorf("%s\n%s\ndo not look alike:\n%x\n%x\n%v\n%v", p.FEN(), q.FEN(), one.Planes, other.Planes, one.Indices, other.Indices)
		}
	})
}

// The mirror image of racing kings changes files: both sides of the start see
// the same board, but for the plane that tells black, who moves last.
func TestRacingKingsMirror(t *testing.T) {
	planes, _ := encode.PlanesByName("variants31")
	white := chess.NewGame(chess.StartPosition(chess.RacingKings))
	p := position(t, chess.RacingKings, strings.Replace(white.Position().FEN(), " w ", " b ", 1))
	a, b := make([]uint64, planes.Count()), make([]uint64, planes.Count())
	planes.Encode(a, white)
	planes.Encode(b, chess.NewGame(p))
	if a[28] != 0 || b[28] != uint64(math.Float32bits(1)) {
		t.Errorf("the plane of black is %x and %x", a[28], b[28])
	}
	b[28] = 0
	if !slices.Equal(a, b) {
		t.Errorf("the sides see different boards:\n%x\n%x", a, b)
	}
}
