package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strings"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"alamos/pkg/disk"
	"alamos/pkg/match"
	"alamos/pkg/report"
	"alamos/pkg/search"
	"alamos/pkg/stats"
)

func tuneCommand() *cobra.Command {
	var (
		games  gameFlags
		tuning match.Tuning
		keys   []string
		check  int
		out    string
		asJSON bool
	)
	cmd := &cobra.Command{
		Use:   "tune PLAYER --key SETTING=LOW..HIGH...",
		Short: "Find better search settings for a network by games, without training",
		Long: `tune looks for the settings of a tree search with which a fixed network plays best. The
network plays itself in pairs of games with the same opening and swapped colors. The two
sides have settings a little above and below the present ones, and the result moves these
(SPSA, Spall 1992, with the gains of Stockfish's fishtest). In the end a match of --check
pairs compares the found settings, the mean of the last quarter, with those of the PLAYER,
and tune says whether they are shown to be stronger.

PLAYER is a network with its other settings, as in alamos match. --key gives a setting and
its range: ` + strings.Join(search.Tunable(), ", ") + `.
A range above 0 of a number that is not whole has a logarithmic scale. The search starts at
the player's own value. After the range there may be the gains of fishtest, in parts of the
range: c is the distance of each side at the end, 0.15 by default, and a pair won by one point
then moves the setting by r*c. By default, r makes the steps of longer searches smaller.

A few hundred pairs find only large differences. 20 Elo need thousands.

` + aboutModels + `

With --out FILE.csv, the values after each pair are in FILE.csv and the games in FILE.pgn and
FILE-check.pgn. An interrupted tuning continues from there with the same command. Other load
on the machine and --concurrency do not change the result, unless the player is limited by
time.`,
		Example: `  alamos tune quickstart/2@last --key search.c_puct=0.5..4 --key search.policy_temperature=0.7..2 --visits 100
  alamos tune new.safetensors --key c_puct=0.5..4 --key fpu=0..1 --pairs 2000 --check 500 --visits 100 --out tune.csv
  alamos tune quickstart/2@last,root=gumbel --key root.c_scale=0.1..10 --key root.considered=4..32 --visits 32
  alamos tune quickstart/2@last --key c_puct=0.5..4,c=0.2,r=0.02 --openings book.epd`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			for _, key := range keys {
				r, err := match.ParseRange(key)
				if err != nil {
					return usagef("--key %w", err)
				}
				tuning.SPSA.Ranges = append(tuning.SPSA.Ranges, r)
			}
			if text, err := os.ReadFile(out); err == nil && !bytes.HasPrefix(text, []byte(match.TrajectoryHead)) {
				return usagef("--out: %s is not the file of a tuning: name another one", out)
			}
			defer games.with.opener.Close()
			players, err := games.open(args)
			if err != nil {
				return err
			}
			show := matchConsole{soloBar: newBar(os.Stderr, "tune", "games"), total: 2 * (tuning.SPSA.Pairs + check)}
			tuning.Config = match.Config{Tournament: games.tournament, Players: [2]*match.Opened{players[0]}, Watch: &show}
			showCheck := show
			showCheck.before = 2 * tuning.SPSA.Pairs
			against := match.Config{Watch: &showCheck}
			if out != "" {
				stem := strings.TrimSuffix(out, ".csv")
				tuning.File, against.File = stem+".pgn", stem+"-check.pgn"
			}
			result, err := tune(cmd, &tuning, against, check)
			show.End()
			switch {
			case err != nil && cmd.Context().Err() != nil && out != "":
				return errors.Join(errResumable, err)
			case err != nil:
				return err
			}
			if out != "" {
				if err := disk.WriteFile(out, tuning.WriteTrajectory); err != nil {
					return err
				}
			}
			return writeResult(cmd.OutOrStdout(), asJSON, result, result.write)
		},
	}
	f := cmd.Flags()
	f.StringArrayVar(&keys, "key", nil, "a setting to tune, as `SETTING=LOW..HIGH[,c=X][,r=X]`; may be given several times")
	requiredFlag(cmd, "key")
	completeFlagBy(cmd, "key", func(*cobra.Command, []string, string) (list []cobra.Completion, _ cobra.ShellCompDirective) {
		for _, key := range search.Tunable() {
			list = append(list, "search."+key+"=")
		}
		return list, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
	})
	numberFlag(cmd, &tuning.SPSA.Pairs, "pairs", 500, between(1, 1_000_000), "pairs of games that move the settings")
	numberFlag(cmd, &tuning.SPSA.Delay, "delay", 32, between(0, 100_000), "pairs that may be in play at once; unlike --concurrency it changes the result, and a GPU wants more of both")
	numberFlag(cmd, &check, "check", 200, between(0, 1_000_000), "pairs of games of the found settings against the player's own; 0: no check")
	fileFlag(cmd, &out, "out", "`FILE.csv` for the values after each pair, with the games beside it; an interrupted tuning continues from it", ".csv")
	jsonFlag(cmd, &asJSON)
	games.flags(cmd)
	return cmd
}

// tuned is the result of a tuning.
type tuned struct {
	Player   string         `json:"player"`
	Variant  string         `json:"variant"`
	Pairs    int            `json:"pairs"`
	Settings []tunedSetting `json:"settings"`
	Check    *match.Summary `json:"check,omitempty"` // of the found settings against the player
	Verdict  string         `json:"verdict"`
	YAML     string         `json:"yaml"`
}

type tunedSetting struct {
	Key   string  `json:"key"`
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
	Own   any     `json:"own"` // of the player; a number or a word
	Found float64 `json:"found"`
}

// tune plays the games of the tuning, and then those of the check.
func tune(cmd *cobra.Command, t *match.Tuning, check match.Config, pairs int) (*tuned, error) {
	if err := match.Tune(cmd.Context(), t); err != nil {
		return nil, err
	}
	own := t.Players[0]
	out := &tuned{Player: own.Name(), Variant: t.Variant.String(), Pairs: t.SPSA.Pairs, Verdict: "not checked by games: see --check"}
	found := t.Found()
	for i, r := range t.SPSA.Ranges {
		out.Settings = append(out.Settings, tunedSetting{r.Key, r.Low, r.High, t.Own[i], found[i]})
	}
	better := t.With(found)
	if out.YAML = better.YAML(); pairs == 0 {
		return out, nil
	}
	check.Tournament, check.Players = t.Tournament, [2]*match.Opened{better, own}
	check.Rounds = 2 * pairs
	check.Seed = stats.DeriveNamed(t.Tournament.Seed, "check", 0) // other openings than those of the tuning
	var err error
	if out.Check, err = match.Run(cmd.Context(), check); err == nil {
		out.Verdict = verdict(out.Check, pairs)
	}
	return out, err
}

// verdict says whether the check shows that the found settings are stronger.
func verdict(s *match.Summary, pairs int) string {
	with := fmt.Sprintf("Elo %+.0f (%+.0f to %+.0f), with this network and these limits", s.Elo.Value, s.Elo.Low, s.Elo.High)
	switch half := (s.Elo.High - s.Elo.Low) / 2; {
	case s.Elo.Low > 0:
		return "the found settings are stronger: " + with
	case s.Elo.High < 0:
		return "the found settings are weaker: " + with
	case math.Abs(s.Elo.Value) < 1 || !s.Elo.Known():
		return "no difference is shown: " + with
	default:
		const power = 0.842 // quantile of the normal distribution for 4 of 5 matches
		need := float64(pairs) * math.Pow(half/s.Elo.Value*(stats.Normal95+power)/stats.Normal95, 2)
		return fmt.Sprintf("no difference is shown: %s. If this is the difference, about %s pairs would show it in 4 of 5 matches", with, humanize.Comma(int64(math.Ceil(need))))
	}
}

func (t *tuned) write(w io.Writer) error {
	table := report.Table{Columns: []report.Column{{Name: "setting"}, {Name: "range", Numeric: true}, {Name: "player", Numeric: true}, {Name: "found", Numeric: true}}}
	for _, s := range t.Settings {
		table.Rows = append(table.Rows, report.Row(s.Key, fmt.Sprintf("%g..%g", s.Low, s.High), fmt.Sprint(s.Own), fmt.Sprint(s.Found)))
	}
	if err := report.WriteText(w, false, table); err != nil {
		return err
	}
	if t.Check != nil {
		fmt.Fprintf(w, "\n%s\n", strings.Join(t.Check.Table(), "\n"))
	}
	_, err := fmt.Fprintf(w, "\n%s\n\n# for an experiment; other keys have their defaults\n%s", t.Verdict, t.YAML)
	return err
}
