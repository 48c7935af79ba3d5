package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"alamos/pkg/experiment"
	"alamos/pkg/hook"
	"alamos/pkg/nn"
	"alamos/pkg/report"
	"alamos/pkg/run"
)

func runCommand() *cobra.Command {
	var set, trials []string
	var noEngines, noHooks bool
	var serve, hubAddress, hubFile string
	opt := run.Options{Alamos: version()}
	cmd := &cobra.Command{
		Use:   "run FILE",
		Short: "Run an experiment: self-play, training, tournament, figures, notebook page",
		Long: `run takes every trial of an experiment through its stages and writes the results
to results/<name>/, with a notebook page of all trials. A run of a sweep ends with an
answer: which setting is better, by how much, and whether that is sure.

A stage runs again only if its inputs have changed; run prints why. So a second run does
nothing. A stage that another trial below --results has run with the same inputs is
reused: trials that differ only in their tournaments train once.

Ctrl-C loses at most the games in play, or the puzzles of one network, a kill also the last
minute or so of training; the same command continues from there. If a trial fails, the
others still run, and the exit status is 1.

On a cluster, each trial can be a job of its own (--trial) if the jobs share one folder
of results. A job waits for another one that writes to the same trial or works on the same
stage. A number above that of the last trial is not an error. The same command without
--trial then draws the figures and the page.

A UCI engine of an experiment is a program that runs with your rights. With --no-engines
and --no-hooks, run refuses an experiment that would start an engine or a Go script: it
prints each place that names one, and starts and writes nothing.

A file of an earlier stage counts as unchanged if its size and modification time are
those of the run that wrote it; other files are compared with their checksums. With
--verify run compares all, and so finds what a faulty disk has changed; see also alamos
show.

The flags say how this machine runs the experiment. They do not change its results, except
for the last bits of numbers that --device, --precision and --threads change: the manifest
records these for each stage.`,
		Example: `  alamos run experiments/quickstart.yaml
  alamos run experiments/quickstart.yaml --set selfplay.games=300 --results elsewhere
  alamos run experiments/quickstart.yaml --workers 1
  alamos run experiments/sweeps/depth.yaml --jobs 4 --fail-fast --serve
  alamos run experiments/sweeps/depth.yaml --trial $SLURM_ARRAY_TASK_ID
  alamos run experiments/quickstart.yaml --hub :4321 --hub-file hub/hub.key`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: experimentFiles,
		RunE: func(cmd *cobra.Command, args []string) error {
			e, err := experiment.LoadChecked(args[0], set)
			if err != nil {
				return err
			}
			if starts := experiment.Starts(e, noEngines, noHooks); len(starts) > 0 {
				return starts
			}
			if len(trials) > 0 && e.Pending > 0 { // the trials that earlier ones decide have names too
				plans, err := run.MakePlans(cmd.Context(), []*experiment.Experiment{e}, run.PlanOptions{Options: opt})
				if err != nil {
					return err
				}
				e = plans[0].Experiment
			}
			for _, name := range splitNumbers(trials) {
				t, err := findTrial(e, name)
				if n, bad := strconv.Atoi(name); err != nil && bad == nil && n > e.Total() { // of an array of jobs
					fmt.Fprintf(cmd.ErrOrStderr(), "no trial %d to run: there are %d\n", n, e.Total())
					continue
				}
				if err != nil {
					return err
				}
				opt.Trials = append(opt.Trials, t.Number)
			}
			if len(trials) > 0 {
				if len(opt.Trials) == 0 {
					return nil
				}
				if !cmd.Flags().Changed("wait-lock") {
					opt.WaitLock = true
				}
			}
			if serve != "" {
				end, err := serveAlong(cmd.Context(), cmd.ErrOrStderr(), serve, opt.Results)
				if err != nil {
					return err
				}
				defer end()
			}
			if err = run.Check(cmd.Context(), e, true); err == nil {
				c := newConsole(os.Stderr, opt.Jobs)
				opt.Reporter = c
				if hubAddress != "" {
					opt.Hub, err = openHub(hubAddress, hubFile, c.Note)
				}
				if err == nil {
					err = run.Run(cmd.Context(), e, opt)
				}
				if opt.Hub != nil {
					opt.Hub.Close()
				}
				c.close()
			}
			if errors.Is(err, context.Canceled) {
				return errResumable
			}
			if err != nil {
				return summarized(err)
			}
			if len(opt.Trials) > 0 {
				return nil
			}
			answer, err := report.Answer(filepath.Dir(run.Notebook(e, opt.Results)))
			if err != nil {
				return err
			}
			if answer != "" {
				fmt.Fprintln(cmd.OutOrStdout(), answer)
			}
			fmt.Fprintf(cmd.OutOrStdout(), "notebook: %s\n", run.Notebook(e, opt.Results))
			return nil
		},
	}
	f := cmd.Flags()
	f.StringVar(&opt.Results, "results", "results", "folder to write results below")
	numberFlag(cmd, &opt.Jobs, "jobs", 1, atLeast(1), "trials that run at a time")
	f.StringArrayVar(&trials, "trial", nil, "run only this `trial`, and draw nothing: its number, values of the sweep as in width=16,seed=8, or the first digits of its hash (repeatable)")
	completeTrialFlag(cmd, &set)
	f.BoolVar(&opt.FailFast, "fail-fast", false, "stop at the first trial that fails")
	playingFlags(cmd, &opt, "goroutines that play games, of all jobs together (default: one per core, with CUDA two per core)")
	numberFlag(cmd, &opt.Threads, "threads", 0, between(0, 1<<10), "threads that train on the processor; unless training.micro_batches is above 1, another number gives other weights in their last bits (default: one per core)")
	f.BoolVar(&opt.WaitLock, "wait-lock", false, "wait for another run that writes to the same results, instead of failing (default with --trial)")
	f.BoolVar(&opt.NoLock, "no-lock", false, "take no locks, on a file system that has none; never run a trial twice at a time then, nor gc beside it")
	cmd.MarkFlagsMutuallyExclusive("wait-lock", "no-lock")
	f.BoolVar(&opt.SkipMissingEngines, "skip-missing-engines", false, "leave out tournament opponents that are not installed")
	f.StringVar(&hubAddress, "hub", "", "have workers play the games, and their engines label; `address` to listen at, as in :4321, or nats://host:port (see alamos hub init --help)")
	f.StringVar(&hubFile, "hub-file", "", "`file` with the keys of the hub")
	choiceFlag(cmd, &opt.Kinds, "kinds", run.OneKind, []string{run.OneKind, run.AnyKind}, "kinds of machine of the workers: all of one kind, or any; with any, no single machine can repeat the results")
	numberFlag(cmd, &opt.Recheck, "recheck", 0.01, between(0, 1), "share of the games of workers that another worker plays again, to compare them")
	f.BoolVar(&noEngines, "no-engines", false, "refuse an experiment that names a UCI engine")
	f.BoolVar(&noHooks, "no-hooks", false, "refuse an experiment that names a Go script")
	f.StringVar(&serve, "serve", "", "show the results on a page meanwhile, at this `address` (see alamos serve)")
	f.Lookup("serve").NoOptDefVal = resultsAddress
	f.BoolVar(&opt.Verify, "verify", false, "compare every file of earlier stages with its checksum, also those with unchanged size and time")
	setFlag(cmd, &set)
	return cmd
}

// playingFlags declares the flags of what plays games.
func playingFlags(cmd *cobra.Command, opt *run.Options, workers string) {
	numberFlag(cmd, &opt.Workers, "workers", 0, atLeast(0), workers)
	numberFlag(cmd, &opt.Batch, "batch", 0, between(0, 1<<14), fmt.Sprintf("positions that a worker evaluates at once (default: %d, with CUDA %d)", nn.DefaultBatch, nn.DefaultBatchCUDA))
	deviceFlags(cmd, &opt.Device, &opt.Precision)
	durationFlag(cmd, &opt.HookTime, "hook-time", hook.DefaultTime, time.Millisecond, "time limit for each call of a script")
}

// splitNumbers splits "1,3", which names two trials. "width=16,seed=8" names one.
func splitNumbers(trials []string) (names []string) {
	for _, name := range trials {
		if strings.Contains(name, "=") {
			names = append(names, name)
		} else {
			names = append(names, strings.Split(name, ",")...)
		}
	}
	return names
}

// summarized shortens the error of a run in which one of several trials failed: the
// console has printed why.
func summarized(err error) error {
	failed, ok := errors.AsType[*run.FailedError](err)
	if ok && failed.Trials > 1 && len(failed.Folders) == 1 && len(failed.Errs) == 1 {
		return fmt.Errorf("1 of %d trials failed, as printed above: %s", failed.Trials, failed.Folders[0])
	}
	return err
}
