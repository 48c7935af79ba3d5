package disk

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// Of a pattern that is made of a path only the path is found, whatever is in it.
func TestPattern(t *testing.T) {
	dir := filepath.Join(t.TempDir(), `[ab]*?`)
	if err := os.Mkdir(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	names := []string{"a", "ab", "a*", "a?", "[ab]", `\a`, "a[", "a]"}
	for _, name := range names {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range names {
		path := filepath.Join(dir, name)
		if have, err := filepath.Glob(Pattern(path)); err != nil || !slices.Equal(have, []string{path}) {
			t.Errorf("%s: found %q (%v)", path, have, err)
		}
	}
}
