package diff

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"alamos/pkg/chess"
	"alamos/pkg/disk"
	"alamos/pkg/experiment"
	"alamos/pkg/match"
	"alamos/pkg/nn"
	"alamos/pkg/store"
	"alamos/pkg/train"
)

// inFolder makes files in a new working directory.
func inFolder(t *testing.T, files map[string]string) {
	t.Helper()
	t.Chdir(t.TempDir())
	for name, text := range files {
		writeFile(t, name, text)
	}
}

func writeFile(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

func open(t *testing.T, name string) *Side {
	t.Helper()
	s, err := Open(name, Options{})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// compared is the report of two sides by their names.
func compared(t *testing.T, a, b string, o Options) *Report {
	t.Helper()
	return Compare(open(t, a), open(t, b), o)
}

func text(t *testing.T, r *Report) string {
	t.Helper()
	var b bytes.Buffer
	if err := r.Text(&b, false, true); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// outcomes draws the results of a player's games: in every opening a number that
// stands for how much it offers, the same for all that play it, and luck beside
// it. The player is elo stronger than its opponent.
type outcomes struct {
	openings, luck *rand.Rand
	elo            float64
	shared         float64 // share of the opening in what is not strength
}

func (o *outcomes) opening() [2]float64 {
	return [2]float64{o.openings.Float64(), o.openings.Float64()}
}

func (o *outcomes) result(white bool, offer float64) chess.Result {
	u := o.luck.Float64()
	if o.luck.Float64() < o.shared {
		u = offer
	}
	win := 1 / (1 + math.Pow(10, -o.elo/400)) // no draws
	if u < win == white {
		return chess.WhiteWins
	}
	return chess.BlackWins
}

// pretend leaves in the results what a run of every trial of an experiment file
// would: each trains for its generations, and plays rounds games against random
// and its own untrained network, elo stronger than the first.
func pretend(t *testing.T, file string, seed uint64, elo, loss float64) []*store.Trial {
	t.Helper()
	e, err := experiment.Load(file, experiment.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var all []*store.Trial
	for i, x := range e.Trials {
		trial, err := store.Open(filepath.Join("results", e.Name), x)
		if err != nil {
			t.Fatal(err)
		}
		m := trial.Manifest
		m.Trial, m.Label = x.ID, x.Label
		luck := rand.New(rand.NewPCG(seed, uint64(i)))
		put := func(name string, in store.Inputs, out map[string]string, facts any) {
			b, err := json.Marshal(facts)
			if err != nil {
				t.Fatal(err)
			}
			m.Put(&store.Stage{Name: name, Inputs: in, Outputs: out, Facts: b, Ended: time.Unix(0, 0).UTC(), Seconds: 2})
		}
		epochs := 0
		for g := 1; g <= x.Settings.Generations; g++ {
			put(store.SelfPlayStage(g), nil, nil, store.Generation{Number: g, Games: x.Settings.SelfPlay.Games, Samples: 1000, Evaluations: 50_000})
			now := loss + 1/float64(g) + 0.02*luck.NormFloat64()
			epochs++
			l := nn.Loss{Total: now, Policy: now * 0.8, Value: now * 0.2}
			put(store.TrainStage(g), nil, map[string]string{store.CheckpointFile(g): fmt.Sprint(seed, i, g)},
				[]train.Epoch{{Generation: g, Number: epochs, Rate: 0.1, Train: l, Validation: l, Selected: true}})
		}
		tournamentOf(t, trial, &outcomes{rand.New(rand.NewPCG(x.Settings.Seed, 99)), luck, elo, 0.7}, put)
		if err := os.MkdirAll(trial.Dir, 0o777); err != nil {
			t.Fatal(err)
		}
		if err := m.Write(trial.Dir); err != nil {
			t.Fatal(err)
		}
		if err := trial.WriteSettings(); err != nil {
			t.Fatal(err)
		}
		all = append(all, trial)
	}
	x := store.Describe(e)
	x.Ended = true
	if err := x.Write(filepath.Join("results", e.Name)); err != nil {
		t.Fatal(err)
	}
	return all
}

// tournamentOf plays the trial's tournament, with games that are over before they
// begin: only their results and openings are of interest.
func tournamentOf(t *testing.T, trial *store.Trial, o *outcomes, put func(string, store.Inputs, map[string]string, any)) {
	t.Helper()
	last := trial.Declared.Settings.Generations
	names := []string{store.CheckpointName(last), store.CheckpointName(0), match.Random}
	generations := []int{last, 0, -1}
	v, err := trial.Declared.Settings.Game.Of()
	if err != nil {
		t.Fatal(err)
	}
	res := match.NewResults(names)
	var pgn bytes.Buffer
	for _, other := range names[1:] {
		pair := match.NewPair(names[0], other)
		for k := range trial.Declared.Settings.Tournament.Rounds / 2 {
			for c, offer := range o.opening() {
				g := &match.Game{Variant: v, Number: 2*k + c, Start: chess.StartPosition(v)}
				g.White, g.Black = pair.Players(g.Number)
				g.Outcome = chess.Outcome{Result: o.result(g.White == names[0], offer), Reason: chess.EngineStall}
				if err := res.Add(g); err != nil {
					t.Fatal(err)
				}
				if err := chess.WritePGN(&pgn, g.PGN("made")); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	if err := disk.WriteBytes(trial.Path(store.TournamentGames), pgn.Bytes()); err != nil {
		t.Fatal(err)
	}
	sum, err := disk.Sum(trial.Path(store.TournamentGames))
	if err != nil {
		t.Fatal(err)
	}
	ratings, err := match.Rate(res, names[1])
	if err != nil {
		t.Fatal(err)
	}
	out := store.Tournament{Anchor: names[1], Games: *res}
	in := store.Inputs{"game.variant": trial.Declared.Settings.Game.Variant}
	settings := trial.Declared.Settings.Tournament
	settings.Players = nil
	in.Settings("tournament", settings)
	for i, r := range ratings.List {
		out.Players = append(out.Players, store.PlayerResult{Generation: generations[i], Samples: 1000 * max(0, generations[i]), Rating: r})
		in["player "+names[i]] = "plays"
		if generations[i] >= 0 { // an untrained network of its own in every trial
			in["player "+names[i]] = fmt.Sprint(trial.Dir, generations[i])
		}
	}
	put(store.TournamentStage, in, map[string]string{store.TournamentGames: sum}, out)
}

func metric(t *testing.T, g *Group, name string) Metric {
	t.Helper()
	i := slices.IndexFunc(g.Metrics, func(m Metric) bool { return m.Name == name })
	if i < 0 {
		t.Fatalf("no metric %q among %+v", name, g.Metrics)
	}
	return g.Metrics[i]
}
