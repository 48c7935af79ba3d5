package experiment

import (
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"alamos/pkg/chess"
)

// What the language lets a number be, the package that computes with it takes: every
// numeric key outside of lists, at both of its bounds.
func TestBounds(t *testing.T) {
	dir := t.TempDir()
	file, script, book := filepath.Join(dir, "bounds.yaml"), filepath.Join(dir, "h.go"), filepath.Join(dir, "b.epd")
	for name, text := range map[string]string{
		script: "package h",
		book:   "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -\n",
		file: `alamos: 1
name: bounds
generations: 1000000000
network: {policy_head: conv-linear, attention: cbam}
search: {visits: 10000000, noise: {weight: 0.5}}
training: {schedule: {minimum: 0}}
tournament: {search: {noise: {weight: 0.5}}, limit: {depth: 1, movetime: 1}}
`,
	} {
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	// Settings beside which keys have a meaning that have none beside the others.
	contexts := [][]string{
		{},
		{"search.root.kind=gumbel"},
		{"tournament.search.root.kind=gumbel"},
		{"search.solver=true"},
		{"tournament.search.solver=true"},
		{"evaluation.search.solver=true"},
		{"evaluation.search.root.kind=gumbel"},
		{"evaluation.search.noise.weight=0.5"},
		{"training.optimizer.kind=adam"},
		{"training.schedule.initial=1000"},
		{"training.schedule.kind=step"},
		{"training.schedule.kind=step", "training.select=last"},
		{"training.schedule={kind: cosine, period: 1, minimum: 0}"},
		{"training.value_target.file=" + script},
		{"tournament.format.kind=gauntlet"},
		{"tournament.format.kind=ladder"},
		{"tournament.openings.file=" + book},
		{"data={kind: pgn, files: a.pgn}"},
		{"data={kind: pgn, files: a.pgn, label: {uci: u, depth: 1}}"},
		{"data={kind: pgn, files: a.pgn, label: {uci: u, depth: 1, finish: {depth: 1}}}"},
		{"data={kind: pgn, files: a.pgn, label: {uci: u, depth: 1, finish: {nodes: 1}}}"},
		{"data={kind: pgn, files: a.pgn, label: {uci: u, nodes: 1}}"},
		{"data={kind: engine, games: 1, engine: {uci: u, depth: 1}}"},
		{"data={kind: engine, games: 1, engine: {uci: u, nodes: 1}}"},
	}
	keys := numbers(t)
	if len(keys) < 100 {
		t.Errorf("only %d numeric keys", len(keys))
	}
	for _, k := range keys {
		for _, value := range []float64{k.low, k.high} {
			set := k.path + "=" + strconv.FormatFloat(value, 'g', -1, 64)
			var e *Experiment
			var err error
			for _, context := range contexts {
				if e, err = Load(file, Options{Set: append(slices.Clone(context), set)}); err == nil {
					break
				}
			}
			if err != nil {
				t.Errorf("%s is refused in every context, in the last with: %v", set, err)
				continue
			}
			if err := accepts(&e.Trials[0].Settings); err != nil {
				t.Errorf("the language takes %s: %v", set, err)
			}
		}
	}
}

// number is a numeric key with the least and the largest value that the schema allows.
type setupNumber struct {
	path      string
	low, high float64
}

// numbers lists the numeric keys outside of lists.
func numbers(t *testing.T) []setupNumber {
	t.Helper()
	type node struct {
		Type       any              `json:"type"`
		Ref        string           `json:"$ref"`
		AnyOf      []node           `json:"anyOf"`
		Properties map[string]*node `json:"properties"`
		Min        *float64         `json:"minimum"`
		Above      *float64         `json:"exclusiveMinimum"`
		Max        *float64         `json:"maximum"`
		Below      *float64         `json:"exclusiveMaximum"`

		Definitions map[string]node `json:"definitions"`
	}
	var root node
	if err := json.Unmarshal(JSONSchema(), &root); err != nil {
		t.Fatal(err)
	}
	var all []setupNumber
	var walk func(path string, n node)
	walk = func(path string, n node) {
		if n.Ref != "" {
			n = root.Definitions[n.Ref[len("#/definitions/"):]]
		}
		for _, one := range n.AnyOf {
			walk(path, one)
		}
		for key, p := range n.Properties {
			switch {
			case path != "":
				walk(path+"."+key, *p)
			case key != "sweep":
				walk(key, *p)
			}
		}
		if n.Type != "integer" && n.Type != "number" {
			return
		}
		k := setupNumber{path, -math.MaxFloat64, math.MaxFloat64}
		for _, bound := range []struct {
			value *float64
			into  *float64
			open  bool
		}{{n.Min, &k.low, false}, {n.Above, &k.low, true}, {n.Max, &k.high, false}, {n.Below, &k.high, true}} {
			if bound.value != nil {
				*bound.into = *bound.value
				if bound.open {
					*bound.into = math.Nextafter(*bound.value, map[bool]float64{true: 1, false: -1}[bound.into == &k.low]*math.Inf(1))
				}
			}
		}
		all = append(all, k)
	}
	walk("", root)
	return all
}

// accepts asks every package that a trial's settings go to.
func accepts(s *Settings) error {
	of, err := New(s)
	if err != nil {
		return err
	}
	_, spec := of.Spec().Complete()
	_, optimizer := of.Optimizer(1).Complete()
	training, _ := of.Training(1, nil)
	_, schedule := training.Schedule.Start()
	faults := []error{spec, optimizer, training.Validate(), schedule, SetupSearch(&s.Search).Validate(), SetupSearch(&s.Tournament.Search).Validate()}
	if s.Data == nil {
		play := of.SelfPlay(1)
		faults = append(faults, play.Validate(of.Codec))
	}
	if s.Evaluation != nil {
		faults = append(faults, SetupSearch(&s.Evaluation.Search).Validate())
	}
	if judge := Judge(&s.Tournament); judge != nil {
		faults = append(faults, judge.Validate())
	}
	checkData(s, chess.Atomic, func(key, _ string, err error) { faults = append(faults, err) })
	return errors.Join(faults...)
}
