package experiment

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"alamos/pkg/config"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"gopkg.in/yaml.v3"
	"pgregory.net/rapid"
)

func compiledSchema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(JSONSchema()))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("schema.json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func readYAML(t *testing.T, path string) any {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var v any
	if err := yaml.Unmarshal(data, &v); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return v
}

// All shipped experiments are valid, also by the JSON Schema.
func TestShippedExperimentsFitTheSchema(t *testing.T) {
	s := compiledSchema(t)
	n := 0
	for _, root := range []string{"../../experiments", "testdata/good"} {
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err == nil && d.IsDir() && d.Name() == "variants" {
				return fs.SkipDir // files of rules, see TestShippedRules
			}
			if err != nil || filepath.Ext(path) != ".yaml" {
				return err
			}
			n++
			if root == "../../experiments" {
				modeline(t, path)
				if _, err := Load(path, Options{}); err != nil {
					t.Error(err)
				}
			}
			if err := s.Validate(readYAML(t, path)); err != nil {
				t.Errorf("%s: %v", path, err)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if n < 5 {
		t.Errorf("only %d experiments", n)
	}
}

// modeline checks the first line of an experiment, by which editors find the schema.
func modeline(t *testing.T, path string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	first, _, _ := strings.Cut(string(text), "\n")
	schema, ok := strings.CutPrefix(first, "# yaml-language-server: $schema=")
	if !ok || filepath.Join(filepath.Dir(path), schema) != filepath.FromSlash("../../experiments/schema.json") {
		t.Errorf("%s: its first line does not name the schema: %s", path, first)
	}
}

// The JSON Schema refuses every fault of a single key.
func TestSchemaRefuses(t *testing.T) {
	s := compiledSchema(t)
	for _, name := range []string{
		"unknown-keys", "numbers", "words", "booleans", "players", "notebook", "sweep", "sweep-zip", "sweep-random", "sweep-combinations",
		"figure-keys", "scripts", "no-version", "hooks", "whole-numbers", "extends-types", "wrong-shapes", "bad-name",
	} {
		if err := s.Validate(readYAML(t, "testdata/broken/"+name+".yaml")); err == nil {
			t.Errorf("the schema finds no fault with %s.yaml", name)
		}
	}
}

// The JSON Schema accepts every valid file.
func TestSchemaTakesWhatLoads(t *testing.T) {
	s := compiledSchema(t)
	rapid.Check(t, func(t *rapid.T) {
		m := drawGroup(t, schema().Group, "", nil)
		m["alamos"], m["name"] = 1, "drawn"
		data, err := json.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		v, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Validate(v); err != nil {
			t.Fatalf("%v\n%s", err, data)
		}
	})
}

func TestFindKey(t *testing.T) {
	paths := func(path string) string {
		keys, err := FindKey(path)
		if err != nil {
			return err.Error()
		}
		var all []string
		for _, k := range keys {
			all = append(all, k.Path)
		}
		return strings.Join(all, " ")
	}
	for path, want := range map[string]string{
		"search.c_puct":                "search.c_puct",
		"search.noise":                 "search.noise search.noise.alpha search.noise.weight",
		"tournament.players.alphabeta": "tournament.players[].alphabeta",
		"notebook[].figure.y":          "notebook[].figure.y notebook[].figure.y",
		"search.cpuct":                 `no key is called search.cpuct (did you mean "search.c_puct"?)`,
		"c_puct":                       `no key is called c_puct (did you mean "search.c_puct"?)`,
		"qqqq":                         "no key is called qqqq",
	} {
		if got := paths(path); got != want {
			t.Errorf("%s: %s, want %s", path, got, want)
		}
	}
}

// Every published value has an existing key and is valid for it.
func TestPublished(t *testing.T) {
	types := map[string]config.Type{}
	var walk func(g *config.Group, path string)
	walk = func(g *config.Group, path string) {
		for _, f := range g.Fields {
			here := config.Join(path, f.Key)
			types[here] = cmp.Or(types[here], f.Type) // the first meaning
			if s, isList := f.Type.(config.Sequence); isList {
				if elem, ok := s.Elem.(*config.Group); ok {
					walk(elem, here+"[]")
				}
			}
			if inner, ok := f.Type.(*config.Group); ok {
				walk(inner, here)
			}
		}
	}
	walk(schema().Group, "")
	for path, of := range published {
		if types[path] == nil {
			t.Errorf("no key is called %s", path)
			continue
		}
		for _, values := range of {
			for value := range strings.SplitSeq(values, " or ") {
				written, errs := config.Parse(config.Position{File: "paper"}, []byte(value), "")
				if value == "" {
					continue
				}
				if _, ok := types[path].Read(&config.Reader{Bad: map[string]bool{}}, "", written); !ok || len(errs) > 0 {
					t.Errorf("%s may not be %s", path, value)
				}
			}
		}
	}
}

// The experiments of the papers have the values that the reference lists for them.
func TestPapersAreAsPublished(t *testing.T) {
	plain := func(s string) string {
		var v any
		if err := yaml.Unmarshal([]byte(s), &v); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
		return strings.Trim(fmt.Sprint(v), "[]") // one width of value_hidden may stand without a list
	}
	for i, folder := range []string{"oppenheimerzero", "alphazero-chess", "chesssl", "chessmarro", "cnn-minimax"} {
		e, err := Load("../../experiments/papers/"+folder+"/paper.yaml", Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range e.Explain() {
			values := published[x.Path][i]
			if values == "" || x.Origin.Default() && strings.HasPrefix(x.Path, "search.") { // without self-play it is tournament.search that says
				continue
			}
			same := func(value string) bool { return plain(value) == plain(x.Value) }
			if !slices.ContainsFunc(strings.Split(values, " or "), same) {
				t.Errorf("%s: %s is %s, and published is %s", folder, x.Path, x.Value, values)
			}
		}
	}
}
