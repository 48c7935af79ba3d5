package search

import (
	"fmt"
	"strconv"
	"strings"
)

// InitialC is the c_init of AlphaZero, which goes with any c_base that comes without one.
const InitialC = 1.25

// Settable are the settings that [Config.Set] sets.
var Settable = []string{"nodes", "c_puct", "c_base", "c_init", "fpu", "policy_temperature", "leaves", "solver", "lookahead"}

// Set sets a setting as users write it on a command line, by its name in experiment
// files: one of [Settable]. The error names what is wanted, not the setting.
func (c *Config) Set(name, value string) error {
	whole := func(dst *int, least, most int) error {
		n, err := strconv.Atoi(value)
		if err != nil || n < least || n > most {
			return fmt.Errorf("want a whole number from %d to %d, have %q", least, most, value)
		}
		*dst = n
		return nil
	}
	number := func(dst *float64, least, most float64) error {
		x, err := strconv.ParseFloat(value, 64)
		if err != nil || !(x >= least && x <= most) {
			return fmt.Errorf("want a number from %g to %g, have %q", least, most, value)
		}
		*dst = x
		return nil
	}
	switch name {
	case "nodes":
		return whole(&c.Nodes, 0, 1e9)
	case "c_puct":
		return number(&c.CPuct, 0, 1e9)
	case "c_base":
		if c.CInit == 0 {
			c.CInit = InitialC
		}
		return number(&c.CBase, 0, 1e9)
	case "c_init":
		return number(&c.CInit, 0, 1e9)
	case "fpu":
		fpu, err := ParseFPU(value)
		if err == nil {
			c.FPU = fpu
		}
		return err
	case "policy_temperature":
		return number(&c.PolicyTemperature, 0, 100)
	case "leaves":
		return whole(&c.Leaves, 1, MaxLeaves)
	case "lookahead":
		return whole(&c.Lookahead, 0, 1)
	case "solver":
		on, err := strconv.ParseBool(value)
		if err != nil {
			return fmt.Errorf("want true or false, have %q", value)
		}
		c.Solver = on
		return nil
	}
	return fmt.Errorf("a search has no such setting: want %s", strings.Join(Settable, ", "))
}
