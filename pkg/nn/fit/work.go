package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

const workHeader = "// Written by make setup: points this checkout at gotch as fitted to this machine.\n"

// workFile returns the text of go.work.
func workFile(goVersion, dir string) string {
	return fmt.Sprintf("%s\ngo %s\n\nuse .\n\n%s", workHeader, goVersion, replacement(dir))
}

// replacement is the line of go.work that names the fitted copy, its last.
func replacement(dir string) string {
	if strings.ContainsAny(dir, " \t\"'`()[]{},") {
		dir = strconv.Quote(dir)
	}
	return fmt.Sprintf("replace %s => %s\n", gotchModule, dir)
}

// workIsCurrent reports whether the checkout's go.work is what it should be.
func workIsCurrent(root, want string) bool {
	have, err := os.ReadFile(filepath.Join(root, "go.work"))
	return err == nil && string(have) == want
}

// writeWork writes go.work. A go.work that set-up did not write is kept beside
// it as go.work.old.
func writeWork(r *reporter, root, text string) error {
	name := filepath.Join(root, "go.work")
	if old, err := os.ReadFile(name); err == nil && !strings.HasPrefix(string(old), workHeader) {
		if err := os.Rename(name, name+".old"); err != nil {
			return err
		}
		r.warn("go.work was not written by set-up: it is now go.work.old")
	}
	part := name + ".part"
	if err := os.WriteFile(part, []byte(text), 0o644); err != nil {
		return err
	}
	r.step("writing go.work")
	return os.Rename(part, name)
}
