package experiment

import (
	"fmt"
	"math"
	"regexp"
	"slices"

	"alamos/pkg/config"
	"alamos/pkg/search"
)

// measureName matches valid names of measures, as in [Hook].Metric.
var measureName = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

// rule is a condition between keys that the schema cannot express.
type rule struct {
	paths  []string                 // the keys that it relates
	broken func(s *Settings) string // describes the fault, or returns ""
}

var rules = []rule{
	{[]string{"training.schedule.initial", "training.schedule.minimum"}, func(s *Settings) string {
		if s.Training.Schedule.Minimum > s.Training.Schedule.Initial {
			return fmt.Sprintf("the minimum %s is above the initial rate %s",
				config.FormatFloat(s.Training.Schedule.Minimum), config.FormatFloat(s.Training.Schedule.Initial))
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
		if t := s.SelfPlay.Temperature; math.IsInf(t.Power, 1) && t.Plies > 0 && math.IsInf(t.Then, 1) {
			return "power is max already: plies would change nothing"
		}
		return ""
	}},
	{[]string{"search.visits", "selfplay.playout_cap.visits"}, func(s *Settings) string {
		if c := s.SelfPlay.PlayoutCap; c.Visits > s.Search.Visits {
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
				return fmt.Sprintf("the engine %s (player %d) has no limit: want level, movetime, depth or nodes", config.Printable(p.UCI), i+1)
			}
			if p.Level > 0 && (p.MoveTime > 0 || p.Depth > 0 || p.Nodes > 0) {
				return fmt.Sprintf("the engine %s (player %d) has a level, which sets movetime and depth: want it alone", config.Printable(p.UCI), i+1)
			}
		}
		return ""
	}},
	{[]string{"tournament.players"}, func(s *Settings) string {
		seen := map[string]int{}
		for i, p := range s.Tournament.Players {
			p.Rounds = 0
			key := string(config.JSON(p))
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
			case !measureName.MatchString(name):
				return fmt.Sprintf("the name of the file, %s, becomes that of a measure: before its ending it may have letters, digits, - and _ only", config.Printable(name))
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

func forcedInVain(s *search.Config) string {
	switch {
	case s.ForcedPlayouts == 0:
	case s.Root.Kind == "gumbel":
		return "a gumbel root shares out its visits by a plan of its own: forced_playouts are of puct"
	case s.Noise.Weight == 0:
		return "forced playouts try what noise brings up, and need a noise.weight above 0"
	}
	return ""
}

// brokenRules returns the rules that settings break. Each is reported at the key that was
// written last, because that key broke it. A rule is skipped if one of its keys already has
// an error.
func brokenRules(s *Settings, t *config.Node, bad map[string]bool) config.Errors {
	var errs config.Errors
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
		path, at, layer := r.paths[0], t.At, -1
		for _, p := range r.paths {
			if e := t.Find(p); e != nil && e.Value.Layer >= layer {
				path, at, layer = p, e.Value.At, e.Value.Layer
			}
		}
		errs = append(errs, at.Errorf(path, "%s", msg))
	}
	return errs
}

// checkFigures checks that the figures of sweeps have axes to show, and those of hooks a
// hook.
func (l *loader) checkFigures(t *config.Node, e *Experiment) {
	cells := t.Get("notebook")
	if cells == nil || len(l.errs) > 0 { // the axes may be unknown
		return
	}
	hooks := slices.ContainsFunc(e.Trials, func(t Trial) bool { return len(t.Settings.Hooks) > 0 })
	for i, item := range cells.Items {
		figure := item.Get("figure")
		if figure == nil {
			continue
		}
		here, kind := fmt.Sprintf("notebook[%d].figure", i), figure
		if k := figure.Get("kind"); k != nil {
			kind = k
		}
		needs := map[string]int{"sweep": 1, "parallel": 1, "heatmap": 2}[kind.Text]
		x, y, metric := figure.Get("x"), figure.Get("y"), figure.Get("metric")
		switch {
		case len(e.Axes) < needs:
			l.fault(kind.At, here, "%s shows a sweep of %d or more keys, have %d", kind.Text, needs, len(e.Axes))
		case kind.Text == "hook" && metric != nil && !hooks:
			l.fault(metric.At, here+".metric", "no hook measures %s: hooks is empty", config.Printable(metric.Text))
		case needs > 0:
			for key, path := range map[string]*config.Node{"x": x, "y": y} {
				if path != nil && !slices.ContainsFunc(e.Axes, func(a Axis) bool { return a.Path == path.Text }) {
					l.fault(path.At, config.Join(here, key), "the sweep does not vary %s", path.Text)
				}
			}
			if x != nil && y != nil && x.Text == y.Text {
				l.fault(y.At, here+".y", "is x already")
			}
		}
	}
}
