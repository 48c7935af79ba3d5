package web

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"alamos/pkg/disk"
	"alamos/pkg/experiment"
	"alamos/pkg/run"
	"alamos/pkg/store"
)

const smallSweep = `alamos: 1
name: small
game: {variant: atomic, max_moves: 30}
network: {depth: 1, width: 8, policy_head: conv-linear, policy_channels: 2}
search: {visits: 4}
selfplay: {games: 3}
generations: 2
training: {epochs: 1, batch: 16, validation: 0, select: last, schedule: {kind: constant}}
sweep: {grid: {search.visits: [4, 6]}}
tournament: {rounds: 2, players: [last, untrained, random]}
`

// lab is a folder of results with the server of their page.
type lab struct {
	*testing.T
	dir, file, url string
}

func openLab(t *testing.T) *lab {
	t.Helper()
	l := &lab{T: t, dir: t.TempDir()}
	l.file = filepath.Join(t.TempDir(), "small.yaml")
	l.check(os.WriteFile(l.file, []byte(smallSweep), 0o644))
	web := httptest.NewServer(NewResults(l.dir, "", slog.New(slog.DiscardHandler)))
	l.url = web.URL
	t.Cleanup(func() {
		web.CloseClientConnections()
		web.Close()
	})
	return l
}

func (l *lab) check(err error) {
	l.Helper()
	if err != nil {
		l.Fatal(err)
	}
}

func (l *lab) run() error {
	e, err := experiment.LoadChecked(l.file, nil)
	if err != nil {
		return err
	}
	return run.Run(l.Context(), e, run.Options{Results: l.dir, Workers: 1})
}

// follow hears events about an experiment until the function returns true. It keeps the
// latest view of each experiment and trial.
func (l *lab) follow(name string, until func(map[string]runView, map[int]trialView) bool) {
	l.Helper()
	ctx, cancel := context.WithTimeout(l.Context(), 2*time.Minute)
	defer cancel()
	ask, err := http.NewRequestWithContext(ctx, http.MethodGet, l.url+"/api/events?run="+name, nil)
	l.check(err)
	r, err := http.DefaultClient.Do(ask)
	l.check(err)
	defer r.Body.Close()
	runs, trials := map[string]runView{}, map[int]trialView{}
	for lines := bufio.NewScanner(r.Body); lines.Scan(); {
		data, ok := strings.CutPrefix(lines.Text(), "data: ")
		if !ok {
			continue
		}
		var news resultsNews
		l.check(json.Unmarshal([]byte(data), &news))
		for _, v := range news.Runs {
			runs[v.Name] = v
		}
		for _, v := range news.Trials {
			trials[v.Number] = v
		}
		for name := range runs {
			if !slices.Contains(news.All, name) {
				delete(runs, name)
			}
		}
		if until(runs, trials) {
			return
		}
	}
	l.Fatalf("the events ended with %+v, %+v", runs, trials)
}

// get asks for a value. Another status than want is an error.
func get[T any](l *lab, path string, want int) (v T) {
	l.Helper()
	r, err := http.Get(l.url + path)
	l.check(err)
	defer r.Body.Close()
	if r.StatusCode != want {
		l.Fatalf("%s: %s", path, r.Status)
	}
	l.check(json.NewDecoder(r.Body).Decode(&v))
	return v
}

// The page hears of a run from its first stage to its last.
func TestResultsFollowARun(t *testing.T) {
	l := openLab(t)
	ran := make(chan error, 1)
	go func() { ran <- l.run() }()
	states := map[store.State]bool{}
	l.follow("small", func(runs map[string]runView, trials map[int]trialView) bool {
		states[runs["small"].State] = true
		return runs["small"].State == store.Finished && len(trials) == 2 && trials[2].State == store.Finished
	})
	l.check(<-ran)
	if !states[store.Finished] || !states[""] && !states[store.Running] {
		t.Errorf("heard of the states %v", states)
	}
	l.follow("small", func(runs map[string]runView, trials map[int]trialView) bool {
		r, a := runs["small"], trials[1]
		if r.Trials != 2 || r.Ended != 2 || r.Done != 4 || r.Generations != 4 || !slices.Equal(r.Axes, []string{"search.visits"}) || !slices.Contains(r.Metrics, "loss") {
			t.Errorf("%+v", r)
		}
		if a.Label != "visits=4" || !slices.Equal(a.Values, []string{"4"}) || a.Generation != 2 || a.Metrics["samples"] <= 0 || a.Metrics["score"] < 0 {
			t.Errorf("%+v", a)
		}
		return true
	})
	type line struct {
		Trial   int
		Samples []int
		Values  []float64
	}
	lines := get[[]line](l, "/api/runs/small/series?metric=loss&trials=2,1", 200)
	if len(lines) != 2 || lines[0].Trial != 2 || len(lines[0].Values) != 2 || lines[0].Values[0] <= 0 || lines[0].Samples[1] <= lines[0].Samples[0] {
		t.Errorf("%+v", lines)
	}
	d := get[trialDetail](l, "/api/runs/small/trials/1", 200)
	if d.Table == nil || len(d.Table.Players) != 3 || d.Table.Games[0] != 4 || d.Table.Elo[0] == "" {
		t.Errorf("%+v", d.Table)
	}
	// One epoch in each of two generations, without held-out games.
	if lines := get[[]lossLine](l, "/api/runs/small/trials/1/losses", 200); len(lines) != 1 || lines[0].Name != "training" || len(lines[0].Points) != 2 || lines[0].Points[1][0] != 2 {
		t.Errorf("%+v", lines)
	}
	if d.Game == nil || len(d.Game.Plies) == 0 || d.Game.Text == "" {
		t.Errorf("%+v", d.Game)
	}
	for path, status := range map[string]int{"/api/runs/none/trials/1": 404, "/api/runs/small/trials/3": 404, "/api/runs/small/series?metric=loss&trials=x": 404, "/api/no": 404} {
		if words := get[map[string]string](l, path, status)["error"]; words == "" {
			t.Errorf("%s gives no reason", path)
		}
	}
	l.check(os.RemoveAll(filepath.Join(l.dir, "small")))
	l.follow("small", func(runs map[string]runView, _ map[int]trialView) bool { return len(runs) == 0 })
}

// The metrics are those of the page, in the text format of Prometheus, without a page.
func TestMetrics(t *testing.T) {
	l := openLab(t)
	read := func() string {
		t.Helper()
		r, err := http.Get(l.url + "/metrics")
		l.check(err)
		defer r.Body.Close()
		text, err := io.ReadAll(r.Body)
		l.check(err)
		if r.StatusCode != http.StatusOK || !strings.HasPrefix(r.Header.Get("Content-Type"), "text/plain; version=0.0.4") {
			t.Fatalf("%s, %v", r.Status, r.Header)
		}
		return string(text)
	}
	if text := read(); strings.Contains(text, "{") {
		t.Errorf("metrics of nothing: %s", text)
	}
	l.check(l.run())
	text := read()
	line := regexp.MustCompile(`^(# (HELP|TYPE) alamos_[a-z_]+ .+|alamos_[a-z_]+\{([a-z]+="([^"\\\\]|\\\\.)*",?)+\} [-+0-9.e]+)$`)
	for _, s := range strings.Split(strings.TrimSpace(text), "\n") {
		if !line.MatchString(s) {
			t.Errorf("not a line of the format: %s", s)
		}
	}
	for _, want := range []string{`alamos_running{experiment="small",trial="1",`, `alamos_generation{experiment="small",trial="2",`, `metric="samples"} `} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s in\n%s", want, text)
		}
	}
	// Workers are those of runs that are at work.
	dir := filepath.Join(l.dir, "small")
	l.check(store.WriteWorkers(dir, []store.Worker{{Name: "worker-1", Host: "here", Taken: 7}, {Name: "worker-1", Host: "here", Refused: "of another kind"}}))
	if text := read(); strings.Contains(text, "worker-1") {
		t.Errorf("a run that has ended has workers:\n%s", text)
	}
	lock, err := disk.TakeLock(dir)
	l.check(err)
	defer lock.Release()
	text = read()
	for _, want := range []string{`alamos_worker_games_total{experiment="small",worker="worker-1",host="here",process="1"} 7`, `alamos_worker_refused{experiment="small",worker="worker-1",host="here",process="2"} 1`} {
		if !strings.Contains(text, want+"\n") {
			t.Errorf("no %s in\n%s", want, text)
		}
	}
	l.follow("small", func(runs map[string]runView, _ map[int]trialView) bool { return len(runs["small"].Workers) == 2 })
	l.check(store.WriteWorkers(dir, nil))
	l.follow("small", func(runs map[string]runView, _ map[int]trialView) bool { return len(runs["small"].Workers) == 0 })
}

// Games that a run has written to the journals of its stages are seen before the stage ends.
func TestLiveGames(t *testing.T) {
	l := openLab(t)
	l.check(l.run())
	x, err := store.ReadExperiment(filepath.Join(l.dir, "small"))
	l.check(err)
	live := store.NewLive(filepath.Join(l.dir, "small"), x.Trials[0])
	if changed, err := live.Read(); err != nil || !changed || live.Stage != "" || live.Parts != 0 {
		t.Fatalf("%v, %v: %+v", changed, err, live)
	}
	if changed, err := live.Read(); err != nil || changed {
		t.Errorf("read again: %v, %v", changed, err)
	}
	// The trial as it was before its tournament, whose games are in a journal.
	games := []string{}
	pgn, err := os.ReadFile(live.Path("tournament", "games.pgn"))
	l.check(err)
	for i, game := range strings.Split(string(pgn), "[Event ") {
		if i > 0 {
			games = append(games, "[Event "+game)
		}
	}
	m := *live.Manifest
	m.Stages = slices.Clone(m.Stages)
	m.Drop(store.TournamentStage)
	l.check(m.Write(live.Dir))
	journal, err := disk.OpenJournal(live.Path(store.ScratchFile(store.TournamentStage)), []byte("head"), nil)
	l.check(err)
	defer journal.Close()
	for _, entry := range []string{games[5], games[2]} { // games with other settings do not count
		entry, err := json.Marshal(map[string]string{"Key": "other", "PGN": entry})
		l.check(err)
		l.check(journal.Add(entry))
	}
	l.check(journal.Add([]byte(`{"Plan": {"Total": 12, "Games": {"any": 6}}}`)))
	for n, game := range games[:3] {
		entry, err := json.Marshal(map[string]string{"Key": "any", "PGN": game})
		l.check(err)
		l.check(journal.Add(entry))
		if n == 2 { // a game that replaces one counts once
			l.check(journal.Add(entry))
		}
		if changed, err := live.Read(); err != nil || !changed || live.Stage != store.TournamentStage || live.Parts != n+1 || live.Of != 12 || live.Latest == nil {
			t.Errorf("after game %d: %v, %v: %+v", n+1, changed, err, live)
		}
	}
	table, err := live.Table()
	l.check(err)
	played := 0
	for _, s := range table.Standings() {
		played += s.Games()
	}
	if played != 6 {
		t.Errorf("the table has %d games of players", played)
	}
	// The games of a final tournament.
	final := store.NewLiveFinal(filepath.Join(l.dir, "small"))
	finals, err := disk.OpenJournal(final.Path(store.ScratchFile(store.FinalStage)), []byte("head"), nil)
	l.check(err)
	defer finals.Close()
	entry, err := json.Marshal(map[string]string{"Key": "any", "PGN": games[0]})
	l.check(err)
	l.check(finals.Add([]byte(`{"Plan": {"Total": 1, "Games": {"any": 6}}}`)))
	l.check(finals.Add(entry))
	if changed, err := final.Read(); err != nil || !changed || final.Stage != store.FinalStage || final.Parts != 1 {
		t.Errorf("%v, %v: %+v", changed, err, final)
	}
	// Before that, in self-play.
	m.Stages = slices.DeleteFunc(m.Stages, func(s *store.Stage) bool { _, g := store.SplitStage(s.Name); return g == 2 })
	l.check(m.Write(live.Dir))
	selfplay, err := disk.OpenJournal(live.Path(store.ScratchFile(store.SelfPlayStage(2))), []byte("head"), nil)
	l.check(err)
	defer selfplay.Close()
	start := `rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1`
	l.check(selfplay.Add(fmt.Appendf(nil, `{"Record": {"Number": 4, "Start": %q, "Moves": [], "RootValues": [], "Evaluations": 100}, "Seconds": 0.5}`, start)))
	if changed, err := live.Read(); err != nil || !changed || live.Stage != store.SelfPlayStage(2) || live.Parts != 1 || live.PerSecond != 200 || live.Latest.Number != 4 || live.Of != 3 {
		t.Errorf("%v, %v: %+v", changed, err, live)
	}
	// After it, in training. A process that was killed trained the first steps of the second epoch.
	m.Put(&store.Stage{Name: store.SelfPlayStage(2), Facts: []byte("{}")})
	l.check(m.Write(live.Dir))
	steps, err := disk.OpenJournal(live.Path(store.StepsFile(2)), []byte("head"), nil)
	l.check(err)
	defer steps.Close()
	for _, entry := range []string{
		`{"done": 5, "of": 20, "at": 1.5, "loss": 3}`, `{"done": 10, "of": 20, "at": 2, "loss": 2.5}`, `{"epoch": {"epoch": 2, "train": {"total": 2.75}, "validation": {"total": 2.25}}}`,
		`{"done": 17, "of": 20, "at": 2.7, "loss": 9}`, `{"done": 15, "of": 20, "at": 2.5, "loss": 2}`,
	} {
		l.check(steps.Add([]byte(entry)))
	}
	if changed, err := live.Read(); err != nil || !changed || live.Stage != store.TrainStage(2) || live.Parts != 15 || live.Of != 20 || len(live.Steps) != 3 || len(live.Epochs) != 1 {
		t.Errorf("%v, %v: %+v", changed, err, live)
	}
	l.follow("small", func(_ map[string]runView, trials map[int]trialView) bool { return trials[1].Parts == 15 })
	lines := get[[]lossLine](l, "/api/runs/small/trials/1/losses", 200)
	if len(lines) != 3 || fmt.Sprint(lines[0], lines[2]) != "{validation [[2 2.25]]} {steps of this generation [[1.5 3] [2 2.5] [2.5 2]]}" || len(lines[1].Points) != 2 {
		t.Errorf("%+v", lines)
	}
}

// Trials that an earlier process left wait while another process works at the experiment, and
// count for its time left.
func TestWaitingTrials(t *testing.T) {
	l := openLab(t)
	l.check(l.run())
	dir := filepath.Join(l.dir, "small")
	x, err := store.ReadExperiment(dir)
	l.check(err)
	left := store.NewLive(dir, x.Trials[1])
	_, err = left.Read()
	l.check(err)
	m := *left.Manifest
	m.Stages = slices.DeleteFunc(slices.Clone(m.Stages), func(s *store.Stage) bool { _, g := store.SplitStage(s.Name); return g == 2 })
	m.Drop(store.TournamentStage)
	l.check(m.Write(left.Dir))
	ago := time.Now().Add(-time.Hour)
	l.check(os.Chtimes(left.Path(store.ManifestName), ago, ago))
	l.follow("small", func(runs map[string]runView, trials map[int]trialView) bool {
		return runs["small"].Left == 0 && trials[2].State == store.Interrupted && trials[2].Left == 0
	})
	lock, err := disk.TakeLock(dir)
	l.check(err)
	defer lock.Release()
	l.follow("small", func(runs map[string]runView, trials map[int]trialView) bool {
		r, v := runs["small"], trials[2]
		if r.State != store.Running || v.State != waiting {
			return false
		}
		if v.Generation != 1 || v.Left <= 0 || v.Speed != 0 || r.Ended != 1 || r.Left != v.Left {
			t.Errorf("%+v, %+v", r, v)
		}
		return true
	})
	// The process begins with it.
	now := time.Now().Add(time.Second) // the lock counts seconds
	l.check(os.Chtimes(left.Path(store.ManifestName), now, now))
	l.follow("small", func(_ map[string]runView, trials map[int]trialView) bool { return trials[2].State == store.Running })
}

// The page shows a sweep at any width, in light and dark: its trials, a figure of the ticked
// ones, and the latest game of one.
func TestResultsInABrowser(t *testing.T) {
	b := browse(t, nil)
	l := openLab(t)
	l.check(l.run())
	b.check(chromedp.Do(b.ctx, chromedp.Navigate(l.url+"/#small/2")))
	shows := func(expression string, args ...any) {
		t.Helper()
		for end := time.Now().Add(20 * time.Second); !eval[bool](b, expression, args...); time.Sleep(10 * time.Millisecond) {
			if time.Now().After(end) {
				t.Fatalf("not so: "+expression+"; the page says %s", append(args, eval[string](b, "document.body.innerText"))...)
			}
		}
	}
	shows(`document.querySelectorAll("#trials tbody tr").length === 2 && document.querySelectorAll("#chart polyline").length === 2`)
	shows(`document.querySelector("#state").textContent.startsWith("atomic, finished, 2 of 2 trials, 4 of 4 generations")`)
	shows(`document.querySelectorAll("#game .piece").length > 2 && document.querySelectorAll("#game .moves button").length > 2`)
	shows(`document.querySelectorAll("#tournament tbody tr").length === 3`)
	shows(`document.querySelectorAll("#losschart polyline").length === 1 && document.querySelector("#losskey").textContent === "training"`)
	for _, dark := range []string{"light", "dark"} {
		call(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: dark}}})
		for _, width := range []int64{390, 1280, 1920} {
			b.size(width, 900)
			shows(`document.documentElement.scrollWidth <= innerWidth && document.querySelectorAll("#chart polyline").length === 2`)
		}
	}
	// A box keeps the focus while the table changes around it.
	eval[any](b, `document.querySelector("#trials tbody input").focus(); document.querySelector("#trials tbody input").click()`)
	shows(`document.querySelectorAll("#chart polyline").length === 1`)
	eval[any](b, `document.querySelector("#trials th:nth-child(2) button").click()`)
	shows(`document.querySelector("#trials tbody td:nth-child(2)").textContent === "2" && document.activeElement === document.querySelector("#trials tbody tr:last-child input")`)
	eval[any](b, `document.querySelector("#trials th:nth-child(2) button").click()`)
	eval[any](b, `document.querySelector("#untick").click()`)
	shows(`!document.querySelector("#nothing").hidden`)
	// A figure that was hidden is as wide as its box again.
	eval[any](b, `document.querySelector("#trials tbody input").click()`)
	shows(`!document.querySelector("#chart").hidden && document.querySelector("#chart svg").viewBox.baseVal.width > 1000`)
	// Another trial has its own game; a link of the list keeps the focus.
	eval[any](b, `document.querySelector("#runs a").focus(); location.hash = "small/1"`)
	shows(`document.querySelector("#name").textContent.startsWith("Trial 1:") && document.querySelectorAll("#game .piece").length > 2`)
	shows(`document.activeElement === document.querySelector("#runs a")`)
	for words, rows := range map[string]int{"visits=6": 1, "visits=": 0, "finished": 2, "loss<0": 0, "loss>0 visits=4": 1, "": 2} {
		eval[any](b, `document.querySelector("#filter").value = %q; document.querySelector("#filter").dispatchEvent(new Event("input"))`, words)
		shows(`document.querySelectorAll("#trials tbody tr").length === %d`, rows)
	}
	eval[any](b, `document.querySelector("[aria-label='Last position']").click()`)
	shows(`/wins|Draw/.test(document.querySelector("#game .said").textContent)`)
}
