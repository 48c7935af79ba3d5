package main

import (
	"os"

	"github.com/spf13/cobra"

	"alamos/pkg/chess"

	"alamos/pkg/store"
	"alamos/pkg/uci"
)

func uciCommand() *cobra.Command {
	var model, results string
	var h uci.Hardware
	cmd := &cobra.Command{
		Use:   "uci",
		Short: "Be a UCI engine: play against a network in any chess program",
		Long: `uci speaks the Universal Chess Interface on standard input and output, as chess
programs, tournament managers and lichess bridges ask for it. The engine plays the
variant that its network was trained for. Without a network it knows the rules only,
of every variant.

` + aboutModels + `

What a user may change while it runs (MultiPV, CPuct, Temperature and more) is
offered as UCI options. A "go" without limits is infinite, as UCI has it.

With UCI_ShowWDL there are wins, draws and losses per mille. A network that tells draws
(network.value: wdl) has the mean of its draws over the search (see alamos analyze);
others tell one expected result, which is said as wins and losses alone.`,
		Example: `  alamos uci --model quickstart/24b4@last
  printf 'position startpos\ngo nodes 800\n' | alamos uci --model gen-0008.safetensors`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			mind := uci.Blank(chess.Variants()...)
			if model != "" {
				file, err := store.FindModel(results, model)
				if err != nil {
					return err
				}
				if mind, err = uci.Load(file, h); err != nil {
					return err
				}
			}
			e := uci.New(mind)
			defer e.Close()
			return uci.Serve(cmd.Context(), os.Stdin, cmd.OutOrStdout(), e)
		},
	}
	f := cmd.Flags()
	f.StringVar(&model, "model", "", "checkpoint `file` or RUN@GENERATION (default: no network)")
	modelFlag(cmd, "model", &results)
	threadsFlag(cmd, &h.Threads)
	numberFlag(cmd, &h.Batch, "batch", 0, between(0, 4096), "positions evaluated at once (default: 16 per thread)")
	deviceFlags(cmd, &h.Device, &h.Precision)
	return cmd
}
