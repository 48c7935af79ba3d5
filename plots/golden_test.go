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

// TestGolden pins every picture to its bytes, drawn twice from fresh data.
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
			f := figure(t, g.chart())
			for ext, render := range map[string]func() ([]byte, error){".svg": f.SVG, ".png": f.PNG, ".pdf": f.PDF} {
				again, err := render()
				if err != nil {
					t.Fatal(err)
				}
				for _, from := range []string{dir, "testdata"} {
					path := filepath.Join(from, g.name+ext)
					file, err := os.ReadFile(path)
					if err != nil {
						t.Fatal(err)
					}
					if !bytes.Equal(file, again) {
						t.Errorf("%s%s differs from %s: look at both; go test ./plots -update accepts it", g.name, ext, from)
					}
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
