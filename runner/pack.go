package main

import (
	"fmt"
	"path/filepath"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"alamos/pkg/disk"
	"alamos/pkg/store"
)

func packCommand() *cobra.Command {
	var results, level, out string
	cmd := &cobra.Command{
		Use:   "pack RUN",
		Short: "Write a run into one file, to share or archive it",
		Long: `pack writes the results of an experiment, or of one trial, into one file. figures,
notebook, show, table and diff read it in place of a run: lab.tar.zst, lab.tar.zst/3.
alamos unpack makes it a run again.

The levels are
  page      what these commands read: settings, measures, and games if the
            notebook replays them
  networks  also the checkpoints, with the state of their training
  all       also samples, games, figures and the page: alamos run continues it

The file is a tar archive, compressed by zstd, with an RO-Crate 1.1 that lists the other
files and their SHA-256. The same results and the same alamos give the same bytes. The
manifests in it name the machine that made the results. A file of the level that
is missing or differs from what the run wrote is an error, and so is a run that is going on.

RUN is the name of an experiment, a trial of it, or the folder of one.
` + aboutTrials,
		Example: `  alamos pack quickstart
  alamos pack lab/width=16,seed=8 --level networks --out width16.tar.zst
  alamos figures quickstart.tar.zst --out figures --style thesis/column.yaml`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if store.IsPack(args[0]) {
				return usagef("%s is a pack already: alamos unpack makes a run of it", args[0])
			}
			run, trial, err := store.Resolve(results, args[0])
			if err != nil {
				return err
			}
			if out == "" {
				out = run.Name
				if trial != nil {
					out += "-" + filepath.Base(trial.Dir)
				}
				out += store.PackExtension
			}
			if err := store.Pack(run, trial, level, version(), out); err != nil {
				return err
			}
			space, err := disk.Measure(out)
			if err == nil {
				fmt.Fprintf(cmd.OutOrStdout(), "%s: %s\n", out, humanize.Bytes(uint64(space.Bytes)))
			}
			return err
		},
	}
	cmd.ValidArgsFunction = completeRuns(&results, 1, cobra.ShellCompDirectiveNoFileComp)
	choiceFlag(cmd, &level, "level", store.PackPage, store.PackLevels, "which files")
	fileFlag(cmd, &out, "out,o", "`file` to write (default: the name of the experiment and "+store.PackExtension+")", store.PackExtension)
	resultsFlag(cmd, &results)
	return cmd
}

func unpackCommand() *cobra.Command {
	var out string
	cmd := &cobra.Command{
		Use:   "unpack FILE",
		Short: "Make a run of the file that alamos pack wrote",
		Long: `unpack opens a file of alamos pack and prints the folder of its run. It compares every
file with its checksum, and the folder appears only when all are right. It refuses an
archive with links, paths out of the folder, files that are not listed or twice, or one
that is cut off. It never replaces a run.

alamos run continues the run if the level of the pack is all. It makes missing files of
the other levels again, which takes as long as the first time.`,
		Example: `  alamos unpack quickstart.tar.zst
  alamos unpack quickstart.tar.zst --out elsewhere`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: completeFiles("zst"),
		RunE: func(cmd *cobra.Command, args []string) error {
			dir, err := store.Unpack(args[0], out)
			if err == nil {
				fmt.Fprintln(cmd.OutOrStdout(), dir)
			}
			return err
		},
	}
	cmd.Flags().StringVar(&out, "out", "results", "folder of results that the run goes to")
	completeFlagBy(cmd, "out", cobra.FixedCompletions(nil, cobra.ShellCompDirectiveFilterDirs))
	return cmd
}
