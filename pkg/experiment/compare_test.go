package experiment

import (
	"io/fs"
	"slices"
	"testing"

	"alamos/pkg/config"
)

// loadFiles loads main.yaml of files in memory.
func loadFiles(t *testing.T, files map[string]string) *Experiment {
	t.Helper()
	e, err := Load("main.yaml", Options{ReadFile: func(path string) ([]byte, error) {
		if text, ok := files[path]; ok {
			return []byte(text), nil
		}
		return nil, fs.ErrNotExist
	}})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func row(t *testing.T, e *Experiment, path string) config.Explained {
	t.Helper()
	rows := Compared(e.Explain())
	i := slices.IndexFunc(rows, func(r config.Explained) bool { return r.Path == path })
	if i < 0 {
		t.Fatalf("no row %s", path)
	}
	return rows[i]
}

func TestComparedScripts(t *testing.T) {
	in := func(folder, source string) *Experiment {
		text := "alamos: 1\nname: x\nhooks: [" + folder + "/h.go]\nselfplay: {adjudicate: " + folder +
			"/h.go}\ntournament:\n  players:\n    - last\n    - {hook: " + folder + "/h.go, depth: 2}\n"
		return loadFiles(t, map[string]string{"main.yaml": text, folder + "/h.go": source})
	}
	a, moved, changed := in("a", "1"), in("b", "1"), in("a", "2")
	meanings := func(e *Experiment) (out []string) {
		for _, path := range []string{"selfplay.adjudicate", "hooks", "tournament.players"} {
			r := row(t, e, path)
			out = append(out, r.Meaning)
			for _, item := range r.Items {
				out = append(out, item.Meaning)
			}
		}
		return out
	}
	of := meanings(a)
	if len(of) != 6 || !slices.Equal(of, meanings(moved)) {
		t.Errorf("the same scripts in another folder: %q and %q", of, meanings(moved))
	}
	for i, m := range meanings(changed) {
		if same := m == of[i]; same != (i == 4) { // the player last
			t.Errorf("%q and, of another source, %q", of[i], m)
		}
	}
	if v := a.Settings.Values(); v["selfplay.adjudicate"] != moved.Settings.Values()["selfplay.adjudicate"] || v["selfplay.games"] != "250" {
		t.Errorf("values: %v", v)
	}
}

func TestComparedLists(t *testing.T) {
	e := loadFiles(t, map[string]string{"main.yaml": `alamos: 1
name: x
tournament:
  players:
    - last
    - {every: 2}
sweep: {grid: {network.depth: [2, 5.0]}}
`})
	players := row(t, e, "tournament.players")
	if len(players.Items) != 2 || players.Items[1].Value != "{every: 2}" || players.Items[1].Origin.String() != "main.yaml:6" {
		t.Errorf("players: %+v", players)
	}
	depth := row(t, e, "network.depth")
	if !depth.Swept || len(depth.Items) != 2 || depth.Items[1].Value != "5" {
		t.Errorf("depth: %+v", depth)
	}
	if hooks := row(t, e, "hooks"); hooks.Items == nil || len(hooks.Items) != 0 {
		t.Errorf("hooks: %+v", hooks)
	}
	if seed := row(t, e, "seed"); seed.Items != nil || !seed.Origin.Default() {
		t.Errorf("seed: %+v", seed)
	}
	for _, r := range Compared(e.Explain()) {
		if r.Path == "name" {
			t.Error("the name is not a setting")
		}
	}
}
