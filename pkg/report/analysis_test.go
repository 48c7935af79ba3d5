package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"math"
	"strings"
	"testing"
	"time"

	"alamos/pkg/chess"
	"alamos/pkg/encode"
	"alamos/pkg/nn"
	"alamos/pkg/search"
	"alamos/pkg/stats"
	"alamos/pkg/store"
	"alamos/pkg/uci"
	"alamos/plots"
)

func game(t *testing.T, v chess.Variant, fen string) *chess.Game {
	t.Helper()
	p, err := chess.ParseFEN(v, fen)
	if err != nil {
		t.Fatal(err)
	}
	return chess.NewGame(p)
}

// network is an untrained network of a policy, behind its codec.
func network(t *testing.T, v chess.Variant, planes, policy, value string) (search.Evaluator, *encode.Policy) {
	t.Helper()
	codec, err := encode.NewCodec(planes, policy, v)
	if err != nil {
		t.Fatal(err)
	}
	net, err := nn.New(nn.Spec{
		Planes: codec.Planes.Count(), Constant: codec.Planes.Constant(), PolicySize: codec.Policy.Size(), Depth: 1, Width: 8,
		PolicyHead: nn.PolicyConv, PolicyChannels: 2, Value: value,
	}, 3)
	if err != nil {
		t.Fatal(err)
	}
	model, err := net.Compile(nn.InferenceOptions{Batch: 4, Precision: "fp32"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(model.Close)
	session, err := model.NewSession()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(session.Close)
	return search.NewEvaluator(codec, session), codec.Policy
}

// think is a search.
func think(t *testing.T, eval search.Evaluator, leaves int, g *chess.Game, limit uci.Limit) *Analysis {
	t.Helper()
	e := uci.New(uci.Model{Eval: eval, Batch: leaves})
	e.MultiPV, e.PolicyOnly = 500, limit == uci.Limit{}
	var last *uci.Report
	if _, _, err := e.Think(t.Context(), g, uci.Task{Limit: limit, WDL: true}, func(r *uci.Report) { last = r }); err != nil {
		t.Fatal(err)
	}
	return Analyze(*g.Position(), last, e.Tree())
}

// Visits are shared out among the moves, and every line is one of legal moves that
// begins with its own.
func TestResult(t *testing.T) {
	g := game(t, chess.Standard, "r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3")
	eval, _ := network(t, chess.Standard, "atomic16", "uci1968", nn.ValueTanh)
	r := think(t, eval, 2, g, uci.Limit{Nodes: 300})
	visits, share := 0, 0.0
	for _, m := range r.Moves {
		visits, share = visits+m.Visits, share+float64(m.Share)
		p := *g.Position()
		if m.Line[0] != m.SAN {
			t.Errorf("the line of %s begins with %s", m.SAN, m.Line[0])
		}
		for _, san := range m.Line {
			next, err := p.ParseSAN(san)
			if err != nil {
				t.Fatalf("%v: %v", m.Line, err)
			}
			p.Play(next)
		}
	}
	if r.Visits != 300 || visits != 300 || math.Abs(share-1) > 1e-9 {
		t.Errorf("%d visits, of the moves %d, shares of %g: want 300 and 1", r.Visits, visits, share)
	}
	var text bytes.Buffer
	if err := r.Text(&text, 3); err != nil {
		t.Error(err)
	}
	if s := text.String(); !strings.Contains(s, "after 300 visits") || !strings.Contains(s, r.Moves[2].SAN) || !strings.Contains(s, "and 24 more moves") {
		t.Errorf("%s", s)
	}
	js, err := json.Marshal(r.First(3))
	if err != nil {
		t.Error(err)
	}
	var back Analysis
	if err := json.Unmarshal(js, &back); err != nil || len(back.Moves) != 3 || back.Moves[0].UCI != r.Moves[0].UCI || back.Tree != nil {
		t.Errorf("%v: %s", err, js)
	}
	if all := r.First(0); len(all.Moves) != len(r.Moves) {
		t.Errorf("%d of %d moves", len(all.Moves), len(r.Moves))
	}
	if root := TreeChart(&r.PositionResult, plots.Frame{}).Nodes[0]; root.Q != float64(r.Value) {
		t.Errorf("the root has the value %v, the side to move %v", root.Q, r.Value)
	}
	for _, c := range []plots.Chart{TreeChart(&r.PositionResult, plots.Frame{}), BoardChart(&r.PositionResult, plots.Frame{}, 3)} {
		if _, err := c.Figure(); err != nil {
			t.Error(err)
		}
	}
}

// Draws are told where the network tells them, with and without a search, and only
// there.
func TestDraws(t *testing.T) {
	g := game(t, chess.Standard, "r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq - 2 3")
	for _, head := range []string{nn.ValueTanh, nn.ValueWDL} {
		eval, _ := network(t, chess.Standard, "atomic16", "uci1968", head)
		for _, visits := range []int64{0, 50} {
			r := think(t, eval, 1, g, uci.Limit{Nodes: visits})
			var text bytes.Buffer
			js, err := json.Marshal(r)
			if err := errors.Join(r.Text(&text, 0), err); err != nil {
				t.Fatal(err)
			}
			tells := head == nn.ValueWDL
			if (r.WDL != nil) != tells || strings.Contains(text.String(), "% draw") != tells || strings.Contains(string(js), `"wdl"`) != tells {
				t.Fatalf("%s, %d visits:\n%s", head, visits, &text)
			}
			if !tells {
				continue
			}
			if w := r.WDL; w[1] <= 0 || math.Abs(w[0]+w[1]+w[2]-1) > 1e-6 || math.Abs(w[0]-w[2]-float64(r.Value)) > 1e-5 {
				t.Errorf("%d visits: %v beside the value %v", visits, *w, r.Value)
			}
			for _, m := range r.Moves {
				if (m.WDL != nil) != (m.Visits > 0) {
					t.Errorf("%s has %d visits; its draws are told: %v", m.SAN, m.Visits, m.WDL != nil)
				}
			}
		}
	}
}

// A mate comes first, however few visits it took to see, and ends any search.
func TestMateIsFirst(t *testing.T) {
	g := game(t, chess.Standard, "k7/8/1K6/8/8/8/1Q6/8 w - - 0 1")
	for _, l := range []uci.Limit{{Nodes: 5000}, {MoveTime: time.Hour}} {
		r := think(t, search.Uniform{}, 1, g, l)
		if m := r.Moves[0]; !r.Exact || !strings.HasSuffix(m.SAN, "#") || !m.Exact || r.Visits > 5000 {
			t.Errorf("%+v after %d visits", m, r.Visits)
		}
	}
}

// What is left of the policy after the mask is what a search is given: the same
// numbers, made to add up to 1.
func TestPolicy(t *testing.T) {
	for _, c := range []struct{ planes, policy string }{{"atomic16", "uci1968"}, {"mover15", "uci2206-mover"}, {"alphazero119", "alphazero4672"}, {"lc0-112", "lc0-1858"}} {
		eval, policy := network(t, chess.Standard, c.planes, c.policy, nn.ValueTanh)
		g := game(t, chess.Standard, "r3k2r/pppq1ppp/2n5/4p3/4P3/5N2/PPPP1P1P/RNBQKB1R b KQkq - 2 3")
		r := think(t, eval, 1, g, uci.Limit{})
		if r.Visits != 0 {
			t.Errorf("%d visits without a search", r.Visits)
		}
		p, err := FullPolicy(g, eval, policy)
		if err != nil {
			t.Fatal(err)
		}
		at := map[string]float64{}
		total, drops := 0.0, 0.0
		for _, m := range p.all {
			total += float64(m.Prior)
			at[m.UCI] += float64(m.Prior)
			if strings.Contains(m.UCI, "@") { // from nowhere
				drops += float64(m.Prior)
			}
		}
		if math.Abs(total-1) > 1e-4 || p.Legal <= 0 || p.Legal >= 1 {
			t.Errorf("%s: %g in all, %g of legal moves", c.policy, total, p.Legal)
		}
		for _, m := range r.Moves {
			uci := m.UCI
			if c.policy == "lc0-1858" {
				uci = strings.NewReplacer("e8g8", "e8h8", "e8c8", "e8a8").Replace(uci)
			}
			if want := at[uci] / p.Legal; math.Abs(float64(m.Prior)-want) > 1e-4 {
				t.Errorf("%s: prior of %s is %g, %g of the policy's share", c.policy, m.UCI, float64(m.Prior), want)
			}
		}
		chart := PlanesChart(p, &r.PositionResult, plots.Frame{})
		for i, want := range []float64{total - at[""] - drops, total - at[""], 1, 1} {
			sum := 0.0
			for _, x := range chart.Planes[i].Squares {
				if !math.IsNaN(x) {
					sum += x
				}
			}
			if math.Abs(sum-want) > 1e-4 {
				t.Errorf("%s: plane %q adds up to %g, want %g", c.policy, chart.Planes[i].Title, sum, want)
			}
		}
		if _, err := chart.Figure(); err != nil {
			t.Error(err)
		}
	}
}

// Every legal move that a policy can say has its own prior, whatever the view, the castling, the
// promotions and the drops.
func TestLegalPriors(t *testing.T) {
	const both = "r3k2r/1P6/8/8/8/8/6p1/R3K2R"
	for _, c := range []struct{ variant, fen, policy string }{
		{"chess", both + " w KQkq - 0 1", "lc0-1858"},
		{"chess", both + " b KQkq - 0 1", "lc0-1858"},
		{"chess", "1r2k1r1/1P6/8/8/8/8/6p1/1R2K1R1 b KQkq - 0 1", "lc0-1858"},
		{"chess", both + " b KQkq - 0 1", "uci1968"},
		{"chess", both + " b KQkq - 0 1", "marro4096"},
		{"chess", both + " b KQkq - 0 1", "alphazero4672"},
		{"crazyhouse", both + "[QNPqn] b KQkq - 0 1", "uci2206-mover"},
	} {
		v, err := chess.ParseVariant(c.variant)
		if err != nil {
			t.Fatal(err)
		}
		p, err := chess.ParseFEN(v, c.fen)
		if err != nil {
			t.Fatal(err)
		}
		policy, err := encode.PolicyByName(c.policy)
		if err != nil {
			t.Fatal(err)
		}
		a, want := &store.PositionResult{Variant: v.Spec(), FEN: p.FEN()}, map[int]float64{}
		var l chess.MoveList
		p.LegalMoves(&l)
		for k, m := range l.Slice() {
			a.Moves = append(a.Moves, store.MoveResult{UCI: p.UCI(m), Prior: stats.Float(k + 1)})
			if i := policy.Index(&p, m); i >= 0 {
				want[i] = float64(k + 1)
			}
		}
		have, err := legalPriors(a, policy)
		if err != nil || !maps.Equal(have, want) {
			t.Errorf("%s of %s: %v (%v), want %v", c.policy, c.fen, have, err, want)
		}
	}
}
