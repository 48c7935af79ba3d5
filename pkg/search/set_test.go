package search_test

import (
	"strings"
	"testing"

	"alamos/pkg/search"
)

// What Set takes the search takes: at the bounds, and nothing beyond them.
func TestSet(t *testing.T) {
	for _, c := range []struct {
		name        string
		good, wrong []string
	}{
		{"nodes", []string{"0", "7168", "1000000000"}, []string{"-1", "1000000001", "x"}},
		{"c_puct", []string{"1e-9", "1.5", "1e9"}, []string{"0", "-1", "2e9", "NaN", ""}},
		{"c_base", []string{"0", "19652", "1e9"}, []string{"-1", "Inf"}},
		{"c_init", []string{"0", "1.25", "1e9"}, []string{"-1", "1e10"}},
		{"fpu", []string{"zero", "parent", "0.3", "10", "-0.2"}, []string{"none", "-11", "11"}},
		{"policy_temperature", []string{"1e-9", "1.4", "100"}, []string{"0", "-1", "101"}},
		{"leaves", []string{"1", "4096"}, []string{"0", "4097", "1.5"}},
		{"solver", []string{"true", "false"}, []string{"perhaps"}},
		{"lookahead", []string{"0", "1"}, []string{"2"}},
	} {
		for _, v := range c.good {
			cfg := search.Config{Visits: 10, Solver: true}
			if err := cfg.Set(c.name, v); err != nil {
				t.Errorf("%s=%s: %v", c.name, v, err)
			} else if err := cfg.Validate(); err != nil {
				t.Errorf("%s=%s: the search does not take it: %v", c.name, v, err)
			}
		}
		for _, v := range c.wrong {
			cfg := search.Config{}
			if err := cfg.Set(c.name, v); err == nil || !strings.Contains(err.Error(), "want ") {
				t.Errorf("%s=%s: %v", c.name, v, err)
			}
		}
	}
	for _, name := range search.Settable() {
		if err := (&search.Config{}).Set(name, "nonsense"); err == nil || strings.Contains(err.Error(), "no such setting") {
			t.Errorf("%s is said to be settable: %v", name, err)
		}
	}
	if err := (&search.Config{}).Set("visits", "1"); err == nil {
		t.Error("there is no setting of that name")
	}
	gumbel := search.Config{}
	if err := gumbel.Set("root", "gumbel"); err != nil || gumbel.Root.Considered != 16 || gumbel.Root.Noise != 0 || gumbel.Root.CScale != 1 {
		t.Errorf("a gumbel root: %+v, %v", gumbel.Root, err)
	}
}
