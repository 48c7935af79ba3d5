package engine

import (
	"fmt"
	"math"
	"runtime"
	"strconv"
	"time"

	"alamos/pkg/search"
	"alamos/pkg/uci"
)

// settings are what a user may change.
type settings struct {
	cpuct            float64
	temperature      float64 // 0: always the most visited move
	temperaturePlies int     // 0: the whole game
	leaves           int
	solver           bool
	multiPV          int
	showWDL          bool
	hash             int // MiB of a tree
	overhead         time.Duration
}

func defaults(m Mind) settings {
	return settings{
		cpuct: 1.5, leaves: max(1, m.Batch), solver: true, multiPV: 1, hash: 1024,
		overhead: 50 * time.Millisecond,
	}
}

// search is the search that they ask for.
func (s *settings) search() search.Config {
	return search.Config{
		Visits: 1 << 14, // room to begin with: see SetVisits
		CPuct:  s.cpuct, FPU: search.FPU{Parent: true, Reduction: 0.3},
		ExpandAt: 1, Leaves: s.leaves, Solver: s.solver, Lookahead: 1, TreeReuse: true,
	}
}

// SearchConfig is the search of an engine whose settings nobody has changed, with so
// many positions evaluated at once; its visits are the caller's to set.
func SearchConfig(leaves int) search.Config {
	s := defaults(Mind{Batch: leaves})
	return s.search()
}

// option is a setting with its name and how it is read.
type option struct {
	uci.Option
	set func(e *Engine, value string) error
}

func (e *Engine) options() []option {
	d := defaults(e.mind)
	spin := func(name string, def, low, high int, set func(s *settings, n int)) option {
		return option{
			uci.Option{Name: name, Type: "spin", Default: strconv.Itoa(def), Min: low, Max: high, HasMin: true, HasMax: true},
			func(e *Engine, value string) error {
				n, err := strconv.Atoi(value)
				if err == nil {
					set(&e.settings, n)
				}
				return err
			},
		}
	}
	check := func(name string, def bool, set func(s *settings, on bool)) option {
		return option{
			uci.Option{Name: name, Type: "check", Default: strconv.FormatBool(def)},
			func(e *Engine, value string) error { set(&e.settings, value == "true"); return nil },
		}
	}
	// UCI has no fractions: they are text, as other engines with networks do it.
	number := func(name string, def, low, high float64, set func(s *settings, x float64)) option {
		return option{
			uci.Option{Name: name, Type: "string", Default: strconv.FormatFloat(def, 'g', -1, 64)},
			func(e *Engine, value string) error {
				x, err := strconv.ParseFloat(value, 64)
				if err != nil || math.IsNaN(x) || x < low || x > high {
					return fmt.Errorf("want a number from %g to %g, have %q", low, high, value)
				}
				set(&e.settings, x)
				return nil
			},
		}
	}
	return []option{
		e.threads(),
		spin("MultiPV", d.multiPV, 1, 256, func(s *settings, n int) { s.multiPV = n }),
		spin("Hash", d.hash, 1, 1<<20, func(s *settings, n int) { s.hash = n }),
		spin("Leaves", d.leaves, 1, search.MaxLeaves, func(s *settings, n int) { s.leaves = n }),
		number("CPuct", d.cpuct, 0.01, 100, func(s *settings, x float64) { s.cpuct = x }),
		number("Temperature", d.temperature, 0, 100, func(s *settings, x float64) { s.temperature = x }),
		spin("TemperaturePlies", d.temperaturePlies, 0, 10_000, func(s *settings, n int) { s.temperaturePlies = n }),
		check("Solver", d.solver, func(s *settings, on bool) { s.solver = on }),
		check("UCI_ShowWDL", d.showWDL, func(s *settings, on bool) { s.showWDL = on }),
		spin("Move Overhead", int(d.overhead/time.Millisecond), 0, 10_000, func(s *settings, n int) {
			s.overhead = time.Duration(n) * time.Millisecond
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
		uci.Option{Name: "Threads", Type: "spin", Default: strconv.Itoa(max(1, e.mind.Threads)), Min: 1, Max: most, HasMin: true, HasMax: true},
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
func (e *Engine) Options() []uci.Option {
	var list []uci.Option
	for _, o := range e.options() {
		list = append(list, o.Option)
	}
	return list
}

// Set changes a setting.
func (e *Engine) Set(name, value string) error {
	for _, o := range e.options() {
		if o.Name == name {
			e.fresh = true
			return o.set(e, value)
		}
	}
	return fmt.Errorf("no setting is called %q", name)
}
