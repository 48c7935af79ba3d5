package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"alamos/pkg/nn/sources"
)

// Checkouts of one user share a fitted copy as long as their C++ is the same. The
// copy lists them, so that one with other C++ does not change it under the others:
// it then gets a copy of its own, which costs a compilation of gotch's Go code once.

// usersName is a file in a fitted copy: the checkouts that use it, a line each.
const usersName = "checkouts"

// place returns the directory of the fitted copy for this checkout: shared, unless
// that was made of other C++ and another checkout uses it.
func (f fitting) place(shared string) string {
	if fitted(shared, f.stamp) || len(f.others(shared)) == 0 {
		return shared
	}
	return f.own(shared)
}

// own is the directory of a fitted copy that is this checkout's alone.
func (f fitting) own(shared string) string { return shared + "-" + sources.Digest(f.root) }

// users lists the checkouts that have said that they use dir.
func users(dir string) []string {
	text, _ := os.ReadFile(filepath.Join(dir, usersName)) // none: nobody uses it
	return strings.Split(string(text), "\n")
}

// others lists the checkouts beside this one whose go.work names dir.
func (f fitting) others(dir string) []string {
	return slices.DeleteFunc(users(dir), func(root string) bool {
		work, err := os.ReadFile(filepath.Join(root, "go.work"))
		return root == "" || root == f.root || err != nil || !strings.HasSuffix(string(work), replacement(dir))
	})
}

// use adds this checkout to those that use dir, and drops those that no longer do.
func (f fitting) use(dir string) error {
	users := append(f.others(dir), f.root)
	name := filepath.Join(dir, usersName)
	if err := os.WriteFile(name+".part", []byte(strings.Join(users, "\n")), 0o644); err != nil {
		return err
	}
	return os.Rename(name+".part", name)
}
