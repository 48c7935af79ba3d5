package main

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/vbauerster/mpb/v8/decor"
)

// Without a terminal standings are a line a minute; on one they are a table, cut where
// the terminal ends.
func TestStandingsAreShown(t *testing.T) {
	var out bytes.Buffer
	c := &console{out: &out, jobs: 1}
	work := (&trialConsole{console: c, indent: "  "}).Task("tournament", "games").(*task)
	table := []string{"head", "· 1 " + strings.Repeat("x", 100)}
	standings := func(line string) {
		work.Standings(func() (string, []string) { return line, table })
	}
	standings("score: a 60 %")
	if out.Len() > 0 {
		t.Errorf("said at once: %q", out.String())
	}
	work.standingsAt = work.standingsAt.Add(-standingsInterval)
	standings("score: a 70 %")
	standings("score: a 80 %")
	if have := out.String(); have != "    score: a 70 %\n" {
		t.Errorf("%q", have)
	}
	var below bytes.Buffer
	if err := work.fillStandings(&below, decor.Statistics{AvailableWidth: 20}); err != nil {
		t.Fatal(err)
	}
	if want := "    head\n    · 1 " + strings.Repeat("x", 11) + "\n"; below.String() != want {
		t.Errorf("%q, want %q", below.String(), want)
	}
	if time.Since(work.standingsAt) > standingsInterval {
		t.Error("the next line would come too soon")
	}
}
