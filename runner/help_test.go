package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"alamos/pkg/experiment"
	"alamos/pkg/store"
)

var (
	namedFile  = regexp.MustCompile(`experiments/[\w./*-]*\.(?:yaml|epd)`)
	namedTrial = regexp.MustCompile(`\b(quickstart|tiny|atomic-best)(?:/([a-z0-9_=.,]+))?(?:@(\d+|last|untrained)\b)?`)
	// referenceFile matches files of the repository that are named after experiments.
	referenceFile = regexp.MustCompile(`results/reference/[\w./-]*`)
)

// What the help and the pages tell people to type is there once the experiments have run:
// files, trials, generations.
func TestExamplesNameWhatThereIs(t *testing.T) {
	texts := map[string]string{}
	for _, page := range []string{"README.md", "experiments/MANUAL.md", "experiments/REFERENCE.md", "experiments/hooks/README.md", "experiments/puzzles/README.md"} {
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
	for where, text := range texts {
		for _, file := range namedFile.FindAllString(text, -1) {
			if found, err := filepath.Glob("../" + file); err != nil || len(found) == 0 {
				t.Errorf("%s names %s, and there is none", where, file)
			}
		}
		for _, m := range namedTrial.FindAllStringSubmatch(referenceFile.ReplaceAllString(text, ""), -1) {
			if m[2] == "" && m[3] == "" || strings.Contains(m[2], ".") {
				continue // the name of an experiment, or of a file
			}
			at, err := store.FindTrial(trials[m[1]], m[2])
			if err != nil {
				t.Errorf("%s: %s: %v", where, m[0], err)
				continue
			}
			if g, err := strconv.Atoi(m[3]); err == nil && g > trials[m[1]][at].Settings.Generations {
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

// The page beside the puzzles describes them as alamos puzzles check does.
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
