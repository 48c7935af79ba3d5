package chess

import (
	"bytes"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Rules are the rules of a game as data. [Define] makes a variant of them. [RulesOf] gives
// those of a built-in variant, from which others can differ.
//
// Ranks are as the side sees them: 1 is its own first rank. A set of kinds is a text of
// their letters, such as "qrbn", or the word none, or all. A set of squares is a text of
// squares (e4), ranks (*4), files (e*), or the word none, or all.
type Rules struct {
	Name          string    `key:"name" json:"name" default:"custom" want:"a name of a-z, 0-9 and -, with a letter in front" pattern:"^[a-z][a-z0-9-]{0,39}$" doc:"Name of the game, which engines and PGN files use."`
	Files         int       `key:"files" json:"files" default:"8" range:"2..8" doc:"Number of files of the board."`
	Ranks         int       `key:"ranks" json:"ranks" default:"8" range:"2..8" doc:"Number of ranks of the board."`
	Start         string    `key:"start" json:"start" default:"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1" want:"a position in FEN" doc:"Start position as a FEN. * is a hole in the board, which no piece enters or passes. Rights to castle are ignored if castling is false."`
	Pieces        []Piece   `key:"pieces" json:"pieces" default:"[{name: pawn, letter: p, moves: fmWfcF}, {name: knight, letter: n, moves: N}, {name: bishop, letter: b, moves: B}, {name: rook, letter: r, moves: R}, {name: queen, letter: q, moves: Q}, {name: king, letter: k, moves: K}]" min:"1" doc:"The kinds of pieces. The letters p and k are the pawn and the piece that castles, r is the rook that castles with it, whatever their moves are."`
	Royal         string    `key:"royal" json:"royal" default:"k" want:"letters of pieces, none or all" pattern:"^[a-z]+$" doc:"The kinds that must not be left attacked. A side that has none at the start needs none."`
	Royals        string    `key:"royals" json:"royals" default:"each" enum:"each last" doc:"Which royal pieces of a side must not be left attacked: each of them, or only its last one, so that the others can be captured."`
	GiveCheck     bool      `key:"give_check" json:"give_check" default:"true" doc:"Whether a move may give check."`
	DoubleStep    []int     `key:"double_step" json:"double_step" default:"[2]" range:"1..8" doc:"Ranks from which a pawn may make its forward step without capture twice in one move."`
	EnPassant     []int     `key:"en_passant" json:"en_passant" default:"[2]" range:"1..8" doc:"Ranks from which a double step can be answered by a pawn that captures on the square that was passed."`
	PromoteOn     []int     `key:"promotion_ranks" json:"promotion_ranks" default:"[8]" range:"1..8" doc:"Ranks on which a pawn promotes."`
	Promotion     string    `key:"promotion" json:"promotion" default:"qrbn" want:"letters of pieces, or none" pattern:"^[a-z]+$" doc:"The kinds to which a pawn may promote."`
	BlackPromotes string    `key:"promotion_black" json:"promotion_black" default:"same" want:"letters of pieces, none or same" pattern:"^[a-z]+$" doc:"The kinds to which a pawn of Black's may promote; same means those of promotion."`
	MayPromote    bool      `key:"promotion_optional" json:"promotion_optional" default:"false" doc:"Whether a pawn may also stay a pawn where it can promote."`
	Castling      bool      `key:"castling" json:"castling" default:"true" doc:"Whether the king (k) may castle with a rook (r), to the c- or the g-file."`
	CastleAfter   int       `key:"castling_after" json:"castling_after" default:"0" range:"0..1000" unit:"moves of each side" doc:"Number of moves at the start in which nobody may castle."`
	Explosion     int       `key:"explosion" json:"explosion" default:"0" range:"0..3" unit:"squares" doc:"Radius of the explosion that a capture causes, in which the capturing piece and all others vanish. 0 means none."`
	Immune        string    `key:"explosion_immune" json:"explosion_immune" default:"p" want:"letters of pieces, or none" pattern:"^[a-z]+$" doc:"The kinds that survive an explosion beside them."`
	SelfCapture   bool      `key:"self_capture" json:"self_capture" default:"false" doc:"Whether pieces may capture those of their own side, except royal ones and, by the king, a rook with which it may still castle."`
	MustCapture   bool      `key:"must_capture" json:"must_capture" default:"false" doc:"Whether a side that can capture must do so."`
	Hand          string    `key:"hand" json:"hand" default:"none" enum:"none start captures" doc:"Pieces in hand, which can be dropped on empty squares instead of a move: none; those of the start position; or also all that a side captures."`
	Demote        bool      `key:"hand_demotes" json:"hand_demotes" default:"true" doc:"Whether a promoted piece comes into the hand as a pawn."`
	PawnDrops     []int     `key:"pawn_drops" json:"pawn_drops" default:"[2, 3, 4, 5, 6, 7]" range:"1..8" doc:"Ranks on which pawns can be dropped."`
	Goals         []Goal    `key:"goals" json:"goals" default:"[]" doc:"Squares that win the game when a piece reaches them."`
	LastReply     bool      `key:"goals_reply" json:"goals_reply" default:"false" doc:"Whether Black, when White has reached a goal, may reach one on the next ply and draw."`
	CheckLimit    int       `key:"checks" json:"checks" default:"0" range:"0..9" doc:"Number of checks that wins the game. 0 means no such rule."`
	Extinctions   []Extinct `key:"extinction" json:"extinction" default:"[]" doc:"Pieces whose loss ends the game."`
	Checkmate     string    `key:"checkmate" json:"checkmate" default:"loss" enum:"loss win draw" doc:"Result for the side that is in check and has no move."`
	Stalemate     string    `key:"stalemate" json:"stalemate" default:"draw" enum:"loss win draw" doc:"Result for the side that is not in check and has no move."`
	Repetition    int       `key:"repetition" json:"repetition" default:"3" range:"0..10" doc:"Number of occurrences of a position that ends the game. 0 means no such rule."`
	RepetitionIs  string    `key:"repetition_result" json:"repetition_result" default:"draw" enum:"loss win draw" doc:"Result of a repetition for the side to move."`
	QuietPlies    int       `key:"quiet_plies" json:"quiet_plies" default:"100" range:"0..1000" unit:"plies" doc:"Number of plies without a capture or a pawn move that ends the game. 0 means no such rule."`
	QuietIs       string    `key:"quiet_result" json:"quiet_result" default:"draw" enum:"loss win draw" doc:"Result of too many quiet plies for the side to move."`
	PawnsCount    bool      `key:"pawns_are_quiet" json:"pawns_are_quiet" default:"false" doc:"Whether all moves of pawns without capture are quiet plies. If not, only those are that a pawn can take back."`
	Insufficient  string    `key:"insufficient" json:"insufficient" default:"chess" enum:"none chess atomic antichess 3check horde" doc:"Whose definition of material with which nobody can win ends the game as a draw, of the built-in variants. It never does when other kinds than those of chess are on the board, when these move otherwise, or while a side has a piece in hand."`
}

// Piece is a kind of piece.
type Piece struct {
	Name   string `key:"name" json:"name" want:"a name of a-z and -" pattern:"^[a-z][a-z-]{0,29}$" flags:"required" doc:"Name of the kind."`
	Letter string `key:"letter" json:"letter" want:"a letter a-z other than o" pattern:"^[a-np-z]$" flags:"required" doc:"Its letter in positions and moves."`
	Moves  string `key:"moves" json:"moves" want:"moves in Betza's notation, or the word none" flags:"required" doc:"Its moves in Betza's notation: the atoms W F D N A H C Z, K = WF, R, B, Q; a doubled atom (NN) or a number (W3) for riders; m and c for moves without and with capture only; f b l r v s h for directions."`
	Region string `key:"region" json:"region" default:"all" want:"squares such as d4, ranks such as *4, files such as d*, or all" doc:"The squares that it may enter, but for promotion and castling, as White sees them; for Black the ranks are reversed."`
}

// Goal is a set of squares that wins the game.
type Goal struct {
	Pieces  string `key:"pieces" json:"pieces" default:"k" want:"letters of pieces, or all" pattern:"^[a-z]+$" doc:"The kinds that win."`
	Squares string `key:"squares" json:"squares" want:"squares such as d4, ranks such as *4, or files such as d*" flags:"required" doc:"The squares that win."`
	Black   string `key:"squares_black" json:"squares_black" default:"same" want:"squares such as d4, ranks such as *4, files such as d*, none or same" doc:"The squares that win for Black; same means those of squares."`
}

// Extinct is a loss of pieces that ends the game.
type Extinct struct {
	Pieces string `key:"pieces" json:"pieces" default:"all" want:"letters of pieces, or all" pattern:"^[a-z]+$" doc:"The kinds that are counted, together and with those in hand."`
	Count  int    `key:"count" json:"count" default:"0" range:"0..64" doc:"The number of them that ends the game, or fewer."`
	Side   string `key:"side" json:"side" default:"both" enum:"both white black" doc:"Whose pieces count."`
	Result string `key:"result" json:"result" default:"loss" enum:"loss win" doc:"Result for the side that has so few."`
}

const (
	none = "none"
	all  = "all"
	same = "same"
)

// RulesOf returns the rules of a variant as data.
func RulesOf(v Variant) Rules {
	if b := v.book(); b != nil {
		return b.Rules
	}
	r := Rules{
		Name: v.String(), Files: 8, Ranks: 8, Start: variantFacts[v].start,
		Pieces: []Piece{
			{"pawn", "p", "fmWfcF", all}, {"knight", "n", "N", all}, {"bishop", "b", "B", all},
			{"rook", "r", "R", all}, {"queen", "q", "Q", all}, {"king", "k", "K", all},
		},
		Royal: "k", Royals: "each", GiveCheck: true,
		DoubleStep: []int{2}, EnPassant: []int{2}, PromoteOn: []int{8}, Promotion: "qrbn", BlackPromotes: same,
		Castling: true, Immune: "p", Hand: none, Demote: true, PawnDrops: []int{2, 3, 4, 5, 6, 7},
		Goals: []Goal{}, Extinctions: []Extinct{}, Checkmate: "loss", Stalemate: "draw",
		Repetition: 3, RepetitionIs: "draw", QuietPlies: 100, QuietIs: "draw", Insufficient: "chess",
	}
	switch v {
	case Atomic:
		r.Explosion, r.Insufficient = 1, "atomic"
	case Antichess:
		r.Royal, r.MustCapture, r.Castling, r.Promotion, r.Insufficient = none, true, false, "qrbnk", "antichess"
		r.Stalemate, r.Extinctions = "win", []Extinct{{all, 0, "both", "win"}}
	case KingOfTheHill:
		r.Goals, r.Insufficient = []Goal{{"k", "d4 e4 d5 e5", same}}, none
	case ThreeCheck:
		r.CheckLimit, r.Insufficient = checksToWin, "3check"
	case Horde:
		r.DoubleStep, r.Extinctions, r.Insufficient = []int{1, 2}, []Extinct{{all, 0, "white", "loss"}}, "horde"
	case RacingKings:
		r.GiveCheck, r.Castling, r.Insufficient = false, false, none
		r.Goals, r.LastReply = []Goal{{"k", "*8", same}}, true
	case Crazyhouse:
		r.Hand, r.QuietPlies, r.Insufficient = "captures", 0, none
	}
	return r
}

// registry holds the rules that this process has defined. Its entries do not change: a
// goroutine that has the number of a variant reads them without the lock.
var registry struct {
	sync.Mutex
	n      int
	books  [1 << 12]*rulebook
	byText map[string]Variant
	byName map[string][]Variant
}

// book returns the compiled rules of a defined variant, and nil for a built-in one.
func (v Variant) book() *rulebook {
	if int(v) < variantCount {
		return nil
	}
	return registry.books[(int(v)-variantCount)&(len(registry.books)-1)]
}

// RepetitionDraws reports whether a repetition ends games of the variant as draws.
func (v Variant) RepetitionDraws() bool {
	b := v.book()
	return b == nil || b.Repetition > 0 && b.RepetitionIs == "draw"
}

// Define makes a variant of rules, or returns the one that has these rules already. The
// number is of this process only: [Variant.Spec] is what another one understands. The error
// says which rules contradict each other.
func Define(r Rules) (Variant, error) {
	text := r.String()
	registry.Lock()
	defer registry.Unlock()
	if v, known := registry.byText[text]; known {
		return v, nil
	}
	if registry.n == len(registry.books) {
		return 0, fmt.Errorf("rules %s: this process has already defined %d rules", r.Name, registry.n)
	}
	v := Variant(variantCount + registry.n)
	b, err := compile(r, v)
	if err != nil {
		return 0, fmt.Errorf("rules %s: %w", r.Name, err)
	}
	b.text, b.key = text, hashText(text)
	registry.books[registry.n] = b
	if b.start, err = parseFEN(v, r.Start); err == nil {
		err = checkOngoing(&b.start)
	}
	if err != nil {
		registry.books[registry.n] = nil
		return 0, fmt.Errorf("rules %s: start: %w", r.Name, err)
	}
	registry.n++
	if registry.byText == nil {
		registry.byText, registry.byName = map[string]Variant{}, map[string][]Variant{}
	}
	registry.byText[text] = v
	registry.byName[r.Name] = append(registry.byName[r.Name], v)
	return v, nil
}

// hashText is the 64-bit FNV-1a hash.
func hashText(s string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(s))
	return h.Sum64()
}

// String returns what is different from chess as an object of JSON with sorted keys. Equal
// rules have equal texts. [parseRules] reads them.
func (r Rules) String() string {
	differs, chess := keysOf(r), keysOf(RulesOf(Standard))
	for key, value := range chess {
		if bytes.Equal(differs[key], value) && key != "name" {
			delete(differs, key)
		}
	}
	return string(mustJSON(differs))
}

// parseRules reads what [Rules.String] writes.
func parseRules(text string) (Rules, error) {
	var given map[string]json.RawMessage
	if err := json.Unmarshal([]byte(text), &given); err != nil {
		return Rules{}, fmt.Errorf("rules: want an object of JSON: %w", err)
	}
	keys := keysOf(RulesOf(Standard))
	for key, value := range given {
		if keys[key] == nil {
			return Rules{}, fmt.Errorf("rules: there is no key %q", key)
		}
		keys[key] = value
	}
	var r Rules
	d := json.NewDecoder(bytes.NewReader(mustJSON(keys)))
	d.DisallowUnknownFields()
	err := d.Decode(&r)
	if err == nil {
		err = checkTags(reflect.ValueOf(r))
	}
	if err != nil {
		return Rules{}, fmt.Errorf("rules: %w", err)
	}
	return r, nil
}

// checkTags compares numbers with the ranges of their tags, and words with those that the tags list.
func checkTags(v reflect.Value) error {
	switch v.Kind() {
	case reflect.Slice:
		for i := range v.Len() {
			if v.Index(i).Kind() == reflect.Struct {
				if err := checkTags(v.Index(i)); err != nil {
					return err
				}
			}
		}
	case reflect.Struct:
		for i := range v.NumField() {
			f, tag := v.Field(i), v.Type().Field(i).Tag
			if err := checkTags(f); err != nil {
				return err
			}
			if words := tag.Get("enum"); words != "" && !slices.Contains(strings.Fields(words), f.String()) {
				return fmt.Errorf("%s: want one of %s, have %q", tag.Get("key"), words, f)
			}
			var low, high int64
			if _, err := fmt.Sscanf(tag.Get("range"), "%d..%d", &low, &high); err != nil {
				continue // it has none
			}
			numbers := []reflect.Value{f}
			if f.Kind() == reflect.Slice {
				numbers = nil
				for j := range f.Len() {
					numbers = append(numbers, f.Index(j))
				}
			}
			for _, n := range numbers {
				if n.Int() < low || n.Int() > high {
					return fmt.Errorf("%s: want %d to %d, have %d", tag.Get("key"), low, high, n.Int())
				}
			}
		}
	}
	return nil
}

// keysOf returns the rules by key. Empty lists are [].
func keysOf(r Rules) (keys map[string]json.RawMessage) {
	for v, i := reflect.ValueOf(&r).Elem(), 0; i < v.NumField(); i++ {
		if f := v.Field(i); f.Kind() == reflect.Slice && f.IsNil() {
			f.Set(reflect.MakeSlice(f.Type(), 0, 0))
		}
	}
	if err := json.Unmarshal(mustJSON(r), &keys); err != nil {
		panic(fmt.Sprintf("chess: %v", err)) // it has just been written
	}
	return keys
}

func mustJSON(x any) []byte {
	data, err := json.Marshal(x)
	if err != nil {
		panic(fmt.Sprintf("chess: %v", err)) // texts, numbers and lists only
	}
	return data
}

// parseKinds reads a set of kinds, in the order of its letters.
func (b *rulebook) parseKinds(key, s string) (kinds []PieceType, err error) {
	switch s {
	case none:
		return nil, nil
	case all:
		for _, k := range b.kinds {
			kinds = append(kinds, k.t)
		}
		return kinds, nil
	}
	for i := range len(s) {
		t := pieceOf[s[i]-0x20]
		if s[i] < 'a' || s[i] > 'z' || b.of[t] == nil {
			return nil, fmt.Errorf("%s: no piece has the letter %q", key, s[i])
		}
		if slices.Contains(kinds, t) {
			return nil, fmt.Errorf("%s: the letter %q is there twice", key, s[i])
		}
		kinds = append(kinds, t)
	}
	return kinds, nil
}

// parseSquares reads a set of squares: squares, ranks (*4), files (e*), or the words all and
// none.
func (r *Rules) parseSquares(key, text string) (set Bitboard, err error) {
	if text == "" {
		return 0, fmt.Errorf("%s: it is empty: want squares, all or none", key)
	}
	for s := range strings.FieldsSeq(text) {
		switch {
		case s == all:
			set = ^Bitboard(0)
		case s == none:
		case len(s) == 2 && s[0] == '*' && s[1] >= '1' && s[1] < '1'+byte(r.Ranks):
			set |= rank1 << (8 * (s[1] - '1'))
		case len(s) == 2 && s[1] == '*' && s[0] >= 'a' && s[0] < 'a'+byte(r.Files):
			set |= fileA << (s[0] - 'a')
		default:
			square, err := ParseSquare(s)
			if err != nil || square.File() >= r.Files || square.Rank() >= r.Ranks {
				return 0, fmt.Errorf("%s: %q is no square, rank (*4), file (d*), all or none", key, s)
			}
			set |= square.bit()
		}
	}
	return set & r.board(), nil
}

// board is the set of squares of the board, holes included.
func (r *Rules) board() (set Bitboard) {
	for rank := range r.Ranks {
		set |= (1<<r.Files - 1) << (8 * rank)
	}
	return set
}

// ranksOf returns the squares of ranks as each side sees them.
func (r *Rules) ranksOf(key string, ranks []int) (set [2]Bitboard, err error) {
	for _, n := range ranks {
		if n < 1 || n > r.Ranks {
			return set, fmt.Errorf("%s: the board has no rank %s", key, strconv.Itoa(n))
		}
		set[White] |= rank1 << (8 * (n - 1)) & r.board()
		set[Black] |= rank1 << (8 * (r.Ranks - n)) & r.board()
	}
	return set, nil
}
