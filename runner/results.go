package main

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dustin/go-humanize/english"

	"alamos/pkg/experiment"
	"alamos/pkg/match"
	"alamos/pkg/report"
	"alamos/pkg/store"
)

// resultsFlag adds --results, the folder that results are read from.
func resultsFlag(cmd *cobra.Command, results *string) {
	cmd.Flags().StringVar(results, "results", "results", "folder of results")
	completeFlagBy(cmd, "results", cobra.FixedCompletions(nil, cobra.ShellCompDirectiveFilterDirs))
}

// openReport opens the results of an experiment: of a file as it is now, or, by name
// or folder, of the experiment as its latest run resolved it, or of one trial of it.
func openReport(what, results string, set []string, style string, notes io.Writer) (*report.Report, error) {
	x, dir, trial, err := findExperiment(what, results, set)
	if err != nil {
		return nil, err
	}
	if style != "" {
		if x.Style, err = experiment.ReadStyle(style); err != nil {
			return nil, err
		}
	}
	r, err := report.Open(x, dir)
	if err != nil {
		return nil, err
	}
	if trial != nil {
		r.Only(trial)
	}
	for _, n := range r.Notes {
		fmt.Fprintln(notes, n)
	}
	if len(r.Trials) == 0 {
		return r, fmt.Errorf("%s %w yet: run it with alamos run", r.Dir, errNoResults)
	}
	return r, nil
}

// errNoResults means that no trial of an experiment has finished a generation.
var errNoResults = errors.New("has no results")

// findExperiment finds an experiment, and the folder of its results. trial is nil unless
// what names one.
func findExperiment(what, results string, set []string) (x *store.Experiment, dir string, trial *store.Trial, err error) {
	if experiment.IsFile(what) {
		e, err := experiment.LoadChecked(what, set)
		if err != nil {
			return nil, "", nil, err
		}
		x, dir := withResults(e, results)
		return x, dir, nil, nil
	}
	if len(set) > 0 {
		return nil, "", nil, usagef("--set goes with an experiment's file, and %s is none", what)
	}
	run, trial, err := store.Resolve(results, what)
	if err != nil {
		return nil, "", nil, err
	}
	x, err = store.ReadExperiment(run.Dir)
	return x, run.Dir, trial, err
}

// withResults describes an experiment with what its latest run found, and returns the folder of
// its results.
func withResults(e *experiment.Experiment, results string) (x *store.Experiment, dir string) {
	x, dir = report.Describe(e), filepath.Join(results, e.Name)
	x.Recall(dir)
	return x, dir
}

// aboutTrials and aboutModels describe the names of trials and models in the help of
// commands.
const (
	aboutTrials = `If the experiment lab has one trial, its name is lab. Otherwise a trial is named by its
number (lab/3), by what the sweep varies (lab/width=16,seed=8), or by the first digits of
its hash (lab/876a). alamos show lab lists them. A number wins over the digits of a hash.`
	aboutModels = `A model is a checkpoint file, a weight file of Leela Chess Zero (.pb.gz), or
TRIAL@GENERATION: tiny@3, tiny@last, tiny@untrained;
of a sweep lab/3@last, lab/width=16,seed=8@last or lab/876a@last with the number of a
trial, what sets it apart, or the first digits of its hash (alamos show lab lists them).`
)

// findTrial finds a trial of an experiment file by the name that --trial has, also with
// the name of the experiment before it.
func findTrial(e *experiment.Experiment, name string) (*experiment.Trial, error) {
	i, err := store.FindTrial(e.Trials, strings.TrimPrefix(name, e.Name+"/"))
	if err != nil && e.Pending > 0 {
		err = fmt.Errorf("%w; %s when these have ended", err, e.Growth())
	}
	if err != nil {
		return nil, usagef("--trial: %w", err)
	}
	return &e.Trials[i], nil
}

// completeTrialFlag completes --trial from the experiment file of a command.
func completeTrialFlag(cmd *cobra.Command, set *[]string) {
	completeFlagBy(cmd, "trial", func(_ *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if len(args) == 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		e, err := experiment.LoadChecked(args[0], *set)
		if err != nil {
			return nil, cobra.ShellCompDirectiveError
		}
		return store.TrialNames(e.Trials, typed), cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
	})
}

// completeModels completes the names of models: of a trial, then of its generations.
// The shell completes files as well.
func completeModels(results *string) cobra.CompletionFunc {
	return func(cmd *cobra.Command, _ []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
		_ = readMachineFile(cmd) // which may name the folder of results
		trial, _, named := strings.Cut(typed, "@")
		if !named {
			return completeNames(*results, typed, "@"), cobra.ShellCompDirectiveNoSpace
		}
		var list []cobra.Completion
		add := func(generation, about string) {
			if name := trial + "@" + generation; strings.HasPrefix(name, typed) {
				list = append(list, name+"\t"+about)
			}
		}
		generations := store.Generations(*results, trial)
		for g := range generations {
			add(strconv.Itoa(g), store.CheckpointName(g))
		}
		if generations > 0 {
			add(match.Last, "the latest there is")
			add(match.Untrained, "before the first game")
		}
		slices.Sort(list)
		return list, cobra.ShellCompDirectiveNoFileComp
	}
}

// completeRuns completes at most this many names of experiments with results and of their
// trials. files says whether the shell completes files as well.
func completeRuns(results *string, most int, files cobra.ShellCompDirective) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if len(args) >= most {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		_ = readMachineFile(cmd) // likewise
		return completeNames(*results, typed, ""), files
	}
}

// completeNames returns the names of experiments and trials with results that begin
// with what was typed, with descriptions. Trials are listed once their experiment is
// typed. end follows the name of a trial.
func completeNames(results, typed, end string) (names []cobra.Completion) {
	name, trial, inside := strings.Cut(typed, "/")
	runs, _ := store.Names(results) // an error is the command's to report
	for _, run := range runs {
		x, err := store.ReadExperiment(filepath.Join(results, run))
		switch {
		case err != nil: // damaged, which the command reports
			continue
		case inside && run == name:
			for _, t := range store.TrialNames(x.Trials, trial) {
				t, about, _ := strings.Cut(t, "\t")
				names = append(names, run+"/"+t+end+"\t"+about)
			}
		case inside:
		case strings.HasPrefix(run, name) && end != "" && len(x.Trials) > 1:
			names = append(names, run+"/\t"+english.Plural(len(x.Trials), "trial", ""))
		case strings.HasPrefix(run, name) && end != "":
			names = append(names, run+end+"\t"+x.Trials[0].Settings.Game.Name())
		case strings.HasPrefix(run, name):
			names = append(names, run+"\t"+english.Plural(len(x.Trials), "trial", ""))
		case len(typed) >= store.HashDigits:
			for _, t := range x.Trials {
				if strings.HasPrefix(t.Folder, typed) {
					names = append(names, t.Folder+end+"\t"+strings.TrimSpace(x.Name+" "+t.Label))
				}
			}
		}
	}
	return names
}
