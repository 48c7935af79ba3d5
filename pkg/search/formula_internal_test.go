package search

import (
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// three returns a root with the value 0.5 and three moves: two visits with the sum of
// values 1, one visit with -0.4, and none.
func three(cfg Config) *Tree {
	cfg.Visits, cfg.CPuct = 100, 2
	t := NewTree(cfg, 0)
	t.nodes = []node{{state: expanded, count: 3, value: 0.5, visits: 3, sum: 0.6}, {state: evaluated}, {state: evaluated}}
	t.edges = []edge{{prior: 0.25, visits: 2, sum: 1, child: 1}, {prior: 0.24, visits: 1, sum: -0.4, child: 2}, {prior: 0.51, bonus: 0.51, child: none}}
	for i := range 2 {
		t.refresh(&t.edges[i])
	}
	return t
}

func near(t *testing.T, what string, have, want float64) {
	t.Helper()
	if !(math.Abs(have-want) < 1e-6) {
		t.Errorf("%s is %v, want %v", what, have, want)
	}
}

// The Howest thesis: Q = W / (N + 1), equation 2.
func TestQDraws(t *testing.T) {
	plain, thesis := three(Config{}), three(Config{QDraws: 1})
	near(t, "Q of two visits", float64(plain.edges[0].score), 1.0/2)
	near(t, "Q of two visits and a draw", float64(thesis.edges[0].score), 1.0/3)
	near(t, "Q of a visit and a draw", float64(thesis.edges[1].score), -0.4/2)
}

// With c_puct 2 and three visits below the root, which has a visit of its own.
func TestOwnVisit(t *testing.T) {
	near(t, "without the own visit", three(Config{}).exploration(0, 3), 2*math.Sqrt(3))
	near(t, "with the own visit", three(Config{OwnVisit: true}).exploration(0, 3), 2*math.Sqrt(4))
}

// The priors of the visited moves have the sum 0.49, whose root is 0.7. The mean of the
// root is (0.5 + 0.6) / 4.
func TestFPUBelowAndAboveTheParent(t *testing.T) {
	tree := three(Config{})
	for reduction, want := range map[float64]float64{0: 0.275, 0.2: 0.275 - 0.14, -0.2: 0.275 + 0.14} {
		f := FPU{Parent: true, Reduction: reduction}
		near(t, "first play urgency", float64(f.of(&tree.nodes[0], tree.edges)), want)
	}
}

// ChessSL: a pending visit counts three times below the prior, and does not change Q. A move
// whose only visit is pending has the mean of its parent.
func TestVirtualVisits(t *testing.T) {
	for _, c := range []struct {
		virtual            int
		score, bonus       float64
		newScore, newBonus float64
	}{
		{0, (1 - 0.5) / 2.5, 0.25 / 4, -1, 0.51 / 2},
		{3, 1.0 / 2, 0.25 / 6, 0.275, 0.51 / 4},
	} {
		tree := three(Config{Leaves: 8, VirtualVisits: c.virtual})
		tree.edges[2].child = tree.addNode(node{state: waiting})
		for _, edge := range []int32{0, 2} {
			tree.addVirtualLoss([]step{{0, edge}}, 1)
		}
		e, first := tree.edges[0], tree.edges[2]
		near(t, "Q of a move with a pending visit", float64(e.score), c.score)
		near(t, "its prior divided by its visits", float64(e.bonus), c.bonus)
		near(t, "Q of a move whose first visit is pending", float64(first.score), c.newScore)
		near(t, "its prior divided by its visits", float64(first.bonus), c.newBonus)
		for _, edge := range []int32{0, 2} {
			tree.addVirtualLoss([]step{{0, edge}}, -1)
		}
		near(t, "Q after the visit", float64(tree.edges[0].score), 1.0/2)
	}
}

func TestExp(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for range 100_000 {
		for _, x := range []float64{-708 * rng.Float64(), -rng.Float64(), 700 * rng.Float64()} {
			if have, want := exp(x), math.Exp(x); math.Abs(have/want-1) > 4.5e-16 {
				t.Fatalf("exp(%v) is %v, want %v", x, have, want)
			}
		}
	}
	for x, want := range map[float64]float64{0: 1, -1000: 0, math.Inf(-1): 0} {
		if have := exp(x); have != want {
			t.Errorf("exp(%v) is %v, want %v", x, have, want)
		}
	}
	if have := exp(math.NaN()); !math.IsNaN(have) {
		t.Errorf("exp(NaN) is %v", have)
	}
	if pow(0, 0.5) != 0 || pow(1, 3) != 1 || math.Abs(pow(0.25, 0.5)-0.5) > 1e-15 {
		t.Errorf("powers are %v, %v, %v", pow(0, 0.5), pow(1, 3), pow(0.25, 0.5))
	}
}

// The numbers of a search are the same to the bit on a processor without fused operations. The
// test runs itself a second time as if on one.
func TestWithoutFMA(t *testing.T) {
	h, rng := fnv.New64a(), rand.New(rand.NewPCG(2, 2))
	put := func(x float64) {
		b := math.Float64bits(x)
		for i := range 8 {
			h.Write([]byte{byte(b >> (8 * i))})
		}
	}
	for range 10_000 {
		put(exp(-20 * rng.Float64()))
		put(pow(rng.Float64(), 3*rng.Float64()))
		for _, x := range dirichlet(rng, 0.3, 3) {
			put(x)
		}
	}
	const variable, mark = "ALAMOS_TEST_FMA", "the sum is "
	sum := h.Sum64()
	if os.Getenv(variable) != "" {
		t.Log(mark, sum)
		return
	}
	again := exec.Command(os.Args[0], "-test.run=^TestWithoutFMA$", "-test.v")
	again.Env = append(os.Environ(), "GODEBUG=cpu.fma=off", variable+"=1")
	out, err := again.CombinedOutput()
	if err != nil || !strings.Contains(string(out), fmt.Sprintln(mark, sum)) {
		t.Errorf("with fused operations the sum is %d, without: %v\n%s", sum, err, out)
	}
}
