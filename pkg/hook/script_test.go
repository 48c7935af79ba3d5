package hook

import (
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"alamos/pkg/config"
)

// Scripts compile, run and fail in the process that calls them as they do in a child,
// for whoever wants to debug one or to see what the tests cover. Scripts that only a
// limit can stop are left out.
func TestScriptsInThisProcess(t *testing.T) {
	good, err := filepath.Glob("templates/*.txt")
	if err != nil || len(good) == 0 {
		t.Fatal("no templates", err)
	}
	bad, err := filepath.Glob("testdata/bad/*.go")
	if err != nil {
		t.Fatal(err)
	}
	limited := regexp.MustCompile(`endless|memory|asks_for_ever|exits`)
	game := generation.Games[0]
	game.Scores = make([]float64, game.Plies())
	send := func(q request) reply {
		r, err := answer(t.Context(), counting{}, &q)
		if err != nil {
			t.Fatal(err)
		}
		return *r
	}
	arguments := map[string]any{
		Measure: generation, MeasureCheckpoint: checkpoint{3, "atomic", 0}, Evaluate: wirePositions(twoPositions()),
		Rate: Progress{Generation: 1, Generations: 2, Initial: 0.1}, Adjudicate: []Game{game}, Stop: Progress{Generation: 1, Generations: 2},
	}
	for _, path := range append(good, bad...) {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		isBad := strings.Contains(path, "bad")
		if isBad && limited.MatchString(path) {
			continue
		}
		s := &script{path: path, log: io.Discard}
		faults := s.compile(text)
		for _, name := range append([]string{""}, s.names...) { // without a name, labels are checked
			if len(faults) == 0 {
				if fault := s.call(&call{name, arguments[name]}, send).Fault; fault != nil {
					faults = config.Errors{fault}
				}
			}
		}
		switch want := wants.FindSubmatch(text); {
		case !isBad && len(faults) > 0:
			t.Errorf("%s: %v", path, faults)
		case isBad && (len(faults) == 0 || want == nil || !strings.Contains(faults[0].Msg, string(want[2]))):
			t.Errorf("%s: %v, want %s", path, faults, want)
		}
	}
}
