package run_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"alamos/pkg/experiment"
	"alamos/pkg/run"
)

const tiny = `alamos: 1
name: tiny
generations: 1
game: {variant: atomic, max_moves: 20}
network: {depth: 1, width: 8}
search: {visits: 2}
selfplay: {games: 2}
training: {epochs: 1}
tournament: {rounds: 0}
`

// A run executes the stages of all trials. A second run finds that nothing is left to do.
func Example() {
	results, err := os.MkdirTemp("", "results")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(results)
	e, err := experiment.Load("tiny.yaml", experiment.Options{ReadFile: func(string) ([]byte, error) { return []byte(tiny), nil }})
	if err != nil {
		log.Fatal(err)
	}
	opt := run.Options{Results: results}
	show := func() {
		plans, err := run.MakePlans(context.Background(), []*experiment.Experiment{e}, run.PlanOptions{Options: opt})
		if err != nil {
			log.Fatal(err)
		}
		for _, stage := range plans[0].Trials[0].Stages {
			fmt.Println(stage.Name, stage.Does)
		}
	}
	show()
	if err := run.Run(context.Background(), e, opt); err != nil {
		log.Fatal(err)
	}
	show()
	// Output:
	// untrained network runs
	// self-play 1 runs
	// training 1 runs
	// untrained network cached
	// self-play 1 cached
	// training 1 cached
}
