package plots_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"alamos/plots"
	"pgregory.net/rapid"
)

// renderings returns the three files of a figure by extension.
func renderings(t interface{ Fatal(...any) }, f *plots.Figure) map[string][]byte {
	files := map[string][]byte{}
	for ext, render := range map[string]func() ([]byte, error){".svg": f.SVG, ".png": f.PNG, ".pdf": f.PDF} {
		file, err := render()
		if err != nil {
			t.Fatal(err)
		}
		files[ext] = file
	}
	return files
}

func TestStamp(t *testing.T) {
	f := figure(t, plots.Lines{Frame: plots.Frame{Width: 5, Height: 5}, Series: []plots.Series{{X: []float64{1}, Y: []float64{1}}}})
	rapid.Check(t, func(t *rapid.T) {
		value := rapid.OneOf(rapid.String(), rapid.StringMatching(`[0-9a-f]{64}`), rapid.SampledFrom([]string{
			"", " ", "a=b c=d", ")(\\", "endobj", "/AlamosStamp (x)", "</metadata>", "]]>", "\x00\xff", "名前", "%41+", "\r\n",
		}))
		want := plots.Stamp{value.Draw(t, "experiment"), value.Draw(t, "code"), value.Draw(t, "data")}
		for ext, file := range renderings(t, f.Stamp(want.Experiment, want.Code, want.Data)) {
			have, err := plots.ParseStamp(file)
			if err != nil || have != want {
				t.Fatalf("%s: have %q, %v; want %q", ext, have, err, want)
			}
		}
	})
}

// A figure's own words are never taken for its stamp.
func TestTextIsNoStamp(t *testing.T) {
	for _, text := range []string{
		"/AlamosStamp (experiment=a code=b data=c)", "<metadata>experiment=a code=b data=c</metadata>",
		"tEXtalamos\x00experiment=a code=b data=c", "experiment=a code=b data=c", ") /AlamosStamp (experiment=a code=b data=c)",
		`\`, `\) /AlamosStamp (experiment=a code=b data=c)`, "\nendobj\n", "/Info 1 0 R", "trailer\n<< /Info 1 0 R >>",
	} {
		l := lines().(plots.Lines)
		l.Title, l.Description = text, text
		f := figure(t, l)
		for ext, file := range renderings(t, f) {
			if s, err := plots.ParseStamp(file); !errors.Is(err, plots.ErrNoStamp) {
				t.Errorf("%s titled %q without a stamp: have %q, %v", ext, text, s, err)
			}
		}
		want := plots.Stamp{Experiment: "1", Code: "2", Data: "3"}
		for ext, file := range renderings(t, f.Stamp("1", "2", "3")) {
			if s, err := plots.ParseStamp(file); err != nil || s != want {
				t.Errorf("%s titled %q: have %q, %v", ext, text, s, err)
			}
		}
	}
}

// A file that was cut off anywhere has no valid stamp.
func TestStampOfDamagedFile(t *testing.T) {
	dir := t.TempDir()
	for ext, file := range renderings(t, figure(t, histogram()).Stamp("a", "b", "c")) {
		if ext == ".svg" || ext == ".pdf" { // a line's end at the end says nothing
			file = bytes.TrimRight(file, "\n")
		}
		for cut := 0; cut < len(file); cut += 1 + cut/200 {
			if s, err := plots.ParseStamp(file[:cut]); !errors.Is(err, plots.ErrStamp) {
				t.Fatalf("%s cut off at byte %d of %d: have %q, %v", ext, cut, len(file), s, err)
			}
		}
		path := filepath.Join(dir, "x"+ext)
		if err := os.WriteFile(path, file[:len(file)/2], 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := plots.ReadStamp(path); !errors.Is(err, plots.ErrStamp) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: the error %v does not name the file", ext, err)
		}
	}
	if _, err := plots.ReadStamp(filepath.Join(dir, "none.svg")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a missing file gives %v", err)
	}
	for _, other := range []string{
		"", "GIF89a", "<html></html>", "<svg><metadata>x</metadata></svg>", "<svg><metadata>experiment=%zz code= data=</metadata></svg>",
		"<svg><metadata>experiment=a code=b data=c</metadata><metadata>experiment=a code=b data=c</metadata></svg>",
	} {
		if s, err := plots.ParseStamp([]byte(other)); !errors.Is(err, plots.ErrStamp) {
			t.Errorf("%q: have %q, %v", other, s, err)
		}
	}
}

func TestStampTooLong(t *testing.T) {
	f := figure(t, lines()).Stamp(strings.Repeat("x", 5000), "", "")
	for _, render := range []func() ([]byte, error){f.SVG, f.PNG, f.PDF} {
		if _, err := render(); !errors.Is(err, plots.ErrStamp) {
			t.Errorf("have %v, want ErrStamp", err)
		}
	}
}

// FuzzParseStamp wants a clear error or a stamp that is written as it was
// read, whatever the file.
func FuzzParseStamp(f *testing.F) {
	for _, file := range renderings(f, figure(f, plots.Lines{Series: []plots.Series{{X: []float64{1}, Y: []float64{1}}}}).Stamp("a", "b", "c")) {
		f.Add(file)
	}
	again := figure(f, lines())
	f.Fuzz(func(t *testing.T, doc []byte) {
		s, err := plots.ParseStamp(doc)
		if err != nil {
			if !errors.Is(err, plots.ErrStamp) && !errors.Is(err, plots.ErrNoStamp) {
				t.Fatalf("untyped error %v", err)
			}
			return
		}
		svg, err := again.Stamp(s.Experiment, s.Code, s.Data).SVG()
		if err != nil {
			t.Fatal(err)
		}
		if have, err := plots.ParseStamp(svg); err != nil || have != s {
			t.Fatalf("have %q, %v; want %q", have, err, s)
		}
	})
}
