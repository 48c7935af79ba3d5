package web

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"alamos/pkg/chess"
	"alamos/pkg/match"
)

// human is the kind of a person. The other kinds are those of [match.Spec].
const human = "human"

// player is a human or an engine that the page offers.
type player struct {
	ID       string   `json:"id"`
	Name     string   `json:"name"`
	Kind     string   `json:"kind"`
	Usual    seat     `json:"usual"` // with its usual strength
	Variants []string `json:"variants"`
	Any      bool     `json:"any"` // it also plays by rules that only a loaded game has

	opened match.Opened // of an engine
}

// seat is the player of a color with its settings, as on the command line:
// "player-1,visits=400,temperature=1". It begins with the id of a player. Without settings
// the strength is the usual one.
type seat string

func (t seat) id() string {
	id, _, _ := strings.Cut(string(t), ",")
	return id
}

// newPlayers returns all players: those given, further ones with their networks, and the
// built-in ones. all are the variants of games.
func newPlayers(given []*match.Opened, all []chess.Variant) (players []player) {
	taken := map[string]int{}
	add := func(id, name, usual string, p match.Opened) {
		kind := human
		if id != human {
			kind = p.Kind()
		}
		name = cmp.Or(name, nameOf(&p))
		if taken[name]++; taken[name] > 1 {
			name = fmt.Sprintf("%s (%d)", name, taken[name])
		}
		offered := player{ID: id, Name: name, Kind: kind, Usual: seat(strings.TrimSuffix(id+","+usual, ",")), opened: p}
		offered.Any = p.Network() == "" && p.Kind() != match.EngineKind
		for _, v := range all {
			if p.Plays(v) {
				offered.Variants = append(offered.Variants, v.String())
			}
		}
		players = append(players, offered)
	}
	const shallow = "depth=3,movetime=5000"
	for i, p := range given {
		id := fmt.Sprintf("player-%d", i+1)
		usual := p.Limits()
		switch {
		case p.Kind() == match.EngineKind:
			usual = "" // its strength is that of the command line
		case p.Kind() == match.TreeKind && !p.Limited():
			usual = "visits=400"
		}
		searches := p.Kind() == match.TreeKind && p.Network() != ""
		if p.Temperature > 0 {
			usual = strings.TrimPrefix(fmt.Sprintf("%s,temperature=%g", usual, p.Temperature), ",")
		}
		add(id, "", usual, *p)
		if !searches {
			continue
		}
		if policy := p.Model.Policy; policy != nil && policy.Size() > 0 {
			add(id+"-policy", "", "", match.Opened{Spec: match.Spec{Policy: p.Network()}, Model: p.Model})
		}
		add(id+"-alphabeta", "", shallow, match.Opened{Spec: match.Spec{AlphaBeta: p.Network()}, Model: p.Model})
	}
	add(human, human, "", match.Opened{})
	for _, built := range []struct {
		spec               match.Spec
		id, name, settings string
	}{
		{match.Spec{Material: 1}, "material", "alpha-beta on material", shallow},
		{match.Spec{Player: match.Uniform}, match.Uniform, "search without a network", "visits=3000"},
		{match.Spec{Player: match.Random}, match.Random, "random moves", ""},
	} {
		p, _ := new(match.Opener).Open(&built.spec) // they have no networks
		add(built.id, built.name, built.settings, *p)
	}
	return players
}

// nameOf returns the name of an engine for people. Networks have their own names.
func nameOf(p *match.Opened) string {
	switch {
	case p.Network() == "":
		return p.Name()
	case p.Kind() == match.PolicyKind:
		return "policy of " + p.Model.Name
	case p.Kind() == match.AlphaBetaKind:
		return "alpha-beta on " + p.Model.Name
	}
	return p.Model.Name
}

// settings are those that a seat may have.
var settings = []string{"visits", "depth", "movetime", "temperature"}

// find returns a player of a variant with the settings of its seat.
func (s *Play) find(t seat, v chess.Variant) (*player, error) {
	i := slices.IndexFunc(s.players, func(p player) bool { return p.ID == t.id() })
	if i < 0 {
		return nil, invalid("there is no player %.100q", t.id())
	}
	p := s.players[i]
	if !p.opened.Plays(v) {
		return nil, invalid("player %s does not play %s", p.Name, v)
	}
	_, words, given := strings.Cut(string(t), ",")
	if !given {
		_, words, given = strings.Cut(string(p.Usual), ",")
	}
	switch {
	case !given:
		return &p, nil
	case p.Kind == human || p.Kind == match.EngineKind:
		return nil, invalid("player %s has no settings here", p.Name)
	}
	spec := &p.opened.Spec
	spec.Visits, spec.Depth, spec.MoveTime, spec.Temperature = 0, 0, 0, 0
	for word := range strings.SplitSeq(words, ",") {
		name, value, _ := strings.Cut(word, "=")
		if !slices.Contains(settings, name) {
			return nil, invalid("player %s has no setting %.100q", p.Name, name)
		}
		if err := spec.Set(name, value); err != nil {
			return nil, invalid("%v", err)
		}
	}
	if p.Kind == match.TreeKind && !spec.Limited() {
		return nil, invalid("player %s needs a limit: visits, depth or movetime", p.Name)
	}
	if err := spec.Check(); err != nil {
		return nil, invalid("%v", err)
	}
	return &p, nil
}

// check returns an error if the seats are not valid.
func (s *Play) check(seats [2]seat, v chess.Variant) error {
	for side, t := range seats {
		if _, err := s.find(t, v); err != nil {
			return invalid("%s: %v", chess.Color(side), err)
		}
	}
	return nil
}
