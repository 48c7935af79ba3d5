package chess

import (
	"fmt"
	"strings"
)

// Variant is a set of rules.
type Variant uint16

// The variants, all with the rules of lichess. Chess960 is not among them: it
// is any of these from another start position (see [Chess960]), and castling
// works from wherever king and rook stand.
const (
	Standard      Variant = iota
	Atomic                // captures explode; see the package comment
	Antichess             // captures are compulsory, the king is a piece like any other; losing everything wins
	KingOfTheHill         // a king on d4, e4, d5 or e5 wins
	ThreeCheck            // the third check wins
	Horde                 // White has pawns instead of a king, and loses when the last piece is taken
	RacingKings           // no checks; the first king on the eighth rank wins
	Crazyhouse            // captured pieces change sides and are dropped back
)

// variantFacts holds the differences between variants that are data. Differences in the
// rules are branches in the generators, [Position.Play] and the outcomes.
var variantFacts = [...]struct {
	name  string // as UCI engines and experiment files say
	tag   string // as PGN files on lichess say
	start string // FEN
}{
	Standard:      {"chess", "Standard", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"},
	Atomic:        {"atomic", "Atomic", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"},
	Antichess:     {"antichess", "Antichess", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w - - 0 1"},
	KingOfTheHill: {"kingofthehill", "King of the Hill", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"},
	ThreeCheck:    {"3check", "Three-check", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 3+3 0 1"},
	Horde:         {"horde", "Horde", "rnbqkbnr/pppppppp/8/1PP2PP1/PPPPPPPP/PPPPPPPP/PPPPPPPP/PPPPPPPP w kq - 0 1"},
	RacingKings:   {"racingkings", "Racing Kings", "8/8/8/8/8/8/krbnNBRK/qrbnNBRQ w - - 0 1"},
	Crazyhouse:    {"crazyhouse", "Crazyhouse", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR[] w KQkq - 0 1"},
}

// variantCount sizes tables by variant.
const variantCount = len(variantFacts)

// Variants lists the built-in variants.
func Variants() []Variant {
	all := make([]Variant, variantCount)
	for i := range all {
		all[i] = Variant(i)
	}
	return all
}

// KnownVariant returns the variant of a text of [Variant.Spec] that is built in or that this process
// has defined.
func KnownVariant(spec string) (v Variant, known bool) {
	for v, f := range variantFacts {
		if f.name == spec {
			return Variant(v), true
		}
	}
	registry.Lock()
	defer registry.Unlock()
	v, known = registry.byText[spec]
	return v, known
}

// ParseVariant reads the name of a variant, as [Variant.String] gives it, or what
// [Variant.Spec] gives, which it defines if need be.
func ParseVariant(name string) (Variant, error) {
	if strings.HasPrefix(name, "{") {
		if v, known := KnownVariant(name); known {
			return v, nil
		}
		r, err := parseRules(name)
		if err != nil {
			return 0, err
		}
		return Define(r)
	}
	names := make([]string, variantCount)
	for v, f := range variantFacts {
		if f.name == name {
			return Variant(v), nil
		}
		names[v] = f.name
	}
	registry.Lock()
	defer registry.Unlock()
	switch defined := registry.byName[name]; {
	case len(defined) == 1:
		return defined[0], nil
	case len(defined) > 1:
		return 0, fmt.Errorf("variant %q: %d different rules have this name", name, len(defined))
	}
	return 0, fmt.Errorf("variant %q: want one of %s", name, strings.Join(names, ", "))
}

// Spec returns a text from which [ParseVariant] makes the variant in any process: the name
// of a built-in one, or the rules of another.
func (v Variant) Spec() string {
	if b := v.book(); b != nil {
		return b.text
	}
	return v.String()
}

// Defined reports whether the variant was made by [Define].
func (v Variant) Defined() bool { return v.book() != nil }

// String returns the name that UCI engines use: "chess", "atomic", "antichess",
// "kingofthehill", "3check", "horde", "racingkings" or "crazyhouse".
func (v Variant) String() string {
	if int(v) < variantCount {
		return variantFacts[v].name
	}
	if b := v.book(); b != nil {
		return b.Name
	}
	return fmt.Sprintf("Variant(%d)", uint16(v))
}

// Tag returns the value of the Variant tag in PGN files, as lichess writes it:
// "Standard", "King of the Hill".
func (v Variant) Tag() string {
	if int(v) < variantCount {
		return variantFacts[v].tag
	}
	return v.String()
}
