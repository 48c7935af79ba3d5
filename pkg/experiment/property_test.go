package experiment

import (
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"alamos/pkg/config"

	"pgregory.net/rapid"
)

// A resolved trial, written out and loaded again, is the same trial, whatever
// the file said: for experiments drawn from the schema itself.
func TestYAMLLoadsBack(t *testing.T) {
	drawn, valid := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		m := drawGroup(t, schema().Group, "", nil)
		m["alamos"], m["name"] = 1, "drawn"
		file, err := json.Marshal(m) // JSON is YAML
		if err != nil {
			t.Fatal(err)
		}
		disk := func(path string) ([]byte, error) {
			switch path {
			case "x.yaml":
				return file, nil
			case "h.go", "b.pgn", "b.epd":
				return []byte("package h"), nil
			case "n.csv":
				return []byte("x,words,n\n1,2,3\n"), nil
			}
			return nil, os.ErrNotExist
		}
		drawn++
		e, err := Load("x.yaml", Options{ReadFile: disk})
		if err != nil { // only rules between keys may be broken
			for _, line := range strings.Split(err.Error(), "\n") {
				if strings.Contains(line, "want ") && !strings.Contains(line, "players: the") || strings.Contains(line, "unknown") {
					t.Fatalf("%s\n%s", line, file)
				}
			}
			return
		}
		valid++
		if err := accepts(&e.Settings); err != nil {
			t.Fatalf("%v\n%s", err, file)
		}
		trial := &e.Trials[len(e.Trials)-1]
		written := trial.Settings.YAML(pathOf)
		file = written
		back, err := Load("x.yaml", Options{ReadFile: disk})
		if err != nil {
			t.Fatalf("%v\n%s", err, written)
		}
		again := back.Trials[0].Settings
		if back.Trials[0].ID != trial.ID || string(again.Canonical()) != string(trial.Settings.Canonical()) {
			t.Fatalf("%v\n%s", differencesOf(&trial.Settings, &again), written)
		}
		if string(again.YAML(pathOf)) != string(written) {
			t.Fatalf("written twice:\n%s\n%s", written, again.YAML(pathOf))
		}
	})
	if valid*4 < drawn {
		t.Errorf("only %d of %d drawn experiments were valid", valid, drawn)
	}
}

// drawGroup draws some of the keys of a group that apply beside each other.
func drawGroup(t *rapid.T, g *config.Group, path string, root map[string]any) map[string]any {
	m := map[string]any{}
	only := ""
	if len(g.OneOf) > 0 {
		only = rapid.SampledFrom(g.OneOf).Draw(t, path+" one of")
	}
	resolved := map[string]any{} // as drawn, with defaults: what conditions look at
	if root == nil {
		root = resolved
	}
	for _, f := range g.Fields {
		here := config.Join(path, f.Key)
		if f.Own && f.Key != "about" || f.Key == "sweep" || !f.When.Holds(resolved, root) {
			continue
		}
		if f.Default != nil {
			resolved[f.Key] = f.Default
		}
		if slices.Contains(g.OneOf, f.Key) != (f.Key == only) || !f.Required && f.Key != only && rapid.IntRange(0, 2).Draw(t, here+" given") > 0 {
			continue
		}
		m[f.Key] = drawValue(t, f.Type, here, root)
		resolved[f.Key] = m[f.Key]
	}
	return m
}

func drawValue(t *rapid.T, of config.Type, path string, root map[string]any) any {
	for want, values := range map[string][]string{
		"path of a .go":   {"h.go"},
		"path of a .pgn,": {"b.pgn", "b.epd"},
		"path of a .epd":  {"b.epd"},
		"path of a .csv":  {"n.csv"},
		"RUN@GENERATION":  {"run@8", "run/ab12cd@last", "m.safetensors"},
		"a pattern":       {"a.pgn", "../data/*.gz", "/abs/x-??.parquet", "[ab]/c"},
	} {
		if strings.Contains(of.Want(), want) {
			return rapid.SampledFrom(values).Draw(t, path)
		}
	}
	switch of := of.(type) {
	case *config.Group:
		return drawGroup(t, of, path, root)
	case config.Sequence:
		list, most := []any{}, of.Min+2
		if path == "hooks" || path == "evaluation.puzzles" { // of one file, and so of one name
			most = 1
		}
		for range rapid.IntRange(of.Min, most).Draw(t, path+" items") {
			list = append(list, drawValue(t, of.Elem, path, root))
		}
		return list
	case config.Number:
		if of.Ramp != nil && rapid.IntRange(0, 3).Draw(t, path+" ramp") == 0 {
			return drawGroup(t, of.Ramp, path, root)
		}
		if len(of.Words) > 0 && rapid.Bool().Draw(t, path+" word") {
			return rapid.SampledFrom(of.Words).Draw(t, path)
		}
		low, high := of.Min, of.Max
		if of.Whole {
			return rapid.Int64Range(int64(low), int64(high)).Draw(t, path)
		}
		if of.OpenMin {
			low = math.Nextafter(low, high)
		}
		if of.OpenMax {
			high = math.Nextafter(high, low)
		}
		return rapid.Float64Range(low, high).Draw(t, path)
	case config.Bool:
		return rapid.Bool().Draw(t, path)
	case config.Enum:
		return rapid.SampledFrom(of).Draw(t, path)
	case config.Text:
		if len(of.Words) > 0 && !(of.Pattern != nil && !of.Pattern.MatchString("h.m")) {
			return rapid.SampledFrom(append([]string{"h.m", "my-hook.a_1"}, of.Words...)).Draw(t, path)
		}
		if of.Pattern != nil {
			full := func(s string) bool { return strings.TrimSpace(s) != "" }
			return rapid.StringMatching(of.Pattern.String()).Filter(full).Draw(t, path)
		}
		lines := rapid.SliceOfN(rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{
			"", "a: b", "- c", " # d", "true", "12", "\tx", "y ", "'\"\\", "| >", "null", "~", "---", "é\u2028z\u0085", "%", "@",
		})), 1, 4).Draw(t, path)
		s := strings.ToValidUTF8(strings.Join(lines, "\n"), "?")
		if strings.TrimSpace(s) == "" {
			return "words"
		}
		return s
	case config.Table:
		return rapid.MapOfN(rapid.StringMatching(`[A-Za-z ]{1,8}`), rapid.StringMatching(`[ -~]{0,8}`), 0, 3).Draw(t, path)
	case KeyPath:
		return rapid.SampledFrom(schema().Swept()).Draw(t, path)
	}
	t.Fatalf("no generator for %T", of)
	return nil
}

// accepts returns an error where a package that a trial's settings go to does not take
// them.
func accepts(s *Settings) error {
	of, err := NewSetup(s)
	if err != nil {
		return nil // a position or an encoding that chess has not checked
	}
	_, spec := of.Spec().Complete()
	_, optimizer := of.Optimizer(1).Complete()
	training, _ := of.Training(1, nil)
	_, schedule := training.Schedule.Start()
	faults := []error{spec, optimizer, training.Validate(), schedule, s.Search.Validate(), s.Tournament.Search.Validate()}
	if s.Data == nil && len(s.SelfPlay.Opening.FENs) == 0 {
		play := of.SelfPlay(1)
		faults = append(faults, play.Validate(of.Codec))
	}
	return errors.Join(append(faults, s.Tournament.Judge.Validate())...)
}

// For any bytes, Load returns an experiment or faults with positions.
func FuzzLoad(f *testing.F) {
	for _, pattern := range []string{"testdata/broken/*.yaml", "testdata/broken/base/*.yaml", "testdata/good/*.yaml", "testdata/good/papers/*.yaml"} {
		names, err := filepath.Glob(pattern)
		if err != nil {
			f.Fatal(err)
		}
		for _, name := range names {
			if data, err := os.ReadFile(name); err == nil {
				f.Add(data, "search.visits=3")
			}
		}
	}
	f.Add([]byte("alamos: 1\nname: x\n"), "sweep.grid.network.depth=[1, 2]")
	f.Add([]byte(head+randomSweep), "sweep.random.draw.network.width={log_uniform: [16, 64]}")
	f.Add([]byte(head+"sweep: {zip: {generations: [2, 3], selfplay.games: [3, 2]}, include: [{seed: 4}], exclude: [{generations: 2}]}\n"), "sweep.budget={trials: 1, games: 9}")
	f.Add([]byte(head+"sweep: {grid: {network.depth: [1, 2, 3]}, seeds: 2, halving: {first: 2}}\nnotebook: [figure: sweep]\n"), "sweep.zip=[{search.visits: [1, 2]}]")
	f.Add([]byte("{\"\\u0000\": [[[{"), "a.b.c={d: [")
	f.Add([]byte("\ufeffalamos: 1\r\nname: x\r\n"), "=")
	f.Fuzz(func(t *testing.T, data []byte, set string) {
		e, err := Load("x.yaml", Options{Set: []string{set}, ReadFile: func(path string) ([]byte, error) {
			if path == "x.yaml" || path == "base.yaml" || filepath.Ext(path) == ".go" || filepath.Ext(path) == ".pgn" || filepath.Ext(path) == ".csv" {
				return data, nil
			}
			return nil, os.ErrNotExist
		}})
		if err != nil {
			checkErrors(t, err)
			return
		}
		if len(e.Trials) == 0 {
			t.Error("no trial and no error")
		}
		e.Explain()
		e.BaseDiff()
		if len(differencesOf(&e.Settings, &e.Settings)) > 0 {
			t.Error("it differs from itself")
		}
	})
}
