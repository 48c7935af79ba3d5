package report

import (
	"fmt"
	"testing"

	"alamos/pkg/experiment"
	"alamos/pkg/stats"
	"alamos/pkg/store"
)

func TestRungsOfTrials(t *testing.T) {
	x := &store.Experiment{Description: experiment.Description{Halving: &experiment.Halving{First: 2, Factor: 3}}} // rungs 2, 6 and 18
	trial := func(done int, ended *store.Ended) *store.Trial {
		out := &store.Trial{Manifest: &store.Manifest{Ended: ended}}
		out.Declared.Settings.Generations = 18
		for g := 1; g <= done; g++ {
			out.Manifest.Put(&store.Stage{Name: store.TrainStage(g)})
		}
		return out
	}
	dropped, stopped := &store.Ended{Generation: 2, Rung: 1}, &store.Ended{Generation: 4}
	var all []*store.Trial
	var groups []store.Group
	for _, test := range []struct {
		done, want int
		ended      *store.Ended
	}{{0, 1, nil}, {2, 1, nil}, {3, 2, nil}, {18, 3, nil}, {2, 1, dropped}, {4, 3, stopped}} {
		one := trial(test.done, test.ended)
		if have := rungOf(x, one); have != test.want {
			t.Errorf("%d generations, ended %+v: rung %d, want %d", test.done, test.ended, have, test.want)
		}
		all, groups = append(all, one), append(groups, store.Group{Trials: []*store.Trial{one}})
	}
	if n := len(finalists(all)); n != 5 {
		t.Errorf("%d finalists, want all but the dropped one", n)
	}
	for i, one := range all {
		one.Declared.Number, one.Declared.Label, one.Declared.Group = i+1, fmt.Sprint("a=", i), fmt.Sprint("a=", i)
	}
	blocks := trialBlocks(x, all)
	fold, ok := blocks[len(blocks)-1].(Fold)
	if !ok || len(blocks) != 2 || len(blocks[0].(Table).Rows) != 5 || len(fold.Blocks[0].(Table).Rows) != 1 {
		t.Errorf("the tables of trials are %+v", blocks)
	}
	values := competing(groups, &measured{values: make([]stats.Interval, 6), seeds: make([][]float64, 6)}).values
	if !values[4].Missing() || values[5].Missing() {
		t.Errorf("competing %+v", values)
	}
}
