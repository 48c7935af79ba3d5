package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"alamos/pkg/experiment"
	"alamos/pkg/store"
)

var (
	namedFile  = regexp.MustCompile(`experiments/[\w./*-]*\.(?:yaml|epd)`)
	namedModel = regexp.MustCompile(`([a-z][a-z0-9-]*)(?:/([0-9a-f]+))?@(\d+|last|untrained)\b`)
	namedTrial = regexp.MustCompile(`(?:results/([a-z0-9-]+)/|alamos show )([0-9a-f]{4,})\b`)
)

// What the help and the pages tell people to type is there once the experiments have run:
// files, trials by their hashes, generations.
func TestExamplesNameWhatThereIs(t *testing.T) {
	texts := map[string]string{}
	for _, page := range []string{"README.md", "experiments/REFERENCE.md", "experiments/puzzles/README.md"} {
		b, err := os.ReadFile("../" + page)
		if err != nil {
			t.Fatal(err)
		}
		texts[page] = string(b)
	}
	everyCommand(root(), func(c *cobra.Command) { texts[c.CommandPath()] = c.Long + "\n" + c.Example })

	trials := map[string][]experiment.Trial{}
	for _, name := range []string{"quickstart", "tiny", "atomic-best"} {
		e, err := experiment.Load("../experiments/"+name+".yaml", experiment.Options{})
		if err != nil {
			t.Fatal(err)
		}
		trials[name] = e.Trials
	}
	begins := func(hash string) func(experiment.Trial) bool {
		return func(x experiment.Trial) bool { return strings.HasPrefix(store.Folder(&x), hash) }
	}
	for where, text := range texts {
		for _, file := range namedFile.FindAllString(text, -1) {
			if found, err := filepath.Glob("../" + file); err != nil || len(found) == 0 {
				t.Errorf("%s names %s, and there is none", where, file)
			}
		}
		for _, m := range namedTrial.FindAllStringSubmatch(text, -1) {
			name := m[1]
			if name == "" {
				name = "quickstart"
			}
			if all, known := trials[name]; known && !slices.ContainsFunc(all, begins(m[2])) {
				t.Errorf("%s: no trial of %s begins with %s", where, name, m[2])
			}
		}
		for _, m := range namedModel.FindAllStringSubmatch(text, -1) {
			all, known := trials[m[1]]
			if !known {
				continue
			}
			of := slices.DeleteFunc(slices.Clone(all), func(x experiment.Trial) bool { return !begins(m[2])(x) })
			if len(of) != 1 {
				t.Errorf("%s: %s is a model of %d trials", where, m[0], len(of))
			} else if g, err := strconv.Atoi(m[3]); err == nil && g > of[0].Settings.Generations {
				t.Errorf("%s: %s has no generation %d", where, m[0], g)
			}
		}
	}
}

// Every command shows how it is called.
func TestEveryCommandHasExamples(t *testing.T) {
	everyCommand(root(), func(c *cobra.Command) {
		if c.Example == "" {
			t.Errorf("%s --help has no examples", c.CommandPath())
		}
	})
}

func everyCommand(c *cobra.Command, do func(*cobra.Command)) {
	do(c)
	for _, sub := range c.Commands() {
		everyCommand(sub, do)
	}
}

// The page beside the puzzles tells of them what alamos puzzles check does.
func TestPuzzlesPageIsCurrent(t *testing.T) {
	page, err := os.ReadFile("../experiments/puzzles/README.md")
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob("../experiments/puzzles/*.epd")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		sets, err := loadPuzzles([]string{file}, nil)
		if err != nil {
			t.Fatal(err)
		}
		want := strings.TrimPrefix(filepath.ToSlash(file), "../") + ": " + describePuzzles(sets[0])
		if !strings.Contains(string(page), want+"\n") {
			t.Errorf("the page does not say %q", want)
		}
	}
}
