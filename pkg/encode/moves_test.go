package encode_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"alamos/pkg/chess"
	"alamos/pkg/encode"
)

func allPolicies(t testing.TB) []*encode.Policy {
	t.Helper()
	var all []*encode.Policy
	for _, name := range encode.PolicyNames() {
		policy, err := encode.PolicyByName(name)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, policy)
	}
	return all
}

// The conventions of the numberings, told by their documentation.
var conventions = map[string]struct {
	list         []string
	mover        bool   // squares are as the side to move sees them
	unwritten    string // the promotion that the list writes without its piece
	inexpressive bool   // other promotions cannot be expressed
	kingTakes    bool   // castling is the king taking his rook, in chess too
}{
	"uci1968":       {list: encode.UCI1968Moves()},
	"uci1968-mover": {list: encode.UCI1968Moves(), mover: true},
	"uci2206-mover": {list: encode.UCI2206Moves(), mover: true},
	"alphazero4672": {list: encode.AlphaZero4672Moves(), mover: true, unwritten: "q"},
	"lc0-1858":      {list: encode.LC01858Moves(), mover: true, unwritten: "n", kingTakes: true},
	"fromto4096":    {list: encode.FromTo4096Moves(), mover: true, unwritten: "q", inexpressive: true},
	"marro4096":     {list: encode.Marro4096Moves(), mover: true, unwritten: "q", inexpressive: true},
}

// In 100,000 positions of random games of all variants, each legal move has an
// index of its own in every policy that expresses the variant, and the list of the
// policy has that move's name at the index. Only what the documentation says is
// not expressed.
func TestPolicies(t *testing.T) {
	policies := allPolicies(t)
	positions := 100_000
	if testing.Short() {
		positions = 10_000
	}
	rng := rand.New(rand.NewPCG(4, 6))
	var l chess.MoveList
	var castles, promotions, drops, inexpressible int
	taken := make([]int, 5000) // by index: the number of the list of moves in which it was met last
	lists := 0
	g := chess.NewGame(chess.StartPosition(chess.Standard))
	supported := policies
	for n := 0; n < positions; n++ {
		p := g.Position()
		p.LegalMoves(&l)
		if g.Outcome(&l).Over() || n == 0 || g.Ply() > 300 {
			v := chess.Variants()[rng.IntN(len(chess.Variants()))]
			start := chess.StartPosition(v)
			if shuffled, err := chess.Chess960(v, rng.IntN(960)); err == nil && rng.IntN(4) == 0 {
				start = shuffled
			}
			g.Reset(start)
			supported = slices.DeleteFunc(slices.Clone(policies), func(e *encode.Policy) bool { return e.Supports(v) != nil })
			p = g.Position()
			p.LegalMoves(&l)
		}
		names := make([]string, l.Len())
		seen := make([]string, l.Len())
		for i, m := range l.Slice() {
			names[i] = p.UCI(m)
			seen[i] = names[i]
			if p.Turn() == chess.Black {
				seen[i] = strings.Map(turnedSquare(p.Variant()), names[i])
			}
			switch {
			case m.IsCastle():
				castles++
			case m.IsDrop():
				drops++
			case m.Promotion() != chess.NoPieceType:
				promotions++
			}
		}
		for _, policy := range supported {
			c := conventions[policy.Name()]
			lists++
			for i, m := range l.Slice() {
				index := policy.Index(p, m)
				name := names[i]
				if c.mover {
					name = seen[i]
				}
				if c.kingTakes && m.IsCastle() {
					name = m.String()
					if p.Turn() == chess.Black {
						name = strings.Map(turnedSquare(p.Variant()), name)
					}
				}
				if m.Promotion() != chess.NoPieceType && c.unwritten != "" {
					if short, ok := strings.CutSuffix(name, c.unwritten); ok {
						name = short
					} else if c.inexpressive {
						inexpressible++
						if index != -1 {
							t.Fatalf("%s: %s has index %d in %s, want -1", policy.Name(), names[i], index, p.FEN())
						}
						continue
					}
				}
				if index < 0 || index >= policy.Size() {
					t.Fatalf("%s: %s has index %d of %d in %s", policy.Name(), names[i], index, policy.Size(), p.FEN())
				}
				if taken[index] == lists {
					t.Fatalf("%s: %s has the index %d of another move in %s", policy.Name(), names[i], index, p.FEN())
				}
				taken[index] = lists
				if c.list[index] != name {
					t.Fatalf("%s: %s has index %d, which is that of %q, want that of %q, in %s", policy.Name(), names[i], index, c.list[index], name, p.FEN())
				}
			}
		}
		m := l.At(rng.IntN(l.Len()))
		for range 2 {
			if lively(p, m) {
				break
			}
			m = l.At(rng.IntN(l.Len()))
		}
		g.Play(m)
	}
	if castles == 0 || promotions == 0 || drops == 0 || inexpressible == 0 {
		t.Errorf("met %d castlings, %d promotions, %d drops and %d moves that are not expressed: this test must meet all", castles, promotions, drops, inexpressible)
	}
}

// A list is as long as its policy says and names no move twice.
func TestLists(t *testing.T) {
	for name, want := range map[string]int{
		"uci1968": 1968, "uci1968-mover": 1968, "uci2206-mover": 2206,
		"alphazero4672": 4672, "lc0-1858": 1858, "fromto4096": 4096, "marro4096": 4096,
	} {
		policy, err := encode.PolicyByName(name)
		if err != nil {
			t.Fatal(err)
		}
		list := conventions[name].list
		if policy.Size() != want || len(list) != want {
			t.Errorf("%s has size %d and a list of %d, want %d", name, policy.Size(), len(list), want)
		}
		seen := make(map[string]bool)
		for i, m := range list {
			if m != "" && seen[m] {
				t.Errorf("%s: %s is listed twice, the second time at %d", name, m, i)
			}
			seen[m] = true
		}
	}
	if len(conventions) != len(encode.PolicyNames()) {
		t.Errorf("conventions of %d policies, want those of %v", len(conventions), encode.PolicyNames())
	}
}

// The policy of no moves expresses none, and every variant.
func TestNoPolicy(t *testing.T) {
	policy, err := encode.PolicyByName("none")
	if err != nil || policy.Size() != 0 || policy.Name() != "none" {
		t.Fatalf("policy %v, %v", policy, err)
	}
	for _, v := range chess.Variants() {
		p := chess.StartPosition(v)
		var l chess.MoveList
		p.LegalMoves(&l)
		if err := policy.Supports(v); err != nil || policy.Index(&p, l.At(0)) != -1 {
			t.Errorf("%s: index %d, %v", v, policy.Index(&p, l.At(0)), err)
		}
		if list := encode.MovesOf(policy, &p); len(list) != 0 {
			t.Errorf("%s: the list %v", v, list)
		}
	}
}

// The order of the lists is part of every trained network, and of the data of
// others: these entries are pinned.
func TestListEntries(t *testing.T) {
	for name, entries := range map[string]map[int]string{
		"alphazero4672": {
			0: "a1a2", 63: "", 64: "a1a3", 6*64 + 0: "a1a8", // north by 1, 2, 7
			12:        "e2e3",
			64 + 12:   "e2e4",
			7 * 64:    "a1b2", // northeast by 1
			14*64 + 4: "e1f1", // east by 1
			15*64 + 4: "e1g1",
			43*64 + 4: "e1c1",                                   // west by 2
			48 * 64:   "",                                       // west by 7 from a1
			55*64 + 7: "h1a8",                                   // northwest by 7
			56*64 + 6: "g1h3",                                   // a knight's move, two up and one right
			62*64 + 1: "", 62*64 + 6: "g1e2", 63*64 + 6: "g1f3", // two left and one up; one left and two up
			64*64 + 48: "", 64*64 + 49: "b7a8n", 65*64 + 48: "a7a8n", 66*64 + 48: "a7b8n",
			68*64 + 48: "a7a8b", 72*64 + 54: "g7h8r", 72*64 + 55: "",
		},
		"fromto4096": {0: "", 1: "a1b1", 17: "a1b3", 4*64 + 6: "e1g1", 12*64 + 28: "e2e4", 4095: ""},
		// Type, row from the eighth rank, file: the numbers of ChessMarro's
		// uci_to_number.
		"marro4096": {
			50:                "c2c3",
			8*64 + 6*8 + 4:    "e2e4",
			56:                "a1a2",
			64 + 56:           "a1b2",
			(8+2)*64 + 56 + 4: "e1g1",
			56*64 + 56 + 6:    "g1h3",
			63*64 + 56 + 6:    "g1f3",
			4095:              "h1g3",
		},
	} {
		list := conventions[name].list
		for i, want := range entries {
			if list[i] != want {
				t.Errorf("%s: move %d is %q, want %q", name, i, list[i], want)
			}
		}
	}
	used := 0
	for _, m := range encode.AlphaZero4672Moves() {
		if m != "" {
			used++
		}
	}
	if used != 1858 {
		t.Errorf("alphazero4672 names %d moves, want 1858", used)
	}
}

func BenchmarkPolicies(b *testing.B) {
	p := position(b, chess.Standard, "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R b KQkq - 0 1")
	var l chess.MoveList
	p.LegalMoves(&l)
	for _, policy := range allPolicies(b) {
		b.Run(policy.Name(), func(b *testing.B) {
			b.ReportAllocs()
			c := encode.Codec{Policy: policy}
			dst := c.Indices(nil, &p, l.Slice())
			for b.Loop() {
				dst = c.Indices(dst, &p, l.Slice())
			}
			b.ReportMetric(float64(l.Len()), "moves")
		})
	}
}
