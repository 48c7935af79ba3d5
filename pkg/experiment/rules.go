package experiment

import (
	"fmt"
	"slices"
)

// rule is a condition between keys that the schema cannot say.
type rule struct {
	paths  []string                 // the keys it is about
	broken func(s *Settings) string // what is wrong; "" when nothing is
}

var rules = []rule{
	{[]string{"training.schedule.initial", "training.schedule.minimum"}, func(s *Settings) string {
		if s.Training.Schedule.Minimum > s.Training.Schedule.Initial {
			return fmt.Sprintf("the minimum %s is above the initial rate %s",
				formatFloat(s.Training.Schedule.Minimum), formatFloat(s.Training.Schedule.Initial))
		}
		return ""
	}},
	{[]string{"generations", "training.window"}, func(s *Settings) string {
		if s.Training.Window > s.Generations {
			return fmt.Sprintf("the window of %d is longer than the experiment: generations is %d", s.Training.Window, s.Generations)
		}
		return ""
	}},
	{[]string{"generations", "tournament.players"}, func(s *Settings) string {
		for i, p := range s.Tournament.Players {
			for _, g := range append(slices.Clone(p.Generations), p.AlphaBeta.Generation(0), p.Policy.Generation(0)) {
				if g > s.Generations {
					return fmt.Sprintf("players[%d] is of generation %d: generations is %d", i, g, s.Generations)
				}
			}
		}
		return ""
	}},
	{[]string{"training.validation", "training.select"}, func(s *Settings) string {
		if s.Training.Validation == 0 && s.Training.Select == "lowest-validation-loss" {
			return "selecting by validation loss needs a validation share above 0, or select: last"
		}
		return ""
	}},
	{[]string{"training.validation", "training.schedule.kind"}, func(s *Settings) string {
		if s.Training.Validation == 0 && s.Training.Schedule.Kind == "plateau" {
			return "a plateau schedule watches the validation loss and needs a validation share above 0"
		}
		return ""
	}},
	{[]string{"data", "training.value_target"}, func(s *Settings) string {
		if s.Data != nil && s.Training.ValueTarget != nil {
			return "a value target is a script's say on games of self-play, and beside data there are none: data.label has an engine's"
		}
		return ""
	}},
	{[]string{"data.kind", "data.games"}, func(s *Settings) string {
		if s.Data != nil && s.Data.Kind == "engine" && s.Data.Games == 0 {
			return "an engine plays as many games as data.games says, which is missing"
		}
		return ""
	}},
	{[]string{"data.policy", "data.label"}, func(s *Settings) string {
		if s.Data != nil && s.Data.Policy == "engine" && s.Data.Label == nil {
			return "the policy is to learn an engine's best move, and data.label, which names it, is missing"
		}
		return ""
	}},
	{[]string{"training.validation", "training.patience"}, func(s *Settings) string {
		if s.Training.Validation == 0 && s.Training.Patience > 0 {
			return "early stopping watches the validation loss and needs a validation share above 0"
		}
		return ""
	}},
	{[]string{"training.loss.policy", "training.loss.value"}, func(s *Settings) string {
		switch l := s.Training.Loss; {
		case l.Value > 0:
		case s.Network.Policy == NoPolicy:
			return "the value weighs 0 and there is no policy: nothing would be learned"
		case l.Policy == 0:
			return "policy and value both weigh 0: nothing would be learned"
		}
		return ""
	}},
	{[]string{"network.policy", "network.policy_head"}, func(s *Settings) string {
		if s.Network.PolicyHead == "conv73" && s.Network.Policy != "alphazero4672" {
			return fmt.Sprintf("the head conv73 is for the moves of alphazero4672, the policy is %s", s.Network.Policy)
		}
		return ""
	}},
	{[]string{"network.policy", "selfplay.surprise"}, func(s *Settings) string {
		if s.Network.Policy == NoPolicy && s.SelfPlay.Surprise > 0 {
			return "surprise is that of a policy, and the network has none"
		}
		return ""
	}},
	{[]string{"network.policy", "tournament.players"}, func(s *Settings) string {
		for i, p := range s.Tournament.Players {
			if p.Policy != "" && s.Network.Policy == NoPolicy {
				return fmt.Sprintf("player %d plays by the policy alone, but the network has none", i+1)
			}
		}
		return ""
	}},
	{[]string{"selfplay.temperature.plies", "selfplay.temperature.power"}, func(s *Settings) string {
		if t := s.SelfPlay.Temperature; t.Power == Max && t.Plies > 0 && t.Then == Max {
			return "power is max already: plies would change nothing"
		}
		return ""
	}},
	{[]string{"search.visits", "selfplay.playout_cap.visits"}, func(s *Settings) string {
		if c := s.SelfPlay.PlayoutCap; c != nil && c.Visits > s.Search.Visits {
			return fmt.Sprintf("the %d visits of a fast search are more than the %d of a full one", c.Visits, s.Search.Visits)
		}
		return ""
	}},
	{[]string{"search.noise.weight", "search.root.kind", "search.forced_playouts"}, func(s *Settings) string {
		return forcedInVain(&s.Search)
	}},
	{[]string{"tournament.search.noise.weight", "tournament.search.root.kind", "tournament.search.forced_playouts"}, func(s *Settings) string {
		return forcedInVain(&s.Tournament.Search)
	}},
	{[]string{"tournament.limit.depth", "tournament.limit.movetime"}, func(s *Settings) string {
		if l := s.Tournament.Limit; l != nil && *l == (SearchLimit{}) {
			return "depth and movetime are 0: nothing is limited"
		}
		return ""
	}},
	{[]string{"tournament.players"}, func(s *Settings) string {
		for i, p := range s.Tournament.Players {
			if p.UCI != "" && p.Level == 0 && p.MoveTime == 0 && p.Depth == 0 && p.Nodes == 0 {
				return fmt.Sprintf("the engine %s (player %d) has no limit: want level, movetime, depth or nodes", printable(p.UCI), i+1)
			}
			if p.Level > 0 && (p.MoveTime > 0 || p.Depth > 0 || p.Nodes > 0) {
				return fmt.Sprintf("the engine %s (player %d) has a level, which sets movetime and depth: want it alone", printable(p.UCI), i+1)
			}
		}
		return ""
	}},
	{[]string{"tournament.players"}, func(s *Settings) string {
		seen := map[string]int{}
		for i, p := range s.Tournament.Players {
			p.Rounds = 0
			key := string(mustJSON(p))
			if first, twice := seen[key]; twice {
				return fmt.Sprintf("the players %d and %d are the same", first+1, i+1)
			}
			seen[key] = i
		}
		return ""
	}},
	{[]string{"evaluation.puzzles", "evaluation.accuracy"}, func(s *Settings) string {
		if e := s.Evaluation; e != nil && len(e.Puzzles) == 0 && !e.Accuracy {
			return "there are neither puzzles nor accuracy: nothing would be evaluated"
		}
		return ""
	}},
	{[]string{"evaluation.puzzles"}, func(s *Settings) string {
		if s.Evaluation == nil {
			return ""
		}
		seen := map[string]bool{}
		for _, p := range s.Evaluation.Puzzles {
			switch name := p.Name(); {
			case !metricName.MatchString(name):
				return fmt.Sprintf("the name of the file, %s, becomes that of a measure: before its ending it may have letters, digits, - and _ only", printable(name))
			case seen[name]:
				return fmt.Sprintf("two files of puzzles are called %s: their measures would be, too", name)
			default:
				seen[name] = true
			}
		}
		return ""
	}},
	{[]string{"evaluation", "hooks"}, func(s *Settings) string {
		for _, h := range s.Hooks {
			if s.Evaluation != nil && slices.Contains([]string{"puzzles", "policy", "accuracy"}, h.Name()) {
				return fmt.Sprintf("a hook measures %s, and so does evaluation: give the hook another metric", h.Name())
			}
		}
		return ""
	}},
	{[]string{"hooks"}, func(s *Settings) string {
		seen := map[string]bool{}
		for _, h := range s.Hooks {
			if seen[h.Name()] {
				return fmt.Sprintf("two hooks measure %s: give one of them another metric", h.Name())
			}
			seen[h.Name()] = true
		}
		return ""
	}},
}

func forcedInVain(s *Search) string {
	switch {
	case s.ForcedPlayouts == 0:
	case s.Root.Kind == RootGumbel:
		return "a gumbel root shares out its visits by a plan of its own: forced_playouts are of puct"
	case s.Noise.Weight == 0:
		return "forced playouts try what noise brings up, and need a noise.weight above 0"
	}
	return ""
}

// brokenRules returns the rules that settings break. Each is reported at the
// key that was written last, since that is the one that broke it. A rule about
// a key with an error of its own says nothing.
func brokenRules(s *Settings, t *tree, bad map[string]bool) Errors {
	var errs Errors
next:
	for _, r := range rules {
		for _, p := range r.paths {
			if bad[p] {
				continue next
			}
		}
		msg := r.broken(s)
		if msg == "" {
			continue
		}
		path, at, layer := r.paths[0], t.at, -1
		for _, p := range r.paths {
			if e := t.find(p); e != nil && e.value.layer >= layer {
				path, at, layer = p, e.value.at, e.value.layer
			}
		}
		errs = append(errs, at.errorf(path, "%s", msg))
	}
	return errs
}

// figureAxes checks that the figures of a sweep's results have a sweep to show.
func (l *loader) figureAxes(t *tree, axes []Axis) {
	cells := t.get("notebook")
	if cells == nil || len(l.errs) > 0 { // what the sweep varies may not be known
		return
	}
	for i, item := range cells.items {
		figure := item.get("figure")
		if figure == nil {
			continue
		}
		here, kind, needs := fmt.Sprintf("notebook[%d].figure", i), figure, 1
		if k := figure.get("kind"); k != nil {
			kind = k
		}
		switch kind.text {
		case "heatmap":
			needs = 2
		case "sweep", "parallel":
		default:
			continue
		}
		if len(axes) < needs {
			l.errs = append(l.errs, kind.at.errorf(here, "%s shows what comes of a sweep of at least %s, have %d", kind.text, map[int]string{1: "1 key", 2: "2 keys"}[needs], len(axes)))
			continue
		}
		for _, key := range []string{"x", "y"} {
			path := figure.get(key)
			if path != nil && !slices.ContainsFunc(axes, func(a Axis) bool { return a.Path == path.text }) {
				l.errs = append(l.errs, path.at.errorf(join(here, key), "the sweep does not vary %s", path.text))
			}
		}
		if x, y := figure.get("x"), figure.get("y"); x != nil && y != nil && x.text == y.text {
			l.errs = append(l.errs, y.at.errorf(join(here, "y"), "is x already"))
		}
	}
}

// hookFigures checks that figures of what hooks measure have a hook.
func (l *loader) hookFigures(t *tree, trials []Trial) {
	cells := t.get("notebook")
	if cells == nil || len(l.errs) > 0 || slices.ContainsFunc(trials, func(t Trial) bool { return len(t.Settings.Hooks) > 0 }) {
		return
	}
	for i, item := range cells.items {
		figure := item.get("figure")
		if figure == nil {
			continue
		}
		if metric := figure.get("metric"); metric != nil && figure.get("kind") != nil && figure.get("kind").text == "hook" {
			l.errs = append(l.errs, metric.at.errorf(fmt.Sprintf("notebook[%d].figure.metric", i), "no hook measures %s: hooks is empty", printable(metric.text)))
		}
	}
}
