package main

import (
	"fmt"
	"io"
	"math"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"alamos/pkg/config"
	"alamos/pkg/experiment"
	"alamos/pkg/run"

	"github.com/dustin/go-humanize"
	"github.com/dustin/go-humanize/english"

	"alamos/pkg/stats"
	"alamos/pkg/store"
)

func planCommand() *cobra.Command {
	var set []string
	var asJSON, noProbe bool
	opt := run.PlanOptions{Options: run.Options{Alamos: version()}}
	cmd := &cobra.Command{
		Use:   "plan FILE...",
		Short: "Print what a run would do and how long it would take; run nothing",
		Long: `plan lists the trials of experiments with their folders and, for each stage, whether it
is done, is reused from another trial, or would run, and why. It writes nothing.

Times are estimates: from earlier runs on this machine below --results, or else from a
probe of about three seconds for each network. plan assumes that games last as long as
earlier games did, or as those of an untrained network.`,
		Example: `  alamos plan experiments/quickstart.yaml
  alamos plan experiments/sweeps/*.yaml --no-probe
  alamos plan experiments/quickstart.yaml --set generations=40 --json`,
		Args:              cobra.MinimumNArgs(1),
		ValidArgsFunction: experimentFiles,
		RunE: func(cmd *cobra.Command, files []string) error {
			opt.Probe = !noProbe
			all, err := loadAll(files, set)
			if err != nil {
				return err
			}
			plans, err := run.MakePlans(cmd.Context(), all, opt)
			if err != nil {
				return err
			}
			out := cmd.OutOrStdout()
			if asJSON {
				return writeJSON(out, plans)
			}
			for i, p := range plans {
				if i > 0 {
					fmt.Fprintln(out)
				}
				printPlan(out, p)
			}
			if len(plans) > 1 {
				printTotal(out, plans)
			}
			return nil
		},
	}
	f := cmd.Flags()
	f.StringVar(&opt.Results, "results", "results", "folder of results")
	f.BoolVar(&noProbe, "no-probe", false, "measure nothing: estimate times from earlier runs only")
	f.BoolVar(&asJSON, "json", false, "print JSON: a list with an object for each file")
	f.BoolVar(&opt.SkipMissingEngines, "skip-missing-engines", false, "leave out tournament opponents that are not installed")
	deviceFlags(cmd, &opt.Device, &opt.Precision)
	setFlag(cmd, &set)
	return cmd
}

// loadAll loads experiments; faults are those of all files.
func loadAll(files, set []string) ([]*experiment.Experiment, error) {
	var all []*experiment.Experiment
	var faults config.Errors
	for _, file := range files {
		e, err := experiment.LoadChecked(file, set)
		if found, ok := err.(config.Errors); ok {
			faults = append(faults, found...)
			continue
		} else if err != nil {
			return nil, err
		}
		all = append(all, e)
	}
	if len(faults) > 0 {
		return nil, faults
	}
	return all, nil
}

func printPlan(w io.Writer, p *run.Plan) {
	fmt.Fprintf(w, "%s: %s in %s\n", p.File, english.Plural(len(p.Trials), "trial", ""), p.Dir)
	for _, t := range p.Trials {
		label := t.Label
		if label == "" {
			label = "as written"
		}
		fmt.Fprintf(w, "trial %d/%d  %s  (%s)\n", t.Number, len(p.Trials), label, t.Folder)
		printStages(w, t.Stages)
	}
	if len(p.Rungs) > 0 {
		fmt.Fprintln(w, "comparing the trials")
		printStages(w, p.Rungs)
	}
	for i, l := range p.Left {
		if i == 0 {
			fmt.Fprintf(w, "left out: %s\n", english.Plural(len(p.Left), "combination", ""))
		}
		fmt.Fprintf(w, "  %s: %s\n", l.Label, l.Why)
	}
	for _, n := range p.Notes {
		fmt.Fprintf(w, "note: %s\n", n)
	}
	for _, n := range p.Problems {
		fmt.Fprintf(w, "problem: %s\n", n)
	}
	fmt.Fprintf(w, "to do: %s\n", amount(&p.Total))
}

// printTotal prints the sum of several plans.
func printTotal(w io.Writer, plans []*run.Plan) {
	var sum run.Work
	trials := 0
	for _, p := range plans {
		sum.Add(p.Total)
		trials += len(p.Trials)
	}
	fmt.Fprintf(w, "\nall %d files: %s, to do: %s\n", len(plans), english.Plural(trials, "trial", ""), amount(&sum))
}

// printStages prints a line for each row of stages of which the same becomes.
func printStages(w io.Writer, all []run.Decision) {
	for i := 0; i < len(all); {
		first := all[i]
		work := first.Work
		j := i + 1
		for ; j < len(all) && alike(&first, &all[j]); j++ {
			work.Add(all[j].Work)
		}
		names := first.Name
		if n := j - i; n > 1 {
			names = fmt.Sprintf("%s to %s (%d stages)", first.Name, all[j-1].Name, n)
		}
		switch first.Does {
		case run.Reused:
			fmt.Fprintf(w, "  %s: as in %s\n", names, first.From)
		case run.Cached:
			fmt.Fprintf(w, "  %s: done before\n", names)
		default:
			verb := "runs"
			if first.Maybe {
				verb = "runs again if this has changed"
			}
			text := fmt.Sprintf("  %s: %s, %s", names, verb, first.Why)
			if work.Games > 0 || work.Seconds > 0 || work.Seconds != work.Seconds {
				text += "; " + effort(&work)
			}
			fmt.Fprintln(w, text)
		}
		i = j
	}
}

// alike tells whether the same becomes of two stages, for the same reason.
func alike(a, b *run.Decision) bool {
	return a.Does == b.Does && a.Why == b.Why && a.From == b.From && a.Maybe == b.Maybe && b.Name != store.TournamentStage
}

func amount(w *run.Work) string {
	if w.Stages == 0 {
		return "nothing"
	}
	return english.Plural(w.Stages, "stage", "") + ", " + effort(w)
}

// effort is games, evaluations and time.
func effort(w *run.Work) string {
	var parts []string
	switch {
	case w.Games == 1:
		parts = append(parts, "1 game")
	case w.Games > 1:
		parts = append(parts, grouped(w.Games)+" games")
	}
	if unknown(w.Evaluations) {
		parts = append(parts, "an unknown number of evaluations")
	} else if w.Evaluations > 0 {
		parts = append(parts, "about "+magnitude(float64(w.Evaluations))+" evaluations")
	}
	if unknown(w.Seconds) {
		parts = append(parts, "time unknown")
	} else {
		parts = append(parts, lasting(time.Duration(float64(w.Seconds)*float64(time.Second))))
	}
	return strings.Join(parts, ", ")
}

// lasting writes an estimate of time.
func lasting(d time.Duration) string {
	if d < time.Second {
		return "under 1 s"
	}
	return "about " + roughly(d)
}

func unknown(x stats.Float) bool { return math.IsNaN(float64(x)) }

// grouped writes 7300 as 7,300.
func grouped(n int) string { return humanize.Comma(int64(n)) }

// magnitude writes an estimate with two digits: 340, 1.2 million.
func magnitude(x float64) string {
	for _, unit := range []struct {
		size float64
		name string
	}{{1e12, " trillion"}, {1e9, " billion"}, {1e6, " million"}} {
		if x >= unit.size {
			digits := 1
			if x >= 10*unit.size {
				digits = 0
			}
			return fmt.Sprintf("%.*f%s", digits, x/unit.size, unit.name)
		}
	}
	if x < 10 {
		return fmt.Sprintf("%.0f", x)
	}
	step := math.Pow(10, math.Floor(math.Log10(x))-1)
	return grouped(int(math.Round(x/step) * step))
}
