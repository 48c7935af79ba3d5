package main

import (
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"alamos/pkg/hub"
	"alamos/pkg/run"
)

func hubCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "hub",
		Short: "Make the keys with which other machines play the games of a run",
		Long: `A run with --hub has its games played by workers, which are alamos work on any machine that
reaches it: those of self-play, of tournaments, and those that compare trials. Engines of
workers label data and play games to learn from. The results have the same bytes as without
workers, whatever fails. Training, and tournament games of engines, stay on the machine of
the run.`,
		Example: `  alamos hub init hub --address gpu1.example.org:4321 --workers 4`,
	}
	cmd.AddCommand(hubInitCommand())
	return cmd
}

func hubInitCommand() *cobra.Command {
	var address string
	var workers int
	var server bool
	cmd := &cobra.Command{
		Use:   "init DIR",
		Short: "Write the keys of a hub and the tokens of its workers into a folder",
		Long: `init writes hub.key, for the machine of the run, and worker-1.token to worker-N.token, each
for one or more workers. These files are secret: who has a token can play games for the
run. If the folder has keys already, init adds the tokens that are missing, and --address
changes the address in the tokens of this folder.

Workers connect to the machine of the run. If they cannot reach it, a NATS server on a third
machine that both reach joins them: --server writes its configuration. Start the run with
--hub nats://host:port, and restart the server after adding tokens.`,
		Example: `  alamos hub init hub --address gpu1.example.org:4321 --workers 4
  alamos run experiments/quickstart.yaml --hub :4321 --hub-file hub/hub.key
  alamos work --hub-file worker-1.token

  alamos hub init hub --address relay.example.org:4321 --workers 4 --server
  cd hub && nats-server -c nats.conf      # on relay.example.org
  alamos run experiments/quickstart.yaml --hub nats://relay.example.org:4321 --hub-file hub/hub.key`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if address == "" {
				host, err := os.Hostname()
				if err != nil {
					return err
				}
				address = net.JoinHostPort(host, "4321")
				if k, err := hub.ReadKeys(filepath.Join(args[0], hub.KeyFile)); err == nil {
					address = k.Address
				}
			}
			tokens, err := hub.Init(args[0], address, workers)
			if errors.Is(err, hub.ErrAddress) {
				return usagef("%w", err)
			}
			if err != nil {
				return err
			}
			if server {
				if err := hub.WriteServer(args[0]); err != nil {
					return err
				}
				fmt.Fprintf(cmd.OutOrStdout(), "%s: for nats-server -c\n", filepath.Join(args[0], hub.ServerFile))
			}
			fmt.Fprintf(cmd.OutOrStdout(), "%s: for run --hub\n", filepath.Join(args[0], hub.KeyFile))
			for _, token := range tokens {
				fmt.Fprintf(cmd.OutOrStdout(), "%s: for work --hub-file\n", token)
			}
			return nil
		},
	}
	f := cmd.Flags()
	f.StringVar(&address, "address", "", "`host:port` that workers connect to (default: as before, at first this machine's name and port 4321)")
	numberFlag(cmd, &workers, "workers", 1, between(1, 10_000), "number of tokens")
	notFromMachineFile(cmd, "workers")
	f.BoolVar(&server, "server", false, "write the configuration of a NATS server too")
	return cmd
}

func workCommand() *cobra.Command {
	var file string
	var idle time.Duration
	opt := run.Options{Alamos: version()}
	cmd := &cobra.Command{
		Use:   "work",
		Short: "Play games for a run on another machine",
		Long: `work connects to the hub of a token, plays games or has its engines label them, and sends
them back, until it is stopped. It waits for a hub that is not there yet or not there any
more. Stopped or killed, it loses the games in play, which others play again.

All workers of a run must be of one kind of machine: the same version of alamos and of its
libraries, device and precision, and the same bits in the answers of each network. The hub
refuses others by name (see run --kinds). To label, only the engine must be the same.`,
		Example: `  alamos work --hub-file worker-1.token
  alamos work --hub-file worker-1.token --device cuda:0 --exit-when-idle 5m`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if file == "" {
				return usagef("--hub-file: want the token of a worker (alamos hub init makes it)")
			}
			token, err := hub.ReadToken(file)
			if err != nil {
				return err
			}
			c := newConsole(os.Stderr, 1)
			defer c.close()
			opt.Reporter = c
			return run.PlayFor(cmd.Context(), token, opt, idle)
		},
	}
	f := cmd.Flags()
	f.StringVar(&file, "hub-file", "", "`token` of this worker")
	durationFlag(cmd, &idle, "exit-when-idle", 0, 0, "end when there was no work for this time; 0: never")
	playingFlags(cmd, &opt, "goroutines that play games (default: one per core, with CUDA two per core)")
	return cmd
}

// openHub starts the hub of a run. note gets what its user should know.
func openHub(address, file string, note func(string)) (*hub.Hub, error) {
	if file == "" {
		return nil, usagef("--hub-file: want the hub's file of keys (alamos hub init makes it)")
	}
	keys, err := hub.ReadKeys(file)
	if err != nil {
		return nil, err
	}
	return hub.Serve(address, keys, note)
}
