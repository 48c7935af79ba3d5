package experiment

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"alamos/pkg/match"

	"pgregory.net/rapid"
)

// A resolved trial, written out and loaded again, is the same trial, whatever
// the file said: for experiments drawn from the schema itself.
func TestYAMLLoadsBack(t *testing.T) {
	drawn, sound := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		m := drawGroup(t, schema, "")
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
		sound++
		trial := &e.Trials[len(e.Trials)-1]
		written := trial.Settings.YAML()
		file = written
		back, err := Load("x.yaml", Options{ReadFile: disk})
		if err != nil {
			t.Fatalf("%v\n%s", err, written)
		}
		again := back.Trials[0].Settings
		if back.Trials[0].ID != trial.ID || string(again.Canonical()) != string(trial.Settings.Canonical()) {
			t.Fatalf("%v\n%s", DiffSettings(&trial.Settings, &again), written)
		}
		if string(again.YAML()) != string(written) {
			t.Fatalf("written twice:\n%s\n%s", written, again.YAML())
		}
	})
	if sound*4 < drawn {
		t.Errorf("only %d of %d drawn experiments were sound", sound, drawn)
	}
}

// drawGroup draws some of the keys of a group that apply beside each other.
func drawGroup(t *rapid.T, g *group, path string) map[string]any {
	m := map[string]any{}
	only := ""
	if len(g.oneOf) > 0 {
		only = rapid.SampledFrom(g.oneOf).Draw(t, path+" one of")
	}
	resolved := map[string]any{} // as drawn, with defaults: what conditions look at
	for i := range g.fields {
		f := &g.fields[i]
		here := join(path, f.key)
		if f.own && f.key != "about" || f.key == "sweep" || !f.when.holds(resolved) {
			continue
		}
		if f.def != nil {
			resolved[f.key] = f.def
		}
		if slices.Contains(g.oneOf, f.key) != (f.key == only) || !f.must && f.key != only && rapid.IntRange(0, 2).Draw(t, here+" given") > 0 {
			continue
		}
		m[f.key] = drawValue(t, f.typ, here)
		resolved[f.key] = m[f.key]
	}
	return m
}

func drawValue(t *rapid.T, typ typ, path string) any {
	switch typ := typ.(type) {
	case *group:
		return drawGroup(t, typ, path)
	case sequence:
		list := []any{}
		for range rapid.IntRange(typ.min, typ.min+2).Draw(t, path+" items") {
			list = append(list, drawValue(t, typ.elem, path))
		}
		return list
	case integer:
		return rapid.Int64Range(typ.min, typ.max).Draw(t, path)
	case real:
		if typ.word != "" && rapid.Bool().Draw(t, path+" word") {
			return typ.word
		}
		low, high := typ.min, typ.max
		if typ.openMin {
			low = math.Nextafter(low, high)
		}
		if typ.openMax {
			high = math.Nextafter(high, low)
		}
		return rapid.Float64Range(low, high).Draw(t, path)
	case boolean:
		return rapid.Bool().Draw(t, path)
	case enum:
		return rapid.SampledFrom(typ).Draw(t, path)
	case text:
		if typ.pattern != nil {
			return rapid.StringMatching(typ.pattern.String()).Draw(t, path)
		}
		lines := rapid.SliceOfN(rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{
			"", "a: b", "- c", " # d", "true", "12", "\tx", "y ", "'\"\\", "| >", "null", "~", "---", "é\u2028z\u0085", "%", "@",
		})), 1, 4).Draw(t, path)
		s := strings.ToValidUTF8(strings.Join(lines, "\n"), "?")
		if strings.TrimSpace(s) == "" {
			return "words"
		}
		return s
	case table:
		return rapid.MapOfN(rapid.StringMatching(`[A-Za-z ]{1,8}`), rapid.StringMatching(`[ -~]{0,8}`), 0, 3).Draw(t, path)
	case script:
		return "h.go"
	case dataFile:
		return "b" + typ.endings()[0]
	case model:
		return rapid.SampledFrom([]string{"run@8", "run/ab12cd@last", "m.safetensors"}).Draw(t, path)
	case checkpoint:
		return rapid.SampledFrom([]any{match.Last, match.Untrained, 1}).Draw(t, path)
	case amount:
		return rapid.OneOf(rapid.Just[any](allWord), rapid.Map(rapid.Int64Range(1, maxCount), func(n int64) any { return n })).Draw(t, path)
	case dataFiles:
		return rapid.SampledFrom([]string{"a.pgn", "../data/*.gz", "/abs/x-??.parquet", "[ab]/c"}).Draw(t, path)
	case keyPath:
		return rapid.SampledFrom(sweepable()).Draw(t, path)
	case trialMetric:
		return rapid.SampledFrom(append(TrialMetrics(), "h.m", "my-hook.a_1")).Draw(t, path)
	}
	t.Fatalf("no generator for %T", typ)
	return nil
}

// Whatever the bytes, Load returns an experiment or faults with positions.
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
			if path == "x.yaml" || path == "base.yaml" || filepath.Ext(path) == ".go" || filepath.Ext(path) == ".pgn" {
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
		if len(DiffSettings(&e.Settings, &e.Settings)) > 0 {
			t.Error("it differs from itself")
		}
	})
}
