package experiment

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"

	"alamos/pkg/chess"
	"alamos/pkg/config"
	"alamos/pkg/encode"
	"alamos/pkg/match"
	"alamos/pkg/nn"
	"alamos/pkg/search"
	"alamos/pkg/train"
	"alamos/pkg/uci"
)

// measureName matches valid names of measures, as in [Hook].Metric.
var measureName = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

// rule is a condition between keys that the schema cannot express.
type rule struct {
	paths  string                   // the keys that it relates
	broken func(s *Settings) string // describes the fault, or returns ""
}

// fault formats the description of a fault, if there is one.
func fault(broken bool, format string, args ...any) string {
	if !broken {
		return ""
	}
	return fmt.Sprintf(format, args...)
}

// codec returns the encodings of positions and moves, or an error that [LoadChecked] reports.
func (s *Settings) codec() (encode.Codec, error) {
	v, err := s.Game.Of()
	if err != nil {
		return encode.Codec{}, err
	}
	return encode.NewCodec(s.Network.Input, s.Network.Policy, v)
}

// advances reports whether samples are of the position after an engine's move.
func (s *Settings) advances() bool {
	return s.Data != nil && s.Data.Label != nil && s.Data.Label.Advance
}

var rules = []rule{
	{"training.schedule.initial training.schedule.minimum", func(s *Settings) string {
		r := s.Training.Schedule
		return fault(r.Minimum > r.Initial, "the minimum %s is above the initial rate %s", config.FormatFloat(r.Minimum), config.FormatFloat(r.Initial))
	}},
	{"training.batch training.schedule", func(s *Settings) string {
		r := s.Training.Schedule
		for _, x := range []struct {
			key  string
			time int
		}{{"warmup", r.Warmup}, {"every", r.Every}, {"period", r.Period}} {
			if r.Unit == train.UnitSamples && x.time > 0 && x.time < s.Training.Batch {
				return fmt.Sprintf("%s: %d samples are less than a step of %d: for epochs set unit: epochs", x.key, x.time, s.Training.Batch)
			}
		}
		return ""
	}},
	{"generations training.window", func(s *Settings) string {
		return fault(s.Training.Window > s.Generations, "the window of %d is longer than the experiment: generations is %d", s.Training.Window, s.Generations)
	}},
	{"generations tournament.players", func(s *Settings) string {
		for i, p := range s.Tournament.Players {
			for _, g := range append(slices.Clone(p.Generations), p.AlphaBeta.Generation(0), p.Policy.Generation(0)) {
				if g > s.Generations {
					return fmt.Sprintf("players[%d] is of generation %d: generations is %d", i, g, s.Generations)
				}
			}
		}
		return ""
	}},
	{"training.validation training.select", func(s *Settings) string {
		return needsValidation(s, s.Training.Select == train.SelectLowest, "select: lowest-validation-loss")
	}},
	{"training.validation training.schedule.kind", func(s *Settings) string {
		return needsValidation(s, s.Training.Schedule.Kind == train.Plateau, "a plateau schedule")
	}},
	{"training.validation training.patience", func(s *Settings) string { return needsValidation(s, s.Training.Patience > 0, "early stopping") }},
	{"data training.value_target", func(s *Settings) string {
		return fault(s.Data != nil && s.Training.ValueTarget != nil, "a value target evaluates games of self-play, and with data there are none: data.label has an engine evaluate positions")
	}},
	{"data.policy data.label", func(s *Settings) string {
		return fault(s.Data != nil && s.Data.Policy == "engine" && s.Data.Label == nil, "the policy target is an engine's best move, which needs data.label")
	}},
	{"data.test evaluation.accuracy", func(s *Settings) string {
		return fault(s.Data.HasTest() && (s.Evaluation == nil || !s.Evaluation.Accuracy),
			"test files are for the accuracy of an evaluation: add evaluation: {accuracy: true}")
	}},
	{"data.label.advance network.policy", func(s *Settings) string {
		return fault(s.advances() && s.Network.Policy != NoPolicy,
			"advance: true has no policy target for the position after the engine's move: network.policy must be none")
	}},
	{"data.label.advance network.future_board", func(s *Settings) string {
		return fault(s.advances() && s.Network.FutureBoard > 0,
			"advance: true has no moves that follow the position after the engine's move: future_board must be 0")
	}},
	{"training.loss.policy training.loss.value", func(s *Settings) string {
		l, n := s.Training.Loss, &s.Network
		learned := l.Value > 0 || l.Policy > 0 && n.Policy != NoPolicy || l.MovesLeft > 0 && n.MovesLeft ||
			l.OpponentPolicy > 0 && n.OpponentPolicy || l.SoftPolicy > 0 && n.SoftPolicy || l.FutureBoard > 0 && n.FutureBoard > 0
		return fault(!learned, "no part of the loss has a weight above 0: nothing would be learned")
	}},
	{"game.variant network.trunk network.input", func(s *Settings) string {
		return fault(s.Network.Trunk == nn.TrunkSparse && s.Game.Variant == chess.RacingKings.String() && s.Network.Input == "variants31",
			"in racing kings both sides run up the board, which a sparse trunk cannot see with variants31: use input: rules and policy: rules")
	}},
	{"network.trunk network.input network.activation network.width network.policy_width network.king_buckets network.mirror network.heads", func(s *Settings) string {
		spec := s.Network.Spec
		codec, err := s.codec()
		if err != nil {
			return ""
		}
		spec.Input = codec.Planes.Name()
		if err := spec.CheckTrunk(); err != nil {
			return err.Error()
		}
		return ""
	}},
	{"game.variant network.future_board", func(s *Settings) string {
		v, err := s.Game.Of()
		if s.Network.FutureBoard == 0 || err != nil {
			return ""
		}
		others := slices.ContainsFunc(v.Kinds(), func(t chess.PieceType) bool { return t > chess.King })
		return fault(others, "the head for a later board knows only the kinds of pieces that chess has: future_board must be 0")
	}},
	{"network.input network.policy training.mirror", func(s *Settings) string {
		codec, err := s.codec()
		if !s.Training.Mirror || err != nil {
			return ""
		}
		_, err = encode.NewMirror(codec)
		return fault(err != nil, "mirror: true is impossible: %v", err)
	}},
	{"selfplay.pgn selfplay.opening.fork_share training.value_target", func(s *Settings) string {
		needs := s.SelfPlay.Opening.ForkShare > 0 || s.Training.ValueTarget != nil
		return fault(needs && s.SelfPlay.PGN > 0 && s.SelfPlay.PGN < s.SelfPlay.Games, "pgn keeps %d of %d games, and opening.fork_share and training.value_target read all: pgn must be all", s.SelfPlay.PGN, s.SelfPlay.Games)
	}},
	{"network.policy selfplay.surprise", func(s *Settings) string {
		return fault(s.Network.Policy == NoPolicy && s.SelfPlay.Surprise > 0, "policy surprise needs a network with a policy")
	}},
	{"network.policy tournament.players", func(s *Settings) string {
		i := slices.IndexFunc(s.Tournament.Players, func(p match.Spec) bool { return p.Policy != "" })
		return fault(i >= 0 && s.Network.Policy == NoPolicy, "player %d plays by the policy, but the network has none", i+1)
	}},
	{"selfplay.temperature.plies selfplay.temperature.power", func(s *Settings) string {
		t := s.SelfPlay.Temperature
		return fault(math.IsInf(t.Power, 1) && t.Plies > 0 && math.IsInf(t.Then, 1), "power and then are both max: plies has no effect")
	}},
	{"selfplay.temperature.plies", func(s *Settings) string {
		return fault(s.rampsTo0("selfplay.temperature.plies"), "0 plies are the whole game: a ramp must begin and end above 0")
	}},
	{"search.nodes", func(s *Settings) string {
		return fault(s.rampsTo0("search.nodes"), "0 nodes are no limit: a ramp must begin and end above 0")
	}},
	{"search.visits selfplay.playout_cap.visits", func(s *Settings) string {
		fast, full := s.SelfPlay.PlayoutCap.Visits, s.Search.Visits
		return fault(fast > full, "the %d visits of a fast search are more than the %d of a full one", fast, full)
	}},
	{"search.visits selfplay.decided.visits", func(s *Settings) string {
		reduced, full := s.SelfPlay.Decided.Visits, s.Search.Visits
		return fault(reduced > full, "the %d visits of a search in a decided game are more than the %d of a full one", reduced, full)
	}},
	{"search.noise.weight search.root.kind search.forced_playouts", func(s *Settings) string { return forcedInVain(&s.Search) }},
	{"tournament.search.noise.weight tournament.search.root.kind tournament.search.forced_playouts", func(s *Settings) string { return forcedInVain(&s.Tournament.Search) }},
	{"evaluation.search.noise.weight evaluation.search.root.kind evaluation.search.forced_playouts", func(s *Settings) string {
		if s.Evaluation == nil {
			return ""
		}
		return forcedInVain(&s.Evaluation.Search)
	}},
	{"tournament.limit.depth tournament.limit.movetime", func(s *Settings) string {
		l := s.Tournament.Limit
		return fault(l != nil && *l == (uci.Limit{}), "it has neither depth nor movetime: nothing is limited")
	}},
	{"tournament.players", func(s *Settings) string {
		for i, p := range s.Tournament.Players {
			if why := wrongLimit(&p); why != "" {
				return fmt.Sprintf("the engine %s (player %d) %s", config.Printable(p.UCI), i+1, why)
			}
		}
		return ""
	}},
	{"tournament.players", func(s *Settings) string {
		first, second, twice := sameKey(s.Tournament.Players, func(p match.Spec) string { p.Rounds = 0; return string(config.JSON(p)) })
		return fault(twice, "the players %d and %d are the same", first+1, second+1)
	}},
	{"evaluation.puzzles evaluation.accuracy training.validation", func(s *Settings) string {
		if e := s.Evaluation; e != nil && len(e.Puzzles) == 0 && e.Accuracy && !s.MeasuresAccuracy() {
			return "accuracy is measured on games that are held out, and training.validation is 0: nothing would be evaluated"
		}
		return fault(s.Evaluation != nil && len(s.EvaluationMeasures()) == 0, "there are neither puzzles nor accuracy: nothing would be evaluated")
	}},
	{"evaluation.puzzles", func(s *Settings) string {
		if s.Evaluation == nil {
			return ""
		}
		sets := s.Evaluation.Puzzles
		if i := slices.IndexFunc(sets, func(p Puzzles) bool { return !measureName.MatchString(p.Name()) }); i >= 0 {
			return fmt.Sprintf("the file name %s is used as the name of a measure, which may have only letters, digits, - and _", config.Printable(sets[i].Name()))
		}
		if _, i, twice := sameKey(sets, Puzzles.Name); twice {
			return fmt.Sprintf("two files of puzzles have the name %s, and so would their measures", sets[i].Name())
		}
		return ""
	}},
	{"evaluation hooks", func(s *Settings) string {
		for _, h := range s.Hooks {
			if slices.Contains([]string{"puzzles", "policy", "accuracy"}, h.Name()) {
				return fmt.Sprintf("%s is what an evaluation measures: give the hook another metric", h.Name())
			}
		}
		return ""
	}},
	{"hooks", func(s *Settings) string {
		if _, i, twice := sameKey(s.Hooks, Hook.Name); twice {
			return fmt.Sprintf("two hooks measure %s: give one of them another metric", s.Hooks[i].Name())
		}
		return ""
	}},
}

func needsValidation(s *Settings, needs bool, what string) string {
	return fault(needs && s.Training.Validation == 0, "%s needs a validation loss, but training.validation is 0", what)
}

// rampsTo0 reports whether a number begins or ends at 0 and changes over the generations.
func (s *Settings) rampsTo0(key string) bool {
	r, ramps := s.Ramps[key]
	return ramps && (r.From == 0 || r.To == 0)
}

// idle returns why a key of the noise or of the temperature has no effect beside the other
// settings, or "". A file may have such a key, which another one that extends it uses. A sweep of it
// would compare equal trials.
func (s *Settings) idle(path string) string {
	_, changes := s.Ramps["search.root.noise"]
	of := func(section string) bool { return strings.HasPrefix(path+".", section+".") }
	switch gumbel := s.Search.Root.Kind == "gumbel"; {
	case gumbel && of("search.noise"):
		return "with search.root.kind: gumbel the root has noise of its own"
	case gumbel && of("selfplay.temperature") && s.Search.Root.Noise > 0 && !changes && s.SelfPlay.PlayoutCap.Visits == 0:
		return "with search.root.kind: gumbel and search.root.noise the search itself chooses the move"
	}
	return ""
}

func forcedInVain(s *search.Config) string {
	if s.ForcedPlayouts > 0 && s.Root.Kind == "gumbel" {
		return "a gumbel root has its own distribution of visits: forced playouts need root: puct"
	}
	return fault(s.ForcedPlayouts > 0 && s.Noise.Weight == 0, "forced playouts apply only to searches with noise, but noise.weight is 0")
}

// sameKey returns the indices of two items with equal keys.
func sameKey[T any](items []T, key func(T) string) (first, second int, found bool) {
	seen := map[string]int{}
	for i, item := range items {
		if first, found = seen[key(item)]; found {
			return first, i, true
		}
		seen[key(item)] = i
	}
	return 0, 0, false
}

// brokenRules returns the rules that settings break. Each is reported at the key that was
// written last, because that key broke it. A rule is skipped if one of its keys already has
// an error.
func brokenRules(s *Settings, t *config.Node, bad map[string]bool) config.Errors {
	var errs config.Errors
	var ends []int // generations at the ends of ramps
	for _, g := range s.Ramps.Steps() {
		if g = min(g, max(1, s.Generations)); !slices.Contains(ends, g) {
			ends = append(ends, g)
		}
	}
	var steps []*Settings
	for _, g := range ends {
		steps = append(steps, s.At(g))
	}
	for _, r := range rules {
		paths := strings.Fields(r.paths)
		if slices.ContainsFunc(paths, func(p string) bool { return bad[p] }) {
			continue
		}
		msg := ""
		for i := 0; i < len(steps) && msg == ""; i++ {
			if msg = r.broken(steps[i]); msg != "" && len(steps) > 1 {
				msg += fmt.Sprintf(" (in generation %d)", ends[i])
			}
		}
		if msg == "" && len(s.Ramps) > 0 {
			last := *steps[len(steps)-1]
			last.Ramps = s.Ramps
			msg = r.broken(&last) // of the ramps themselves
		}
		if msg == "" {
			continue
		}
		path, at, layer := paths[0], t.At, -1
		for _, p := range paths {
			if e := t.Find(p); e != nil && e.Value.Layer >= layer {
				path, at, layer = p, e.Value.At, e.Value.Layer
			}
		}
		errs = append(errs, at.Errorf(path, "%s", msg))
	}
	return errs
}

// wrongLimit returns what is wrong with the limits of an engine's search, "" if nothing is.
func wrongLimit(p *match.Spec) string {
	limits := p.MoveTime > 0 || p.Depth > 0 || p.Nodes > 0
	switch {
	case p.UCI != "" && p.Level == 0 && !limits:
		return "has no limit: want level, movetime, depth or nodes"
	case p.UCI != "" && p.Level > 0 && limits:
		return "has a level, which sets movetime and depth: want no other limit"
	}
	return ""
}

// checkFigures checks that the figures of sweeps have axes to show, and those of metrics
// something that measures them.
func (l *loader) checkFigures(t *config.Node, e *Experiment) {
	cells := t.Get("notebook")
	if cells == nil || len(l.errs) > 0 { // the axes may be unknown
		return
	}
	measured := func(metric string) bool {
		return slices.Contains(TrialMetrics(), metric) || slices.ContainsFunc(e.Trials, func(t Trial) bool {
			return t.Settings.Measures(metric) && (len(t.Settings.Hooks) > 0 || strings.Contains(metric, "."))
		})
	}
	keys := len(WithoutSeed(e.Axes))
	for i, item := range cells.Items {
		figure := item.Get("figure")
		if figure == nil {
			continue
		}
		here, kind := fmt.Sprintf("notebook[%d].figure", i), figure
		if k := figure.Get("kind"); k != nil {
			kind = k
		}
		needs := map[string]int{"sweep": 1, "effects": 1, "parallel": 1, "heatmap": 2}[kind.Text]
		x, y, metric := figure.Get("x"), figure.Get("y"), figure.Get("metric")
		switch {
		case keys < needs:
			l.fault(kind.At, here, "%s shows a sweep of %d or more keys beside the seed, have %d", kind.Text, needs, keys)
		case kind.Text != "series" && metric != nil && !measured(metric.Text):
			l.fault(metric.At, here+".metric", "nothing measures %s: a trial without hooks and evaluation has %s",
				config.Printable(metric.Text), strings.Join(TrialMetrics(), ", "))
		case kind.Text == "series" && !slices.ContainsFunc(e.Trials, func(t Trial) bool { return len(t.Settings.Hooks) > 0 }):
			l.fault(kind.At, here, "a series is what a hook returns, and there are no hooks")
		case needs > 0:
			for key, path := range map[string]*config.Node{"x": x, "y": y} {
				switch {
				case path == nil:
				case path.Text == "seed":
					l.fault(path.At, config.Join(here, key), "figures of sweeps show means over seeds: choose another key")
				case !slices.ContainsFunc(e.Axes, func(a Axis) bool { return a.Path == path.Text }):
					l.fault(path.At, config.Join(here, key), "the sweep does not vary %s", path.Text)
				}
			}
			if x != nil && y != nil && x.Text == y.Text {
				l.fault(y.At, here+".y", "is x already")
			}
		}
	}
}
