package main

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"gopkg.in/yaml.v3"

	"github.com/dustin/go-humanize/english"

	"alamos/pkg/nn"
	"alamos/pkg/run"
)

func machineCommand() *cobra.Command {
	var device, precision, results string
	var workers, batch, threads, jobs int
	cmd := &cobra.Command{
		Use:   "machine",
		Short: "Print what this machine computes with, as a machine file",
		Long: `machine prints what networks run on here, and with what, in the form of a machine
file: defaults for the flags of these names, where a command has them. The file is
alamos/machine.yaml in the folder of settings, or what --machine or ALAMOS_MACHINE
names; what it lacks is chosen by what is there. Nothing of it is part of an
experiment.`,
		Example: `  alamos machine
  mkdir -p ~/.config/alamos && alamos machine > ~/.config/alamos/machine.yaml
  alamos machine --device cuda:all
  alamos run experiments/quickstart.yaml --machine cluster.yaml`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			devices, err := nn.Devices(device)
			if err != nil {
				return err
			}
			players, most, err := nn.Throughput(device)
			if err != nil {
				return err
			}
			if precision, err = nn.Precision(precision, devices[0]); err != nil {
				return err
			}
			m := run.ThisMachine(version())
			if m.GPU != "" {
				m.CPU += "; " + m.GPU
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), `# %s, %s
device: [%s]    # cpu, or CUDA devices that players are spread over
precision: %s    # auto, fp32, bf16
workers: %d    # goroutines that play
batch: %d    # positions that each has evaluated at once
threads: %d    # of a network that plays alone; 0: one a core
jobs: %d    # trials of a sweep at a time
results: %s
`, m.CPU, english.Plural(m.Cores, "core", ""), strings.Join(devices, ", "), precision, cmp.Or(workers, players), cmp.Or(batch, most), threads, jobs, results)
			return err
		},
	}
	deviceFlags(cmd, &device, &precision)
	f := cmd.Flags()
	f.IntVar(&workers, "workers", 0, "goroutines that play")
	f.IntVar(&batch, "batch", 0, "positions that each has evaluated at once")
	f.IntVar(&threads, "threads", 0, "of a network that plays alone")
	f.IntVar(&jobs, "jobs", 1, "trials of a sweep at a time")
	resultsFlag(cmd, &results)
	return cmd
}

// machineKeys are what a machine file may have: defaults for the flags of these names.
var machineKeys = []string{"device", "precision", "workers", "batch", "threads", "jobs", "results"}

// machineFlag adds --machine to all commands.
func machineFlag(root *cobra.Command) {
	root.PersistentFlags().String("machine", "", "`file` with defaults for flags on this machine (default: $ALAMOS_MACHINE, then alamos/machine.yaml in the folder of settings)")
	root.PersistentPreRunE = func(cmd *cobra.Command, _ []string) error {
		file, needed := machineFile(cmd)
		text, err := os.ReadFile(file)
		switch {
		case errors.Is(err, fs.ErrNotExist) && !needed:
			return nil
		case err != nil:
			return usagef("machine file: %w", err)
		}
		if err := setFlags(cmd, text); err != nil {
			return usagef("%s: %w", file, err)
		}
		return nil
	}
}

// machineFile is the file to read, which need not be there unless it was named.
func machineFile(cmd *cobra.Command) (file string, needed bool) {
	if f := cmd.Flag("machine"); f != nil && f.Changed {
		return f.Value.String(), true
	}
	if file := os.Getenv("ALAMOS_MACHINE"); file != "" {
		return file, true
	}
	dir, err := os.UserConfigDir()
	if err != nil {
		return "", false // and no file has an empty name
	}
	return filepath.Join(dir, "alamos", "machine.yaml"), false
}

// setFlags sets the flags of a command that a machine file names, unless they are on
// the command line.
func setFlags(cmd *cobra.Command, text []byte) error {
	var values map[string]any
	if err := yaml.Unmarshal(text, &values); err != nil {
		return err
	}
	for _, key := range slices.Sorted(maps.Keys(values)) {
		if !slices.Contains(machineKeys, key) {
			return fmt.Errorf("no key %q; there is %s", key, strings.Join(machineKeys, ", "))
		}
		f := cmd.Flag(key)
		if f == nil || f.Changed {
			continue
		}
		list, ok := values[key].([]any)
		if !ok {
			list = []any{values[key]}
		}
		var parts []string
		for _, x := range list {
			parts = append(parts, fmt.Sprint(x))
		}
		if err := cmd.Flags().Set(key, strings.Join(parts, ",")); err != nil {
			return fmt.Errorf("%s: %w", key, cmp.Or(errors.Unwrap(err), err))
		}
	}
	return nil
}
