package match

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"strings"

	"alamos/pkg/chess"
	"alamos/pkg/disk"
	"alamos/pkg/search"
	"alamos/pkg/uci"
)

// Lineup is the players that a person names on the command line, with their networks
// open. Players of the same file share a network.
type Lineup struct {
	Variant chess.Variant

	specs  []*Spec
	files  []string // of their networks; "" for players without one
	models map[string]*uci.Model
}

// Opener finds and opens networks.
type Opener struct {
	FindModel func(name string) (file string, err error)
	Hardware  uci.Hardware
}

// Open opens the networks of players. The variant is that of the networks, else want,
// else chess; a network of another variant than want is an error. A tree search without
// a limit of its own has this number of visits.
func (o Opener) Open(specs []*Spec, want *chess.Variant, visits int) (opened *Lineup, err error) {
	l := &Lineup{files: make([]string, len(specs)), models: map[string]*uci.Model{}}
	defer func() {
		if err != nil {
			l.Close()
		}
	}()
	decided := "" // by whom the variant is decided
	if want != nil {
		l.Variant, decided = *want, "want"
	}
	for i, s := range specs {
		c := *s
		c.LimitVisits(visits)
		l.specs = append(l.specs, &c)
		name := string(s.Network())
		if name == "" {
			continue
		}
		if l.files[i], err = o.FindModel(name); err != nil {
			return nil, err
		}
		m := l.models[l.files[i]]
		if m == nil {
			loaded, err := uci.Load(l.files[i], o.Hardware)
			if err != nil {
				return nil, err
			}
			m = &loaded
			l.models[l.files[i]] = m
		}
		switch v := m.Variants[0]; {
		case decided == "":
			l.Variant, decided = v, "and "+name+" plays"
		case v != l.Variant:
			return nil, fmt.Errorf("%s plays %s, %s %s", name, v, decided, l.Variant)
		}
	}
	return l, nil
}

// LacksPolicy reports whether the i-th player is to play by the policy of a network that
// has none.
func (l *Lineup) LacksPolicy(i int) bool {
	return l.specs[i].Policy != "" && l.models[l.files[i]].Policy.Size() == 0
}

// Entries finds the engines among the players and returns all players. Games may begin
// where castling is that of chess960, and each player has up to processes engines. A
// name that several players have is numbered.
func (l *Lineup) Entries(ctx context.Context, chess960 bool, processes int, timeouts uci.Timeouts) ([]Entry, error) {
	var entries []Entry
	names := map[string]int{}
	for i, s := range l.specs {
		e := Entry{Name: s.Name(modelName(s.Network()))}
		e.ID = e.Name
		var engine UCI
		switch {
		case s.UCI != "":
			found, err := s.Opponent().Find(ctx, l.Variant, chess960)
			if err != nil {
				return nil, err
			}
			e.ID += " " + found.ID
			engine = UCI{Command: found.Command, Variant: l.Variant, Chess960: chess960, Limit: found.Limit, Engines: processes, Timeouts: timeouts}
		case l.files[i] != "":
			sum, err := disk.Sum(l.files[i])
			if err != nil {
				return nil, err
			}
			e.ID += " " + sum
		}
		if names[e.Name]++; names[e.Name] > 1 {
			e.Name += fmt.Sprintf(" (%d)", names[e.Name])
		}
		e.New = func(int) (Player, error) {
			parts := Parts{Engine: engine}
			if m := l.models[l.files[i]]; m != nil {
				cfg := uci.SearchConfig(1)
				cfg.Visits = mostVisits
				parts.Defaults = TreeSearch{Config: cfg, Power: math.Inf(1), Batch: m.Batch}
				parts.Network = func() (search.Evaluator, func(), error) { return m.Eval, func() {}, nil }
			}
			return s.New(ctx, e.Name, parts)
		}
		entries = append(entries, e)
	}
	return entries, nil
}

// Networks reports whether any player has a network.
func (l *Lineup) Networks() bool { return len(l.models) > 0 }

// Close closes the networks.
func (l *Lineup) Close() {
	for _, m := range l.models {
		m.Close()
	}
}

// modelName returns what tables call a checkpoint: a file's name has no folder or ending.
func modelName(c Checkpoint) string {
	if name := string(c); strings.Contains(name, "@") {
		return name
	}
	return strings.TrimSuffix(filepath.Base(string(c)), filepath.Ext(string(c)))
}
