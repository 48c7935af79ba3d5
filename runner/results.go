package main

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dustin/go-humanize/english"

	"alamos/pkg/experiment"
	"alamos/pkg/report"
	"alamos/pkg/store"
)

// resultsFlag adds --results, the folder that results are read from.
func resultsFlag(cmd *cobra.Command, results *string) {
	cmd.Flags().StringVar(results, "results", "results", "folder of results")
	completeFlagBy(cmd, "results", func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return nil, cobra.ShellCompDirectiveFilterDirs
	})
}

// openReport opens the results of an experiment: of a file as it is now, or, by name
// or folder, of the experiment as its latest run resolved it.
func openReport(what, results string, set []string, notes io.Writer) (*report.Report, error) {
	x, dir, err := findExperiment(what, results, set)
	if err != nil {
		return nil, err
	}
	r, err := report.Open(x, dir)
	if err != nil {
		return nil, err
	}
	for _, n := range r.Notes {
		fmt.Fprintln(notes, n)
	}
	return r, nil
}

func findExperiment(what, results string, set []string) (*store.Experiment, string, error) {
	if ext := filepath.Ext(what); ext == ".yaml" || ext == ".yml" {
		e, err := experiment.SetupLoad(what, set)
		if err != nil {
			return nil, "", err
		}
		return report.Describe(e), filepath.Join(results, e.Name), nil
	}
	if len(set) > 0 {
		return nil, "", usagef("--set goes with an experiment's file, and %s is none", what)
	}
	run, trial, err := store.Resolve(results, what)
	switch {
	case err != nil:
		return nil, "", err
	case trial != nil:
		return nil, "", usagef("%s is one trial: want an experiment, %s", what, run.Name)
	}
	x, err := store.ReadExperiment(run.Dir)
	if os.IsNotExist(err) {
		err = fmt.Errorf("%s is of a run of early days, without %s: run its experiment again", run.Dir, store.ExperimentName)
	}
	return x, run.Dir, err
}

// completeRuns completes the names of experiments with results and, once some of it
// is typed, the hashes of their trials.
func completeRuns(results *string, files bool) func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return func(_ *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		var names []string
		add := func(name, about string) {
			if strings.HasPrefix(name, typed) {
				names = append(names, name+"\t"+about)
			}
		}
		entries, err := os.ReadDir(*results)
		if err != nil {
			entries = []fs.DirEntry{}
		}
		for _, e := range entries {
			x, err := store.ReadExperiment(filepath.Join(*results, e.Name()))
			if err != nil {
				continue
			}
			add(e.Name(), english.Plural(len(x.Trials), "trial", ""))
			if files || typed == "" {
				continue
			}
			for i := range x.Trials {
				add(store.Folder(&x.Trials[i]), x.Name+" "+x.Trials[i].Label)
			}
		}
		if files {
			return names, cobra.ShellCompDirectiveDefault
		}
		return names, cobra.ShellCompDirectiveNoFileComp
	}
}
