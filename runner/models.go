package main

import (
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"alamos/pkg/store"
)

// aboutModels is how commands describe what --model takes.
const aboutModels = `A model is a checkpoint file, or RUN@GENERATION: tiny@3, tiny@last, tiny@untrained;
of a sweep with the first digits of a trial's hash: quickstart/24b4@last (alamos show
quickstart lists them).`

// modelFlag completes the value of a flag that takes models, and adds --results, where
// their names are looked up.
func modelFlag(cmd *cobra.Command, flag string, results *string) {
	resultsFlag(cmd, results)
	completeFlagBy(cmd, flag, completeModels(results))
}

// completeModels completes the names of models: of runs first, then of their
// generations. Files are completed beside.
func completeModels(results *string) cobra.CompletionFunc {
	return func(_ *cobra.Command, _ []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
		run, _, named := strings.Cut(typed, "@")
		var list []cobra.Completion
		add := func(value, about string) {
			if strings.HasPrefix(value, typed) {
				list = append(list, value+"\t"+about)
			}
		}
		if named {
			for _, g := range store.Generations(*results, run) {
				add(run+"@"+strconv.Itoa(g), store.CheckpointName(g))
			}
			if len(list) > 0 {
				add(run+"@"+store.LastGeneration, "the latest there is")
				add(run+"@"+store.UntrainedGeneration, "before the first game")
			}
			slices.Sort(list)
			return list, cobra.ShellCompDirectiveNoFileComp
		}
		folders, _ := filepath.Glob(filepath.Join(*results, "*", store.ExperimentName))
		for _, f := range folders {
			name := filepath.Base(filepath.Dir(f))
			x, err := store.ReadExperiment(filepath.Dir(f))
			switch {
			case err != nil: // damaged: it is told where it is named
			case len(x.Trials) == 1:
				add(name+"@", x.Trials[0].Settings.Game.Variant)
			default:
				for i := range x.Trials {
					add(name+"/"+store.Folder(&x.Trials[i])+"@", x.Trials[i].Label)
				}
			}
		}
		return list, cobra.ShellCompDirectiveNoSpace
	}
}
