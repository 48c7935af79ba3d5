package main

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// goPackage is what a folder of Go has outside its tests.
type goPackage struct {
	files   []string
	comment bool     // some file has a package comment
	imports []string // of ours
}

// ourPackages reads the packages of this module by their folders.
func ourPackages(t *testing.T) map[string]*goPackage {
	t.Helper()
	all := map[string]*goPackage{}
	for _, root := range []string{"../pkg", "../plots", "."} {
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case d.IsDir() && d.Name() == "testdata":
				return filepath.SkipDir
			case d.IsDir() || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go"):
				return nil
			}
			f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly|parser.ParseComments)
			if err != nil {
				return err
			}
			dir := filepath.ToSlash(filepath.Dir(path))
			p := all[dir]
			if p == nil {
				p = &goPackage{}
				all[dir] = p
			}
			p.files = append(p.files, d.Name())
			p.comment = p.comment || f.Doc != nil
			for _, i := range f.Imports {
				if name, err := strconv.Unquote(i.Path.Value); err == nil && strings.HasPrefix(name, "alamos/") && !slices.Contains(p.imports, name) {
					p.imports = append(p.imports, name)
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return all
}

// Every package says what it is for, in doc.go where it has several files: README, Contributing.
func TestPackagesSayWhatTheyAreFor(t *testing.T) {
	for dir, p := range ourPackages(t) {
		if !p.comment {
			t.Errorf("%s has no package comment", dir)
		}
		if len(p.files) > 1 && !slices.Contains(p.files, "doc.go") {
			t.Errorf("%s has %d files and no doc.go", dir, len(p.files))
		}
	}
}

// layers are all packages, each above those that it may import.
var layers = strings.Fields(`
	../pkg/disk ../pkg/hub ../pkg/stats ../pkg/config ../pkg/chess ../pkg/hook/alamos
	../plots ../pkg/encode ../pkg/nn ../pkg/search ../pkg/uci ../pkg/nn/fit ../pkg/data ../pkg/selfplay ../pkg/train
	../pkg/match ../pkg/puzzle ../pkg/hook ../pkg/experiment ../pkg/store
	../pkg/report ../pkg/run ../pkg/diff ../pkg/web ../pkg/lichess ../pkg/bench .
`)

// Imports go down only: README, Contributing.
func TestImportsGoDown(t *testing.T) {
	for dir, p := range ourPackages(t) {
		at := slices.Index(layers, dir)
		if at < 0 {
			t.Errorf("%s has no place among the layers", dir)
			continue
		}
		for _, imported := range p.imports {
			below := "../" + strings.TrimPrefix(imported, "alamos/")
			if !slices.Contains(layers[:at], below) {
				t.Errorf("%s imports %s, which is not below it", dir, imported)
			}
		}
	}
}
