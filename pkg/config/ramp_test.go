package config_test

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"alamos/pkg/config"
)

type play struct {
	Visits int     `key:"visits" default:"8" range:"1..100" unit:"visits" doc:"V."`
	Base   float64 `key:"base" default:"0" range:"0..9" doc:"B."`
	Share  float64 `key:"share" range:"0..1" absent:"none" doc:"S."`
	Puct   float64 `key:"puct" default:"2" range:">0..9" words:"max=inf" when:"base=0" doc:"P."`
	Reuse  bool    `key:"reuse" default:"true" doc:"R."`
}

type lab struct {
	Play   play `key:"play" flags:"ramps" doc:"P."`
	Match  play `key:"match" inherit:"play" doc:"M."`
	Window int  `key:"window" default:"1" range:"1.." flags:"ramps" doc:"W."`
	Ramps  config.Ramps
}

func readLab(t interface{ Helper() }, text string) (values map[string]any, got lab, err error) {
	t.Helper()
	n, errs := config.Parse(config.Position{File: "x.yaml"}, []byte(text), "")
	s := config.Of[lab]()
	r := &config.Reader{Bad: map[string]bool{}, Whole: true}
	if len(errs) == 0 {
		values, _ = s.Read(r, "", n)
		errs = r.Errs
	}
	if len(errs) > 0 {
		return nil, got, errs.Sorted()
	}
	s.Fill(&got, values)
	return values, got, nil
}

func TestRamps(t *testing.T) {
	values, got, err := readLab(t, "play: {visits: {from: 32, to: 100, over: 5}, puct: {from: 1, to: 0.5, over: 2}, share: {from: 1, to: 0, over: 2}}\nwindow: {from: 1, to: 4, over: 3}\n")
	if err != nil {
		t.Fatal(err)
	}
	want := lab{
		Play: play{Visits: 100, Puct: 0.5, Reuse: true}, Match: play{Visits: 100, Puct: 0.5, Reuse: true}, Window: 4,
		Ramps: config.Ramps{"play.visits": {32, 100, 5}, "play.puct": {1, 0.5, 2}, "play.share": {1, 0, 2}, "window": {1, 4, 3}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	s := config.Of[lab]()
	if diff := cmp.Diff(values, s.Values(&got, config.Form{})); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]int{1, 2, 3, 5}, got.Ramps.Steps()); diff != "" {
		t.Error(diff)
	}
	var visits, windows []int
	for g := range 7 {
		at := config.At(&got, got.Ramps, g)
		visits, windows = append(visits, at.Play.Visits), append(windows, at.Window)
		if at.Ramps != nil || at.Match != got.Match {
			t.Errorf("step %d: %+v", g, at)
		}
	}
	if diff := cmp.Diff([][]int{{32, 32, 49, 66, 83, 100, 100}, {1, 1, 3, 4, 4, 4, 4}}, [][]int{visits, windows}); diff != "" {
		t.Error(diff)
	}
	if _, again, err := readLab(t, string(s.YAML(values))); err != nil || cmp.Diff(got, again) != "" {
		t.Errorf("%v\n%s", err, s.YAML(values))
	}
	var rows []string
	for _, x := range s.Explain("", values, nil) {
		rows = append(rows, x.Path+"="+x.Value)
	}
	if text := strings.Join(rows, " "); !strings.Contains(text, "play.visits.from=32 play.visits.to=100 play.visits.over=5 play.base=0") || !strings.Contains(text, "match.visits=100 ") {
		t.Error(text)
	}
	if o := s.Origin("match.visits", &config.Node{}, values); o.String() != "default (as play.visits.to)" {
		t.Error(o)
	}
}

// Only the numbers under the flag may be ramps, at both ends within their range.
func TestRampFaults(t *testing.T) {
	for text, want := range map[string]string{
		"play: {visits: {from: 0, to: 8, over: 4}}":            "x.yaml:1:23: play.visits.from: want a whole number from 1 to 100, have 0",
		"play: {visits: {from: 1, to: 101, over: 4}}":          "x.yaml:1:30: play.visits.to: want a whole number from 1 to 100, have 101",
		"play: {visits: {from: 1, to: 8}}":                     "x.yaml:1:16: play.visits.over: missing: want a whole number from 2 to 10000",
		"play: {visits: {from: 1, to: 8, over: 1}}":            "x.yaml:1:39: play.visits.over: want a whole number from 2 to 10000, have 1",
		"play: {visits: {from: 1, to: 8, over: 2, ofer: 2}}":   `x.yaml:1:42: play.visits.ofer: unknown key (did you mean "over"?)`,
		"play: {puct: {from: 1, to: max, over: 2}}":            "x.yaml:1:28: play.puct.to: want a number above 0 and at most 9, have max",
		"play: {base: {from: 1, to: 8, over: 2}}":              "x.yaml:1:14: play.base: want a number from 0 to 9, have a group of keys",
		"match: {visits: {from: 1, to: 8, over: 2}}":           "x.yaml:1:17: match.visits: want a whole number from 1 to 100, have a group of keys",
		"play: {base: 1, puct: {from: 1, to: 2, over: 2}}":     "x.yaml:1:17: play.puct: applies only with base: 0",
		"play: {reuse: {from: true, to: false, over: 2}}":      "x.yaml:1:15: play.reuse: want true or false, have a group of keys",
		"window: {from: 1, to: [2], over: 2}\nplay: {base: 1}": "x.yaml:1:23: window.to: want a whole number of at least 1, have a list",
	} {
		if _, _, err := readLab(t, text); err == nil || err.Error() != want {
			t.Errorf("%q\nhave %v\nwant %s", text, err, want)
		}
	}
}

// A ramp starts and ends exactly at its ends and does not leave them.
func TestRampStaysBetweenItsEnds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ends := rapid.Float64Range(-1e9, 1e9)
		r := config.Ramp{From: ends.Draw(t, "from"), To: ends.Draw(t, "to"), Over: rapid.IntRange(2, 50).Draw(t, "over")}
		before := r.At(1)
		for step := 2; step <= r.Over; step++ {
			x := r.At(step)
			if turn := (before - x) * math.Copysign(1, r.To-r.From); turn > 1e-6 {
				t.Fatalf("%+v turns back at step %d", r, step)
			}
			before = x
		}
		if r.At(0) != r.From || r.At(1) != r.From || r.At(r.Over) != r.To || r.At(1000) != r.To {
			t.Fatalf("%+v ends at %v and %v", r, r.At(1), r.At(r.Over))
		}
	})
}
