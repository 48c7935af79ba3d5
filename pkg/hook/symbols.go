package hook

import (
	"maps"
	"path"
	"reflect"
	"slices"
	"strings"

	"github.com/traefik/yaegi/interp"
	"github.com/traefik/yaegi/stdlib"

	"alamos/pkg/hook/alamos"
)

// alamosPath is the import path of what scripts see of alamos.
const alamosPath = "alamos/pkg/hook/alamos"

// allowed are the packages of the standard library that scripts may import:
// those that compute and touch nothing outside.
var allowed = []string{"errors", "fmt", "math", "sort", "strconv", "strings"}

// symbols is everything that the interpreter knows of compiled packages, with
// keys as it wants them: import path, then package name.
var symbols = func() interp.Exports {
	all := interp.Exports{
		alamosPath + "/alamos": {
			"Checkpoint":    reflect.ValueOf((*alamos.Checkpoint)(nil)),
			"Distance":      reflect.ValueOf(alamos.Distance),
			"Epoch":         reflect.ValueOf((*alamos.Epoch)(nil)),
			"Evaluation":    reflect.ValueOf((*alamos.Evaluation)(nil)),
			"Game":          reflect.ValueOf((*alamos.Game)(nil)),
			"Generation":    reflect.ValueOf((*alamos.Generation)(nil)),
			"Loss":          reflect.ValueOf((*alamos.Loss)(nil)),
			"Metrics":       reflect.ValueOf((*alamos.Metrics)(nil)),
			"ParsePosition": reflect.ValueOf(alamos.ParsePosition),
			"Position":      reflect.ValueOf((*alamos.Position)(nil)),
			"Progress":      reflect.ValueOf((*alamos.Progress)(nil)),
			"SearchMove":    reflect.ValueOf((*alamos.SearchMove)(nil)),
			"SearchResult":  reflect.ValueOf((*alamos.SearchResult)(nil)),
			"StartPosition": reflect.ValueOf(alamos.StartPosition),
			"Summary":       reflect.ValueOf((*alamos.Summary)(nil)),
		},
		".": stdlib.Symbols["."], // how fmt finds the String methods of scripts
	}
	for _, p := range allowed {
		key := p + "/" + path.Base(p)
		all[key] = maps.Clone(stdlib.Symbols[key])
	}
	// Scan reads standard input, which is not the script's.
	maps.DeleteFunc(all["fmt/fmt"], func(name string, _ reflect.Value) bool {
		return strings.HasPrefix(name, "Scan") || strings.HasPrefix(name, "Fscan")
	})
	return all
}()

// mayImport tells whether a script may import a package.
func mayImport(p string) bool { return p == alamosPath || slices.Contains(allowed, p) }
