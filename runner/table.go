package main

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"alamos/pkg/disk"
	"alamos/pkg/report"
	"alamos/pkg/store"
	"alamos/plots"
)

func tableCommand() *cobra.Command {
	var q report.Query
	var results, out, figure string
	cmd := &cobra.Command{
		Use:   "table RUN...",
		Short: "Compare the trials of experiments in one table; write them as CSV or Parquet",
		Long: `table puts the trials of several experiments, or some of them, into one table. A row has the
settings that differ and the means over its trials, with 95 % intervals (Student t).

Without --group, a row has the trials that differ only in their seeds. With --group, it has
those with equal values of these keys, whatever their other settings: the effect of one key
over a whole sweep. table also says which share of the variance each of these keys explains
beside all keys that are swept: by an analysis of variance, or by a random forest if the sweep
draws random values. The key "experiment" is the name of the experiment.

Metrics are those of the figures of a sweep (see experiments/REFERENCE.md). Each trial's score and
Elo are of its own tournament, or of the final tournament of its sweep (sweep.final). Marks say
which rows are distinguishable: ★ better than all others, ~ not distinguishable from the best,
? one trial only.

--out writes a row for each trial with the ends of the intervals, as .csv or .parquet. --figure
draws the first metric over the training, a line for each row with its 95 % interval as a band.

RUN is the name of an experiment, a trial of it, or the folder of one.
` + aboutTrials,
		Example: `  alamos table depth strength
  alamos table lab --group network.width --metric elo,loss
  alamos table lab --where depth=5 --sort elo
  alamos table lab other --out trials.parquet
  alamos table depth strength --group experiment --metric loss --figure loss.svg`,
		Args:              cobra.MinimumNArgs(1),
		ValidArgsFunction: completeRuns(&results, math.MaxInt, cobra.ShellCompDirectiveNoFileComp),
		RunE: func(cmd *cobra.Command, args []string) error {
			s, err := selected(results, args, &q)
			if err != nil {
				return err
			}
			if err := report.WriteText(cmd.OutOrStdout(), false, s.Table()); err != nil {
				return err
			}
			if out != "" {
				b, err := s.File(filepath.Ext(out))
				if err == nil {
					err = disk.WriteBytes(out, b)
				}
				if err != nil {
					return err
				}
			}
			if figure != "" {
				c, err := s.Chart()
				if err == nil {
					err = drawTo(figure, c)
				}
				if errors.Is(err, plots.ErrNoData) {
					err = fmt.Errorf("no trial has measured %s over its training", s.Metric())
				}
				if err != nil {
					return err
				}
			}
			return nil
		},
	}
	f := cmd.Flags()
	f.StringSliceVar(&q.Metrics, "metric", nil, "metrics to show, separated by commas (default: those of the table of a sweep)")
	f.StringSliceVar(&q.Where, "where", nil, "only trials with these settings: `KEY=VALUE`, separated by commas")
	f.StringSliceVar(&q.Group, "group", nil, "a row for each combination of values of these `KEYS` (default: all that differ, but the seed)")
	f.StringVar(&q.Sort, "sort", "", "sort by this metric, the best first")
	fileFlag(cmd, &out, "out,o", "also write the trials to this `file`: .csv or .parquet", ".csv", ".parquet")
	fileFlag(cmd, &figure, "figure", "also draw a metric over the training to this `file`: .svg, .png or .pdf (the first of --metric; by default the loss for a sweep with a final)", plots.Extensions[:]...)
	resultsFlag(cmd, &results)
	return cmd
}

// selected returns what a query selects of the trials of these runs.
func selected(results string, runs []string, q *report.Query) (*report.Selection, error) {
	var trials []*store.Trial
	seen := map[string]bool{}
	for _, name := range runs {
		run, trial, err := store.Resolve(results, name)
		if err != nil {
			return nil, err
		}
		all, err := run.Chosen(trial)
		if err != nil {
			return nil, err
		}
		if run.State == store.Damaged {
			fmt.Fprintf(os.Stderr, "note: %s: %s\n", run.Name, report.Visible(run.Why))
		}
		for _, t := range all {
			dir, err := filepath.Abs(t.Dir)
			if err != nil {
				return nil, err
			}
			if t.Done() > 0 && !seen[dir] { // lab and lab/3 name the third trial twice
				trials, seen[dir] = append(trials, t), true
			}
		}
	}
	if len(trials) == 0 {
		return nil, fmt.Errorf("no trial of these has finished a generation: run them with alamos run")
	}
	return q.Select(trials)
}
