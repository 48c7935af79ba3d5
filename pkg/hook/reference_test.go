package hook

import (
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// The committed reference is current.
func TestReferenceIsCurrent(t *testing.T) {
	page, err := Reference()
	if err != nil {
		t.Fatal(err)
	}
	const path = "../../experiments/hooks/README.md"
	have, err := os.ReadFile(path)
	if err != nil || string(have) != page {
		t.Errorf("%s is not current (%v): run alamos hooks doc > experiments/hooks/README.md", path, err)
	}
	for _, want := range []string{"func Stop(p alamos.Progress)", "alamos/pkg/hook/alamos", "func (p Position) King(side string) string\n", "ParsePosition", "no `min`", "`errors`, `fmt`", "1024 MiB"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
}

// Everything that the API exports can be used by scripts, and so belongs on the page.
func TestSymbolsAreTheAPI(t *testing.T) {
	api, err := readAPI()
	if err != nil {
		t.Fatal(err)
	}
	f, err := parser.ParseFile(token.NewFileSet(), "api.go", "package alamos\n"+api, 0)
	if err != nil {
		t.Fatal(err)
	}
	names := slices.Collect(maps.Keys(f.Scope.Objects))
	var have []string
	for name := range symbols[alamosPath+"/alamos"] {
		have = append(have, name)
	}
	slices.Sort(names)
	slices.Sort(have)
	if !reflect.DeepEqual(names, have) {
		t.Errorf("scripts see %v\nthe package exports %v", have, names)
	}
}

// Each kind of script begins with one that compiles and has its function.
func TestStart(t *testing.T) {
	for _, f := range Functions() {
		_, source, err := Start(f.Kind)
		if err != nil {
			t.Fatal(err)
		}
		h := &Hook{f.Kind + ".go", source}
		if names, err := h.Functions(t.Context(), Limits{}); err != nil || !slices.Equal(names, []string{f.Name}) {
			t.Errorf("%s: %v, %v", f.Kind, names, err)
		}
		if names := h.Declared(); !slices.Equal(names, []string{f.Name}) {
			t.Errorf("%s declares %v", f.Kind, names)
		}
		if err := callAny(t.Context(), h, Limits{}); err != nil {
			t.Errorf("%s: %v", f.Kind, err)
		}
	}
	if _, _, err := Start("game"); err == nil || !strings.Contains(err.Error(), "metric, checkpoint") {
		t.Errorf("error %v", err)
	}
}

// The examples compile, and there is one for each function.
func TestExamples(t *testing.T) {
	paths, err := filepath.Glob("../../experiments/hooks/*.go")
	if err != nil {
		t.Fatal(err)
	}
	has := map[string]bool{}
	for _, path := range paths {
		names, err := load(t, path).Functions(t.Context(), Limits{})
		if err != nil {
			t.Error(err)
		}
		for _, name := range names {
			has[name] = true
		}
	}
	for _, f := range Functions() {
		if !has[f.Name] {
			t.Errorf("no example has %s", f.Name)
		}
	}
}
