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
			"Generation": reflect.ValueOf((*alamos.Generation)(nil)),
			"Game":       reflect.ValueOf((*alamos.Game)(nil)),
			"Metrics":    reflect.ValueOf((*alamos.Metrics)(nil)),
			"Position":   reflect.ValueOf((*alamos.Position)(nil)),
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
