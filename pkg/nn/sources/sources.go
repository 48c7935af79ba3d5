// Package sources reads the C++ of package nn, for the set-up that compiles it and for
// the program that has to know whether the library it finds is made of the same. It
// compiles nothing.
package sources

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"path"
)

// Sources are the C++ files of a folder, read whole.
type Sources struct {
	Names   []string // *.cpp, sorted
	Text    map[string][]byte
	Headers string // digest of every other file: a changed header recompiles all
}

// Read reads the files of a folder, not of those below. A missing folder has none.
func Read(dir fs.FS) (Sources, error) {
	s := Sources{Text: map[string][]byte{}}
	entries, err := fs.ReadDir(dir, ".")
	if err != nil {
		if _, gone := fs.Stat(dir, "."); gone == nil {
			return s, err
		}
	}
	var headers []string
	for _, e := range entries {
		ext := path.Ext(e.Name())
		if e.IsDir() || ext != ".cpp" && ext != ".h" && ext != ".hpp" {
			continue
		}
		text, err := fs.ReadFile(dir, e.Name())
		if err != nil {
			return s, err
		}
		if ext == ".cpp" {
			s.Names = append(s.Names, e.Name())
			s.Text[e.Name()] = text
		} else {
			headers = append(headers, e.Name(), string(text))
		}
	}
	s.Headers = Digest(headers...)
	return s, nil
}

// Digest identifies the content of all files.
func (s Sources) Digest() string {
	parts := []string{s.Headers}
	for _, name := range s.Names {
		parts = append(parts, name, string(s.Text[name]))
	}
	return Digest(parts...)
}

// Digest returns a short hash of its arguments, each with its length, so that
// moving bytes from one to the next changes it.
func Digest(parts ...string) string {
	h := sha256.New()
	for _, p := range parts {
		fmt.Fprintf(h, "%d:%s", len(p), p)
	}
	return hex.EncodeToString(h.Sum(nil))[:16]
}
