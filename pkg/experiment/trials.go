package experiment

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"sort"
	"strconv"
	"strings"

	"alamos/pkg/config"
	"alamos/pkg/match"
	"alamos/pkg/stats"
)

// Trial is one combination of a sweep and a seed, or the only trial without a sweep.
type Trial struct {
	Number   int         // in Experiment.Trials, from 1
	ID       string      // of the settings, see [Settings.ID]
	Folder   string      // name of the folder of its results, see folderName
	Name     string      `json:",omitempty"` // in sweep.include, empty if it has none there
	Label    string      // what distinguishes it, such as "network.depth=2 seed=1" or "large seed=1"; empty for a single trial
	Group    string      // Label without the seed: trials of one group differ only in their seeds
	Parent   int         `json:",omitempty"` // number of the trial whose network it continues with; 0 means none
	Axis     []AxisValue // one entry per element of Experiment.Axes, including those that Label omits
	Settings Settings

	combination combination // of the sweep, without a repeated seed
}

// AxisValue is a trial's value of a swept key. The value is empty if the key does not apply
// to the trial.
type AxisValue struct{ Path, Value string }

// Axis is a key that a sweep varies, with the values of the trials in the order of the
// file. Drawn numbers are in ascending order.
type Axis struct {
	Path   string
	Values []string
}

// WithoutSeed returns the axes other than the seed.
func WithoutSeed(axes []Axis) []Axis {
	return slices.DeleteFunc(slices.Clone(axes), func(a Axis) bool { return a.Path == "seed" })
}

// Sets reports whether the label of a trial has a value of a swept key. It has none of a key
// that only other combinations set, or that does not apply.
func (t *Trial) Sets(path string) bool { return strings.Contains(" "+t.Label, " "+path+"=") }

// label returns the name of a combination, or its settings.
func (c *combo) label() string { return cmp.Or(c.name, c.combination.label()) }

// group returns the label of a combination's trials without their seeds.
func (c *combo) group() string {
	if c.name != "" {
		return c.name
	}
	return slices.DeleteFunc(slices.Clone(c.combination), func(s setting) bool { return s.path == "seed" }).label()
}

// repeated returns the trials of a combination with a range of its seeds, counted from 0.
func (x *expansion) repeated(c *combo, from, to int) []Trial {
	var trials []Trial
	for i := from; i < to; i++ {
		s, id := c.settings, c.id
		if i > 0 {
			s.Seed += uint64(i)
			id = s.ID()
		}
		one, label := *c, c.label()
		if x.Seeds > 1 {
			seed := setting{path: "seed", text: strconv.FormatUint(s.Seed, 10)}
			one.combination = append(slices.Clone(c.combination), seed)
			label = strings.TrimSpace(label + " seed=" + seed.text)
		}
		trial := Trial{Settings: s, ID: id, Name: c.name, Label: label, Group: c.group(), combination: c.combination}
		for _, path := range x.paths() {
			trial.Axis = append(trial.Axis, AxisValue{path, fileName(one.text(path))})
		}
		trial.Folder = trial.folderName()
		trials = append(trials, trial)
	}
	return trials
}

// folderName returns the name of a trial's folder. It is a hash of the settings that
// determine training, so that a changed tournament or notebook, or more generations, reuse
// the same networks. The hash also covers every swept setting, because the trials of a sweep
// need separate folders.
func (t *Trial) folderName() string {
	trained := t.Settings.identity()
	var swept []AxisValue
	for _, a := range slices.SortedFunc(slices.Values(t.Axis), func(a, b AxisValue) int { return cmp.Compare(a.Path, b.Path) }) {
		if section, _, _ := strings.Cut(a.Path, "."); section == "generations" || section == "tournament" || section == "stop" {
			value, _ := config.ValueAt(trained, a.Path)
			swept = append(swept, AxisValue{a.Path, string(config.JSON(value))})
		}
	}
	maps.DeleteFunc(trained, func(section string, _ any) bool {
		return !slices.Contains([]string{"seed", "start", "game", "network", "search", "data", "selfplay", "training"}, section)
	})
	return Hash(trained, swept)[:10]
}

// paths returns the paths of all axes in display order.
func (x *expansion) paths() []string {
	var paths []string
	for _, a := range slices.Concat(x.bundles...) {
		paths = append(paths, a.path)
	}
	paths = append(paths, x.extra...)
	if x.Seeds > 1 {
		paths = append(paths, "seed")
	}
	return paths
}

// text returns the value of a key in a combination, or "" if the key does not apply.
func (c *combo) text(path string) string {
	if s := c.find(path); s != nil {
		return s.text
	}
	v, ok := config.ValueAt(c.values, path)
	if !ok {
		return ""
	}
	return config.Show(schema().Lookup(path).Type, v)
}

// shown returns the axes with the values of the trials. Drawn numbers are sorted.
func (x *expansion) shown(trials []Trial) []Axis {
	var shown []Axis
	for i, path := range x.paths() {
		a := Axis{Path: path}
		for _, t := range trials {
			if v := t.Axis[i].Value; v != "" && !slices.Contains(a.Values, v) {
				a.Values = append(a.Values, v)
			}
		}
		if x.Random != nil && slices.ContainsFunc(x.Random.Draw, func(d distribution) bool { return d.path == path }) {
			slices.SortStableFunc(a.Values, func(v, w string) int { return cmp.Compare(wordsFirst(v), wordsFirst(w)) })
		}
		shown = append(shown, a)
	}
	return shown
}

// wordsFirst returns a number, or minus infinity for a word.
func wordsFirst(value string) float64 {
	if x, err := strconv.ParseFloat(value, 64); err == nil {
		return x
	}
	return math.Inf(-1)
}

// affordable splits combinations into those within the budget and the others. All seeds of
// a combination are taken together.
func (x *expansion) affordable(combos []combo) ([]combo, []Left) {
	if x.Budget == nil {
		return combos, nil
	}
	combos, left := x.chosen(combos)
	if x.Budget.Games == 0 {
		return combos, left
	}
	// As many as fit: the games of i+1 combinations are too many for i = n and above.
	n := sort.Search(len(combos), func(i int) bool { return x.games(combos[:i+1]) > float64(x.Budget.Games) })
	if n == 0 {
		x.faultAt("sweep.budget.games", "too few for the first combination, which needs %s", config.FormatFloat(x.games(combos[:1])))
		return nil, nil
	}
	return combos[:n], append(left, leftOut(combos[n:], "sweep.budget.games")...)
}

// chosen selects combinations at random for the trials that sweep.budget.Trials allows.
// Included combinations come first.
func (x *expansion) chosen(combos []combo) ([]combo, []Left) {
	if x.Budget.Trials == 0 || x.Budget.Trials >= len(combos)*x.Seeds {
		return combos, nil
	}
	places := x.Budget.Trials / x.Seeds
	if places == 0 {
		x.faultAt("sweep.budget.trials", "too few for the %d seeds of one combination", x.Seeds)
		return combos, nil
	}
	order := make([]int, len(combos)) // indices of combos
	for i := range order {
		order[i] = i
	}
	place := map[bool]int{true: 0, false: 1} // of included combinations and of the others
	slices.SortStableFunc(order, func(i, j int) int {
		a, b := &combos[i], &combos[j]
		return cmp.Or(place[a.included]-place[b.included], cmp.Compare(x.sortKey(a), x.sortKey(b)))
	})
	var taken, rest []combo
	for i, c := range combos {
		if slices.Contains(order[:places], i) {
			taken = append(taken, c)
		} else {
			rest = append(rest, c)
		}
	}
	return taken, leftOut(rest, "sweep.budget.trials")
}

func leftOut(combos []combo, why string) []Left {
	var left []Left
	for i := range combos {
		left = append(left, Left{combos[i].label(), why})
	}
	return left
}

// games returns the maximum number of self-play games of combinations. With halving, the
// trials with the most games might always survive. The sum is exact for all realistic
// budgets.
func (x *expansion) games(combos []combo) float64 {
	var sum float64
	if x.Halving == nil {
		for i := range combos {
			s := &combos[i].settings
			sum += s.games(s.Generations)
		}
		return sum * float64(x.Seeds)
	}
	trained, left := 0, len(combos)
	for _, rung := range x.Halving.Rungs(combos[0].settings.Generations) {
		var each []float64 // games of each combination on the way to the rung, in descending order
		for i := range combos {
			s := &combos[i].settings
			each = append(each, s.games(rung)-s.games(trained))
		}
		slices.SortFunc(each, func(a, b float64) int { return cmp.Compare(b, a) })
		for _, games := range each[:left] {
			sum += games
		}
		trained, left = rung, x.Halving.Survivors(left)
	}
	return sum * float64(x.Seeds)
}

// games returns the number of self-play games in the first generations.
func (s *Settings) games(generations int) float64 {
	r, changes := s.Ramps["selfplay.games"]
	if !changes {
		return float64(s.SelfPlay.Games) * float64(generations)
	}
	sum := float64(s.SelfPlay.Games) * float64(max(0, generations-r.Over))
	for g := range min(generations, r.Over) {
		sum += math.Round(r.At(g + 1))
	}
	return sum
}

// sortKey returns the random sort key of a combination. It depends only on the experiment's
// seed and the combination, so a larger budget keeps the choice of a smaller one.
func (x *expansion) sortKey(c *combo) uint64 {
	return stats.DeriveNamed(x.seed, "sweep.budget "+c.combination.label(), 0)
}

// Final is a tournament between networks of all trials of a sweep, whose ratings compare the
// trials. In tournaments of their own, trials have other opponents.
type Final struct {
	Rounds  int          `key:"rounds" default:"20" range:"1..1000000" unit:"games" doc:"Number of games between each pair of players. The two games of an opening are played with swapped colors."`
	Network string       `key:"network" default:"last" enum:"last best" doc:"The network of a trial: the last, or the best of those that played in the trial's own tournament, by its score there, or in a ladder by its rating."`
	Pairs   string       `key:"pairs" default:"all" enum:"all anchors" doc:"all: all players play each other. anchors: the networks play the anchors only, which costs fewer games with many trials."`
	Anchors []match.Spec `key:"anchors" default:"[]" doc:"Players that are the same for all trials: random moves, material, UCI engines and models, as in tournament.players. The first one has Elo 0; without anchors it is the mean player."`
}

// Values of Final.Network and Final.Pairs.
const (
	BestNetwork = "best"
	AnchorPairs = "anchors"
)

// checkFinal checks the section sweep.final.
func (x *expansion) checkFinal(combos []combo) {
	f := x.Final
	if f == nil {
		return
	}
	const path = "sweep.final"
	if len(combos)*x.Seeds < 2 && x.Random == nil {
		x.faultAt(path, "nothing to compare: want at least 2 trials")
	}
	if f.Pairs == AnchorPairs && len(f.Anchors) == 0 {
		x.faultAt(path+".pairs", "there are no anchors to play").WithHint("name some under anchors, or choose pairs: all")
	}
	for i := range f.Anchors {
		a := &f.Anchors[i]
		if a.Player != match.Random && a.UCI == "" && a.Material == 0 && a.Model == "" {
			x.fault(x.at(path+".anchors"), fmt.Sprintf("%s.anchors[%d]", path, i), "want a player that is the same for all trials: random, material, uci or model")
		}
		if why := wrongLimit(a); why != "" {
			x.fault(x.at(path+".anchors"), fmt.Sprintf("%s.anchors[%d]", path, i), "the engine %s %s", config.Printable(a.UCI), why)
		}
	}
	first := &combos[0].settings
	for i := range combos {
		s := &combos[i].settings
		switch {
		case !s.Game.same(&first.Game):
			x.faultAt(path, "the trials play each other, but %s and %s do not have the same variant and start positions", config.Quoted(combos[0].label()), config.Quoted(combos[i].label()))
			return
		case f.Network == BestNetwork && s.Tournament.Rounds == 0:
			x.faultAt(path+".network", "a trial without a tournament has no best network").WithHint("set tournament.rounds, or choose network: last")
			return
		}
	}
}

// Halving is successive halving: the trials of a sweep train to the first rung, those of the
// best settings train to the next, and so on to the end. All trials reach a rung before any
// continues. The asynchronous variant (ASHA) does not wait, but its choice depends on the
// order in which trials finish. Trials that differ only in their seeds are one setting,
// judged by the mean over them.
type Halving struct {
	Metric string `key:"metric" default:"elo" enum:"elo validation_loss" doc:"Criterion of the selection: the highest Elo in matches between all pairs of trials, or the lowest validation loss of the newest generation. The loss compares trials only if all learn from the same data: with self-play each trial is validated on its own games, and easy games give a low loss."`
	Factor int    `key:"factor" default:"3" range:"2..1000" doc:"The best 1/factor of the settings continue, and train factor times as long."`
	First  int    `key:"first" default:"1" range:"1.." unit:"generations" doc:"Number of generations before the first selection."`
	Games  int    `key:"games" default:"20" range:"1.." unit:"games" when:"metric=elo" doc:"Number of games between each pair of trials."`
}

// Metrics of successive halving.
const (
	ByLoss = "validation_loss"
	ByElo  = "elo"
)

// Rungs returns the generations after which trials are compared, in ascending order. The
// last one is the end, where nothing is selected.
func (h *Halving) Rungs(generations int) []int {
	var rungs []int
	for g := h.First; g < generations; g *= h.Factor {
		rungs = append(rungs, g)
	}
	return append(rungs, generations)
}

// Survivors returns how many of n settings continue from a rung: n/Factor, rounded down, but
// at least one.
func (h *Halving) Survivors(n int) int { return max(1, n/h.Factor) }
