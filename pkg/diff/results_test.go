package diff

import (
	"encoding/json"
	"html"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"alamos/pkg/chess"
	"alamos/pkg/experiment"
	"alamos/pkg/stats"
	"alamos/pkg/store"
)

const (
	small  = "alamos: 1\nname: small\nnetwork: {depth: 1}\ngenerations: 3\ntraining: {window: 1}\ntournament: {rounds: 100}\n"
	deeper = "alamos: 1\nname: deeper\nextends: small\nnetwork: {depth: 2}\n"
	seeds  = "sweep: {seeds: 6}\n"
)

func TestPairedResults(t *testing.T) {
	inFolder(t, map[string]string{"small.yaml": small, "deeper.yaml": deeper})
	pretend(t, "small.yaml", 1, 50, 1)
	pretend(t, "deeper.yaml", 2, 250, 0.9)
	r := compared(t, "small.yaml", "deeper.yaml", Options{})
	if len(r.Groups) != 1 {
		t.Fatalf("groups: %+v", r.Groups)
	}
	g := &r.Groups[0]
	elo := metric(t, g, "elo")
	if elo.Test != "paired games" || elo.Verdict != "better" || *elo.P > 0.001 || !strings.Contains(elo.Basis, "200 and 200 games, random is 0, jackknife by opening (50)") {
		t.Errorf("elo: %+v", elo)
	}
	if low, high := elo.Difference.Low, elo.Difference.High; low > 200 || high < 200 {
		t.Errorf("the difference is 200, the interval %v to %v", low, high)
	}
	if m := metric(t, g, "score against random"); m.Test != "paired games" || m.Verdict != "better" || m.N[0] != 100 {
		t.Errorf("score: %+v", m)
	}
	if m := metric(t, g, "score against untrained"); m.Test != "games" || !strings.Contains(m.Basis, "each against its own") {
		t.Errorf("score against two players of one name: %+v", m)
	}
	if m := metric(t, g, "loss"); m.P != nil || m.Verdict != "" || m.Difference.Known() {
		t.Errorf("nothing says how much chance there is in one loss: %+v", m)
	}
	if m := metric(t, g, "samples"); m.Verdict != "" || m.A.Value != 3000 {
		t.Errorf("samples: %+v", m)
	}
	if m := metric(t, g, "games"); m.Verdict != "" || m.A.Value <= 0 {
		t.Errorf("games: %+v", m)
	}
	if !slices.ContainsFunc(g.Notes, func(n string) bool { return strings.Contains(n, "one seed a side") }) {
		t.Errorf("notes: %q", g.Notes)
	}

	// Games that are not what the run wrote are not read.
	path := filepath.Join(g.B.Folders[0], store.TournamentGames)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, path, strings.Replace(string(data), "1-0", "0-1", 1))
	r = compared(t, "small", "deeper", Options{})
	elo = metric(t, &r.Groups[0], "elo")
	if elo.Test != "games" || !strings.HasPrefix(elo.Basis, "200 and 200 games, random is 0") {
		t.Errorf("elo: %+v", elo)
	}
	if !slices.ContainsFunc(r.Notes, func(n string) bool { return strings.Contains(n, path) && strings.Contains(n, "not what the run wrote") }) {
		t.Errorf("notes: %q", r.Notes)
	}
}

// A tournament of another number of generations is not that of the newest network.
func TestTournamentOfOtherGenerations(t *testing.T) {
	inFolder(t, map[string]string{"small.yaml": small, "deeper.yaml": deeper})
	pretend(t, "small.yaml", 1, 50, 1)
	pretend(t, "deeper.yaml", 2, 250, 0.9)
	writeFile(t, "small.yaml", strings.Replace(small, "generations: 3", "generations: 2", 1))
	r := compared(t, "small.yaml", "deeper.yaml", Options{})
	for _, m := range r.Groups[0].Metrics {
		if strings.Contains(m.Name, "score") && !m.A.Missing() {
			t.Errorf("%s: %+v", m.Name, m)
		}
	}
	if !slices.ContainsFunc(r.Notes, func(n string) bool { return strings.Contains(n, "without gen-2, the newest network") }) {
		t.Errorf("notes: %q", r.Notes)
	}
}

// With another seed the openings are others: there are no pairs, and the same
// opponent all the same.
func TestUnpairedResults(t *testing.T) {
	inFolder(t, map[string]string{"small.yaml": small, "deeper.yaml": strings.Replace(deeper, "network", "seed: 2\nnetwork", 1)})
	pretend(t, "small.yaml", 1, 50, 1)
	pretend(t, "deeper.yaml", 2, 60, 0.9)
	a, b := open(t, "small.yaml"), open(t, "deeper.yaml")
	pa, _ := tournament(a.trials[0])
	pb, _ := tournament(b.trials[0])
	for i := range pb.games { // the made games all begin at the start position
		pb.games[i].Start = chess.StartPosition(chess.Crazyhouse)
	}
	m, ok := (Options{}).elo([]*played{pa}, []*played{pb})
	if !ok || m.Test != "games" || m.verdict() != "~" || !strings.HasPrefix(m.Basis, "200 and 200 games, random is 0") {
		t.Errorf("elo: %+v", m)
	}
	if m := (Options{}).score("x", []*played{pa}, []*played{pb}, []string{"random"}, true); m.Test != "games" || m.verdict() != "~" || m.Basis != "100 and 100 games" {
		t.Errorf("score: %+v", m)
	}
}

func TestSeeds(t *testing.T) {
	inFolder(t, map[string]string{"small.yaml": small + seeds, "deeper.yaml": deeper})
	pretend(t, "small.yaml", 1, 50, 1)
	pretend(t, "deeper.yaml", 2, 60, 0.5)
	for _, rank := range []bool{false, true} {
		r := compared(t, "small.yaml", "deeper.yaml", Options{MannWhitney: rank})
		g := &r.Groups[0]
		if len(r.Groups) != 1 || len(g.A.Seeds) != 6 || len(g.B.Seeds) != 6 || g.A.Label != "" {
			t.Fatalf("groups: %+v", r.Groups)
		}
		test := map[bool]string{false: "Welch", true: "Mann-Whitney"}[rank]
		loss, elo := metric(t, g, "loss"), metric(t, g, "elo")
		if loss.Test != test || loss.Verdict != "lower" || loss.Basis != "n=6+6" || loss.N[0] != 6 {
			t.Errorf("loss: %+v", loss)
		}
		if elo.Test != test || elo.Verdict != "~" || *elo.P < stats.Alpha || !strings.Contains(elo.Basis, "random is 0") {
			t.Errorf("elo: %+v", elo)
		}
		if out := text(t, r); !strings.Contains(out, "within noise (p=1.000 corrected") {
			t.Errorf("have:\n%s", out)
		}
	}
}

// Trials of two sweeps are matched by what is swept.
func TestMatch(t *testing.T) {
	inFolder(t, map[string]string{
		"a.yaml": small + "sweep: {grid: {network.depth: [1, 2, 5]}}\n",
		"b.yaml": strings.Replace(small, "name: small", "name: b\nsearch: {visits: 50}", 1) + "sweep: {grid: {network.depth: [5, 2, 3]}, seeds: 2}\n",
		"c.yaml": strings.Replace(small, "depth: 1", "depth: 7", 1),
	})
	titles := func(a, b string) (out []string) {
		pairs, onlyA, onlyB := paired(open(t, a), open(t, b))
		for _, p := range pairs {
			out = append(out, p[0].Trials[0].Declared.Group+"|"+p[1].Trials[0].Declared.Group)
		}
		for _, label := range onlyA {
			out = append(out, "-"+label)
		}
		for _, label := range onlyB {
			out = append(out, "+"+label)
		}
		return out
	}
	if have, want := titles("a.yaml", "b.yaml"), []string{
		"network.depth=2|network.depth=2", "network.depth=5|network.depth=5", "-network.depth=1", "+network.depth=3",
	}; !slices.Equal(have, want) {
		t.Errorf("have %q, want %q", have, want)
	}
	// One against many: with each.
	if have, want := titles("c.yaml", "a.yaml"), []string{"|network.depth=1", "|network.depth=2", "|network.depth=5"}; !slices.Equal(have, want) {
		t.Errorf("have %q, want %q", have, want)
	}
}

// A tournament is compared only with the settings that it was played with.
func TestOtherTournament(t *testing.T) {
	inFolder(t, map[string]string{"small.yaml": small, "longer.yaml": strings.Replace(small, "rounds: 100", "rounds: 200", 1)})
	pretend(t, "small.yaml", 1, 50, 1)
	r := compared(t, "small.yaml", "longer.yaml", Options{})
	if len(r.Groups) != 1 || len(r.Groups[0].Metrics) != 0 || !slices.ContainsFunc(r.Groups[0].Notes, func(n string) bool { return strings.Contains(n, "one and the same training") }) {
		t.Errorf("groups: %+v", r.Groups)
	}
	if !slices.ContainsFunc(r.Notes, func(n string) bool { return strings.Contains(n, "tournament.rounds 200 -> 100") }) {
		t.Errorf("notes: %q", r.Notes)
	}
}

// Runs are compared by what they left alone, without the files they came from.
func TestRuns(t *testing.T) {
	inFolder(t, map[string]string{"small.yaml": small + "sweep: {grid: {network.depth: [1, 2]}}\n", "deeper.yaml": deeper + "sweep: null\nsearch: {c_puct: 3}\n"})
	trials := pretend(t, "small.yaml", 1, 50, 1)
	deep := pretend(t, "deeper.yaml", 2, 250, 0.9)[0]
	for _, file := range []string{"small.yaml", "deeper.yaml"} {
		if err := os.Remove(file); err != nil {
			t.Fatal(err)
		}
	}
	id := filepath.Base(deep.Dir)
	for _, name := range []string{"deeper", "results/deeper", "deeper/" + id, id, id[:6], deep.Dir} {
		r := compared(t, "small", name, Options{})
		if len(r.Groups) != 1 || r.Groups[0].A.Label != "network.depth=2" || metric(t, &r.Groups[0], "elo").Verdict != "better" {
			t.Errorf("%s: groups %+v", name, r.Groups)
		}
		if len(r.Settings) != 3 || !slices.Contains([]string{"[1, 2]", "[2, 1]"}, r.Settings[0].A.Text) { // and search, and tournament.search
			t.Errorf("%s: settings %+v", name, r.Settings)
		}
	}
	// A trial against a trial of the same run. Both are called by what distinguishes them.
	r := compared(t, trials[0].Dir, trials[1].Dir, Options{})
	if r.A.Name != "small/depth=1" || r.B.Name != "small/depth=2" || r.Settings[0].A.Origin != "small.yaml:7" {
		t.Errorf("two trials of a run:\n%s", text(t, r))
	}
	if len(r.Groups) != 1 || len(r.Settings) != 1 || r.Settings[0].Key != "network.depth" {
		t.Errorf("two trials of a run:\n%s", text(t, r))
	}
}

// Trials of a sweep over a group are matched by the values of its keys.
func TestGroupsOfKeys(t *testing.T) {
	inFolder(t, map[string]string{"small.yaml": small + "sweep: {grid: {selfplay.temperature: [{plies: 4}, {plies: 8}]}}\nnotebook: [figure: sweep]\n", "deeper.yaml": deeper})
	trials := pretend(t, "small.yaml", 1, 50, 1)
	pretend(t, "deeper.yaml", 2, 50, 1)
	if r := compared(t, "small.yaml", "deeper.yaml", Options{}); len(r.Groups) != 2 {
		t.Errorf("have:\n%s", text(t, r))
	}
	// The files of the trials have the figures of the sweep, too.
	if r := compared(t, trials[0].Dir, trials[1].Dir, Options{}); len(r.Settings) != 1 || r.Settings[0].Key != "selfplay.temperature.plies" {
		t.Errorf("have:\n%s", text(t, r))
	}
}

func TestDamagedManifest(t *testing.T) {
	inFolder(t, map[string]string{"small.yaml": small, "deeper.yaml": deeper})
	trial := pretend(t, "small.yaml", 1, 50, 1)[0]
	writeFile(t, trial.Path(store.ManifestName), "{")
	r := compared(t, "small.yaml", "deeper.yaml", Options{})
	if r.Equal() || len(r.Groups) != 0 || len(r.Notes) != 1 || !strings.Contains(r.Notes[0], "is damaged") {
		t.Errorf("have:\n%s", text(t, r))
	}
}

func TestUnfinished(t *testing.T) {
	inFolder(t, map[string]string{"small.yaml": small, "deeper.yaml": deeper})
	trial := pretend(t, "small.yaml", 1, 50, 1)[0]
	pretend(t, "deeper.yaml", 2, 50, 1)
	trial.Manifest.Drop(store.TrainStage(3))
	if err := trial.Manifest.Write(trial.Dir); err != nil {
		t.Fatal(err)
	}
	g := &compared(t, "small.yaml", "deeper.yaml", Options{}).Groups[0]
	if len(g.Notes) == 0 || !strings.Contains(g.Notes[0], "small: 2 of 3 generations are done") || g.Metrics[0].Name != "loss" {
		t.Errorf("notes %q, metrics %+v", g.Notes, g.Metrics)
	}
}

func TestFormats(t *testing.T) {
	inFolder(t, map[string]string{"small.yaml": small + "sweep: {seeds: 3}\n", "deeper.yaml": deeper + "search: {visits: 400}\n"})
	pretend(t, "small.yaml", 1, 50, 1)
	pretend(t, "deeper.yaml", 2, 250, 0.9)
	r := compared(t, "small.yaml", "deeper.yaml", Options{})

	data, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	var back struct {
		Version  int `json:"alamos_diff"`
		Settings []struct {
			Key  string
			A, B *struct{ Value, Origin string }
		}
		Groups []struct {
			Metrics []struct {
				Name    string
				P       *float64
				Verdict string
			}
		}
		OnlyA []string `json:"only_a"`
		Notes []string
	}
	if err := json.Unmarshal(data, &back); err != nil {
		t.Fatal(err)
	}
	if back.Version != 2 || back.Settings[0].Key != "network.depth" || back.Settings[0].B.Origin != "deeper.yaml:4" ||
		back.Groups[0].Metrics[0].Name != "elo" || back.Groups[0].Metrics[0].Verdict != "better" || back.OnlyA == nil || back.Notes == nil {
		t.Errorf("JSON: %s", data)
	}

	page, err := r.HTML()
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"<svg", ">network.depth<", "deeper.yaml:4", "small.yaml and deeper.yaml", "n=3+3"} {
		if !strings.Contains(html.UnescapeString(string(page)), want) {
			t.Errorf("the page does not have %q", want)
		}
	}
	for _, not := range []string{"<img", "<link", "src=\"http"} {
		if strings.Contains(string(page), not) {
			t.Errorf("the page needs %q", not)
		}
	}

	if data, err = r.Markdown("out", "pull"); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"| setting |", "(<pull-score.svg>)", "(<pull-loss.svg>)"} {
		if !strings.Contains(string(data), want) {
			t.Errorf("the Markdown does not have %q:\n%s", want, data)
		}
	}
	for _, file := range []string{"out/pull-score.svg", "out/pull-loss.svg"} {
		if svg, err := os.ReadFile(file); err != nil || !strings.Contains(string(svg), "small.yaml") {
			t.Errorf("%s: %v", file, err)
		}
	}
	if data, err = r.Markdown("", ""); err != nil || strings.Contains(string(data), ".svg") {
		t.Errorf("figures that nobody keeps (%v):\n%s", err, data)
	}
}

func TestVerdicts(t *testing.T) {
	for _, test := range []struct {
		better stats.Better
		d      stats.Difference
		want   string
	}{
		{stats.Higher, stats.Untested(stats.Unknown()), ""},
		{stats.Higher, stats.Untested(stats.Exactly(1)), ""},
		{stats.Higher, stats.Untested(stats.Exactly(0)), "="},
		{stats.Higher, stats.Untested(stats.Around(1, 0.5)), ""},
		{stats.Higher, stats.Difference{Interval: stats.Exactly(1), P: 0.2}, "~"},
		{stats.Higher, stats.Difference{Interval: stats.Exactly(1), P: 0.01}, "better"},
		{stats.Higher, stats.Difference{Interval: stats.Exactly(-1), P: 0.01}, "worse"},
		{stats.Lower, stats.Difference{Interval: stats.Around(1, 0.9), P: 0.03}, "worse"},
		{"", stats.Difference{Interval: stats.Exactly(-1), P: 0.01}, "lower"},
		{"", stats.Difference{Interval: stats.Exactly(1), P: 0.01}, "higher"},
		{"", stats.Difference{Interval: stats.Exactly(1), P: 0.2}, "~"},
	} {
		all := []Metric{Metric{Better: test.better}.measured(test.d), {Name: "x"}}
		if judge(all); all[0].Verdict != test.want {
			t.Errorf("%q, %+v: %q, want %q", test.better, test.d, all[0].Verdict, test.want)
		}
	}
	// Of several, the smallest is corrected for all.
	var all []Metric
	for _, p := range []float64{0.03, 0.2, 0.02, 0.01} {
		all = append(all, Metric{Better: stats.Higher}.measured(stats.Difference{Interval: stats.Exactly(1), P: p}))
	}
	all = append(all, Metric{Name: "seconds"}.measured(stats.Difference{Interval: stats.Exactly(1), P: 0}))
	judge(all)
	for i, want := range []string{"~", "~", "~", "better", ""} {
		if all[i].Verdict != want {
			t.Errorf("%d: %q, want %q", i, all[i].Verdict, want)
		}
	}
}

// Sweeps have a comparison for each of their combinations, and what has none is
// said.
func TestSweepsWithResults(t *testing.T) {
	inFolder(t, map[string]string{
		"a.yaml": small + "sweep: {grid: {network.depth: [1, 2, 5]}}\n",
		"b.yaml": strings.Replace(small, "name: small", "name: b\nsearch: {visits: 50}", 1) + "sweep: {grid: {network.depth: [1, 2]}, seeds: 2}\n",
	})
	pretend(t, "a.yaml", 1, 50, 1)
	pretend(t, "b.yaml", 2, 250, 0.9)
	r := compared(t, "a.yaml", "b.yaml", Options{})
	out := text(t, r)
	for _, want := range []string{
		"Results, network.depth=1\n", "Results, network.depth=2\n", "note: n is seeds: one on a side is too few for a test\n",
		"note: a.yaml has trials without a counterpart on the other side: network.depth=5\n",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("have:\n%s\nwant %q", out, want)
		}
	}
	if m := metric(t, &r.Groups[0], "elo"); m.Verdict != "" || m.P != nil {
		t.Errorf("a test of one seed: %+v", m)
	}
	page, err := r.HTML()
	if err != nil || strings.Count(string(page), "<svg") != 4 {
		t.Errorf("%v, %d figures", err, strings.Count(string(page), "<svg"))
	}
	if _, err := r.Markdown("", "x"); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{"x-1-score.svg", "x-2-loss.svg"} {
		if _, err := os.Stat(file); err != nil {
			t.Error(err)
		}
	}
}

// Ratings of seeds need no files of games.
func TestSeedsWithoutGames(t *testing.T) {
	inFolder(t, map[string]string{"small.yaml": small + seeds, "deeper.yaml": deeper})
	for _, trial := range append(pretend(t, "small.yaml", 1, 50, 1), pretend(t, "deeper.yaml", 2, 60, 0.5)...) {
		if err := os.Remove(trial.Path(store.TournamentGames)); err != nil {
			t.Fatal(err)
		}
	}
	m := metric(t, &compared(t, "small.yaml", "deeper.yaml", Options{}).Groups[0], "elo")
	if m.Basis != "n=6+6, random is 0" {
		t.Errorf("elo: %+v", m)
	}
}

func TestNamedMetrics(t *testing.T) {
	of := func(names ...string) *measured {
		m := &measured{values: map[string]float64{"loss": 1}}
		for _, n := range names {
			m.values[n] = 1
		}
		return m
	}
	if have := named([]*measured{of("b.x", "a.x", "a.y"), of("a.x", "b.x")}); !slices.Equal(have, []string{"a.x", "b.x"}) {
		t.Errorf("%q", have)
	}
}

func TestTitle(t *testing.T) {
	for _, test := range [][3]string{{"", "", ""}, {"x=1", "x=1", "x=1"}, {"x=1", "", "x=1"}, {"", "y=2", "y=2"}, {"x=1", "y=2", "x=1 and y=2"}} {
		g := Group{A: Trials{Label: test[0]}, B: Trials{Label: test[1]}}
		if have := g.Title(); have != test[2] {
			t.Errorf("%q: %q", test, have)
		}
	}
}

// The test of ranks needs no variance.
func TestRanksOfConstants(t *testing.T) {
	x, y := []float64{1, 1, 1, 1, 1}, []float64{0.9, 0.9, 0.9, 0.9, 0.9}
	if m := (Options{MannWhitney: true}).seeds(Metric{}, x, y); m.Test != "Mann-Whitney" || m.P == nil || *m.P > 0.02 {
		t.Errorf("%+v", m)
	}
}

// What a trial measures has these metrics.
func TestMetricsOfDiffAreKnown(t *testing.T) {
	for _, name := range slices.Concat(costs, unopposed) {
		if !slices.Contains(experiment.TrialMetrics(), name) {
			t.Errorf("a trial has no %s", name)
		}
	}
}
