package experiment_test

import (
	"fmt"

	"alamos/pkg/experiment"
)

func Example() {
	e, err := experiment.Load("testdata/good/depth.yaml", experiment.Options{Set: []string{"generations=10"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, x := range e.Explain() {
		switch x.Path {
		case "network.depth", "search.visits", "generations", "tournament.max_moves":
			fmt.Printf("%s: %s  # %s\n", x.Path, x.Value, x.Origin)
		}
	}
	fmt.Println(len(e.Trials), "trials, the last one", e.Trials[7].Label)
	// Output:
	// network.depth: [2, 5]  # testdata/good/depth.yaml:20
	// search.visits: 100  # testdata/good/papers/cheap-search.yaml:3
	// generations: 10  # --set
	// tournament.max_moves: 150  # default (as game.max_moves)
	// 8 trials, the last one network.depth=5 search.c_puct=2.5 seed=8
}

func ExampleLoad_faults() {
	_, err := experiment.Load("testdata/broken/unknown-keys.yaml", experiment.Options{})
	fmt.Println(err)
	// Output:
	// testdata/broken/unknown-keys.yaml:3:1: serach: unknown key (did you mean "search"?)
	// testdata/broken/unknown-keys.yaml:5:3: search.visit: unknown key (did you mean "visits"?)
	// testdata/broken/unknown-keys.yaml:6:3: search.epochs: unknown key (did you mean "training.epochs"?)
	// testdata/broken/unknown-keys.yaml:7:3: search.qqq: unknown key
	// testdata/broken/unknown-keys.yaml:8:23: tournament.search.temperature: unknown key (it is a key of tournament, not of tournament.search: check the indentation)
	// testdata/broken/unknown-keys.yaml:9:1: seeds: unknown key (did you mean "sweep.seeds"?)
}
