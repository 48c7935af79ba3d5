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

// kind is how a player finds its moves.
type kind string

const (
	human     kind = "human"
	random    kind = "random"
	tree      kind = "tree"      // a tree search on what a mind says
	alphaBeta kind = "alphabeta" // on material, or on the values of a network
)

// player is one who can sit down at a board.
type player struct {
	ID       string   `json:"id"`
	Name     string   `json:"name"`
	Kind     kind     `json:"kind"`
	Network  bool     `json:"network"`
	Variants []string `json:"variants"`

	plays []chess.Variant
	mind  *uci.Model // of a tree, and of alpha-beta on a network
}

// queue is an evaluator that all games ask, one batch after the other.
type queue struct {
	search.Evaluator
	mu sync.Mutex
}

func (q *queue) Evaluate(leaves []*encode.Leaf) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.Evaluator.Evaluate(leaves)
}

// newPlayers are all who can play: humans, those who need no network, and the
// networks. Where there are networks, the others play the same variants.
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
			player{ID: fmt.Sprintf("net-%d", i+1), Name: name, Kind: tree, Network: true, plays: n.Variants, mind: m},
			player{ID: fmt.Sprintf("net-%d-alphabeta", i+1), Name: "alpha-beta on " + name, Kind: alphaBeta, Network: true, plays: n.Variants, mind: m})
	}
	blank := uci.Blank(variants...)
	players = append(players,
		player{ID: "human", Name: "human", Kind: human, plays: variants},
		player{ID: "material", Name: "alpha-beta on material", Kind: alphaBeta, plays: variants},
		player{ID: "blank", Name: "search without a network", Kind: tree, plays: variants, mind: &blank},
		player{ID: "random", Name: "random moves", Kind: random, plays: variants})
	for i := range players {
		for _, v := range players[i].plays {
			players[i].Variants = append(players[i].Variants, v.String())
		}
	}
	return players, variants
}

// seat is a player at a board, with how strong it is to play.
type seat struct {
	Player string `json:"player"`

	// Of a tree search: visits, or seconds, or the first of both; neither is the
	// network's policy alone. Of alpha-beta: plies, and seconds at most.
	Visits  int     `json:"visits,omitempty"`
	Depth   int     `json:"depth,omitempty"`
	Seconds float64 `json:"seconds,omitempty"`

	// Temperature is that of a tree's choice of a move by its visits; 0: the most
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

// find finds a player who knows a variant.
func (s *Server) find(id string, v chess.Variant) (*player, error) {
	for i := range s.players {
		p := &s.players[i]
		if p.ID != id {
			continue
		}
		if !slices.Contains(p.plays, v) {
			return nil, refused("player %s does not play %s", p.Name, v)
		}
		return p, nil
	}
	return nil, refused("nobody is called %.100q", id)
}

// check finds out what is wrong with a seat of the color side.
func (s *Server) check(side chess.Color, t seat, v chess.Variant) error {
	p, err := s.find(t.Player, v)
	switch {
	case err != nil:
		return refused("%s: %v", side, err)
	case t.Visits < 0 || t.Visits > mostVisits:
		return refused("%s: visits %d: want 0 to %d", side, t.Visits, mostVisits)
	case t.Depth < 0 || t.Depth > mostDepth || p.Kind == alphaBeta && t.Depth == 0:
		return refused("%s: depth %d: want 1 to %d", side, t.Depth, mostDepth)
	case math.IsNaN(t.Seconds) || t.Seconds < 0 || t.Seconds > mostSeconds:
		return refused("%s: seconds %g: want 0 to %d", side, t.Seconds, mostSeconds)
	case math.IsNaN(t.Temperature) || t.Temperature < 0 || t.Temperature > mostTemperature:
		return refused("%s: temperature %g: want 0 to %d", side, t.Temperature, mostTemperature)
	}
	return nil
}
