package report

import (
	"math"

	"alamos/pkg/nn"
	"alamos/pkg/stats"
	"alamos/pkg/store"
	"alamos/pkg/train"
)

// generation is what the rules read of a finished generation.
type generation struct {
	learning map[string]float64
	games    *store.Generation
	epochs   []train.Epoch
	wdl      bool // the value loss is a cross-entropy
	legal    bool // the policy loss is over legal moves
	trained  bool // the run began with a trained network
}

// rule is a range of a measure in good runs. A measure of a generation may look at the
// generations before it. It is outside the range only if its whole interval is.
type rule struct {
	measure     string
	of          func(until []generation) stats.Interval // of the last of these generations
	least, most float64                                 // the range; 0: no limit
	from        int                                     // first generation that is judged; 0: all
	percent     bool
	says        string // with %s for the value
	try         []Remedy
	source      string
}

// rules are the ranges of good runs. Those that name published practice were read there; the
// others are from the runs of experiments/MANUAL.md (Why does it not learn?).
var rules = []rule{
	{
		measure: "distinct_games", of: learned("distinct_games"), least: 0.9, percent: true,
		says: "Games repeat: only %s of the games of a generation are different.",
		try: []Remedy{
			{Setting: "search.noise.weight", Change: "0.25, as in AlphaZero: without noise the search of a position is always the same"},
			{Setting: "selfplay.temperature.power", Change: "1 for the first plies at least: max always plays the most visited move"},
			{Setting: "selfplay.opening.random_plies", Change: "2 to 8: different starts make different games"},
		},
		source: "our runs: 100 % with noise and temperature, 3 % without",
	},
	{
		measure: "distinct_positions", of: learned("distinct_positions"), least: 0.5, percent: true,
		says: "Positions repeat: only %s of those of a generation are different.",
		try: []Remedy{
			{Setting: "selfplay.temperature.plies", Change: "more: the games part later than they should"},
			{Setting: "selfplay.opening.random_plies", Change: "2 to 8: different starts make different games"},
			{Setting: "selfplay.games", Change: "fewer in more generations: ever more games of one network find ever fewer new positions"},
		},
		source: "our runs: 98 % with 4,000 games of chess a generation, 67 % with 8,000 of atomic chess",
	},
	{
		measure: "replay_ratio", of: learned("replay_ratio"), most: 8.5,
		says: "Each new sample is trained on %s times.",
		try: []Remedy{
			{Setting: "training.epochs", Change: "fewer: the ratio is about epochs x window"},
			{Setting: "selfplay.games", Change: "more, with fewer epochs"},
			{Setting: "training.window", Change: "longer with fewer epochs: other games instead of the same ones again"},
		},
		source: "KataGo: at most 4 (its main runs) to 8 (synchronous_loop.sh, \"larger numbers may cause overfitting\")",
	},
	{
		measure: "replay_ratio", of: learned("replay_ratio"), least: 0.5,
		says: "Each new sample is trained on %s times: most of the games' work is not used.",
		try: []Remedy{
			{Setting: "training.epochs", Change: "more"},
			{Setting: "training.window", Change: "longer, so that samples return"},
		},
		source: "AlphaZero: about 1 (700,000 steps of 4096 positions from 44 million games of chess)",
	},
	{
		measure: "value overfitting", of: overfitting(func(l nn.Loss) float64 { return l.Value }), most: 1.1, percent: true,
		says:   "The value overfits: over the epochs of a generation its loss falls in training, but on held-out games it rises to %s of its lowest.",
		try:    overfitted,
		source: "our runs: 100 to 105 % where the last epoch is as good as any",
	},
	{
		measure: "policy overfitting", of: overfitting(func(l nn.Loss) float64 { return l.Policy }), most: 1.05, percent: true,
		says:   "The policy overfits: over the epochs of a generation its loss falls in training, but on held-out games it rises to %s of its lowest.",
		try:    overfitted,
		source: "our runs: 100 to 102 % where the last epoch is as good as any",
	},
	{
		// The untrained network's priors are about equal. Their entropy is the loss of equal
		// priors, whatever the target.
		measure: "policy_loss", of: againstEqualPriors, most: 1.1, from: 2, percent: true,
		says:   "The policy is no better than equal priors: its loss is %s of theirs.",
		try:    tooFast,
		source: "equal priors, which know nothing",
	},
	{
		measure: "training loss", of: trainingLoss, most: 1, from: 1, percent: true,
		says:   "Training does not lower its own loss: after the last epoch of a generation it is %s of that of the first.",
		try:    tooFast,
		source: "gradient descent: the loss on the same samples falls from epoch to epoch",
	},
	{
		measure: "training value_loss", of: trainingValue, most: 1.1, percent: true,
		says:   "Training does not fit the value to its own samples: its squared error is %s of that of the value 0.",
		try:    tooFast,
		source: "the value 0, which knows nothing",
	},
	{
		measure: "policy_loss", of: lossSinceFirst("policy_loss"), most: 0.98, from: 5, percent: true,
		says: "The policy hardly learns: its loss on held-out games is still %s of that of the first generation.",
		try: []Remedy{
			{Setting: "training.schedule.initial", Change: "higher, if the training loss falls slowly but steadily"},
			{Setting: "search.visits", Change: "more: the target of few visits is noise, which nothing can learn"},
			{Setting: "selfplay.games", Change: "more"},
		},
		source: "our runs: 92 % and less after four generations",
	},
	{
		measure: "top1", of: sinceBest("top1"), least: 0.8, from: 3, percent: true,
		says: "The policy forgets: on held-out games its first move is that of the search only %s as often as in the best generation before.",
		try: []Remedy{
			{Setting: "training.window", Change: "longer, so that older games stay in the samples"},
			{Setting: "training.schedule.initial", Change: "lower: large steps undo what was learned"},
			{Setting: "training.average", Change: "{}: the mean of the weights moves less than the weights"},
		},
		source: "our runs: never below 89 %",
	},
	{
		measure: "kl", of: divergence, most: 1.05, from: 5, percent: true,
		says: "The policy loss falls, but the search disagrees with the policy as before: the divergence is %s of the highest of generations 2 to 4.",
		try: []Remedy{
			{Setting: "search.visits", Change: "more: the target of few visits is noise, which nothing can learn"},
			{Setting: "search.c_puct", Change: "lower, if targets are spread over many moves; likewise search.noise.weight"},
			{Setting: "training.window", Change: "longer, if the policy knows its samples but not new games"},
		},
		source: "our runs: it falls with the policy loss",
	},
	{
		measure: "root_value_error", of: valueSkill, most: 1, from: 3, percent: true,
		says: "The value knows nothing of the results: its squared error is %s of that of the value 0.",
		try: []Remedy{
			{Setting: "selfplay.games", Change: "more: a game is one result, however many positions it has"},
			{Setting: "training.epochs", Change: "fewer, or a longer training.window: values that know their own games by heart know no others"},
			{Setting: "selfplay.value_mix", Change: "0.25 to 0.5: the search's value is less of a toss than the result"},
		},
		source: "the value 0, which knows nothing",
	},
	{
		measure: "calibration_error", of: calibrationError, most: 0.25, from: 2,
		says: "The value is not calibrated: it differs from the mean result by %s (of a range from -1 to 1).",
		try: []Remedy{
			{Setting: "training.epochs", Change: "fewer: overfitted values are too sure"},
			{Setting: "training.window", Change: "longer, for more results"},
			{Setting: "selfplay.games", Change: "more"},
		},
		source: "Guo et al. 2017 (networks without calibration: up to 0.16 of a probability, here 0.32), and our runs",
	},
	{
		measure: "clipped", of: learned("clipped"), most: 0.5, percent: true,
		says: "The gradient is clipped in %s of the steps: the limit sets the size of steps, not the rate.",
		try: []Remedy{
			{Setting: "training.optimizer.gradient_clip", Change: "higher: it should catch exceptions"},
			{Setting: "training.schedule.initial", Change: "lower, if the loss is restless"},
		},
		source: "Pascanu et al. 2013: the limit is for rare steep walls of the loss",
	},
	{
		measure: "gradient_peak", of: spikes, most: 20,
		says: "The gradient has spikes: the largest is %s times the mean.",
		try: []Remedy{
			{Setting: "training.optimizer.gradient_clip", Change: "two or three times the mean norm of learning.csv"},
			{Setting: "training.schedule.warmup", Change: "some thousand samples, if it is in the first generation"},
		},
		source: "our runs: up to 5, and 22 where the rate is a hundred times too high",
	},
	{
		measure: "long_games", of: share((*store.Generation).LongGames), most: 0.2, percent: true,
		says: "%s of the games reach game.max_moves, where the result is not their own.",
		try: []Remedy{
			{Setting: "game.max_moves", Change: "more"},
			{Setting: "selfplay.long_games", Change: "search: the value learns from the search instead of a draw that was none"},
		},
		source: "our runs: up to 14 % in the first generation, then 5 %",
	},
	{
		measure: "drawn_games", of: share(func(g *store.Generation) (int, int) { return g.Draws, g.WhiteWins + g.Draws + g.BlackWins }), most: 0.9, percent: true,
		says: "%s of the games are drawn: the value has hardly anything to learn from.",
		try: []Remedy{
			{Setting: "selfplay.opening.random_plies", Change: "more: games that are not balanced have winners"},
			{Setting: "game.max_moves", Change: "more, if draws are games that were too long"},
			{Setting: "selfplay.temperature.power", Change: "lower: more mistakes, which the other side can learn to punish"},
		},
		source: "AlphaZero's own games of chess, at full strength, were drawn less often",
	},
	{
		measure: "white_share", of: share(func(g *store.Generation) (int, int) { return g.WhiteWins, g.WhiteWins + g.BlackWins }), least: 0.1, most: 0.9, percent: true,
		says: "One color wins nearly always: White wins %s of the games that are decided.",
		try: []Remedy{
			{Setting: "selfplay.opening.random_plies", Change: "more: from the same start the same side wins"},
			{Setting: "selfplay.opening.fens", Change: "a book of balanced positions"},
		},
		source: "our runs: 40 to 70 % in chess and atomic chess",
	},
}

var overfitted = []Remedy{
	{Setting: "training.epochs", Change: "fewer"},
	{Setting: "training.window", Change: "longer: more games for the same number of steps"},
	{Setting: "training.optimizer.weight_decay", Change: "ten times as much"},
	{Setting: "selfplay.games", Change: "more"},
}

var tooFast = []Remedy{
	{Setting: "training.schedule.initial", Change: "a tenth of it: steps of this size undo each other"},
	{Setting: "training.optimizer.gradient_clip", Change: "1 to 10"},
	{Setting: "training.batch", Change: "more positions, for quieter gradients"},
}

// learned returns a measure of [store.Trial.Learning].
func learned(measure string) func([]generation) stats.Interval {
	return func(until []generation) stats.Interval { return stats.Exactly(last(until).learning[measure]) }
}

func last(until []generation) *generation { return &until[len(until)-1] }

// share returns a share of the games of self-play.
func share(of func(*store.Generation) (part, whole int)) func([]generation) stats.Interval {
	return func(until []generation) stats.Interval {
		games := last(until).games
		part, whole := of(games)
		if games.Data != nil || whole == 0 {
			return stats.Unknown()
		}
		return stats.Share(float64(part), whole)
	}
}

// overfitting returns a part of the loss on held-out games after the last epoch, divided by
// its lowest. It is 1 if the loss in training did not fall.
func overfitting(part func(nn.Loss) float64) func([]generation) stats.Interval {
	return func(until []generation) stats.Interval {
		epochs := last(until).epochs
		n := len(epochs)
		if n == 0 || part(epochs[n-1].Train) >= part(epochs[0].Train) {
			return stats.Exactly(1)
		}
		lowest := math.Inf(1)
		for _, e := range epochs {
			lowest = min(lowest, part(e.Validation))
		}
		return stats.Exactly(part(epochs[n-1].Validation) / lowest)
	}
}

// trainingLoss returns the loss in the last epoch of training divided by that in the first.
func trainingLoss(until []generation) stats.Interval {
	epochs := last(until).epochs
	if len(epochs) < 2 {
		return stats.Unknown()
	}
	return stats.Exactly(epochs[len(epochs)-1].Train.Total / epochs[0].Train.Total)
}

// trainingValue returns the loss of the value in the last epoch of training divided by the
// error of the value 0. It is unknown where the loss is no squared error.
func trainingValue(until []generation) stats.Interval {
	g := last(until)
	if g.games.Roots == nil || g.games.Roots.NoValueError == 0 || g.wdl || len(g.epochs) == 0 {
		return stats.Unknown()
	}
	return stats.Exactly(g.epochs[len(g.epochs)-1].Train.Value / float64(g.games.Roots.NoValueError))
}

// againstEqualPriors returns the policy loss divided by that of equal priors of the legal moves.
func againstEqualPriors(until []generation) stats.Interval {
	if !last(until).legal {
		return stats.Unknown()
	}
	return lossSinceFirst("prior_entropy")(until)
}

// lossSinceFirst returns the policy loss divided by a measure of the first generation, if that began
// with random weights.
func lossSinceFirst(first string) func([]generation) stats.Interval {
	return func(until []generation) stats.Interval {
		if until[0].trained {
			return stats.Unknown()
		}
		return stats.Exactly(last(until).learning["policy_loss"] / until[0].learning[first])
	}
}

// sinceBest returns a measure divided by its highest of the generations before.
func sinceBest(measure string) func([]generation) stats.Interval {
	return func(until []generation) stats.Interval {
		highest := math.Inf(-1)
		for _, g := range until[:len(until)-1] {
			highest = max(highest, g.learning[measure])
		}
		return stats.Exactly(last(until).learning[measure] / highest)
	}
}

// leastDivergence is what the first trained network's searches must differ from its policy, in nats, so that
// later ones may not differ more. In chess they find little at first (0.2), and the divergence rises for ten generations.
const leastDivergence = 0.5

// divergence returns the divergence divided by the highest of the first trained networks, of
// generations 2 to 4, if the policy loss has fallen since the first of them.
func divergence(until []generation) stats.Interval {
	now, first := last(until).learning, until[1].learning
	if now["policy_loss"] > 0.95*first["policy_loss"] || first["kl"] < leastDivergence {
		return stats.Unknown()
	}
	highest := first["kl"]
	for _, g := range until[1:min(4, len(until))] {
		highest = max(highest, g.learning["kl"])
	}
	return stats.Exactly(now["kl"] / highest)
}

// valueSkill returns the error of the search's value divided by that of the value 0.
func valueSkill(until []generation) stats.Interval {
	r := last(until).games.Roots
	if r == nil || r.NoValueError == 0 {
		return stats.Unknown()
	}
	return stats.Exactly(float64(r.ValueError / r.NoValueError))
}

// calibrationError returns the error with the part that chance may have in it: a game is one
// result, and their mean has the error 1/sqrt(games) or less.
func calibrationError(until []generation) stats.Interval {
	g := last(until)
	return stats.Around(g.learning["calibration_error"], 1/math.Sqrt(float64(g.games.Games)))
}

// spikes returns the largest norm of the gradient divided by the mean.
func spikes(until []generation) stats.Interval {
	l := last(until).learning
	return stats.Exactly(l["gradient_peak"] / l["gradient_norm"])
}
