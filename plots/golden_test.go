package plots_test

import (
	"bytes"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"alamos/plots"
)

var update = flag.Bool("update", false, "write the golden pictures again; look at each before you commit it")

func figure(t testing.TB, c plots.Chart) *plots.Figure {
	t.Helper()
	f, err := c.Figure()
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// goldenPDF are the pictures that are also pinned as PDF; TestPDFText reads those
// of all.
var goldenPDF = []string{"bands", "board", "lines_styled"}

// TestGolden pins every picture to its bytes.
func TestGolden(t *testing.T) {
	for _, g := range gallery {
		t.Run(g.name, func(t *testing.T) {
			f := figure(t, g.chart())
			extensions := []string{".svg", ".png"}
			if slices.Contains(goldenPDF, g.name) {
				extensions = append(extensions, ".pdf")
			}
			for _, ext := range extensions {
				have, err := f.Render(ext)
				if err != nil {
					t.Fatal(err)
				}
				file := filepath.Join("testdata", g.name+ext)
				if *update {
					if err := os.WriteFile(file, have, 0o644); err != nil {
						t.Fatal(err)
					}
				}
				want, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				if !bytes.Equal(have, want) {
					t.Errorf("%s differs: look at both pictures; go test ./plots -update accepts it", file)
				}
			}
		})
	}
}

// TestEveryProcess draws all pictures in a new process of one thread, which compares them with the
// same files.
func TestEveryProcess(t *testing.T) {
	if testing.Short() || os.Getenv("PLOTS_CHILD") != "" {
		t.Skip("one process is enough")
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestGolden$")
	cmd.Env = append(os.Environ(), "GOMAXPROCS=1", "PLOTS_CHILD=1", "TZ=Asia/Tokyo", "LANG=de_DE.UTF-8")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
