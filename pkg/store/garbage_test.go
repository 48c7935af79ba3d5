package store

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"alamos/pkg/disk"
	"alamos/pkg/experiment"
)

func TestCollectGarbage(t *testing.T) {
	results := t.TempDir()
	lab := filepath.Join(results, "lab")
	path := func(elem ...string) string { return filepath.Join(append([]string{lab}, elem...)...) }
	write := func(file, text string) {
		t.Helper()
		if err := disk.WriteBytes(file, []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	trial := func(folder string, stages ...*Stage) {
		t.Helper()
		m := &Manifest{Trial: strings.Repeat("e", 64), Label: "depth=1", Stages: stages}
		if err := m.Write(path(folder)); err != nil {
			t.Fatal(err)
		}
		write(path(folder, SettingsFile), "alamos: 1\n")
	}
	const present, orphan, damaged, foreign = "0000000001", "0000000002", "0000000003", "0000000004"
	ended := &Stage{Name: SelfPlayStage(1), Ended: time.Now().Add(time.Hour)}
	again := &Stage{Name: SelfPlayStage(2), Ended: time.Now().Add(-time.Hour)}
	trial(present, ended, again)
	trial(orphan, ended)
	trial(damaged)
	write(path(damaged, ManifestName), "{")
	write(path(foreign, ManifestName), "{}") // not of a run
	trial("my copy")
	write(path("notes", "text"), "mine")
	write(path("."+orphan+removedSuffix, "rest"), "rest")
	write(path(present, ScratchFile(SelfPlayStage(1))), "journal")
	write(path(present, ScratchFile(SelfPlayStage(2))), "journal of another attempt")
	write(path(present, ".manifest.json.1.part"), "part")
	x := &Experiment{Description: experiment.Description{Name: "lab", Trials: []experiment.Trial{{Folder: present}}}}
	if err := x.Write(lab); err != nil {
		t.Fatal(err)
	}
	collect := func(folder string, dry bool) (paths []string, c *Collection) {
		t.Helper()
		c, err := CollectGarbage(folder, dry)
		if err != nil {
			t.Fatal(err)
		}
		for _, g := range c.Garbage {
			paths = append(paths, strings.TrimPrefix(g.Path, lab+"/"))
		}
		return paths, c
	}

	lock, err := disk.TakeLock(lab)
	if err != nil {
		t.Fatal(err)
	}
	if paths, c := collect(results, false); len(paths) > 0 || len(c.Left) != 1 || !strings.Contains(c.Left[0], "is being written by") {
		t.Errorf("a running experiment: %q, %q", paths, c.Left)
	}
	if err := lock.Release(); err != nil {
		t.Fatal(err)
	}

	want := []string{"." + orphan + removedSuffix, present + "/.manifest.json.1.part", present + "/games/gen-0001.journal", orphan}
	paths, c := collect(results, true)
	if !slices.Equal(paths, want) || c.Freed < 100 {
		t.Errorf("garbage %q of %d bytes, want %q", paths, c.Freed, want)
	}
	if again, _ := collect(lab, false); !slices.Equal(again, want) {
		t.Errorf("removed %q, want %q", again, want)
	}
	for _, gone := range want {
		if exists(path(gone)) {
			t.Errorf("%s is still there", gone)
		}
	}
	for _, kept := range []string{present + "/games/gen-0002.journal", damaged, foreign, "my copy", "notes/text"} {
		if !exists(path(kept)) {
			t.Errorf("%s is gone", kept)
		}
	}
	if paths, c := collect(results, false); len(paths) > 0 || c.Freed > 0 {
		t.Errorf("a second time: %q, %d bytes", paths, c.Freed)
	}
	if err := os.WriteFile(path(ExperimentName), []byte("{"), 0o644); err != nil {
		t.Fatal(err)
	}
	if paths, c := collect(results, false); len(paths) > 0 || len(c.Left) != 1 {
		t.Errorf("a damaged %s: %q, %q", ExperimentName, paths, c.Left)
	}
}

// The folder of an unpack that was killed is removed, that of one that runs is not.
func TestCollectUnpacked(t *testing.T) {
	results := t.TempDir()
	killed, running := filepath.Join(results, ".unpack-1"), filepath.Join(results, ".unpack-2")
	for _, dir := range []string{killed, running} {
		if err := disk.WriteBytes(filepath.Join(dir, "lab", "text"), []byte("text")); err != nil {
			t.Fatal(err)
		}
	}
	lock, err := disk.TakeLock(running)
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Release()
	for _, dry := range []bool{true, false} {
		c, err := CollectGarbage(results, dry)
		if err != nil || len(c.Garbage) != 1 || c.Garbage[0].Path != killed || c.Freed < 4 {
			t.Fatalf("%+v, %v", c, err)
		}
		if exists(killed) != dry || !exists(running) {
			t.Errorf("dry %v: %v, %v", dry, exists(killed), exists(running))
		}
	}
}
