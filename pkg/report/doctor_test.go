package report

import (
	"bytes"
	"encoding/json"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"alamos/pkg/experiment"
	"alamos/pkg/match"
	"alamos/pkg/nn"
	"alamos/pkg/stats"
	"alamos/pkg/store"
	"alamos/pkg/train"
)

// healthy returns generations of a run in which nothing is unusual.
func healthy() []generation {
	all := make([]generation, 6)
	for i := range all {
		x := float64(i)
		all[i] = generation{
			legal: true,
			learning: map[string]float64{
				"policy_loss": 3 - 0.2*x, "prior_entropy": 3.1, "kl": 1.2 - 0.1*x, "calibration_error": 0.1, "distinct_games": 1, "distinct_positions": 0.9, "top1": 0.3 + 0.02*x,
				"replay_ratio": 4, "gradient_norm": 2, "gradient_peak": 6, "clipped": math.NaN(),
			},
			games: &store.Generation{Games: 100, WhiteWins: 50, Draws: 10, BlackWins: 40, Reasons: map[string]int{},
				Roots: &store.Roots{ValueError: 0.7, NoValueError: 0.9}},
			epochs: []train.Epoch{
				{Train: nn.Loss{Total: 3, Policy: 2.5, Value: 0.5}, Validation: nn.Loss{Total: 3, Policy: 2.5, Value: 0.5}},
				{Train: nn.Loss{Total: 2.8, Policy: 2.4, Value: 0.4}, Validation: nn.Loss{Total: 3, Policy: 2.5, Value: 0.5}},
			},
		}
	}
	return all
}

// symptoms returns the measures that are out of range.
func symptoms(all []generation) (measures []string) {
	for i := range rules {
		if f := rules[i].apply(all); f != nil {
			measures = append(measures, f.Measure)
		}
	}
	return measures
}

// Each rule finds what it is for, and nothing else does.
func TestRules(t *testing.T) {
	if have := symptoms(healthy()); have != nil {
		t.Errorf("a healthy run: %v", have)
	}
	set := func(measure string, x float64) func(*generation) {
		return func(g *generation) { g.learning[measure] = x }
	}
	for measure, change := range map[string]func(*generation){
		"distinct_games":      set("distinct_games", 0.8),
		"distinct_positions":  set("distinct_positions", 0.3),
		"top1":                set("top1", 0.2),
		"replay_ratio":        set("replay_ratio", 16),
		"replay_ratio ":       set("replay_ratio", 0.2),
		"policy_loss":         func(g *generation) { g.learning["policy_loss"], g.learning["kl"] = 2.99, 2 },
		"kl":                  set("kl", 1.5),
		"calibration_error":   set("calibration_error", 0.5),
		"clipped":             set("clipped", 0.9),
		"gradient_peak":       set("gradient_peak", 100),
		"root_value_error":    func(g *generation) { g.games.Roots.ValueError = 1.2 },
		"training value_loss": func(g *generation) { g.epochs[1].Train.Value, g.epochs[0].Train.Value = 1.8, 1.8 },
		"training loss":       func(g *generation) { g.epochs[1].Train.Total = 3.1 },
		"value overfitting":   func(g *generation) { g.epochs[1].Validation.Value = 0.9 },
		"policy overfitting":  func(g *generation) { g.epochs[1].Validation.Policy = 2.9 },
		"long_games":          func(g *generation) { g.games.Reasons["move_limit"] = 40 },
		"drawn_games":         func(g *generation) { g.games.WhiteWins, g.games.Draws, g.games.BlackWins = 0, 99, 1 },
		"white_share":         func(g *generation) { g.games.WhiteWins, g.games.Draws, g.games.BlackWins = 98, 0, 2 },
	} {
		all := healthy()
		for i := 4; i < len(all); i++ {
			change(&all[i])
		}
		have := symptoms(all)
		if !slices.Equal(have, []string{strings.TrimSpace(measure)}) {
			t.Errorf("%s: found %v", measure, have)
		}
		last := len(all) - 1
		all[last] = healthy()[last]
		if have := symptoms(all); have != nil {
			t.Errorf("%s, but not in the last generation: %v", measure, have)
		}
	}
	// Equal priors.
	all := healthy()
	for i := range all {
		all[i].learning["policy_loss"] = 4
	}
	if have := symptoms(all); !slices.Equal(have, []string{"policy_loss", "policy_loss"}) {
		t.Errorf("a policy worse than equal priors: %v", have)
	}
	// First searches that find nothing.
	all = healthy()
	for i := range all {
		all[i].learning["kl"] = 0.2 * float64(i)
	}
	if have := symptoms(all); have != nil {
		t.Errorf("a divergence that begins low: %v", have)
	}
	// One generation may be chance, and few games are.
	all = healthy()
	set("distinct_games", 0.1)(&all[5])
	if have := symptoms(all); have != nil {
		t.Errorf("one generation: %v", have)
	}
	all = healthy()
	for i := range all {
		all[i].games.Games, all[i].games.WhiteWins, all[i].games.Draws, all[i].games.BlackWins = 4, 4, 0, 0
		all[i].learning["calibration_error"] = 0.5
	}
	if have := symptoms(all); have != nil {
		t.Errorf("four games: %v", have)
	}
	// Data has no games of its own.
	for i := range all {
		all[i] = generation{legal: true, learning: map[string]float64{"policy_loss": 3, "prior_entropy": math.NaN(), "kl": math.NaN(), "calibration_error": math.NaN(), "distinct_games": math.NaN(), "distinct_positions": math.NaN(), "replay_ratio": 1},
			games: &store.Generation{Draws: 100, Data: &store.Chunk{}}}
	}
	if have := symptoms(all); !slices.Equal(have, []string{"policy_loss"}) {
		t.Errorf("data: %v", have)
	}
	// A trained network has learned already.
	all = healthy()
	for i := range all {
		all[i].trained, all[i].learning["policy_loss"], all[i].learning["prior_entropy"] = true, 3, 2
	}
	if have := symptoms(all); have != nil {
		t.Errorf("a run that began with a trained network: %v", have)
	}
}

// Every rule names settings that exist, its source, and a measure that can be looked up.
func TestRulesAreWhole(t *testing.T) {
	keys := experiment.Keys()
	all := slices.Clone(rules)
	for _, r := range all {
		if r.source == "" || strings.Count(r.says, "%s") != 1 || len(r.try) == 0 || r.most > 0 && r.least > r.most || r.least+r.most == 0 {
			t.Errorf("%+v", r)
		}
		for _, x := range r.try {
			if x.Change == "" || !slices.ContainsFunc(keys, func(k experiment.Key) bool { return k.Path == x.Setting }) {
				t.Errorf("%s: no setting %q", r.measure, x.Setting)
			}
		}
	}
}

func TestDiagnose(t *testing.T) {
	r := made(t, load(t, evaluated), 3)
	r.Failed = map[string]string{filepath.Base(r.Trials[1].Dir): "training diverged: the loss is not a finite number"}
	d, err := Diagnose(&store.Run{Name: "made", Dir: r.Dir, Experiment: r.Experiment}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(d.Trials) != len(r.Experiment.Trials) || !d.Problems() {
		t.Fatalf("%+v", d)
	}
	var out bytes.Buffer
	if err := d.Write(&out); err != nil {
		t.Fatal(err)
	}
	contains(t, out.String(), `^#2 network.depth=2: \d symptoms? in 3 generations\.$`, `^- The trial failed: training diverged: .* Since generation 4\.$`, `^  try training.schedule.initial \(now .*\): a tenth of it$`)
	if b, err := json.Marshal(d); err != nil || !bytes.Contains(b, []byte(`"setting":"training.schedule.warmup"`)) {
		t.Errorf("%s (%v)", b, err)
	}
	one, err := Diagnose(&store.Run{Name: "made", Dir: r.Dir, Experiment: r.Experiment}, r.Trials[0])
	if err != nil || len(one.Trials) != 1 || slices.ContainsFunc(one.Trials[0].Symptoms, func(s Symptom) bool { return s.Measure == "failed" }) {
		t.Errorf("%+v (%v)", one, err)
	}
	if _, err := Diagnose(&store.Run{Dir: "x"}, nil); err == nil {
		t.Error("a diagnosis of nothing")
	}
	out.Reset()
	if err := (&Diagnosis{Trials: []TrialDiagnosis{{Trial: "a", Generations: 4}}}).Write(&out); err != nil || out.String() != "a: nothing unusual in 4 generations.\n" {
		t.Errorf("%s (%v)", out.String(), err)
	}
}

// The last checkpoint is compared with the untrained one and with the best.
func TestDiagnoseStrength(t *testing.T) {
	for says, elo := range map[string][3]float64{"": {0, 100, 200}, "It is not known": {0, 100, 30}, "weaker than gen-1": {0, 300, 150}} {
		r := made(t, load(t, evaluated), 2)
		trial := r.Trials[0]
		trial.Declared.Settings.Generations = 2
		res := store.Tournament{Games: *match.NewResults(make([]string, len(elo)))}
		for g, x := range elo {
			res.Players = append(res.Players, store.PlayerResult{Generation: g, Rating: match.Rating{Standing: match.Standing{Name: store.CheckpointName(g)}, Elo: stats.Around(x, 40)}})
		}
		b, err := json.Marshal(res)
		if err != nil {
			t.Fatal(err)
		}
		trial.Manifest.Put(&store.Stage{Name: store.TournamentStage, Facts: b})
		f := diagnoseStrength(trial)
		if (f == nil) != (says == "") || f != nil && !strings.Contains(f.Says, says) {
			t.Errorf("%v: %+v, want %q", elo, f, says)
		}
	}
}
