package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"alamos/pkg/chess"
	"alamos/pkg/lichess"
	"alamos/pkg/nn"
	"alamos/pkg/store"
	"alamos/pkg/uci"
)

func lichessCommand() *cobra.Command {
	var (
		models    []string
		results   string
		tokenFile string
		casual    bool
		shortest  int
		longest   int
		h         uci.Hardware
	)
	cfg := lichess.Config{Policy: lichess.Policy{Rated: true, Casual: true}}
	cmd := &cobra.Command{
		Use:   "lichess",
		Short: "Play on lichess.org as a bot, with a network",
		Long: `lichess takes challenges on lichess.org and plays them with a network, several games
at once. It comes back by itself when the connection fails. The first Ctrl-C takes no
more challenges and plays the games under way to their end; the second leaves at once.

It needs a bot account and a token of it with the scope "bot:play", alone in a file. An
account that has never played becomes a bot, for good, by
  curl -X POST -H "Authorization: Bearer TOKEN" https://lichess.org/api/bot/account/upgrade

` + aboutModels,
		Example: `  alamos lichess --token-file token --model quickstart/24b4@last
  alamos lichess --token-file token --model atomic.safetensors --model chess.safetensors --games 2 --casual-only --shortest 60`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			p := &cfg.Policy
			switch {
			case tokenFile == "":
				return usagef("--token-file: want a file with the token of a bot account")
			case len(models) == 0:
				return usagef("--model: want a checkpoint file, or RUN@GENERATION")
			case !p.Bots && !p.Humans:
				return usagef("--bots=false and --humans=false: nobody is left to play")
			}
			token, err := os.ReadFile(tokenFile)
			if err != nil {
				return err
			}
			if cfg.Token = strings.TrimSpace(string(token)); cfg.Token == "" || strings.ContainsAny(cfg.Token, " \n") {
				return fmt.Errorf("%s: want a token and nothing else in it", tokenFile)
			}
			p.Rated = !casual
			p.Shortest, p.Longest = time.Duration(shortest)*time.Second, time.Duration(longest)*time.Second
			files, err := byVariant(results, models)
			if err != nil {
				return err
			}
			for v := range files {
				p.Variants = append(p.Variants, v)
			}
			slices.Sort(p.Variants)
			if h.Threads == 0 {
				h.Threads = max(1, runtime.NumCPU()/p.AtOnce)
			}
			cfg.Engine = func(v chess.Variant) (*uci.Engine, error) {
				mind, err := uci.Load(files[v], h)
				if err != nil {
					return nil, err
				}
				return uci.New(mind), nil
			}
			cfg.Log = slog.New(slog.NewTextHandler(cmd.ErrOrStderr(), nil))
			return lichess.Run(cmd.Context(), context.WithoutCancel(cmd.Context()), cfg)
		},
	}
	f := cmd.Flags()
	f.StringVar(&tokenFile, "token-file", "", "`file` with the token of a bot account")
	f.StringArrayVar(&models, "model", nil, "checkpoint `file` or RUN@GENERATION; several for several variants")
	modelFlag(cmd, "model", &results)
	numberFlag(cmd, &cfg.Policy.AtOnce, "games", 1, between(1, 100), "games at once")
	f.BoolVar(&casual, "casual-only", false, "take no rated games")
	f.BoolVar(&cfg.Policy.Bots, "bots", true, "play against other bots")
	f.BoolVar(&cfg.Policy.Humans, "humans", true, "play against people")
	f.BoolVar(&cfg.Policy.Chess960, "chess960", false, "take chess960 and games from other positions, with the network for chess")
	f.BoolVar(&cfg.Policy.Untimed, "untimed", false, "take games without a clock")
	numberFlag(cmd, &shortest, "shortest", 30, atLeast(0), "shortest game, in `seconds` of a side's clock with 40 increments")
	numberFlag(cmd, &longest, "longest", 3600, atLeast(0), "longest game, in the same `seconds`; 0: any")
	f.StringArrayVar(&cfg.Policy.Only, "only", nil, "take challenges of this `user` only; several")
	f.StringArrayVar(&cfg.Policy.Never, "never", nil, "never take challenges of this `user`; several")
	f.StringVar(&cfg.URL, "server", "", "another server with lichess' interface (default: https://lichess.org)")
	numberFlag(cmd, &h.Threads, "threads", 0, atLeast(0), "threads of a game's network (default: the cores, divided among the games)")
	deviceFlags(cmd, &h.Device, &h.Precision)
	return cmd
}

// byVariant says which file plays which variant.
func byVariant(results string, models []string) (map[chess.Variant]string, error) {
	files := map[chess.Variant]string{}
	for _, model := range models {
		path, err := store.FindModel(results, model)
		if err != nil {
			return nil, err
		}
		c, err := nn.ReadCheckpoint(path)
		if err != nil {
			return nil, err
		}
		_, v, err := c.Codec()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		if other, taken := files[v]; taken {
			return nil, usagef("--model: %s and %s both play %s", other, path, v)
		}
		files[v] = path
	}
	return files, nil
}
