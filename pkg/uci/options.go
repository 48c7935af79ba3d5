package uci

import (
	"fmt"
	"math"
	"runtime"
	"strconv"
	"time"

	"alamos/pkg/config"
	"alamos/pkg/search"
)

// Settings are what a user may change.
type Settings struct {
	CPuct            float64
	CBase, CInit     float64 // of a CPuct that grows with the visits; CBase 0: it does not
	Temperature      float64 // 0: always the most visited move
	TemperaturePlies int     // 0: the whole game
	Leaves           int     // positions evaluated at once
	Solver           bool
	MultiPV          int // lines told
	ShowWDL          bool
	Hash             int           // MiB of a tree
	Overhead         time.Duration // of the clock that is lost on the way to the user
	Every            time.Duration // how often the user hears of a search that has nothing new
}

func defaults(m Model) Settings {
	return Settings{
		CPuct: 1.5, CInit: config.Defaults[search.Config]().CInit, Leaves: max(1, m.Batch), Solver: true, MultiPV: 1, Hash: 1024,
		Overhead: 50 * time.Millisecond, Every: time.Second,
	}
}

// search is the search that they ask for.
func (s *Settings) search() search.Config {
	return search.Config{
		Visits: 1 << 14, // room to begin with: see SetVisits
		Bytes:  s.Hash << 20,
		CPuct:  s.CPuct, CBase: s.CBase, CInit: s.CInit, FPU: search.FPU{Parent: true, Reduction: 0.3},
		ExpandAt: 1, Leaves: s.Leaves, Solver: s.Solver, Lookahead: 1, TreeReuse: true,
	}
}

// SearchConfig is the search of an engine whose settings nobody has changed, with so
// many positions evaluated at once; its visits are the caller's to set.
func SearchConfig(leaves int) search.Config {
	s := defaults(Model{Batch: leaves})
	return s.search()
}

// option is a setting with its name and how it is read.
type option struct {
	Option
	set func(e *Engine, value string) error
}

func (e *Engine) options() []option {
	d := defaults(e.mind)
	spin := func(name string, def, low, high int, set func(s *Settings, n int)) option {
		return option{
			Option{Name: name, Type: "spin", Default: strconv.Itoa(def), Min: low, Max: high, HasMin: true, HasMax: true},
			func(e *Engine, value string) error {
				n, err := strconv.Atoi(value)
				if err == nil {
					set(&e.Settings, n)
				}
				return err
			},
		}
	}
	check := func(name string, def bool, set func(s *Settings, on bool)) option {
		return option{
			Option{Name: name, Type: "check", Default: strconv.FormatBool(def)},
			func(e *Engine, value string) error { set(&e.Settings, value == "true"); return nil },
		}
	}
	// UCI has no fractions: they are text, as other engines with networks do it.
	number := func(name string, def, low, high float64, set func(s *Settings, x float64)) option {
		return option{
			Option{Name: name, Type: "string", Default: strconv.FormatFloat(def, 'g', -1, 64)},
			func(e *Engine, value string) error {
				x, err := strconv.ParseFloat(value, 64)
				if err != nil || math.IsNaN(x) || x < low || x > high {
					return fmt.Errorf("want a number from %g to %g, have %q", low, high, value)
				}
				set(&e.Settings, x)
				return nil
			},
		}
	}
	_, most := config.Range[search.Config]("leaves")
	return []option{
		e.threads(),
		spin("MultiPV", d.MultiPV, 1, 256, func(s *Settings, n int) { s.MultiPV = n }),
		spin("Hash", d.Hash, 1, 1<<20, func(s *Settings, n int) { s.Hash = n }),
		spin("Leaves", d.Leaves, 1, int(most), func(s *Settings, n int) { s.Leaves = n }),
		number("CPuct", d.CPuct, 0.01, 100, func(s *Settings, x float64) { s.CPuct = x }),
		number("CBase", d.CBase, 0, 1e9, func(s *Settings, x float64) { s.CBase = x }),
		number("CInit", d.CInit, 0, 1e9, func(s *Settings, x float64) { s.CInit = x }),
		number("Temperature", d.Temperature, 0, 100, func(s *Settings, x float64) { s.Temperature = x }),
		spin("TemperaturePlies", d.TemperaturePlies, 0, 10_000, func(s *Settings, n int) { s.TemperaturePlies = n }),
		check("Solver", d.Solver, func(s *Settings, on bool) { s.Solver = on }),
		check("UCI_ShowWDL", d.ShowWDL, func(s *Settings, on bool) { s.ShowWDL = on }),
		spin("Move Overhead", int(d.Overhead/time.Millisecond), 0, 10_000, func(s *Settings, n int) {
			s.Overhead = time.Duration(n) * time.Millisecond
		}),
	}
}

// threads is the option of how many threads evaluate positions; the search itself is one.
// It changes no answer. What has no network has nothing to share out.
func (e *Engine) threads() option {
	most := 1
	if e.mind.SetThreads != nil {
		most = max(e.mind.Threads, runtime.NumCPU())
	}
	return option{
		Option{Name: "Threads", Type: "spin", Default: strconv.Itoa(max(1, e.mind.Threads)), Min: 1, Max: most, HasMin: true, HasMax: true},
		func(e *Engine, value string) error {
			n, err := strconv.Atoi(value)
			if err == nil && e.mind.SetThreads != nil {
				err = e.mind.SetThreads(n)
			}
			return err
		},
	}
}

// Options are the settings that a user may change.
func (e *Engine) Options() []Option {
	var list []Option
	for _, o := range e.options() {
		list = append(list, o.Option)
	}
	return list
}

// Set changes a setting.
func (e *Engine) Set(name, value string) error {
	for _, o := range e.options() {
		if o.Name == name {
			return o.set(e, value)
		}
	}
	return fmt.Errorf("no setting is called %q", name)
}
