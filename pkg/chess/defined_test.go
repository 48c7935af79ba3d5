package chess

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"
)

// define makes a variant of rules that are right.
func define(t testing.TB, r Rules) Variant {
	t.Helper()
	v, err := Define(r)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// builtinReasons are the reasons of built-in variants that have general names in rules.
var builtinReasons = map[Reason]Reason{
	KingInCenter: GoalReached, RaceFinished: GoalReached, ThreeChecks: CheckLimit, HordeDestroyed: Extinction, PiecesLost: Extinction,
}

// Everything that the built-in variants do can be said as rules: random games of both have
// the same moves, positions, checks and outcomes.
func TestBuiltInVariantsAsRules(t *testing.T) {
	games := 150
	if testing.Short() {
		games = 30
	}
	for _, v := range Variants() {
		t.Run(v.String(), func(t *testing.T) {
			t.Parallel()
			as := define(t, RulesOf(v))
			r := rand.New(rand.NewPCG(23, uint64(v)))
			for n := range games {
				start := StartPosition(v)
				if n%3 == 1 {
					start = sparsePosition(r, v)
				} else if p, err := Chess960(v, r.IntN(960)); n%3 == 2 && err == nil {
					start = p
				}
				sameGame(t, r, start, as)
				if t.Failed() {
					return
				}
			}
		})
	}
}

// sameGame plays a random game by a built-in variant and by rules that say the same.
func sameGame(t *testing.T, r *rand.Rand, start Position, as Variant) {
	other, err := ParseFEN(as, start.FEN())
	if err != nil {
		t.Error(err)
		return
	}
	code, file := NewGame(start), NewGame(other)
	var l, m MoveList
	for range 300 {
		p, q := code.Position(), file.Position()
		p.LegalMoves(&l)
		q.LegalMoves(&m)
		if x, y := moveTexts(p, &l, true), moveTexts(q, &m, true); !slices.Equal(x, y) {
			t.Errorf("%s: moves\ncode %s\nfile %s", p.FEN(), strings.Join(x, " "), strings.Join(y, " "))
		}
		o, u := code.Outcome(&l), file.Outcome(&m)
		if general, ok := builtinReasons[o.Reason]; ok {
			o.Reason = general
		}
		if p.FEN() != q.FEN() || p.InCheck() != q.InCheck() || o != u || p.countMoves() != q.countMoves() {
			t.Errorf("code %s %v %v %d\nfile %s %v %v %d", p.FEN(), p.InCheck(), o, p.countMoves(), q.FEN(), q.InCheck(), u, q.countMoves())
		}
		if key := q.computeKey(); key != q.key {
			t.Errorf("%s: the key is %x, want %x", q.FEN(), q.key, key)
		}
		if t.Failed() || o.Over() || l.Len() == 0 {
			return
		}
		move := l.At(r.IntN(l.Len()))
		for i := 0; i < 3 && !forcing(p, move); i++ {
			move = l.At(r.IntN(l.Len()))
		}
		i := slices.IndexFunc(m.Slice(), func(x Move) bool { return x.String() == move.String() })
		if san := p.SAN(move); san != q.SAN(m.At(i)) {
			t.Errorf("%s: code %s, file %s", p.FEN(), san, q.SAN(m.At(i)))
		}
		code.Play(move)
		file.Play(m.At(i))
	}
}

// With castling_after the moves are those of chess, without castling up to that move.
func TestCastlingAfter(t *testing.T) {
	v := define(t, rulesOfTests(t)["no-castling-10"])
	const after = 10
	castled, waited := 0, 0
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 10))
		const fen = "r3k2r/pppppppp/8/8/8/8/PPPPPPPP/R3K2R w KQkq - 0 1"
		p, err := ParseFEN(Standard, fen)
		if err != nil {
			t.Fatal(err)
		}
		q, err := ParseFEN(v, fen)
		if err != nil {
			t.Fatal(err)
		}
		for range 50 {
			var l, m MoveList
			p.LegalMoves(&l)
			q.LegalMoves(&m)
			var want []string
			for _, move := range l.Slice() {
				if move.IsCastle() && p.FullMove() <= after {
					waited++
					continue
				}
				want = append(want, p.UCI(move))
			}
			slices.Sort(want)
			if have := moveTexts(&q, &m, false); !slices.Equal(have, want) || p.FEN() != q.FEN() {
				t.Fatalf("%s: moves %s, want %s", q.FEN(), have, want)
			}
			if key := q.computeKey(); key != q.key {
				t.Fatalf("%s: the key is %x, want %x", q.FEN(), q.key, key)
			}
			if m.Len() == 0 {
				break
			}
			move := m.At(r.IntN(m.Len()))
			if i := slices.IndexFunc(m.Slice(), Move.IsCastle); i >= 0 {
				move = m.At(i)
				castled++
			}
			p.Play(l.At(slices.IndexFunc(l.Slice(), func(x Move) bool { return x.String() == move.String() })))
			q.Play(move)
		}
	}
	if castled < 20 || waited < 1000 {
		t.Errorf("castled %d times, waited %d times", castled, waited)
	}
}

// rulesOfTests returns the rules of experiments/variants by name.
func rulesOfTests(t testing.TB) map[string]Rules {
	t.Helper()
	all := map[string]Rules{}
	files, err := filepath.Glob("../../experiments/variants/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no rules: %v", err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var given map[string]any
		if err := yaml.Unmarshal(data, &given); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		base, err := ParseVariant(fmt.Sprint(given["base"]))
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		delete(given, "base")
		keys := keysOf(RulesOf(base))
		for key, value := range given {
			keys[key] = mustJSON(value)
		}
		var r Rules
		if err := json.Unmarshal(mustJSON(keys), &r); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		for i := range r.Pieces {
			r.Pieces[i].Region = cmp.Or(r.Pieces[i].Region, "all")
		}
		all[r.Name] = r
	}
	return all
}

// Positions of every kind of rules are read as they are written.
func TestFENOfDefinedRules(t *testing.T) {
	for _, rules := range []string{
		`{"name":"antihouse","royal":"none","must_capture":true,"castling":false,"promotion":"qrbnk","hand":"captures","stalemate":"win"}`,
		`{"name":"last-king","royals":"last","hand":"captures","start":"rnbqkbnk/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNK w - - 0 1","castling":false}`,
	} {
		v, err := ParseVariant(rules)
		if err != nil {
			t.Fatal(err)
		}
		r := rand.New(rand.NewPCG(1, 0))
		for range 200 {
			p := StartPosition(v)
			for range 120 {
				var l MoveList
				p.LegalMoves(&l)
				if p.Ended(&l).Over() {
					break
				}
				p.Play(l.At(r.IntN(l.Len())))
				if q, err := ParseFEN(v, p.FEN()); err != nil || q.FEN() != p.FEN() {
					t.Fatalf("%s: %v", p.FEN(), err)
				}
			}
		}
	}
}

// Rules that come as text have the bounds and the words of those in files.
func TestRulesAsText(t *testing.T) {
	for text, want := range map[string]string{
		`{"name":"x","checks":100}`:                                                 "checks: want 0 to 9, have 100",
		`{"name":"x","double_step":[2,9]}`:                                          "double_step: want 1 to 8, have 9",
		`{"name":"x","stalemate":"lose"}`:                                           "stalemate: want one of loss win draw",
		`{"name":"x","extinction":[{"pieces":"q","count":0,"side":"any"}]}`:         "side: want one of both white black",
		`{"name":"x","goals":[{"pieces":"k","squares":"e4","squares_green":"e5"}]}`: "squares_green",
		`{"name":"x","promotion_ranks":[6,7,8]}`:                                    "en_passant: a capture of a pawn that has passed ends on rank 6",
	} {
		if _, err := ParseVariant(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", text, err, want)
		}
	}
}

// Rare rules: what the moves of a position are, and what becomes of it.
func TestRareRules(t *testing.T) {
	position := func(rules, fen string) *Position {
		t.Helper()
		v, err := ParseVariant(rules)
		if err != nil {
			t.Fatal(err)
		}
		p, err := ParseFEN(v, fen)
		if err != nil {
			t.Fatal(err)
		}
		return &p
	}
	has := func(p *Position, move string) bool {
		_, err := p.ParseUCI(move)
		return err == nil
	}
	gifts, err := ParseVariant(`{"name":"gifts","hand":"start","pieces":[{"name":"king","letter":"k","moves":"K","region":"all"},{"name":"giant","letter":"a","moves":"QNADCZH","region":"all"}],"promotion":"none","start":"4k3/8/8/8/8/8/8/4K3[aA] w - - 0 1","castling":false,"royal":"k"}`)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := ParseFEN(gifts, "4k3/8/8/8/8/8/8/4K3["+strings.Repeat("A", 38)+"] w - - 0 1"); err == nil || !strings.Contains(err.Error(), "at most 1024 are possible") {
		t.Errorf("38 pieces in hand, of very many moves each: %v", err)
	}
	if p := position(`{"name":"house","hand":"captures"}`, "4k3/8/8/8/8/8/8/4K3[Qq] w - - 0 1"); p.InsufficientMaterial() {
		t.Error("queens in hand are too little")
	}
	rider := `{"name":"rider","pieces":[{"name":"king","letter":"k","moves":"K","region":"all"},{"name":"knight","letter":"n","moves":"QN","region":"all"}],"promotion":"none","start":"4k3/8/8/8/8/8/8/3NK3 w - - 0 1","castling":false,"royal":"k"}`
	if p := position(rider, "4k3/8/8/8/8/8/8/3NK3 w - - 0 1"); p.InsufficientMaterial() {
		t.Error("a knight that moves as a queen is too little")
	}
	kings := position(`{"name":"kings","promotion":"qrbnk","castling":false}`, "1r5k/P7/8/8/8/8/8/K7 w - - 0 1")
	if has(kings, "a7a8k") || !has(kings, "a7b8k") || !has(kings, "a7a8q") {
		t.Error("a pawn becomes a king where it is attacked, or no king where it is not")
	}
	last := position(`{"name":"last","promotion":"qrbnk","royals":"last","castling":false}`, "7k/2P5/8/8/8/8/8/K6r w - - 0 1")
	if !has(last, "c7c8k") || has(last, "c7c8q") {
		t.Error("a second king does not end the need to answer a check")
	}
	own := position(`{"name":"own","self_capture":true,"royal":"none","stalemate":"loss"}`, "r3k2r/8/8/8/8/8/8/Q3K2R w Kkq - 0 1")
	m, err := own.ParseUCI("a1e1")
	if err != nil {
		t.Fatal(err)
	}
	if own.Play(m); !strings.Contains(own.FEN(), " b kq - ") {
		t.Errorf("after the capture of the own king: %s", own.FEN())
	}
	beside := position(`{"name":"beside","self_capture":true}`, "bqnnrkrb/pppppppp/8/8/8/8/PPPPPPPP/BQNNRKRB w KQ - 0 1")
	texts := map[string]int{}
	var l MoveList
	beside.LegalMoves(&l)
	for _, m := range l.Slice() {
		texts[m.String()]++
	}
	for text, n := range texts {
		if n > 1 {
			t.Errorf("%d moves are %s: the king castles with a rook beside it and does not capture it", n, text)
		}
	}
	if beside.castle = 0; !has(beside, "f1g1") {
		t.Error("the king does not capture a rook with which it may not castle")
	}
	slider := position(`{"name":"slider","pieces":[{"name":"king","letter":"k","moves":"K","region":"all"},{"name":"pawn","letter":"p","moves":"mRcF","region":"all"}],"promotion":"none","start":"4k3/8/8/8/8/8/P7/4K3 w - - 0 1","castling":false,"pawns_are_quiet":false,"double_step":[],"en_passant":[]}`, "4k3/8/8/8/8/8/P7/4K3 w - - 7 9")
	if m, err = slider.ParseUCI("a2a5"); err != nil {
		t.Fatal(err)
	}
	if slider.Play(m); !strings.Contains(slider.FEN(), " 8 9") {
		t.Errorf("a slide that a pawn can take back is not quiet: %s", slider.FEN())
	}
	dropped := position(`{"name":"dropped","hand":"captures","promotion_ranks":[7,8],"en_passant":[]}`, "4k3/8/8/8/8/8/8/4K3[P] w - - 0 1")
	if has(dropped, "P@a7") || !has(dropped, "P@a6") {
		t.Error("a pawn is dropped where it would have promoted")
	}
	for _, must := range []bool{false, true} {
		race := position(fmt.Sprintf(`{"name":"race-%v","must_capture":%v,"goals":[{"pieces":"k","squares":"*8","squares_black":"*8"}],"goals_reply":true,"castling":false,"start":"8/p5k1/8/8/8/8/PK6/8 w - - 0 1"}`, must, must), "2K5/6k1/8/8/p7/1P6/8/8 b - - 0 1")
		race.LegalMoves(&l)
		if o := race.Ended(&l); o.Over() != must {
			t.Errorf("must_capture %v: Black, who can capture a pawn, can reach the goal: %v", must, o)
		}
	}
	sideways := `{"name":"sideways","pieces":[{"name":"king","letter":"k","moves":"K","region":"all"},{"name":"rook","letter":"r","moves":"sRcsR","region":"all"}],"promotion":"none","castling":false,"royal":"k","start":"4k3/8/8/8/8/8/8/R3K3 w - - 0 1"}`
	if p := position(sideways, "r3k3/8/8/8/8/8/8/R3K3 w - - 0 1"); has(p, "a1a8") || !has(p, "a1d1") {
		t.Error("a piece with two lines sideways moves forward")
	}
	berolina := `{"name":"berolina","pieces":[{"name":"king","letter":"k","moves":"K","region":"all"},{"name":"pawn","letter":"p","moves":"mfFcfW","region":"all"}],"promotion":"none","castling":false,"start":"4k3/pppppppp/8/8/8/8/PPPPPPPP/4K3 w - - 0 1"}`
	passed := position(berolina, "4k3/8/8/8/3pP3/8/4P3/4K3 w - - 0 1")
	other := position(berolina, "4k3/8/8/8/2Pp4/8/2P5/4K3 w - - 0 1")
	for p, move := range map[*Position]string{passed: "e2c4", other: "c2e4"} {
		if m, err = p.ParseUCI(move); err != nil {
			t.Fatal(err)
		}
		p.Play(m)
		if again := position(berolina, p.FEN()); again.victim != p.victim || again.Key() != p.Key() {
			t.Errorf("%s is read as a position in which %v is captured en passant, not %v", p.FEN(), again.victim, p.victim)
		}
	}
	if passed.Key() == other.Key() {
		t.Error("two captures en passant on one square have the same key")
	}
	if _, err := ParseVariant(`{"name":"droppedking","hand":"captures","royals":"last","quiet_plies":0,"insufficient":"none"}`); err == nil || !strings.Contains(err.Error(), "a king that can be dropped cannot castle") {
		t.Errorf("a king that is dropped and castles: %v", err)
	}
	royalPawns := position(`{"name":"royalpawns","royals":"last","royal":"kp","castling":false,"en_passant":[]}`, "7k/P7/8/8/8/8/8/K6r w - - 0 1")
	if has(royalPawns, "a7a8q") || !has(royalPawns, "a1b2") {
		t.Error("a promotion leaves the last royal piece attacked")
	}
	freed := position(`{"name":"freed","royal":"q","royals":"last","explosion":1,"stalemate":"loss","castling":false,"start":"rnb1kbnr/pppppppp/8/8/8/8/PPPPPPPP/RNB1KBNR w - - 0 1"}`, "r3k3/8/8/3n4/8/8/8/Q2QK3 w - - 0 1")
	if has(freed, "d1d5") || !has(freed, "d1d4") {
		t.Error("an explosion leaves the last royal piece attacked")
	}
	lancer := `{"name":"lancer","pieces":[{"name":"king","letter":"k","moves":"K","region":"all"},{"name":"pawn","letter":"p","moves":"fmWsfcRfcF","region":"all"}],"promotion":"none","castling":false,"start":"4k3/p7/8/8/8/8/P7/4K3 w - - 0 1"}`
	for fen, ep := range map[string]string{"4k3/p7/1p1P4/8/8/8/8/4K3 b - - 0 1": "-", "4k3/p7/3P4/8/8/8/8/4K3 b - - 0 1": "a6"} {
		p := position(lancer, fen)
		if m, err = p.ParseUCI("a7a5"); err != nil {
			t.Fatal(err)
		}
		if p.Play(m); strings.Fields(p.FEN())[3] != ep || has(p, "d6a6") != (ep == "a6") {
			t.Errorf("%s: want the en passant square %s", p.FEN(), ep)
		}
	}
	if p := position(`{"name":"kings960","royals":"last","promotion":"qrbnk"}`, "r3k2r/8/8/8/8/8/8/k3K3 b kq - 0 1"); p.CastlesAs960() {
		t.Error("a king elsewhere makes castling that of chess960")
	}
	position(`{"name":"middle","promotion_ranks":[3],"en_passant":[],"double_step":[]}`, "4k3/8/8/8/8/8/P7/4K3 w - - 0 1")
	if p := position(`{"name":"kept","hand":"captures","hand_demotes":false}`, "q~3k3/8/8/8/8/8/8/R3K3[] w - - 0 1"); p.Promoted() != 0 {
		t.Error("a promoted piece is marked though it does not become a pawn again")
	}
	house, err := ParseVariant(`{"name":"kingless","hand":"captures"}`)
	if err != nil {
		t.Fatal(err)
	}
	for fen, want := range map[string]string{
		"4k3/8/8/8/8/8/8/4K3[K] w - - 0 1":                               "not a piece that can be dropped",
		"4k3/8/8/8/8/8/8/4K3[" + strings.Repeat("N", 62) + "] w - - 0 1": "which could come into one hand",
	} {
		if _, err := ParseFEN(house, fen); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", fen, err, want)
		}
	}
	for text, want := range map[string]string{
		`{"name":"x","royal":"p","royals":"last","castling":false}`:                              "pawns are royal",
		`{"name":"x","promotion":"qk","promotion_ranks":[1,8],"double_step":[],"en_passant":[]}`: "a pawn could become a king on its first rank",
		`{"name":"x","castling":false,"promotion_ranks":[5],"pieces":[{"name":"king","letter":"k","moves":"K","region":"all"},{"name":"queen","letter":"q","moves":"Q","region":"all"},{"name":"pawn","letter":"p","moves":"fmDfmWfcF","region":"all"}],"promotion":"q","start":"4k3/8/8/3p4/8/8/4P3/4K3 w - - 0 1"}`: "ends on rank 5",
	} {
		if _, err := ParseVariant(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}
