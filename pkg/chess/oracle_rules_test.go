package chess

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// TestOracleRules has Fairy-Stockfish follow games of rules that are data, which it reads as
// definitions in the form of its variants.ini: of rules composed at random, and of the rules
// in experiments/variants that it can say.
func TestOracleRules(t *testing.T) {
	if *oracleRules == 0 {
		t.Skip("needs node and the npm package ffish-es6, and minutes: run `make oracle`")
	}
	all := map[string]Rules{}
	for name, r := range rulesOfTests(t) {
		if _, err := iniOf(r); err == nil {
			all[name] = r
		}
	}
	r := rand.New(rand.NewPCG(*oracleSeed, 23))
	for n := range *oracleRules {
		x := randomRules(r, fmt.Sprintf("random-%d", n))
		all[x.Name] = x
	}
	ini := ""
	for _, x := range all {
		text, err := iniOf(x)
		if err != nil {
			t.Fatal(err)
		}
		ini += text
	}
	text, err := json.Marshal(ini)
	if err != nil {
		t.Fatal(err)
	}
	pool := make(chan *follower, oracleNodes)
	for range oracleNodes {
		f, err := startFollower()
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(f.stop)
		if _, err := f.ask("rules\t" + string(text)); err != nil {
			t.Fatal(err)
		}
		pool <- f
	}
	tally := &oracleProgress{start: time.Now(), games: *oracleGames * len(all)}
	var names []string
	for name := range all {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			o := &oracle{variant: define(t, all[name]), pool: pool, progress: tally}
			o.run()
			t.Log(o.summary())
			if o.disagreements > 0 {
				own, _ := iniOf(all[name])
				t.Errorf("%s\n%s\n%s", o.shown[0], all[name], own)
			}
		})
	}
}

// ruleDifference reports differences by definition in rules that are data.
func ruleDifference(g *oracleGame, p *Position, d oracleDifference, there oracleRecord) bool {
	b := p.variant.book()
	switch d.what {
	case "FEN":
		// Of unusual pawns it writes the square of a capture en passant that nobody can make,
		// and the victim's.
		here, there := strings.Fields(d.here), strings.Fields(d.there)
		if b.Hand != "captures" || !b.Demote { // what was a pawn does not matter
			there[0] = strings.ReplaceAll(there[0], "~", "")
		}
		if b.of[Pawn].Moves != "fmWfcF" {
			here[3], there[3] = "-", "-"
		}
		if b.hand { // every drop sets its clock back
			here[len(here)-2], there[len(there)-2] = "", ""
		}
		return slices.Equal(here, there)
	case "result":
		// It looks for insufficient material in its own way, and before mate. Of definitions it
		// never does where kings explode; TestBuiltInVariantsAsRules compares those with atomic.
		return there.insufficient && d.there == "1/2-1/2" || b.Explosion > 0 && d.there == "*" && p.InsufficientMaterial() ||
			b.of[Pawn].Moves != "fmWfcF" && d.here == "*" && b.Repetition > 0 && seenBefore(g, p, g.Ply()) >= b.Repetition-1 ||
			// After double steps of unusual pawns positions differ for it though nobody can capture en passant.
			b.of[Pawn].Moves != "fmWfcF" && d.there == "*" && b.Repetition > 0 && seenBefore(g, p, g.Ply()) >= b.Repetition-1 && seenBefore(g, p, g.Ply())-seenAfterDoubleStep(g, p) < b.Repetition-1 ||
			// It forgets positions before the last move of a pawn, also where pawns move back.
			!b.pawnsIrreversible && d.there == "*" && b.Repetition > 0 && seenBefore(g, p, g.Ply()) >= b.Repetition-1 && seenBefore(g, p, p.Rule50()) < b.Repetition-1
	case "SAN":
		// It marks mates only, and not in all rules; it writes moves of unusual pawns in its
		// own way.
		bare := func(s string) string { return strings.TrimRight(s, "+#") }
		m := moveOf(g, p)
		return bare(d.here) == bare(d.there) || p.typeAt(m.From()) == Pawn && b.of[Pawn].Moves != "fmWfcF" || b.Explosion > 0
	}
	return false
}

// seenBefore counts the positions of the last plies before one that are the same but for a capture
// en passant, which it forgets where unusual pawns could make it.
func seenBefore(g *oracleGame, p *Position, plies int) int { return len(sameBefore(g, p, plies)) }

// seenAfterDoubleStep counts those that a double step of a pawn led to.
func seenAfterDoubleStep(g *oracleGame, p *Position) (n int) {
	for _, i := range sameBefore(g, p, g.Ply()) {
		if i < g.Ply() {
			m := g.Moves()[g.Ply()-i-1]
			if d := m.To().Rank() - m.From().Rank(); g.Back(i+1).typeAt(m.From()) == Pawn && d*d == 4 {
				n++
			}
		}
	}
	return n
}

// sameBefore returns how many plies before the end of the game those positions are.
func sameBefore(g *oracleGame, p *Position, plies int) (same []int) {
	bare := func(p *Position) uint64 {
		if p.enPassant == NoSquare {
			return p.key
		}
		return p.key ^ passedKey(p.enPassant, p.victim)
	}
	before := false
	for i := range g.Ply() + 1 {
		q := g.Back(i)
		if before {
			if plies--; plies < 0 {
				break
			}
			if bare(q) == bare(p) {
				same = append(same, i)
			}
		}
		before = before || q == p
	}
	return same
}

// moveOf returns the move that the game played in a position of its own.
func moveOf(g *oracleGame, p *Position) Move {
	for i := 1; i <= g.Ply(); i++ {
		if g.Back(i) == p {
			return g.Moves()[g.Ply()-i]
		}
	}
	return 0
}

// iniOf writes rules as Fairy-Stockfish's variants.ini does. The error names a rule that it
// cannot say.
func iniOf(r Rules) (string, error) {
	var lines []string
	set := func(key string, value any) { lines = append(lines, fmt.Sprintf("%s = %v", key, value)) }
	region := func(key string, white, black Bitboard) {
		set(key+"White", squaresText(white))
		set(key+"Black", squaresText(black))
	}
	ranks := func(list []int) (Bitboard, Bitboard) {
		both, err := r.ranksOf("", list)
		if err != nil {
			panic(err)
		}
		return both[White], both[Black]
	}
	refuse := func(what string) (string, error) { return "", fmt.Errorf("%s: it cannot say %s", r.Name, what) }
	b, err := compile(r, 0)
	if err != nil {
		return "", err
	}
	board, _, _ := strings.Cut(r.Start, " ")
	if strings.Contains(board, "*") || r.CastleAfter > 0 || r.QuietIs != "draw" || r.QuietPlies%2 != 0 || len(r.Goals) > 1 || r.Repetition == 1 || r.SelfCapture {
		return refuse("self_capture, holes, castling_after, quiet_result, odd quiet_plies, several goals or repetition: 1")
	}
	if r.Explosion > 1 || r.Explosion == 1 && r.Immune != "p" {
		return refuse("such an explosion")
	}
	set("maxRank", r.Ranks)
	set("maxFile", r.Files)
	set("startFen", StartPosition(mustDefine(r)).pointer().FEN())
	pseudo := r.Royals == "last" || r.Explosion > 0 && r.Royal != none
	if b.hand && (r.QuietPlies > 0 || r.Explosion > 0 || b.of[Pawn].Moves != "fmWfcF") || r.Explosion > 0 && b.of[Pawn].Moves != "fmWfcF" {
		return refuse("a hand with a clock, or with explosions or its own pawns, or pawns that explosions spare")
	}
	if r.LastReply && (pseudo || r.Royal != "k") {
		return refuse("a reply of what is no king")
	}
	if pseudo && (!r.GiveCheck || r.CheckLimit > 0) || b.hand && r.Royals == "last" || r.Explosion > 0 && (strings.Count(board, "K") > 1 || strings.Count(board, "k") > 1) {
		return refuse("check to pseudo-royal pieces, kings in hand, or explosions with several kings")
	}
	if len(r.Royal) > 1 && r.Royal != none || pseudo && len(r.Extinctions) > 0 {
		return refuse("several royal kinds, or pseudo-royal ones beside extinction")
	}
	if !pseudo && (strings.Count(board, "K") > 1 || strings.Count(board, "k") > 1) && r.Royal == "k" || r.Royal != none && r.Royal != "k" {
		return refuse("several kings, or royal pieces other than kings")
	}
	usual := map[string]string{"n": "knight:N", "b": "bishop:B", "r": "rook:R", "q": "queen:Q"}
	slot := 0
	for _, p := range r.Pieces {
		for i, s := range mustBetza(p.Moves) {
			if s.reach != 1 && !slices.Contains([]int{1, 2, 5}, s.dx*s.dx+s.dy*s.dy) {
				return refuse("riders other than those of W, F and N") // its bitboard.cpp has no attacks of others
			}
			for _, other := range mustBetza(p.Moves)[:i] {
				if s.dx == other.dx && s.dy == other.dy && s.reach != other.reach {
					return refuse("two ranges in one direction")
				}
			}
		}
		name, moves, _ := strings.Cut(usual[p.Letter], ":")
		mobility := strings.ToUpper(name[:min(1, len(name))]) + name[min(1, len(name)):]
		switch {
		case p.Letter == "k" && r.Royal == "k" && !pseudo:
			set("king", "k:"+p.Moves)
			mobility = "King"
		case p.Letter == "p" && p.Moves == "fmWfcF" && p.Region == all:
			set("pawn", "p")
		case moves == p.Moves:
			set(name, p.Letter)
		default:
			slot++
			moves := p.Moves
			if p.Letter == "p" && len(r.DoubleStep) > 0 {
				for _, s := range mustBetza(moves) {
					if s.quiet && s.dy == 1 {
						moves += map[int]string{0: "ifmnD", 1: "ifrmnA", -1: "iflmnA"}[s.dx]
					}
				}
			}
			if p.Letter == "p" {
				for _, key := range []string{"pawnTypes"} {
					set(key, "p")
				}
			}
			mobility = fmt.Sprintf("CustomPiece%d", slot)
			set("customPiece"+strconv.Itoa(slot), p.Letter+":"+strings.Replace(moves, none, "", 1))
		}
		if p.Region != all {
			if !r.GiveCheck {
				return refuse("regions where no move may give check") // its gives_check ignores them, its attackers_to does not
			}
			white, err := r.parseSquares("", p.Region)
			if err != nil {
				return "", err
			}
			set("mobilityRegionWhite"+mobility, squaresText(white))
			set("mobilityRegionBlack"+mobility, squaresText(r.flip(white)))
		}
	}
	if pseudo && r.Royal != none {
		set("extinctionValue", "loss")
		set("extinctionPieceTypes", r.Royal)
		set("extinctionPseudoRoyal", true)
	}
	if r.Castling {
		set("castlingKingPiece", "k")
	}
	set("castling", r.Castling)
	set("checking", r.GiveCheck)
	set("doubleStep", len(r.DoubleStep) > 0)
	if len(r.DoubleStep) > 0 {
		white, black := ranks(r.DoubleStep)
		region("doubleStepRegion", white, black)
	}
	white, black := ranks(r.EnPassant)
	region("enPassantRegion", black>>8, white<<8&b.squares)
	if white == 0 {
		set("enPassantTypes", "-")
	}
	region("promotionRegion", b.zone[White], b.zone[Black])
	for c, kinds := range b.promotes {
		letters := ""
		for _, t := range kinds {
			letters += string(t.Letter(Black))
		}
		set("promotionPieceTypes"+[2]string{"White", "Black"}[c], orDash(letters))
	}
	set("mandatoryPawnPromotion", !r.MayPromote)
	set("blastOnCapture", r.Explosion > 0)
	set("mustCapture", r.MustCapture)
	set("pieceDrops", b.hand)
	set("capturesToHand", r.Hand == "captures")
	set("dropLoop", !r.Demote)
	if b.hand {
		zone := b.zone[White] &^ rank1
		if b.drops[White]|rank1|zone != b.squares || b.drops[White]&zone != 0 && b.drops[White]&zone != zone {
			return refuse("such pawn_drops")
		}
		set("firstRankPawnDrops", b.drops[White]&rank1 != 0)
		set("promotionZonePawnDrops", b.drops[White]&zone != 0)
	}
	for _, g := range b.goals {
		if len(g.kinds) > 1 && r.Goals[0].Pieces != all {
			return refuse("a goal of several kinds")
		}
		set("flagPiece", "*")
		if r.Goals[0].Pieces != all {
			set("flagPiece", r.Goals[0].Pieces)
		}
		region("flagRegion", g.squares[White], g.squares[Black])
		set("flagMove", r.LastReply)
	}
	set("checkCounting", r.CheckLimit > 0)
	kinds := ""
	for _, x := range r.Extinctions {
		if x.Side != "both" || len(x.Pieces) > 1 && x.Pieces != all || x.Count != r.Extinctions[0].Count || x.Result != r.Extinctions[0].Result {
			return refuse("such an extinction")
		}
		kinds += strings.Replace(x.Pieces, all, "*", 1)
		set("extinctionPieceCount", x.Count)
		set("extinctionValue", x.Result)
	}
	if kinds != "" {
		set("extinctionPieceTypes", kinds)
	}
	set("checkmateValue", r.Checkmate)
	set("stalemateValue", r.Stalemate)
	set("nFoldRule", r.Repetition)
	set("nFoldValue", r.RepetitionIs)
	set("nMoveRule", r.QuietPlies/2)
	if r.PawnsCount {
		set("nMoveRuleTypes", "-")
	}
	return "[" + r.Name + "]\n" + strings.Join(lines, "\n") + "\n\n", nil
}

func orDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

func squaresText(b Bitboard) string {
	var squares []string
	for s := range b.Squares {
		squares = append(squares, s.String())
	}
	return orDash(strings.Join(squares, " "))
}

func mustDefine(r Rules) Variant {
	v, err := Define(r)
	if err != nil {
		panic(err)
	}
	return v
}

func mustBetza(s string) []step {
	steps, err := parseBetza(s)
	if err != nil {
		panic(err)
	}
	return steps
}

func (p Position) pointer() *Position { return &p }

// randomRules composes rules that Fairy-Stockfish can say.
func randomRules(r *rand.Rand, name string) Rules {
	for {
		x := composeRules(r, name)
		if _, err := compile(x, 0); err != nil {
			continue
		}
		if _, err := Define(x); err != nil {
			continue
		}
		if _, err := iniOf(x); err == nil {
			return x
		}
	}
}

// composeRules draws each rule, often from that of chess. Some do not fit together.
func composeRules(r *rand.Rand, name string) Rules {
	x := RulesOf(Standard)
	x.Name, x.Insufficient = name, none
	odds := func(n int) bool { return r.IntN(n) == 0 }
	pick := func(words ...string) string { return words[r.IntN(len(words))] }
	x.Pieces = slices.Clone(x.Pieces)
	letters := "nbrq"
	for i, letter := range "acz" {
		if odds(2) {
			x.Pieces = append(x.Pieces, Piece{[]string{"first", "second", "third"}[i], string(letter), randomBetza(r), all})
			letters += string(letter)
		}
	}
	if odds(4) {
		x.Pieces[5].Moves = pick("N", "W", "FD", "KN")
	}
	if odds(3) {
		x.Pieces[0].Moves = pick("fsmWfcF", "fbmWfcF", "mfFcfW", "fmWfceFsmW"[:6]+"bcF", "fmWcF")
		if odds(2) {
			x.Pieces[0].Region, x.PawnsCount = "*2 *3 *4 *5 *6 *7 *8", odds(2)
		}
	}
	if odds(3) {
		x.Files, x.Ranks = 5+r.IntN(4), 5+r.IntN(4)
		for i := range x.Pieces {
			x.Pieces[i].Region = all
		}
	}
	back := make([]byte, x.Files)
	for i := range back {
		back[i] = letters[r.IntN(len(letters))]
	}
	back[r.IntN(x.Files)] = 'k'
	x.Castling = x.Files == 8 && odds(2)
	rights := "-"
	if x.Castling {
		copy(back, strings.Replace(string(back), "k", "n", 1))
		back[0], back[4], back[7], rights = 'r', 'k', 'r', "KQkq"
	}
	pawns := strings.Repeat("p", x.Files)
	ranks := []string{string(back), pawns}
	for range x.Ranks - 4 {
		ranks = append(ranks, strconv.Itoa(x.Files))
	}
	ranks = append(ranks, strings.ToUpper(pawns), strings.ToUpper(string(back)))
	x.PromoteOn = []int{x.Ranks}
	if odds(6) {
		x.PromoteOn = []int{x.Ranks - 1, x.Ranks}
	}
	x.Promotion = letters[r.IntN(2):]
	if odds(5) {
		x.BlackPromotes = letters[:2]
	}
	x.MayPromote = odds(8)
	x.DoubleStep = [][]int{{2}, {2}, {}, {2, 3}, {2, 3, 4}}[r.IntN(5)]
	if x.EnPassant = x.DoubleStep; odds(5) {
		x.EnPassant = []int{}
	}
	if strings.HasPrefix(x.Pieces[0].Moves, "mfF") { // whose victims it does not remove from the edge
		x.EnPassant = []int{}
	}
	if odds(6) {
		x.Explosion = 1
	}
	x.MustCapture = odds(6)
	pocket := ""
	if odds(6) {
		x.QuietPlies = 0
		x.Hand, x.Demote, pocket = pick("captures", "start"), odds(2), "[]"
		if x.Hand == "start" {
			pocket = "[NQnq]"
		}
		x.PawnDrops = nil
		for i := 2; i < x.PromoteOn[0]; i++ {
			x.PawnDrops = append(x.PawnDrops, i)
		}
	}
	x.Royal = pick("k", "k", "k", none)
	if x.Royal == "k" && odds(6) {
		x.Royals = "last"
		if i := strings.IndexByte(letters, 'n'); i >= 0 {
			ranks[0] = strings.Replace(ranks[0], letters[:1], "k", 1)
			ranks[len(ranks)-1] = strings.ToUpper(ranks[0])
			x.Castling, rights = false, "-"
		}
	}
	if odds(6) {
		x.GiveCheck = false
	}
	if odds(5) {
		x.Goals = []Goal{{pick("k", "n", all), fmt.Sprintf("*%d", x.Ranks-1-r.IntN(2)), fmt.Sprintf("*%d", 2+r.IntN(2))}}
		x.LastReply = odds(4) && x.Goals[0].Pieces == "k"
	}
	if odds(6) && x.GiveCheck {
		x.CheckLimit = 1 + r.IntN(5)
	}
	if odds(5) || x.Royal == none {
		x.Extinctions = []Extinct{{pick("p", "n", "k", all), r.IntN(2), "both", pick("loss", "win")}}
	}
	x.Stalemate, x.Checkmate = pick("draw", "draw", "loss", "win"), pick("loss", "loss", "win", "draw")
	x.Repetition, x.RepetitionIs = []int{3, 3, 2, 4, 0}[r.IntN(5)], pick("draw", "draw", "loss", "win")
	if x.Hand == none {
		x.QuietPlies = []int{100, 100, 40, 0}[r.IntN(4)]
	}
	x.Start = strings.Join(ranks, "/") + pocket + " w " + rights + " - 0 1"
	return x
}

// randomBetza draws the moves of a piece.
func randomBetza(r *rand.Rand) string {
	s := ""
	for range 1 + r.IntN(3) {
		atom := []string{"W", "F", "D", "N", "A", "H", "C", "Z", "K", "R", "B", "Q", "NN", "W2", "F3", "R4", "B2", "WW"}[r.IntN(18)]
		s += []string{"", "", "m", "c"}[r.IntN(4)]
		switch {
		case strings.ContainsAny(atom, "WDHRWFAB"):
			s += []string{"", "", "f", "b", "s", "v", "fs"}[r.IntN(7)]
		case strings.ContainsAny(atom, "NCZ"):
			s += []string{"", "", "f", "s", "v", "fh", "bh", "fs"}[r.IntN(8)]
		}
		s += atom
	}
	return s
}
