package diff

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"alamos/pkg/disk"
	"alamos/pkg/match"
	"alamos/pkg/stats"
	"alamos/pkg/store"
)

// played is the tournament of a trial from the view of its last network.
type played struct {
	*store.Tournament
	subject int // the index of that network
	// opponents maps the names of the others to their identities. Equal identities are the
	// same player in any tournament.
	opponents map[string]string
	games     []*match.Game // nil if the file of games differs from what the run wrote
}

func (p *played) name() string { return p.Players[p.subject].Name }

// opponent returns the opponent of the subject in a game, or "" if the subject does not play.
func (p *played) opponent(g *match.Game) string {
	switch p.name() {
	case g.White:
		return g.Black
	case g.Black:
		return g.White
	}
	return ""
}

// tournament reads the tournament of a trial. It is nil if none was played, or if the last
// one was played with other settings, as note then explains.
func tournament(t *store.Trial) (p *played, note string) {
	stage := t.Manifest.Stage(store.TournamentStage)
	res := t.Tournament()
	if res == nil {
		return nil, ""
	}
	if change := otherSettings(t, stage); change != "" {
		return nil, fmt.Sprintf("%s: its tournament was played with other settings (%s) and is left out", nameOf(t), change)
	}
	if name := store.CheckpointName(t.Last()); playsLast(t) && res.Find(name) < 0 {
		return nil, fmt.Sprintf("%s: its tournament was played without %s, the newest network, and is left out", nameOf(t), name)
	}
	p = &played{Tournament: res, subject: -1, opponents: map[string]string{}}
	for i, x := range res.Players {
		if g := x.Generation; g > 0 && g <= t.Last() && (p.subject < 0 || g > res.Players[p.subject].Generation) {
			p.subject = i
		}
	}
	if p.subject < 0 {
		return nil, ""
	}
	for i, x := range res.Players {
		if i != p.subject {
			p.opponents[x.Name] = identity(&x, stage.Inputs)
		}
	}
	if err := p.readGames(t.Path(store.TournamentGames), stage.Outputs[store.TournamentGames]); err != nil {
		return p, fmt.Sprintf("%s %v: ratings are taken from the manifest", t.Path(store.TournamentGames), err)
	}
	return p, ""
}

// playsLast reports whether the newest network is a player of the tournament.
func playsLast(t *store.Trial) bool {
	return slices.ContainsFunc(t.Declared.Settings.Tournament.Players, func(p match.Spec) bool {
		return p.Player == match.Last || p.Every > 0 || slices.Contains(p.Generations, t.Last())
	})
}

// otherSettings describes how the settings of a finished tournament differ from those of
// the trial. It is "" if they are equal.
func otherSettings(t *store.Trial, stage *store.Stage) string {
	want := store.Inputs{}
	settings := t.Declared.Settings.Tournament
	settings.Players = nil
	want.Settings("tournament", settings)
	have := store.Inputs{}
	for key, v := range stage.Inputs {
		if _, ok := want[key]; ok || strings.HasPrefix(key, "tournament.") {
			have[key] = v
		}
	}
	return have.Change(want)
}

// identity distinguishes opponents, or is "" if unknown. It consists of the name and, for a
// checkpoint, its weights and its search, or, for an engine, its reported name. Players of
// different games are different players.
func identity(p *store.PlayerResult, in store.Inputs) string {
	is, ok := in["player "+p.Name]
	if !ok {
		return ""
	}
	parts := []string{p.Name, is, in["game.variant"], in["game.start"]}
	if p.Generation >= 0 {
		for _, key := range slices.Sorted(maps.Keys(in)) {
			if strings.HasPrefix(key, "tournament.search.") || strings.HasPrefix(key, "tournament.temperature.") {
				parts = append(parts, key+"="+in[key])
			}
		}
	}
	return strings.Join(parts, "\n")
}

// readGames reads the games from a file with this checksum.
func (p *played) readGames(path, sum string) error {
	have, err := disk.Sum(path)
	if err == nil && have != sum {
		return errors.New("is not what the run wrote")
	}
	if err == nil {
		p.games, err = match.AllGames(path)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return errors.New("is gone")
	case err != nil:
		return fmt.Errorf("cannot be read (%w)", err)
	}
	return nil
}

// against returns the record of the subject against the given opponents.
func (p *played) against(names ...string) (total stats.Record) {
	for _, name := range names {
		if i := p.Find(name); i >= 0 {
			total = total.Plus(p.Games.Against(p.subject, i))
		}
	}
	return total
}

// share returns the share of the points of the subject against the given opponents.
func (p *played) share(names []string) stats.Interval {
	var others []int
	for _, name := range names {
		others = append(others, p.Find(name))
	}
	return p.Games.Share(p.subject, others...)
}

// common returns the names of the opponents that all met, in the order of the first
// tournament.
func common(all []*played) []string {
	var names []string
	for _, x := range all[0].Players {
		is := all[0].opponents[x.Name]
		if is != "" && !slices.ContainsFunc(all, func(p *played) bool { return p.opponents[x.Name] != is || p.against(x.Name).Games() == 0 }) {
			names = append(names, x.Name)
		}
	}
	return names
}

// openingsOf pairs the games of two subjects against the given opponents: those with the same
// opponent, number, opening and color. gains has the points of b minus those of a for each
// opening, in the order of a's games; an opening is played with both colors, and by all
// opponents. games is the number of pairs.
func openingsOf(a, b *played, against []string) (gains []float64, games int) {
	type key struct {
		opponent string
		number   int
		white    bool // the subject's color
	}
	of := map[key]*match.Game{}
	for _, g := range b.games {
		of[key{b.opponent(g), g.Number, g.White == b.name()}] = g
	}
	at := map[int]int{} // index of the gain, by the number of the opening
	for _, g := range a.games {
		opponent := a.opponent(g)
		other := of[key{opponent, g.Number, g.White == a.name()}]
		if other == nil || !slices.Contains(against, opponent) || g.Start != other.Start || !slices.Equal(g.Moves[:g.Opening], other.Moves[:other.Opening]) {
			continue
		}
		i, known := at[g.Number/2]
		if !known {
			i = len(gains)
			at[g.Number/2], gains = i, append(gains, 0)
		}
		gains[i] += other.Points(b.name()) - g.Points(a.name())
		games++
	}
	return gains, games
}

// informative counts the openings in which the two scored differently.
func informative(gains []float64) (n int) {
	for _, gain := range gains {
		if gain != 0 {
			n++
		}
	}
	return n
}
