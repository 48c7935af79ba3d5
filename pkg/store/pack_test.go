package store

import (
	"archive/tar"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
)

// entry is a file of an archive that a test makes.
type entry struct {
	name, content string
	kind          byte
}

// packOf returns a pack with these metadata and entries.
func packOf(t testing.TB, list crate, entries ...entry) []byte {
	metadata, err := json.Marshal(list)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	z, err := zstd.NewWriter(&b, zstd.WithEncoderConcurrency(1))
	if err != nil {
		t.Fatal(err)
	}
	archive := tar.NewWriter(z)
	for _, e := range append([]entry{{"lab/" + crateName, string(metadata), tar.TypeReg}}, entries...) {
		h := &tar.Header{Typeflag: e.kind, Name: e.name, Size: int64(len(e.content)), Mode: 0o644}
		if e.kind == tar.TypeSymlink {
			h.Linkname = "/etc/passwd"
		}
		if err := archive.WriteHeader(h); err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(archive, e.content); err != nil {
			t.Fatal(err)
		}
	}
	if err := archive.Close(); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// zeros returns bytes of 0, compressed as what follows in a pack.
func zeros(t testing.TB, n int) []byte {
	z, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	return z.EncodeAll(make([]byte, n), nil)
}

const emptySum = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855" // SHA-256 of no bytes

func crateOf(names ...string) (c crate) {
	for _, name := range names {
		c.Graph = append(c.Graph, entity{ID: name, Type: "File", ContentSize: "0", SHA256: emptySum})
	}
	return c
}

func TestUnpackRefuses(t *testing.T) {
	plain := entry{"lab/a", "", tar.TypeReg}
	large := crateOf("a")
	large.Graph[0].ContentSize = fmt.Sprint(int64(maxPack + 1))
	wrong := crateOf("a")
	wrong.Graph[0].SHA256 = strings.Repeat("0", 64)
	whole := packOf(t, crateOf("a"), plain)
	for name, c := range map[string]struct {
		pack []byte
		want string
	}{
		"not a pack":      {[]byte("alamos: 1\n"), "not a pack of alamos"},
		"path outside":    {packOf(t, crateOf("../a"), entry{"lab/../a", "", tar.TypeReg}), `"../a" is not the path of a file in the folder`},
		"escaped path":    {packOf(t, crateOf("b/%2e%2e/%2e%2e/a")), "is not the path of a file in the folder"},
		"absolute path":   {packOf(t, crateOf("/etc/a")), "is not the path of a file in the folder"},
		"hidden file":     {packOf(t, crateOf("b/.lock")), "is not the path of a file in the folder"},
		"link":            {packOf(t, crateOf("a"), entry{"lab/a", "", tar.TypeSymlink}), "not a regular file"},
		"folder":          {packOf(t, crateOf("a"), entry{"lab/a/", "", tar.TypeDir}), "not a regular file"},
		"twice listed":    {packOf(t, crateOf("a", "a"), plain), "a is listed twice"},
		"twice":           {packOf(t, crateOf("a"), plain, plain), "lab/a is twice"},
		"not listed":      {packOf(t, crateOf("b"), plain), "lab/a is twice in the archive, or not in the list"},
		"another folder":  {packOf(t, crateOf("a"), entry{"other/a", "", tar.TypeReg}), "not in the list"},
		"missing":         {packOf(t, crateOf("a")), "a is missing"},
		"huge":            {packOf(t, large), "too large"},
		"size":            {packOf(t, crateOf("a"), entry{"lab/a", "x", tar.TypeReg}), "has 1 bytes, not 0"},
		"checksum":        {packOf(t, wrong, plain), "its checksum differs"},
		"cut off":         {whole[:len(whole)-5], "cut off"},
		"more at the end": {append(bytes.Clone(whole), whole...), "more after the end"},
		"endless zeros":   {append(bytes.Clone(whole), zeros(t, 1<<20)...), "more after the end"},
		"padded by tar":   {append(bytes.Clone(whole), zeros(t, 9216)...), "no results of an experiment"},
		"no experiment":   {whole, "no results of an experiment"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			file := filepath.Join(dir, "lab"+PackExtension)
			if err := os.WriteFile(file, c.pack, 0o644); err != nil {
				t.Fatal(err)
			}
			results := filepath.Join(dir, "results")
			if _, err := Unpack(file, results); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want %q", err, c.want)
			}
			if left, err := os.ReadDir(results); err != nil || len(left) > 0 {
				t.Errorf("left behind: %v, %v", left, err)
			}
			if all, err := os.ReadDir(dir); err != nil || len(all) != 2 {
				t.Errorf("files outside: %v, %v", all, err)
			}
		})
	}
}

// FuzzReadPack reads damaged packs: every file that is written has a plain path and the content
// that the list says.
func FuzzReadPack(f *testing.F) {
	f.Add(packOf(f, crateOf("a", "b/c"), entry{"lab/a", "", tar.TypeReg}, entry{"lab/b/c", "", tar.TypeReg}))
	f.Add(packOf(f, crateOf("a"), entry{"lab/a", "", tar.TypeSymlink}))
	f.Add([]byte("(\xb5/\xfd"))
	f.Fuzz(func(t *testing.T, b []byte) {
		begun := false
		_, _ = readPack(bytes.NewReader(b), 1<<20, func(string) error { begun = true; return nil }, func(p packed, content io.Reader) error {
			if !begun || !filepath.IsLocal(p.path) || strings.Contains("/"+p.path, "/.") {
				t.Errorf("writes %q", p.path)
			}
			return checked(io.Discard, content, p)
		})
	})
}

func TestFindWithoutTrials(t *testing.T) {
	if _, err := FindTrial(nil, "width=16"); err == nil {
		t.Error("a trial of none was found")
	}
}

// A manifest may not name files outside of its trial's folder: another trial would take them over.
func TestOutputsOutside(t *testing.T) {
	for file, ok := range map[string]bool{"games.pgn": true, "tournament/games.pgn": true, "../experiment.json": false, "/etc/passwd": false, "a/../../b": false} {
		s := Stage{Name: "self-play 1", Outputs: map[string]string{file: ""}}
		if err := s.check(); (err == nil) != ok {
			t.Errorf("%s: %v", file, err)
		}
	}
}

// A pack has the games that its notebook replays, and all files that settings name.
func TestPackedGames(t *testing.T) {
	for name, want := range map[string]shownGames{
		"tournament/games.pgn":  {tournament: true},
		"final/games.pgn":       {tournament: true},
		"games/gen-0001.pgn":    {selfplay: true},
		"files/0a1b2c3d/x.pgn":  {true, true},
		"files/0a1b/games.pgn":  {true, true},
		"tournament/games.html": {true, true},
	} {
		always := want == shownGames{true, true}
		for _, replayed := range []shownGames{{}, {selfplay: true}, {tournament: true}} {
			if have := packs(PackPage, name, replayed); have != (always || replayed == want) {
				t.Errorf("%s with %+v: %v", name, replayed, have)
			}
		}
	}
}

// Another program's crate in the folder of a run is none of a pack, in which files may be left out.
func TestForeignCrate(t *testing.T) {
	dir := t.TempDir()
	x := &Trial{Dir: filepath.Join(dir, "0123456789")}
	for _, text := range []string{"", "{", `{"@graph": [{"@type": "File", "@id": "paper.pdf"}]}`, `{"@graph": [{"@type": "File", "@id": "paper.pdf", "contentSize": "7"}]}`} {
		if err := os.WriteFile(filepath.Join(dir, crateName), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		if leftOut, err := x.LeftOut(); err != nil || leftOut("games/gen-0001.pgn") {
			t.Errorf("%s: %v", text, err)
		}
	}
}
