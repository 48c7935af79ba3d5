package run

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"alamos/pkg/chess"
	"alamos/pkg/data"
	"alamos/pkg/encode"
	"alamos/pkg/experiment"
	"alamos/pkg/nn"
	"alamos/pkg/puzzle"
	"alamos/pkg/store"
)

// asks returns the settings of an evaluation of two sets, and writes their files to the site.
func (s site) asks(t *testing.T) []string {
	t.Helper()
	var files []string
	for _, set := range []string{"atomic-mate-in-1", "atomic-mate-in-2"} {
		b, err := os.ReadFile(filepath.Join("../../experiments/puzzles", set+".epd"))
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.SplitAfter(string(b), "\n")[:14] // two of them comments
		file := filepath.Join(s.dir, set+".epd")
		if err := os.WriteFile(file, []byte(strings.Join(lines, "")), 0o644); err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
	}
	return []string{"tournament.rounds=0", "evaluation.search.visits=60", "evaluation.puzzles=[" + strings.Join(files, ", ") + "]"}
}

// Each checkpoint is evaluated once, as the experiment says. A change repeats only the
// evaluations that depend on it.
func TestEvaluation(t *testing.T) {
	t.Parallel()
	s := finishedSite(t)
	set := s.asks(t)
	s.run(t, set...).stages(t, map[string]string{"puzzles 2": "first time", "accuracy 2": "first time"})
	s.run(t, set...).stages(t, map[string]string{})
	every := append(slices.Clone(set), "evaluation.every=1")
	s.run(t, every...).stages(t, map[string]string{"puzzles 1": "first time", "accuracy 1": "first time"})

	for _, c := range []struct {
		set  string
		edit func()
		ran  map[string]string
	}{
		{set: "evaluation.search.visits=30", ran: map[string]string{"puzzles 1": "search.visits 60 -> 30", "puzzles 2": "search.visits 60 -> 30"}},
		{set: "evaluation.search.noise.weight=0.5", ran: map[string]string{"puzzles 1": "search.noise.weight 0 -> 0.5, search.visits 30 -> 60", "puzzles 2": "search.noise.weight 0 -> 0.5, search.visits 30 -> 60"}},
		{set: "evaluation.accuracy=false", ran: map[string]string{"puzzles 1": "search.noise.weight 0.5 -> 0", "puzzles 2": "search.noise.weight 0.5 -> 0"}},
		{edit: func() { s.edit(t, "atomic-mate-in-1.epd", "atomic-mate-in-1.001", "first") }, ran: map[string]string{
			"puzzles 1": "puzzle atomic-mate-in-1 changed", "puzzles 2": "puzzle atomic-mate-in-1 changed"}},
	} {
		now := slices.Clone(every)
		if c.edit != nil {
			c.edit()
		} else {
			now = append(now, c.set)
		}
		s.run(t, now...).stages(t, c.ran)
	}
}

// A generation is summarized after its training, before the evaluation of its checkpoint.
// Evaluations of earlier generations are not reported as cached at the end.
func TestEvaluationIsReportedInOrder(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	var events []string
	r := &recorder{ran: map[string]string{}}
	r.event = func(what string) {
		for _, begin := range []string{"runs ", "cached ", "note generation "} {
			if strings.HasPrefix(what, begin) {
				words := strings.Fields(what)
				events = append(events, strings.Join(words[:min(3, len(words))], " "))
			}
		}
	}
	if _, err := s.try(context.Background(), func(o *Options) { o.Reporter = r }, append(s.asks(t), "generations=1", "training.window=1", "evaluation.every=1")...); err != nil {
		t.Fatal(err)
	}
	want := []string{"note generation 1", "runs puzzles 1", "runs accuracy 1"}
	i := slices.Index(events, want[0])
	if i < 1 || events[i-1] != "runs training 1" || !slices.Equal(slices.DeleteFunc(events[i:], func(e string) bool { return strings.HasPrefix(e, "runs checkpoint") }), want) {
		t.Errorf("%q, want runs training 1, then %q", events, want)
	}
}

// What the tables say is what the answers come to, on however many threads.
func TestEvaluationTables(t *testing.T) {
	t.Parallel()
	s := finishedSite(t)
	set := append(s.asks(t), "evaluation.every=1")
	s.run(t, set...)
	dir := s.trial(t)

	again := finishedSite(t)
	for _, f := range []string{"atomic-mate-in-1.epd", "atomic-mate-in-2.epd"} {
		if err := os.Link(filepath.Join(s.dir, f), filepath.Join(again.dir, f)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := again.try(context.Background(), func(o *Options) { o.Workers = 1 }, again.asks(t)...); err != nil {
		t.Fatal(err)
	}
	for _, f := range []string{"puzzles.csv", "accuracy.csv"} {
		var last [][]string
		for _, row := range readCSV(t, filepath.Join(dir, "evaluation", f)) {
			if row[0] != "1" {
				last = append(last, row)
			}
		}
		if diff := cmp.Diff(last, readCSV(t, filepath.Join(again.trial(t), "evaluation", f))); diff != "" {
			t.Errorf("%s on other threads (-2 +1):\n%s", f, diff)
		}
	}

	for g := 1; g <= 2; g++ {
		answers := readCSV(t, filepath.Join(dir, store.PuzzlesFile(g)))
		solved := map[string][2]int{}
		for _, row := range answers[1:] {
			n := solved[row[0]]
			for i, column := range []int{4, 6} {
				if row[column] == "true" {
					n[i]++
				}
			}
			solved[row[0]] = n
		}
		var want [][]string
		for _, name := range []string{"atomic-mate-in-1", "atomic-mate-in-2"} {
			want = append(want, []string{strconv.Itoa(g), name, "12", strconv.Itoa(solved[name][0]), strconv.Itoa(solved[name][1])})
		}
		var have [][]string
		for _, row := range readCSV(t, filepath.Join(dir, "evaluation/puzzles.csv"))[2*g-1:][:2] {
			have = append(have, []string{row[0], row[1], row[2], row[3], row[5]}) // without the shares
		}
		if diff := cmp.Diff(want, have); diff != "" || len(answers) != 1+24 {
			t.Errorf("generation %d, %d answers: the table (-answers +table)\n%s", g, len(answers)-1, diff)
		}
		// Each answer is judged as the rules do.
		e := s.load(t, set...)
		sets, err := experiment.ReadPuzzles(chess.Atomic, e.Trials[0].Settings.Evaluation)
		if err != nil {
			t.Fatal(err)
		}
		for i, row := range answers[1:] {
			p := &slices.Concat(sets[0].Puzzles, sets[1].Puzzles)[i]
			for _, column := range []int{3, 5} {
				m, err := p.Position.ParseSAN(row[column])
				if err != nil {
					t.Fatal(err)
				}
				ok, err := puzzle.StillWins(t.Context(), &p.Position, m, p.Mate)
				if err != nil || strconv.FormatBool(ok) != row[column+1] {
					t.Errorf("%v: %s is %v, %v", row, row[column], ok, err)
				}
			}
		}
	}
	s.accuracyByHand(t, set)
}

// accuracyByHand measures the last checkpoint again, a position at a time.
func (s site) accuracyByHand(t *testing.T, set []string) {
	t.Helper()
	dir := s.trial(t)
	e := s.load(t, set...)
	settings := &e.Trials[0].Settings
	of, err := experiment.NewSetup(settings)
	if err != nil {
		t.Fatal(err)
	}
	var sets []*data.Set
	for g := 1; g <= 2; g++ {
		x, err := data.Read(filepath.Join(dir, store.SamplesFile(g)))
		if err != nil {
			t.Fatal(err)
		}
		sets = append(sets, x)
	}
	window, err := data.ReplayWindow(sets...)
	if err != nil {
		t.Fatal(err)
	}
	_, held := data.Split(window, of.Seed("split", 0), settings.Training.Validation, false)
	c, err := nn.ReadCheckpoint(filepath.Join(dir, store.CheckpointFile(2)))
	if err != nil {
		t.Fatal(err)
	}
	model, err := c.Compile(nn.InferenceOptions{Batch: 8})
	if err != nil {
		t.Fatal(err)
	}
	defer model.Close()
	session, err := model.NewSession()
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	first, five, squares, early := 0, 0, 0.0, 0
	for _, i := range held {
		x := *window.Sample(int(i))
		l := &encode.Leaf{Planes: x.Planes, Sign: 1, Indices: make([]int32, of.Codec.Policy.Size()), Priors: make([]float32, of.Codec.Policy.Size())}
		for k := range l.Indices {
			l.Indices[k] = int32(k)
		}
		if err := session.Evaluate([]*encode.Leaf{l}); err != nil {
			t.Fatal(err)
		}
		played := x.Indices[slices.Index(x.Policy, slices.Max(x.Policy))]
		place := 0
		for _, k := range x.Indices { // the legal moves
			if p := l.Priors[k]; p > l.Priors[played] || p == l.Priors[played] && k < played {
				place++
			}
		}
		if place == 0 {
			first++
		}
		if place < 5 {
			five++
		}
		squares += math.Pow(float64(l.Value)-float64(x.Value), 2)
		n := encode.Counts(of.Codec.Planes, x.Planes)
		if n[chess.Knight]+n[chess.Bishop]+n[chess.Rook]+n[chess.Queen] > 10 {
			early++
		}
	}
	rows := readCSV(t, filepath.Join(dir, "evaluation/accuracy.csv"))
	all, opening := rows[len(rows)-1], rows[len(rows)-4]
	share := func(x float64) string { return strconv.FormatFloat(x/float64(len(held)), 'g', 6, 64) }
	want := []string{"2", "all", strconv.Itoa(len(held)), share(float64(first)), share(float64(five)), share(squares)}
	if diff := cmp.Diff(want, all); diff != "" || len(held) == 0 {
		t.Errorf("accuracy of %d positions (-by hand +table):\n%s", len(held), diff)
	}
	if opening[1] != "opening" || opening[2] != strconv.Itoa(early) {
		t.Errorf("%v, and by hand %d positions", opening, early)
	}
}

// Without held-out games there is no accuracy, and that is not a fault beside puzzles.
func TestEvaluationOfNothing(t *testing.T) {
	s := newSite(t)
	r := s.run(t, append(s.asks(t), "generations=1", "training.validation=0", "training.window=1", "training.select=last", "training.schedule.kind=constant")...)
	if _, accuracy := r.ran["accuracy 1"]; accuracy || r.ran["puzzles 1"] == "" {
		t.Errorf("ran %v", r.ran)
	}
}

// Puzzles that are none, or of another game, are found before anything runs.
func TestEvaluationOfBadPuzzles(t *testing.T) {
	s := newSite(t)
	for text, want := range map[string]string{
		"nonsense": "bad.epd:1: a position of 1 fields",
		"6k1/5ppp/8/8/8/8/8/R5K1 w - - dm 1; variant chess;": "bad.epd:1: the puzzle is of chess, and the experiment of atomic",
	} {
		if err := os.WriteFile(filepath.Join(s.dir, "bad.epd"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		_, err := s.try(context.Background(), nil, "evaluation.puzzles=["+filepath.Join(s.dir, "bad.epd")+"]")
		wantError(t, err, want)
		if _, err := os.Stat(s.results()); err == nil {
			t.Error("something ran")
		}
	}
}

// A network without a policy solves puzzles only with the search.
func TestEvaluationWithoutPolicy(t *testing.T) {
	s := newSite(t)
	s.edit(t, "small.yaml", "network: {depth: 1, width: 8, policy_head: conv-linear, policy_channels: 2}", "network: {depth: 1, width: 8, policy: none}")
	s.run(t, append(s.asks(t), "generations=1", "training.window=1")...)
	for _, row := range readCSV(t, filepath.Join(s.trial(t), "evaluation/puzzles.csv"))[1:] {
		if row[3] != "" || row[4] != "" || row[5] == "" { // policy_solved, policy_share, search_solved
			t.Errorf("%v: want the puzzles solved with the search only", row)
		}
	}
	rows := readCSV(t, filepath.Join(s.trial(t), "evaluation/accuracy.csv"))
	if all := rows[len(rows)-1]; all[2] == "0" || all[3] != "" || all[4] != "" || all[5] == "" {
		t.Errorf("%v: want the error of the value only", all)
	}
}
