package main

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/dustin/go-humanize/english"
	"github.com/spf13/cobra"

	"alamos/pkg/experiment"
	"alamos/pkg/report"
	"alamos/pkg/run"
	"alamos/pkg/stats"
	"alamos/pkg/store"
)

func planCommand() *cobra.Command {
	var set []string
	var asJSON, noProbe, stages, count bool
	var detect string
	opt := run.PlanOptions{Options: run.Options{Alamos: version()}}
	cmd := &cobra.Command{
		Use:   "plan FILE...",
		Short: "Print what a run would do and how long it would take; run nothing",
		Long: `plan lists the trials of experiments with their folders and, for each stage, whether it
is done, is reused from another trial, or would run, and why. An experiment of more than
four trials has a row for each trial instead, unless --stages is given. plan writes
nothing, and it starts no engine or script of the experiment: it takes engines to be
those of earlier runs.

Times are estimates: from earlier runs on this machine below --results, or else from a
probe of about three seconds for each network. plan assumes that games last as long as
earlier games did, or as those of an untrained network.

With --detect plan says instead how many seeds and games show a difference of strength
between two settings of a sweep. It needs earlier results with several seeds.`,
		Example: `  alamos plan experiments/quickstart.yaml
  alamos plan experiments/sweeps/*.yaml --no-probe
  alamos plan experiments/sweeps/random_search.yaml --stages
  alamos plan experiments/quickstart.yaml --set generations=40 --json
  alamos plan experiments/sweeps/strength.yaml --detect 30elo
  alamos plan experiments/sweeps/depth.yaml --count`,
		Args:              cobra.MinimumNArgs(1),
		ValidArgsFunction: experimentFiles,
		RunE: func(cmd *cobra.Command, files []string) error {
			opt.Probe = !noProbe
			var all []*experiment.Experiment
			err := loadEach(files, set, func(_ string, e *experiment.Experiment) error {
				all = append(all, e)
				return nil
			})
			if err != nil {
				return err
			}
			if count {
				for _, e := range all {
					fmt.Fprintln(cmd.OutOrStdout(), e.Total())
				}
				return nil
			}
			if detect != "" {
				return printDetections(cmd.OutOrStdout(), all, opt.Results, detect, asJSON)
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
				if err := printPlan(out, p, stages || len(p.Trials) <= fewTrials); err != nil {
					return err
				}
			}
			if len(plans) > 1 {
				printTotal(out, plans)
			}
			return nil
		},
	}
	f := cmd.Flags()
	resultsFlag(cmd, &opt.Results)
	f.BoolVar(&noProbe, "no-probe", false, "measure nothing: estimate times from earlier runs only")
	f.BoolVar(&stages, "stages", false, "list the stages of every trial, also of many")
	f.BoolVar(&count, "count", false, "print only the number of trials of each file, as for an array of jobs")
	f.StringVar(&detect, "detect", "", "say what shows a difference of this `Elo` between two settings")
	f.BoolVar(&asJSON, "json", false, "print JSON: a list with an object for each file")
	f.BoolVar(&opt.SkipMissingEngines, "skip-missing-engines", false, "leave out tournament opponents that are not installed")
	deviceFlags(cmd, &opt.Device, &opt.Precision)
	setFlag(cmd, &set)
	cmd.MarkFlagsMutuallyExclusive("count", "json")
	cmd.MarkFlagsMutuallyExclusive("count", "detect")
	return cmd
}

// printDetections prints what shows a difference of Elo in each experiment.
func printDetections(w io.Writer, all []*experiment.Experiment, results, detect string, asJSON bool) error {
	elo, err := strconv.ParseFloat(strings.TrimSuffix(detect, "elo"), 64)
	if err != nil || !(elo > 0 && elo < 10_000) {
		return usagef("--detect: want a difference of Elo above 0, as in 20elo, have %q", detect)
	}
	var found []*report.Detection
	for _, e := range all {
		r, err := report.Open(withResults(e, results))
		if err != nil {
			return err
		}
		d, err := r.Detect(elo)
		if err != nil {
			return fmt.Errorf("%s: %w", e.File, err)
		}
		if found = append(found, d); asJSON {
			continue
		}
		text, table := d.Text()
		fmt.Fprintf(w, "%s: %s\n", e.File, text)
		if err := report.WriteText(w, false, table); err != nil {
			return err
		}
	}
	if asJSON {
		return writeJSON(w, found)
	}
	return nil
}

// fewTrials is the number of trials up to which a plan lists the stages of each.
const fewTrials = 4

func printPlan(w io.Writer, p *run.Plan, stages bool) error {
	fmt.Fprintf(w, "%s: %s in %s\n", p.File, english.Plural(len(p.Trials)+p.Pending, "trial", ""), p.Dir)
	table := report.Table{Columns: []report.Column{{Name: "#", Numeric: true}, {Name: "trial"}, {Name: "games", Numeric: true}, {Name: "time"}, {Name: "what runs"}}}
	for _, t := range p.Trials {
		label := cmp.Or(t.Label, "as written")
		if stages {
			fmt.Fprintf(w, "trial %d/%d  %s  (%s)\n", t.Number, len(p.Trials)+p.Pending, label, t.Folder)
			printStages(w, t.Stages)
			continue
		}
		time := "–"
		if t.Work.Stages > 0 {
			time = duration(t.Work.Seconds)
		}
		table.Rows = append(table.Rows, report.Row(t.Number, label, grouped(t.Work.Games), time, whatRuns(t.Stages)))
	}
	if !stages {
		if err := report.WriteText(w, false, table); err != nil {
			return err
		}
	}
	if len(p.Comparisons) > 0 {
		fmt.Fprintln(w, "comparing the trials")
		printStages(w, p.Comparisons)
	}
	for i, l := range p.Left {
		if i == 0 {
			fmt.Fprintf(w, "left out: %s\n", english.Plural(len(p.Left), "combination", ""))
		}
		fmt.Fprintf(w, "  %s: %s\n", l.Label, l.Why)
	}
	for _, n := range p.Notes {
		fmt.Fprintf(w, "note: %s\n", report.Visible(n))
	}
	for _, n := range p.Problems {
		fmt.Fprintf(w, "problem: %s\n", report.Visible(n))
	}
	fmt.Fprintf(w, "to do: %s\n", amount(&p.Total))
	return nil
}

// whatRuns describes the stages of a trial in a few words: those that run, with the reason of
// the first one, or why none runs.
func whatRuns(stages []run.Decision) string {
	runs := slices.DeleteFunc(slices.Clone(stages), func(d run.Decision) bool { return d.Does != run.Runs })
	if len(runs) > 0 {
		return fmt.Sprintf("%s: %s", stageNames(runs), runs[0].Why)
	}
	i := slices.IndexFunc(stages, func(d run.Decision) bool { return d.Does == run.Reused })
	switch {
	case i >= 0:
		return "nothing: as in " + stages[i].From
	case len(stages) > 0:
		return "nothing: done before"
	}
	return "unknown" // see the problems
}

// stageNames names stages in a row.
func stageNames(stages []run.Decision) string {
	if n := len(stages); n > 1 {
		return fmt.Sprintf("%s to %s (%d stages)", stages[0].Name, stages[n-1].Name, n)
	}
	return stages[0].Name
}

// printTotal prints the sum of several plans.
func printTotal(w io.Writer, plans []*run.Plan) {
	var sum run.Work
	trials := 0
	for _, p := range plans {
		sum.Add(p.Total)
		trials += len(p.Trials) + p.Pending
	}
	fmt.Fprintf(w, "\nall %d files: %s, to do: %s\n", len(plans), english.Plural(trials, "trial", ""), amount(&sum))
}

// printStages prints a line for each row of stages with the same outcome.
func printStages(w io.Writer, all []run.Decision) {
	for len(all) > 0 {
		n := 1
		for n < len(all) && sameOutcome(all[0], all[n]) {
			n++
		}
		fmt.Fprintf(w, "  %s\n", outcome(all[:n]))
		all = all[n:]
	}
}

// sameOutcome reports whether two stages in a row share a line. A tournament that runs has
// its own.
func sameOutcome(a, b run.Decision) bool {
	return a.Does == b.Does && a.Why == b.Why && a.From == b.From && a.Maybe == b.Maybe && (b.Does != run.Runs || b.Name != store.TournamentStage)
}

// outcome describes stages in a row with the same outcome.
func outcome(stages []run.Decision) string {
	first, names := stages[0], stageNames(stages)
	switch first.Does {
	case run.Reused:
		return names + ": as in " + first.From
	case run.Cached:
		return names + ": done before"
	}
	var work run.Work
	for _, s := range stages {
		work.Add(s.Work)
	}
	text := names + ": runs, " + first.Why
	if first.Maybe {
		text = names + ": runs again if this has changed, " + first.Why
	}
	if work.Games > 0 || work.Seconds != 0 { // an unknown time is NaN
		text += "; " + effort(&work)
	}
	return text
}

func amount(w *run.Work) string {
	if w.Stages == 0 {
		return "nothing"
	}
	return english.Plural(w.Stages, "stage", "") + ", " + effort(w)
}

// effort describes games, evaluations and time. An unknown number is NaN.
func effort(w *run.Work) string {
	var parts []string
	if w.Games > 0 {
		parts = append(parts, grouped(w.Games)+" "+english.PluralWord(w.Games, "game", ""))
	}
	switch evaluations := float64(w.Evaluations); {
	case math.IsNaN(evaluations):
		parts = append(parts, "an unknown number of evaluations")
	case evaluations > 0:
		digits := math.Pow(10, math.Max(0, math.Floor(math.Log10(evaluations))-1)) // keeps two
		parts = append(parts, "about "+grouped(int(math.Round(evaluations/digits)*digits))+" evaluations")
	}
	time := duration(w.Seconds)
	if math.IsNaN(float64(w.Seconds)) {
		time = "time " + time
	}
	return strings.Join(append(parts, time), ", ")
}

// duration describes an estimated time: "about 5 min".
func duration(seconds stats.Float) string {
	switch s := float64(seconds); {
	case math.IsNaN(s):
		return "unknown"
	case s < 1:
		return "under 1 s"
	default:
		return "about " + run.Roughly(time.Duration(s*float64(time.Second)))
	}
}

// grouped writes 7300 as 7,300.
func grouped(n int) string { return humanize.Comma(int64(n)) }
