package play

import (
	"fmt"
	"math"
	"slices"
	"sync"

	"alamos/pkg/chess"
	"alamos/pkg/encode"
	"alamos/pkg/search"
	"alamos/pkg/uci"
)

// kind says how a player finds its moves.
type kind string

const (
	human     kind = "human"
	random    kind = "random"
	tree      kind = "tree"      // a tree search with a model
	alphaBeta kind = "alphabeta" // on material, or on the values of a network
)

// player is a human or an engine that the page offers.
type player struct {
	ID       string   `json:"id"`
	Name     string   `json:"name"`
	Kind     kind     `json:"kind"`
	Network  bool     `json:"network"`
	Variants []string `json:"variants"`

	plays []chess.Variant
	model *uci.Model // of tree search, and of alpha-beta on a network
}

// queue is an evaluator for all games, one batch after the other.
type queue struct {
	search.Evaluator
	mu sync.Mutex
}

func (q *queue) Evaluate(leaves []*encode.Leaf) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.Evaluator.Evaluate(leaves)
}

// newPlayers returns all players: humans, engines without a network, and the networks.
// If there are networks, all players play their variants only.
func newPlayers(networks []uci.Model) (players []player, variants []chess.Variant) {
	variants = chess.Variants()
	if len(networks) > 0 {
		variants = slices.DeleteFunc(variants, func(v chess.Variant) bool {
			return !slices.ContainsFunc(networks, func(m uci.Model) bool { return slices.Contains(m.Variants, v) })
		})
	}
	taken := map[string]int{}
	for i, n := range networks {
		name := n.Name
		if taken[name]++; taken[name] > 1 {
			name = fmt.Sprintf("%s (%d)", name, taken[name])
		}
		m := &n
		m.Eval = &queue{Evaluator: n.Eval}
		players = append(players,
			player{ID: fmt.Sprintf("net-%d", i+1), Name: name, Kind: tree, Network: true, plays: n.Variants, model: m},
			player{ID: fmt.Sprintf("net-%d-alphabeta", i+1), Name: "alpha-beta on " + name, Kind: alphaBeta, Network: true, plays: n.Variants, model: m})
	}
	blank := uci.Blank(variants...)
	players = append(players,
		player{ID: "human", Name: "human", Kind: human, plays: variants},
		player{ID: "material", Name: "alpha-beta on material", Kind: alphaBeta, plays: variants},
		player{ID: "blank", Name: "search without a network", Kind: tree, plays: variants, model: &blank},
		player{ID: "random", Name: "random moves", Kind: random, plays: variants})
	for i := range players {
		for _, v := range players[i].plays {
			players[i].Variants = append(players[i].Variants, v.String())
		}
	}
	return players, variants
}

// seat is the player of a color, with its strength.
type seat struct {
	Player string `json:"player"`

	// For tree search: visits, or seconds, or whichever ends first; neither means the
	// network's policy alone. For alpha-beta: plies, and seconds at most.
	Visits  int     `json:"visits,omitempty"`
	Depth   int     `json:"depth,omitempty"`
	Seconds float64 `json:"seconds,omitempty"`

	// Temperature randomizes the choice among a tree's moves by visits; 0: the most
	// visited.
	Temperature float64 `json:"temperature,omitempty"`
}

// The bounds of a seat.
const (
	mostVisits      = 10_000_000
	mostDepth       = 8
	mostSeconds     = 3600
	mostTemperature = 10
)

// find finds a player of a variant by its id.
func (s *Server) find(id string, v chess.Variant) (*player, error) {
	for i := range s.players {
		p := &s.players[i]
		if p.ID != id {
			continue
		}
		if !slices.Contains(p.plays, v) {
			return nil, invalid("player %s does not play %s", p.Name, v)
		}
		return p, nil
	}
	return nil, invalid("there is no player %.100q", id)
}

// check returns an error if the seat of a side is not valid.
func (s *Server) check(side chess.Color, t seat, v chess.Variant) error {
	p, err := s.find(t.Player, v)
	switch {
	case err != nil:
		return invalid("%s: %v", side, err)
	case t.Visits < 0 || t.Visits > mostVisits:
		return invalid("%s: visits %d: want 0 to %d", side, t.Visits, mostVisits)
	case t.Depth < 0 || t.Depth > mostDepth || p.Kind == alphaBeta && t.Depth == 0:
		return invalid("%s: depth %d: want 1 to %d", side, t.Depth, mostDepth)
	case math.IsNaN(t.Seconds) || t.Seconds < 0 || t.Seconds > mostSeconds:
		return invalid("%s: seconds %g: want 0 to %d", side, t.Seconds, mostSeconds)
	case math.IsNaN(t.Temperature) || t.Temperature < 0 || t.Temperature > mostTemperature:
		return invalid("%s: temperature %g: want 0 to %d", side, t.Temperature, mostTemperature)
	}
	return nil
}
