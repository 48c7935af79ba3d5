package disk

import "strings"

// Pattern is a path as a pattern, for filepath.Glob, that matches it alone.
func Pattern(path string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
}
