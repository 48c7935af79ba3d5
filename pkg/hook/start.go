package hook

import (
	"embed"
	"fmt"
	"strings"
)

//go:embed start/*.go
var starts embed.FS

// Kinds lists the kinds of scripts: metric, checkpoint, ...
func Kinds() []string {
	all := make([]string, len(functions))
	for i, f := range functions {
		all[i] = f.Kind
	}
	return all
}

// Start returns the source of a script of a kind to begin with.
func Start(kind string) ([]byte, error) {
	for _, f := range functions {
		if f.Kind == kind {
			return starts.ReadFile("start/" + kind + ".go")
		}
	}
	return nil, fmt.Errorf("no kind of script is called %q: want %s", kind, strings.Join(Kinds(), ", "))
}
