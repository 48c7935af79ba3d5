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

// Lineup holds the players named on the command line, with their networks open. Players
// with the same network file share one network.
type Lineup struct {
	Variant chess.Variant

	specs  []*Spec
	files  []string // network files; "" for players without a network
	models map[string]*uci.Model
}

// Opener finds and opens networks.
type Opener struct {
	FindModel func(name string) (file string, err error)
	Hardware  uci.Hardware
}

// Open opens the players' networks. The variant is that of the networks, else want, else
// standard chess. A network of a variant other than want is an error. Tree searches without
// their own limit use the given number of visits.
func (o Opener) Open(specs []*Spec, want *chess.Variant, visits int) (opened *Lineup, err error) {
	l := &Lineup{files: make([]string, len(specs)), models: map[string]*uci.Model{}}
	defer func() {
		if err != nil {
			l.Close()
		}
	}()
	decided := "" // what decided the variant
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

// LacksPolicy reports whether player i plays by the policy of a network that has no policy.
func (l *Lineup) LacksPolicy(i int) bool {
	return l.specs[i].Policy != "" && l.models[l.files[i]].Policy.Size() == 0
}

// Entries finds the players' engines and returns all players. Games may start from Chess960
// positions if chess960 is set. Each engine player runs at most the given number of
// processes. Duplicate names get a number.
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

func (l *Lineup) Networks() bool { return len(l.models) > 0 }

func (l *Lineup) Close() {
	for _, m := range l.models {
		m.Close()
	}
}

// modelName returns the checkpoint's name for tables, without folder and extension.
func modelName(c Checkpoint) string {
	if name := string(c); strings.Contains(name, "@") {
		return name
	}
	return strings.TrimSuffix(filepath.Base(string(c)), filepath.Ext(string(c)))
}
