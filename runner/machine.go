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
		Short: "Print the hardware settings of this machine as a machine file",
		Long: `machine prints devices, precision, workers and other hardware settings of this machine in
the form of a machine file. A machine file holds defaults for the flags with these names.
alamos reads alamos/machine.yaml in the user's configuration folder, or the file that
--machine or ALAMOS_MACHINE names. It is never part of an experiment.`,
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
device: [%s]    # cpu, or CUDA devices
precision: %s    # auto, fp32, bf16
workers: %d    # goroutines that play games
batch: %d    # positions that a worker evaluates at once
threads: %d    # of training, and of a network that plays alone; 0: one per core
jobs: %d    # trials at a time
results: %s
`, m.CPU, english.Plural(m.Cores, "core", ""), strings.Join(devices, ", "), precision, cmp.Or(workers, players), cmp.Or(batch, most), threads, jobs, results)
			return err
		},
	}
	deviceFlags(cmd, &device, &precision)
	numberFlag(cmd, &workers, "workers", 0, atLeast(0), "goroutines that play")
	numberFlag(cmd, &batch, "batch", 0, atLeast(0), "positions that each of the goroutines that play has evaluated at once")
	numberFlag(cmd, &threads, "threads", 0, atLeast(0), "threads of training, and of a network that plays alone")
	numberFlag(cmd, &jobs, "jobs", 1, atLeast(1), "trials of a sweep at a time")
	resultsFlag(cmd, &results)
	return cmd
}

// machineKeys are what a machine file may have: defaults for the flags of these names.
var machineKeys = []string{"device", "precision", "workers", "batch", "threads", "jobs", "results", "hub", "hub_file", "kinds", "recheck"}

// anotherMeaning marks a flag that has the name of a key of machine files and means something else.
const anotherMeaning = "another meaning than in a machine file"

// notFromMachineFile marks a flag of a command with anotherMeaning.
func notFromMachineFile(cmd *cobra.Command, flag string) {
	_ = cmd.Flags().SetAnnotation(flag, anotherMeaning, nil) // the caller has just made the flag
}

// machineFlag adds --machine to all commands.
func machineFlag(root *cobra.Command) {
	root.PersistentFlags().String("machine", "", "`file` with defaults for flags on this machine (default: $ALAMOS_MACHINE, then alamos/machine.yaml in the user's configuration folder)")
	root.PersistentPreRunE = func(cmd *cobra.Command, _ []string) error {
		// Cobra checks these too, later, but its errors do not say that they are of the command line.
		if err := errors.Join(cmd.ValidateRequiredFlags(), cmd.ValidateFlagGroups()); err != nil {
			return usagef("%w", err)
		}
		return readMachineFile(cmd)
	}
}

// readMachineFile sets the flags of a command that the machine file names and the command line does
// not.
func readMachineFile(cmd *cobra.Command) error {
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

// machineFile is the file to read. It must exist only if the user named it.
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

// setFlags sets the flags of a command that a machine file names and the command line
// does not.
func setFlags(cmd *cobra.Command, text []byte) error {
	var values map[string]any
	if err := yaml.Unmarshal(text, &values); err != nil {
		return err
	}
	for _, key := range slices.Sorted(maps.Keys(values)) {
		if !slices.Contains(machineKeys, key) {
			return fmt.Errorf("unknown key %q: want one of %s", key, strings.Join(machineKeys, ", "))
		}
		f := cmd.Flag(strings.ReplaceAll(key, "_", "-"))
		if f == nil || f.Changed || values[key] == nil {
			continue
		}
		if _, other := f.Annotations[anotherMeaning]; other {
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
		if err := cmd.Flags().Set(f.Name, strings.Join(parts, ",")); err != nil {
			return fmt.Errorf("%s: %w", key, cmp.Or(errors.Unwrap(err), err))
		}
	}
	return nil
}
