package hook

import (
	"fmt"
	"go/constant"
	"go/token"
	"go/types"
	"maps"
	"path"
	"reflect"
	"slices"
	"strings"

	"github.com/traefik/yaegi/interp"
	"github.com/traefik/yaegi/stdlib"

	"alamos/pkg/hook/alamos"
)

// alamosPath is the import path of the package of alamos that scripts may use.
const alamosPath = "alamos/pkg/hook/alamos"

// allowed are the packages of the standard library that scripts may import:
// those that compute and touch nothing outside.
var allowed = []string{"errors", "fmt", "math", "sort", "strconv", "strings"}

// symbols are the compiled packages that the interpreter gets. Keys are import path,
// then package name.
var symbols = func() interp.Exports {
	all := interp.Exports{
		alamosPath + "/alamos": {
			"Checkpoint":    reflect.ValueOf((*alamos.Checkpoint)(nil)),
			"Distance":      reflect.ValueOf(alamos.Distance),
			"Epoch":         reflect.ValueOf((*alamos.Epoch)(nil)),
			"Evaluation":    reflect.ValueOf((*alamos.Evaluation)(nil)),
			"Game":          reflect.ValueOf((*alamos.Game)(nil)),
			"Generation":    reflect.ValueOf((*alamos.Generation)(nil)),
			"Label":         reflect.ValueOf((*alamos.Label)(nil)),
			"Labels":        reflect.ValueOf((*alamos.Labels)(nil)),
			"Loss":          reflect.ValueOf((*alamos.Loss)(nil)),
			"Metrics":       reflect.ValueOf((*alamos.Metrics)(nil)),
			"ParsePosition": reflect.ValueOf(alamos.ParsePosition),
			"Point":         reflect.ValueOf((*alamos.Point)(nil)),
			"Position":      reflect.ValueOf((*alamos.Position)(nil)),
			"Progress":      reflect.ValueOf((*alamos.Progress)(nil)),
			"SearchMove":    reflect.ValueOf((*alamos.SearchMove)(nil)),
			"SearchResult":  reflect.ValueOf((*alamos.SearchResult)(nil)),
			"Series":        reflect.ValueOf((*alamos.Series)(nil)),
			"StartPosition": reflect.ValueOf(alamos.StartPosition),
			"Summary":       reflect.ValueOf((*alamos.Summary)(nil)),
		},
		".": stdlib.Symbols["."], // fmt finds the String methods of scripts by it
	}
	for _, p := range allowed {
		key := p + "/" + path.Base(p)
		all[key] = maps.Clone(stdlib.Symbols[key])
	}
	// Scan reads standard input, which belongs to the process.
	maps.DeleteFunc(all["fmt/fmt"], func(name string, _ reflect.Value) bool {
		return strings.HasPrefix(name, "Scan") || strings.HasPrefix(name, "Fscan")
	})
	return all
}()

// mayImport reports whether a script may import a package.
func mayImport(p string) bool { return p == alamosPath || slices.Contains(allowed, p) }

// library describes the packages that a script may import to the type checker. It
// derives them by reflection from the symbols that the interpreter gets, so that it
// needs no Go installation, and the two cannot disagree.
type library struct {
	packages map[string]*types.Package
	types    map[reflect.Type]types.Type
}

func newLibrary() *library {
	return &library{map[string]*types.Package{}, map[reflect.Type]types.Type{}}
}

// Import implements types.Importer.
func (l *library) Import(importPath string) (*types.Package, error) {
	exports, ok := symbols[importPath+"/"+path.Base(importPath)]
	if !ok {
		return nil, fmt.Errorf("package %s is not for hooks", importPath)
	}
	p := l.pkg(importPath)
	if p.Complete() {
		return p, nil
	}
	for _, name := range slices.Sorted(maps.Keys(exports)) {
		if !token.IsExported(name) { // the interpreter's wrappers of interfaces
			continue
		}
		p.Scope().Insert(l.object(p, name, exports[name]))
	}
	p.MarkComplete()
	return p, nil
}

// pkg returns the package of a path. It may be one that cannot be imported: io, for
// the parameters of functions that can be called.
func (l *library) pkg(importPath string) *types.Package {
	p := l.packages[importPath]
	if p == nil {
		p = types.NewPackage(importPath, path.Base(importPath))
		l.packages[importPath] = p
	}
	return p
}

// object returns the declaration of a symbol. Types are nil pointers to a value of
// them, constants are values of go/constant, variables are addressable.
func (l *library) object(p *types.Package, name string, v reflect.Value) types.Object {
	if c, ok := v.Interface().(constant.Value); ok {
		return types.NewConst(token.NoPos, p, name, types.Typ[untyped[c.Kind()]], c)
	}
	switch {
	case v.Kind() == reflect.Pointer && v.IsNil():
		t := l.typ(v.Type().Elem())
		if named, ok := t.(*types.Named); ok && named.Obj().Name() == name && named.Obj().Pkg() == p {
			return named.Obj()
		}
		return types.NewTypeName(token.NoPos, p, name, t) // an alias
	case v.Kind() == reflect.Func && !v.CanAddr():
		return types.NewFunc(token.NoPos, p, name, l.signature(nil, v.Type(), 0))
	}
	return types.NewVar(token.NoPos, p, name, l.typ(v.Type()))
}

// untyped are the types of constants.
var untyped = map[constant.Kind]types.BasicKind{
	constant.Bool: types.UntypedBool, constant.String: types.UntypedString, constant.Int: types.UntypedInt,
	constant.Float: types.UntypedFloat, constant.Complex: types.UntypedComplex,
}

// basic are the types without elements.
var basic = map[reflect.Kind]types.BasicKind{
	reflect.Bool: types.Bool, reflect.String: types.String,
	reflect.Int: types.Int, reflect.Int8: types.Int8, reflect.Int16: types.Int16, reflect.Int32: types.Int32, reflect.Int64: types.Int64,
	reflect.Uint: types.Uint, reflect.Uint8: types.Uint8, reflect.Uint16: types.Uint16, reflect.Uint32: types.Uint32, reflect.Uint64: types.Uint64,
	reflect.Uintptr: types.Uintptr, reflect.UnsafePointer: types.UnsafePointer,
	reflect.Float32: types.Float32, reflect.Float64: types.Float64,
	reflect.Complex64: types.Complex64, reflect.Complex128: types.Complex128,
}

// typ returns the checker's type for a type of the compiled program.
func (l *library) typ(t reflect.Type) types.Type {
	if known, ok := l.types[t]; ok {
		return known
	}
	if t == reflect.TypeFor[error]() {
		return types.Universe.Lookup("error").Type()
	}
	if t.Name() == "" || t.PkgPath() == "" {
		u := l.underlying(t)
		l.types[t] = u
		return u
	}
	// Methods and fields may refer to the type itself, so it is entered before them.
	p := l.pkg(t.PkgPath())
	named := types.NewNamed(types.NewTypeName(token.NoPos, p, t.Name(), nil), nil, nil)
	l.types[t] = named
	named.SetUnderlying(l.underlying(t))
	if t.Kind() == reflect.Interface {
		return named
	}
	pointer := reflect.PointerTo(t)
	for m := range pointer.Methods() {
		var receiver types.Type = named
		if _, ok := t.MethodByName(m.Name); !ok {
			receiver = types.NewPointer(named)
		}
		named.AddMethod(types.NewFunc(token.NoPos, p, m.Name, l.signature(types.NewVar(token.NoPos, p, "", receiver), m.Type, 1)))
	}
	return named
}

// underlying returns the underlying type of t.
func (l *library) underlying(t reflect.Type) types.Type {
	if kind, ok := basic[t.Kind()]; ok {
		return types.Typ[kind]
	}
	switch t.Kind() {
	case reflect.Slice:
		return types.NewSlice(l.typ(t.Elem()))
	case reflect.Array:
		return types.NewArray(l.typ(t.Elem()), int64(t.Len()))
	case reflect.Pointer:
		return types.NewPointer(l.typ(t.Elem()))
	case reflect.Map:
		return types.NewMap(l.typ(t.Key()), l.typ(t.Elem()))
	case reflect.Chan:
		directions := map[reflect.ChanDir]types.ChanDir{reflect.BothDir: types.SendRecv, reflect.SendDir: types.SendOnly, reflect.RecvDir: types.RecvOnly}
		return types.NewChan(directions[t.ChanDir()], l.typ(t.Elem()))
	case reflect.Func:
		return l.signature(nil, t, 0)
	case reflect.Interface:
		var methods []*types.Func
		for m := range t.Methods() {
			methods = append(methods, types.NewFunc(token.NoPos, l.pkg(t.PkgPath()), m.Name, l.signature(nil, m.Type, 0)))
		}
		return types.NewInterfaceType(methods, nil).Complete()
	}
	// A struct. Unexported fields only make the struct different from one without
	// them.
	var fields []*types.Var
	for f := range t.Fields() {
		typ := types.Type(types.NewStruct(nil, nil))
		if f.IsExported() {
			typ = l.typ(f.Type)
		}
		fields = append(fields, types.NewField(token.NoPos, l.pkg(t.PkgPath()), f.Name, typ, f.Anonymous && f.IsExported()))
	}
	return types.NewStruct(fields, nil)
}

// signature builds the type of a function, leaving out the first skip
// parameters: the receiver of a method expression.
func (l *library) signature(receiver *types.Var, t reflect.Type, skip int) *types.Signature {
	var in, out []*types.Var
	for i := skip; i < t.NumIn(); i++ {
		in = append(in, types.NewVar(token.NoPos, nil, "", l.typ(t.In(i))))
	}
	for result := range t.Outs() {
		out = append(out, types.NewVar(token.NoPos, nil, "", l.typ(result)))
	}
	return types.NewSignatureType(receiver, nil, nil, types.NewTuple(in...), types.NewTuple(out...), t.IsVariadic())
}
