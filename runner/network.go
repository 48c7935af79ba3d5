package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"alamos/pkg/disk"
	"alamos/pkg/experiment"
	"alamos/pkg/nn"
	"alamos/pkg/report"
	"alamos/pkg/store"
	"alamos/plots"
)

func networkCommand() *cobra.Command {
	var set []string
	var format, results, out, figure string
	var all bool
	formats := append(slices.Clone(report.NetworkFormats), "json")
	cmd := &cobra.Command{
		Use:   "network FILE",
		Short: "Print the layers and parameters of a network",
		Long: `network prints a table of a network's layers: their names as in its checkpoints, their
output shapes, and their numbers of trained parameters. Blocks that equal the one before
share its row unless --all is given.

FILE is a model, or an experiment; then network prints each different network of its
trials. Nothing runs.

--out writes a model without what only its training needs, to share it. The end of the name
is the format:
  .safetensors  of alamos: match, play, uci and the others take this file
  .pb.gz        of Leela Chess Zero, for networks of chess with its encodings
  .onnx         for other programs, such as onnxruntime

--figure draws the parts of the network instead.

` + aboutModels,
		Example: `  alamos network experiments/quickstart.yaml
  alamos network experiments/atomic-best.yaml --set network.attention=cbam --all
  alamos network quickstart/2@last
  alamos network gen-0003.safetensors --format markdown
  alamos network quickstart/2@last --out quickstart.safetensors
  alamos network quickstart/2@last --out quickstart.onnx
  alamos network experiments/atomic-best.yaml --figure network.svg`,
		Args: cobra.ExactArgs(1),
		ValidArgsFunction: func(cmd *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
			if strings.Contains(typed, "@") {
				return completeModels(&results)(cmd, args, typed)
			}
			return []cobra.Completion{"yaml", "yml", "safetensors", "pb.gz"}, cobra.ShellCompDirectiveFilterFileExt
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			name, networks, err := networksOf(args[0], results, set)
			if err == nil && out != "" {
				err = exportModel(args[0], results, out)
			}
			if err != nil {
				return err
			}
			switch {
			case figure != "" && len(networks) > 1:
				return usagef("--figure: %s has %d different networks: choose one with --set", name, len(networks))
			case figure != "":
				return drawTo(figure, networks[0].Diagram(plots.Frame{Title: name}))
			case format == "json":
				return writeJSON(cmd.OutOrStdout(), networks)
			}
			return report.WriteNetworks(cmd.OutOrStdout(), format, name, networks, all)
		},
	}
	setFlag(cmd, &set)
	resultsFlag(cmd, &results)
	f := cmd.Flags()
	f.BoolVar(&all, "all", false, "print every block of the trunk")
	fileFlag(cmd, &out, "out", "write the model, to share it, into this `file` (.safetensors, .pb.gz or .onnx)", ".safetensors", nn.LeelaExt, ".onnx")
	fileFlag(cmd, &figure, "figure", "draw it to this `file` instead: .svg, .png or .pdf", plots.Extensions[:]...)
	choiceFlag(cmd, &format, "format", "text", formats, "format of the table")
	cmd.MarkFlagsMutuallyExclusive("figure", "format")
	cmd.MarkFlagsMutuallyExclusive("figure", "all")
	return cmd
}

// exportModel writes a model without the state of its training.
func exportModel(what, results, out string) error {
	if !namesModel(what) {
		return usagef("--out writes a model: %s is an experiment", what)
	}
	write := func(c *nn.Checkpoint) error { return c.Export().Write(out) }
	switch {
	case strings.HasSuffix(out, nn.LeelaExt):
		write = func(c *nn.Checkpoint) error { return disk.WriteFile(out, c.WriteLeela) }
	case filepath.Ext(out) == ".onnx":
		write = func(c *nn.Checkpoint) error { return disk.WriteFile(out, c.WriteONNX) }
	}
	file, err := store.FindModel(results, what)
	if err != nil {
		return err
	}
	if err := refuseInput(out, file); err != nil {
		return err
	}
	c, err := nn.ReadCheckpoint(file)
	if err != nil {
		return err
	}
	return write(c)
}

// networksOf lists the networks of an experiment or of a model, with the name of what
// they are of.
func networksOf(what, results string, set []string) (string, []*report.Network, error) {
	if namesModel(what) {
		if len(set) > 0 {
			return "", nil, usagef("--set is for experiments: %s is a model", what)
		}
		file, err := store.FindModel(results, what)
		if err != nil {
			return "", nil, err
		}
		if file == what {
			what = filepath.Base(file)
		}
		n, err := report.OfCheckpoint(file)
		return what, []*report.Network{n}, err
	}
	e, err := experiment.LoadChecked(what, set)
	if err != nil {
		return "", nil, err
	}
	networks, err := report.OfTrials(e.Trials)
	return e.Name, networks, err
}

// namesModel reports whether a word names a model, not the file of an experiment.
func namesModel(what string) bool {
	if nn.IsModel(what) {
		return true
	}
	if experiment.IsFile(what) {
		return false
	}
	_, err := os.Stat(what)
	return err != nil && strings.Contains(what, "@")
}
