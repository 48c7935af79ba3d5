package run

import (
	"context"
	"errors"
	"testing"

	"alamos/pkg/store"
)

// A stage that was interrupted, and begun again by another process, has taken the time
// of both; with other inputs it is another one.
func TestSecondsOfBoth(t *testing.T) {
	root := t.TempDir()
	trial := func() *Trial {
		dir := root + "/e/1"
		m, err := store.ReadManifest(dir)
		if err != nil {
			t.Fatal(err)
		}
		return &Trial{Results: &store.Trial{Dir: dir, Manifest: m}, Report: Quiet{}, run: &run{cache: newCache(root), forecast: &forecast{took: map[string]timing{}}}}
	}
	stage := func(input string, err error) *Stage {
		return &Stage{Name: "x", In: store.Inputs{"a": input}, Run: func(context.Context) (any, error) { return nil, err }}
	}
	stopped := errors.New("stopped")
	for _, input := range []string{"old", "new"} {
		if err := new(execution).stage(t.Context(), trial(), stage(input, stopped)); !errors.Is(err, stopped) {
			t.Fatal(err)
		}
		m := trial().Results.Manifest
		if m.Spent("x", store.Inputs{"a": input}) <= 0 || m.Spent("x", store.Inputs{}) != 0 || m.Spent("y", m.Begun.Inputs) != 0 {
			t.Errorf("begun: %+v", m.Begun)
		}
		m.Begun.Seconds = 1000
		if err := m.Write(root + "/e/1"); err != nil {
			t.Fatal(err)
		}
	}
	if err := new(execution).stage(t.Context(), trial(), stage("new", stopped)); !errors.Is(err, stopped) {
		t.Fatal(err)
	}
	if err := new(execution).stage(t.Context(), trial(), stage("new", nil)); err != nil {
		t.Fatal(err)
	}
	m := trial().Results.Manifest
	if s := m.Stage("x"); s == nil || s.Seconds <= 1000 || m.Begun != nil {
		t.Errorf("%+v, begun %+v", s, m.Begun)
	}
}
