package plots_test

import (
	"errors"
	"strings"
	"testing"

	"alamos/plots"
)

// renderings returns the three files of a figure by extension.
func renderings(t interface{ Fatal(...any) }, f *plots.Figure) map[string][]byte {
	files := map[string][]byte{}
	for _, ext := range plots.Extensions {
		file, err := f.Render(ext)
		if err != nil {
			t.Fatal(err)
		}
		files[ext] = file
	}
	return files
}

func TestStamp(t *testing.T) {
	f := figure(t, plots.Lines{Frame: plots.Frame{Width: 5}, Series: []plots.Series{line("", []float64{1}, []float64{1})}})
	for _, value := range []string{
		"", " ", "5f1c", "a=b c=d", ")(\\", "endobj", "/Keywords (x)", "</metadata>", "]]>", ";", "\x00\xff", "名前", "%41+", "\r\n",
	} {
		want := plots.Stamp{Experiment: value, Code: "1" + value, Data: value + "2"}
		for ext, file := range renderings(t, f.Stamp(want)) {
			have, err := plots.ParseStamp(file)
			if err != nil || have != want {
				t.Errorf("%s: have %q, %v; want %q", ext, have, err, want)
			}
		}
	}
}

// A figure's own words are never taken for its stamp.
func TestTextIsNoStamp(t *testing.T) {
	for _, text := range []string{
		"/Keywords (experiment=a code=b data=c;", "<metadata>experiment=a code=b data=c;</metadata>",
		"tEXtalamos\x00experiment=a code=b data=c;", "experiment=a code=b data=c;", `\`, `\) /Keywords (experiment=a code=b data=c;`,
	} {
		l := lines().(plots.Lines)
		l.Title = text
		f := figure(t, l)
		for ext, file := range renderings(t, f) {
			if s, err := plots.ParseStamp(file); !errors.Is(err, plots.ErrNoStamp) {
				t.Errorf("%s titled %q without a stamp: have %q, %v", ext, text, s, err)
			}
		}
		want := plots.Stamp{Experiment: "1", Code: "2", Data: "3"}
		for ext, file := range renderings(t, f.Stamp(want)) {
			if s, err := plots.ParseStamp(file); err != nil || s != want {
				t.Errorf("%s titled %q: have %q, %v", ext, text, s, err)
			}
		}
	}
}

// A file that was cut off anywhere has no valid stamp.
func TestStampOfDamagedFile(t *testing.T) {
	for ext, file := range renderings(t, figure(t, histogram()).Stamp(plots.Stamp{"a", "b", "c"})) {
		for cut := 0; cut < len(file); cut += 1 + cut/200 {
			if s, err := plots.ParseStamp(file[:cut]); !errors.Is(err, plots.ErrStamp) {
				t.Fatalf("%s cut off at byte %d of %d: have %q, %v", ext, cut, len(file), s, err)
			}
		}
	}
	for _, other := range []string{
		"", "GIF89a", "<html></html>", "<?xml <svg><metadata>x</metadata></svg>\n", "<?xml <svg><metadata>experiment=%zz code= data=;</metadata></svg>\n",
	} {
		if s, err := plots.ParseStamp([]byte(other)); !errors.Is(err, plots.ErrStamp) {
			t.Errorf("%q: have %q, %v", other, s, err)
		}
	}
}

func TestStampTooLong(t *testing.T) {
	f := figure(t, lines()).Stamp(plots.Stamp{Experiment: strings.Repeat("x", 5000)})
	for _, ext := range plots.Extensions {
		if _, err := f.Render(ext); !errors.Is(err, plots.ErrStamp) {
			t.Errorf("have %v, want ErrStamp", err)
		}
	}
}

// FuzzParseStamp wants a clear error or a stamp that is written as it was
// read, whatever the file.
func FuzzParseStamp(f *testing.F) {
	for _, file := range renderings(f, figure(f, plots.Lines{Series: []plots.Series{line("", []float64{1}, []float64{1})}}).Stamp(plots.Stamp{"a", "b", "c"})) {
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
		svg, err := again.Stamp(s).Render(".svg")
		if err != nil {
			t.Fatal(err)
		}
		if have, err := plots.ParseStamp(svg); err != nil || have != s {
			t.Fatalf("have %q, %v; want %q", have, err, s)
		}
	})
}
