package main

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"alamos/pkg/chess"
	"alamos/pkg/lichess"
	"alamos/pkg/match"
	"alamos/pkg/nn"
	"alamos/pkg/store"
	"alamos/pkg/uci"
	"alamos/pkg/web"
)

// players are the players that a command gets: as words of alamos match, and networks as
// --model.
type players struct {
	models  []string
	results string
	opener  match.Opener
}

// flags declares the flags and the completion of the players.
func (p *players) flags(cmd *cobra.Command, usage string) {
	p.modelFlags(cmd, usage)
	cmd.ValidArgsFunction = completeModels(&p.results)
}

// modelFlags declares the flags of networks.
func (p *players) modelFlags(cmd *cobra.Command, usage string) {
	cmd.Flags().StringArrayVar(&p.models, "model", nil, "checkpoint `file` or RUN@GENERATION"+usage)
	completeFlagBy(cmd, "model", completeModels(&p.results))
	p.networkFlags(cmd)
}

// networkFlags declares where networks are found and how they compute.
func (p *players) networkFlags(cmd *cobra.Command) {
	resultsFlag(cmd, &p.results)
	numberFlag(cmd, &p.opener.Hardware.Threads, "threads", 0, atLeast(0), "threads of each network (default: one per core)")
	deviceFlags(cmd, &p.opener.Hardware.Device, &p.opener.Hardware.Precision)
	p.opener.FindModel = func(name string) (string, error) { return store.FindModel(p.results, name) }
	p.opener.Title = store.ModelTitle
}

// parsePlayers parses players in the words of alamos match.
func parsePlayers(words []string) (specs []*match.Spec, err error) {
	for _, word := range words {
		s, err := match.ParseSpec(word)
		if err != nil {
			return nil, usageError{err}
		}
		specs = append(specs, s)
	}
	return specs, nil
}

// specs returns the players of the arguments, then those of --model.
func (p *players) specs(args []string) ([]*match.Spec, error) {
	specs, err := parsePlayers(args)
	if err != nil {
		return nil, err
	}
	for _, model := range p.models {
		specs = append(specs, &match.Spec{Model: match.Checkpoint(model)})
	}
	return specs, nil
}

// one opens the only player, by default a search without a network.
func (p *players) one(args []string) (*match.Opened, error) {
	specs, err := p.specs(args)
	switch {
	case err != nil:
		return nil, err
	case len(specs) > 1:
		return nil, usagef("want one player, have %d", len(specs))
	}
	return p.opener.Open(append(specs, &match.Spec{Player: match.Uniform})[0])
}

func playCommand() *cobra.Command {
	var (
		cfg  web.PlayConfig
		with players
		at   address
	)
	cmd := &cobra.Command{
		Use:   "play [PLAYER...]",
		Short: "Play against networks and engines on a page in the browser",
		Long: `play serves a page on which you play against engines, or watch them play each other,
with the analysis of their search. It also opens games of PGN files and of runs, and lists
their blunders. It serves only this machine unless --addr says otherwise, and needs no
internet. Ctrl-C ends it.

A PLAYER is a word with settings, which are its usual strength on the page:

` + match.Usage + `

With networks, the page offers their variants. It also offers a network without a search
and with alpha-beta. Without, it offers all variants. Random moves, alpha-beta on material
and a search that knows only the rules are always there.

` + aboutModels,
		Example: `  alamos play
  alamos play quickstart/2@last --open
  alamos play old.safetensors new.safetensors fairy-stockfish,level=3 --addr localhost:9000`,
		RunE: func(cmd *cobra.Command, args []string) error {
			cfg.Log = slog.New(slog.NewTextHandler(cmd.ErrOrStderr(), nil))
			var err error
			if cfg.Host, err = at.host(); err != nil {
				return err
			}
			specs, err := with.specs(args)
			if err != nil {
				return err
			}
			defer with.opener.Close()
			cfg.Results = with.results
			for _, spec := range specs {
				p, err := with.opener.Open(spec)
				if err != nil {
					return err
				}
				cfg.Players = append(cfg.Players, p)
			}
			server, err := web.NewPlay(cfg)
			if err != nil {
				return usagef("%w", err)
			}
			defer server.Close()
			return at.serve(cmd, "play", "play and use this machine", server, cfg.Log)
		},
	}
	with.flags(cmd, ", as a PLAYER; several for several variants, or to play each other")
	variantFlag(cmd, &cfg.Variant, "the variant to begin with")
	at.flags(cmd, "localhost:8080")
	return cmd
}

func uciCommand() *cobra.Command {
	var with players
	var variant *chess.Variant
	cmd := &cobra.Command{
		Use:   "uci [PLAYER]",
		Short: "Run a UCI engine: play against a network in any chess program",
		Long: `uci speaks the Universal Chess Interface on standard input and output, for chess
programs, tournament managers and lichess bridges. A network plays the variant that it was
trained for. Without a PLAYER the engine knows only the rules, of every variant. A PLAYER is
a word with settings, which limit its search beside the limits of "go":

` + match.Usage + `

` + aboutModels + `

UCI options change MultiPV, CPuct, Temperature and more while it runs. A "go" without
limits is infinite, unless the PLAYER has a limit.

With UCI_ShowWDL it sends wins, draws and losses per mille. A network that predicts draws
(network.value: wdl) gives the mean of its draws over the search (see alamos analyze).
Other networks give an expected result, which is sent as wins and losses alone.`,
		Example: `  alamos uci quickstart/2@last
  alamos uci fairy-stockfish,level=2 --variant atomic
  printf 'position startpos\ngo nodes 800\n' | alamos uci gen-0008.safetensors`,
		RunE: func(cmd *cobra.Command, args []string) error {
			defer with.opener.Close()
			p, err := with.one(args)
			if err != nil {
				return err
			}
			v, err := variantOf(p, variant)
			if err != nil {
				return err
			}
			e, limit, err := p.Searcher(cmd.Context(), v)
			if err != nil {
				return err
			}
			defer e.Close()
			return uci.Serve(cmd.Context(), os.Stdin, cmd.OutOrStdout(), e, limit)
		},
	}
	with.flags(cmd, ", as PLAYER")
	variantFlag(cmd, &variant, "the variant of a PLAYER without a network (default chess)")
	numberFlag(cmd, &with.opener.Hardware.Batch, "batch", 0, between(0, 4096), "positions evaluated at once (default: 16 per thread)")
	notFromMachineFile(cmd, "batch") // a game's search of few visits is weaker with more
	return cmd
}

// variantOf is the variant of a player's network, else that of the flag, else chess.
func variantOf(p *match.Opened, flag *chess.Variant) (chess.Variant, error) {
	v := orChess(flag)
	if p.Network() == "" {
		return v, nil
	}
	if own := p.Variants()[0]; flag == nil || own == v {
		return own, nil
	}
	return v, usagef("--variant %s: the network of %s plays %s", v, p.Network(), p.Variants()[0])
}

func lichessCommand() *cobra.Command {
	var (
		with      players
		tokenFile string
		casual    bool
		shortest  int
		longest   int
	)
	h := &with.opener.Hardware
	cfg := lichess.Config{Policy: lichess.Policy{Rated: true, Casual: true}}
	cmd := &cobra.Command{
		Use:   "lichess",
		Short: "Play on lichess.org as a bot, with a network",
		Long: `lichess accepts challenges on lichess.org and plays them with a network, several games
at once. It reconnects after a failure. The first Ctrl-C stops accepting challenges and
plays the running games to their end; the second stops at once.

It needs a bot account and a file with a token of that account with the scope "bot:play".
An account that has never played becomes a bot, permanently, by
  curl -X POST -H "Authorization: Bearer TOKEN" https://lichess.org/api/bot/account/upgrade

` + aboutModels,
		Example: `  alamos lichess --token-file token --model quickstart/2@last
  alamos lichess --token-file token --model atomic.safetensors --model chess.safetensors --games 2 --casual-only --shortest 60`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			p := &cfg.Policy
			switch {
			case tokenFile == "":
				return usagef("--token-file: want a file with the token of a bot account")
			case len(with.models) == 0:
				return usagef("--model: want a checkpoint file, or RUN@GENERATION")
			case !p.Bots && !p.Humans:
				return usagef("--bots=false and --humans=false: no opponents are left")
			case longest > 0 && shortest > longest:
				return usagef("--shortest %d is more than --longest %d: no game is left", shortest, longest)
			}
			token, err := os.ReadFile(tokenFile)
			if err != nil {
				return err
			}
			if cfg.Token = strings.TrimSpace(string(token)); cfg.Token == "" || strings.ContainsAny(cfg.Token, " \n") {
				return fmt.Errorf("%s: want a file that contains only a token", tokenFile)
			}
			p.Rated = !casual
			p.Shortest, p.Longest = time.Duration(shortest)*time.Second, time.Duration(longest)*time.Second
			files, err := with.byVariant()
			if err != nil {
				return err
			}
			p.Variants = slices.Sorted(maps.Keys(files))
			if h.Threads == 0 {
				h.Threads = max(1, runtime.GOMAXPROCS(0)/p.AtOnce)
			}
			cfg.Engine = func(v chess.Variant) (uci.Searcher, error) {
				model, err := match.Load(files[v], *h)
				if err != nil {
					return nil, err
				}
				return uci.New(model), nil
			}
			cfg.Log = slog.New(slog.NewTextHandler(cmd.ErrOrStderr(), nil))
			return lichess.Run(cmd.Context(), context.WithoutCancel(cmd.Context()), cfg)
		},
	}
	f := cmd.Flags()
	f.StringVar(&tokenFile, "token-file", "", "`file` with the token of a bot account")
	with.modelFlags(cmd, "; several for several variants")
	numberFlag(cmd, &cfg.Policy.AtOnce, "games", 1, between(1, 100), "games at once")
	f.BoolVar(&casual, "casual-only", false, "accept only casual games")
	f.BoolVar(&cfg.Policy.Bots, "bots", true, "play against other bots")
	f.BoolVar(&cfg.Policy.Humans, "humans", true, "play against people")
	f.BoolVar(&cfg.Policy.Chess960, "chess960", false, "accept chess960 and games from other positions, with the network for chess")
	f.BoolVar(&cfg.Policy.Untimed, "untimed", false, "accept games without a clock")
	numberFlag(cmd, &shortest, "shortest", 30, atLeast(0), "shortest game, in `seconds` of a side's clock with 40 increments")
	numberFlag(cmd, &longest, "longest", 3600, atLeast(0), "longest game, in the same `seconds`; 0: any")
	f.StringArrayVar(&cfg.Policy.Only, "only", nil, "accept challenges only from this `user` (repeatable)")
	f.StringArrayVar(&cfg.Policy.Never, "never", nil, "never accept challenges from this `user` (repeatable)")
	f.StringVar(&cfg.URL, "server", "", "another server with lichess' interface (default: https://lichess.org)")
	return cmd
}

// byVariant maps each variant to the file that plays it.
func (p *players) byVariant() (map[chess.Variant]string, error) {
	files := map[chess.Variant]string{}
	for _, model := range p.models {
		path, err := p.opener.FindModel(model)
		if err != nil {
			return nil, err
		}
		_, _, v, err := nn.ReadModel(path)
		if err != nil {
			return nil, err
		}
		if other, taken := files[v]; taken {
			return nil, usagef("--model: %s and %s both play %s", other, path, v)
		}
		files[v] = path
	}
	return files, nil
}
