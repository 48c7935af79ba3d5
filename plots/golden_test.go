package plots_test

import (
	"bytes"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"alamos/plots"
)

var update = flag.Bool("update", false, "write the golden pictures anew; look at each before you commit it")

func figure(t testing.TB, c plots.Chart) *plots.Figure {
	t.Helper()
	f, err := c.Figure()
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// TestGolden pins every picture to its bytes.
func TestGolden(t *testing.T) {
	for _, g := range gallery {
		t.Run(g.name, func(t *testing.T) {
			dir := t.TempDir()
			if *update {
				dir = "testdata"
			}
			if err := figure(t, g.chart()).WriteFiles(dir, g.name); err != nil {
				t.Fatal(err)
			}
			for _, ext := range plots.Extensions {
				have, err := os.ReadFile(filepath.Join(dir, g.name+ext))
				if err != nil {
					t.Fatal(err)
				}
				want, err := os.ReadFile(filepath.Join("testdata", g.name+ext))
				if err != nil {
					t.Fatal(err)
				}
				if !bytes.Equal(have, want) {
					t.Errorf("%s%s differs from testdata: look at both; go test ./plots -update accepts it", g.name, ext)
				}
			}
		})
	}
}

// TestEveryProcess draws all pictures in new processes of one thread and of
// two, which compare them with the same files.
func TestEveryProcess(t *testing.T) {
	if testing.Short() || os.Getenv("PLOTS_CHILD") != "" {
		t.Skip("one process is enough")
	}
	for _, threads := range []string{"1", "2"} {
		cmd := exec.Command(os.Args[0], "-test.run=^TestGolden$")
		cmd.Env = append(os.Environ(), "GOMAXPROCS="+threads, "PLOTS_CHILD=1", "TZ=Asia/Tokyo", "LANG=de_DE.UTF-8")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("GOMAXPROCS=%s: %v\n%s", threads, err, out)
		}
	}
}
