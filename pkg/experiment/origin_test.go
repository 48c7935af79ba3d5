package experiment

import (
	"testing"

	"alamos/pkg/config"
)

// A page names files the same wherever the run was started.
func TestOriginFrom(t *testing.T) {
	for _, c := range []struct{ file, dir, want string }{
		{"/home/ann/experiments/small.yaml", "/home/ann/experiments", "small.yaml:3"},
		{"experiments/paper.yaml", "experiments/papers", "../paper.yaml:3"},
		{"small.yaml", ".", "small.yaml:3"},
		{"small.yaml", "/elsewhere", "small.yaml:3"}, // nobody knows the way
		{config.SetFile, "experiments", config.SetFile},
		{"", "experiments", "default"},
	} {
		o := config.Origin{Position: config.Position{File: c.file, Line: 3}}
		if got := o.From(c.dir).String(); got != c.want {
			t.Errorf("%q from %q is %q, want %q", c.file, c.dir, got, c.want)
		}
	}
}
