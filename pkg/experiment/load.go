package experiment

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Options of Load.
type Options struct {
	// Set overrides keys, each "path=value" with the value in YAML:
	// "search.visits=100", "tournament.players=[last, random]". An empty value
	// resets a key to its default.
	Set []string
	// ReadFile reads experiment files and hooks; nil reads from the disk.
	ReadFile func(path string) ([]byte, error)
}

// Experiment is a file after everything in it has been resolved.
type Experiment struct {
	File    string   // as given to Load
	Name    string   // of the folder of results
	About   string   // Markdown
	Base    string   // the first file it extends; empty: none
	Extends []string // the files it extends directly
	Files   []string // every experiment file that was read, bases first

	Settings Settings // of the file without its sweep
	Trials   []Trial  // the product of the sweep, the last axis fastest, then what it includes; seeds innermost
	Axes     []Axis   // what the sweep varies, seeds last
	Halving  *Halving // nil: every trial trains to its end
	Left     []Left   // what the budget of the sweep leaves out
	Notebook []Cell

	view           // the file and all beneath it
	below  *view   // what it extends, nil when nothing
	combos []combo // that of each trial
	layers int     // files and overrides that were merged
	set    []string
}

// Load reads an experiment file and everything it extends. On faults it returns
// [Errors], all of them at once, and no experiment.
func Load(path string, o Options) (*Experiment, error) {
	l := &loader{dir: filepath.Dir(path), files: &files{readFile: o.ReadFile}, parsed: map[string]*tree{}, bad: map[string]bool{}}
	l.file(path, nil, nil)
	own := len(l.layers) - 1
	for i, set := range o.Set {
		l.set(i+1, set)
	}
	if l.incomplete {
		return nil, l.errs.of(o.Set).sorted()
	}
	merged := l.merge(l.layers, own+1)
	merged.at = l.layers[own].at

	e := &Experiment{File: path, view: view{tree: merged}, layers: len(l.layers), set: o.Set}
	sweep := l.expansion(merged)
	e.Trials, e.combos, e.Left = sweep.trials()
	for i := range e.Trials {
		e.Trials[i].Number = i + 1
	}
	e.Axes, e.Halving, e.bundles = sweep.shown(e.Trials), sweep.halving, sweep.bundles
	l.figureAxes(merged, e.Axes)
	l.hookFigures(merged, e.Trials)
	e.values = l.quietly(merged)
	if own > 0 {
		under := l.merge(l.layers[:own], own)
		quiet := &loader{files: l.files, bad: l.bad} // a base's own sweep need not be sound
		e.below = &view{tree: under, bundles: quiet.expansion(under).bundles, values: l.quietly(under)}
	}
	if len(l.errs) > 0 {
		return nil, l.errs.of(o.Set).sorted()
	}

	var err error
	if e.Settings, err = settingsOf(e.values); err != nil {
		return nil, Errors{Position{path, 1, 1}.errorf("", "%s", err)}
	}
	e.Settings = l.identified(&e.Settings)
	e.Name, e.About, e.Notebook, e.Files = e.Settings.Name, e.Settings.About, e.Settings.Notebook, l.read
	e.Extends = l.bases(path, l.layers[own])
	if len(e.Extends) > 0 {
		e.Base = e.Extends[0]
	}
	return e, nil
}

// loader collects the layers of one experiment: its files from the lowest base
// to the file itself, then the overrides.
type loader struct {
	dir    string // of the experiment file
	files  *files
	parsed map[string]*tree // by path; nil: could not be parsed
	read   []string
	layers []*tree
	errs   Errors
	bad    map[string]bool // key paths with an error in any file

	// incomplete says that a file is missing from the layers. What is wrong
	// within each of the others has been reported, but how they fit together
	// cannot be known.
	incomplete bool
}

const (
	maxChain  = 32   // files that extend each other in a row
	maxLayers = 1000 // files after all repetitions
)

// file adds the layers of a file. from is the value of extends that names it,
// chain the files on the way to it.
func (l *loader) file(path string, from *tree, chain []string) {
	blame := Position{path, 1, 1}
	key := ""
	if from != nil {
		blame, key = from.at, "extends"
	}
	fail := func(hint string, err error, format string, args ...any) {
		e := blame.errorf(key, format, args...).hint(hint)
		e.Err = err
		l.errs = append(l.errs, e)
		l.incomplete = true
	}
	clean := filepath.Clean(path)
	if i := slices.Index(chain, clean); i >= 0 {
		var around []string
		for _, p := range append(chain[i:len(chain):len(chain)], clean) {
			around = append(around, printable(p))
		}
		fail("", nil, "the files extend each other in a circle: %s", strings.Join(around, " -> "))
		return
	}
	if len(chain) >= maxChain || len(l.layers) >= maxLayers {
		fail("", nil, "too many files that extend each other: want at most %d in a row and %d in all", maxChain, maxLayers)
		return
	}
	t, seen := l.parsed[clean]
	if !seen {
		data, err := l.files.read(path)
		if err != nil && from == nil {
			fail("", err, "cannot read the file: %s", reason(err))
		} else if err != nil {
			fail("paths start at the folder of this file", err, "cannot read %s: %s", printable(path), reason(err))
		} else {
			t = l.check(path, data)
		}
		l.parsed[clean] = t
	}
	if t == nil {
		l.incomplete = true
		return
	}
	if extends := t.get("extends"); extends != nil {
		for _, item := range extends.oneOrMore() {
			l.file(l.files.base(path, item.text), item, append(chain[:len(chain):len(chain)], clean))
		}
	}
	if !seen {
		l.read = append(l.read, path)
	}
	layer := t
	if len(chain) > 0 {
		layer = t.without(ownKeys()...)
	}
	l.layers = append(l.layers, layer)
}

// oneOrMore returns the items of a list, or a scalar as the only item.
func (t *tree) oneOrMore() []*tree {
	if t.kind == scalar {
		return []*tree{t}
	}
	return t.items
}

// ownKeys are the keys that a file does not hand on to those that extend it.
func ownKeys() []string {
	var keys []string
	for _, f := range schema.fields {
		if f.own && f.key != "alamos" {
			keys = append(keys, f.key)
		}
	}
	return keys
}

// check parses one file and checks it by itself.
func (l *loader) check(path string, data []byte) *tree {
	t, errs := parse(path, data)
	l.errs = append(l.errs, errs...)
	if t == nil || t.bad {
		return nil
	}
	if t.kind != mapping {
		l.errs = append(l.errs, t.at.errorf("", "want a group of keys, have %s", t.have()).hint("start with: alamos: 1"))
		return nil
	}
	if e := t.entry("alamos"); e == nil || e.value.kind == null {
		l.errs = append(l.errs, Position{path, 1, 1}.errorf("alamos", "missing: the version of the language").hint("start the file with: alamos: 1"))
	}
	l.partly(t)
	l.incomplete = l.incomplete || l.bad["extends"]
	return t
}

// partly checks a tree that is one of several layers.
func (l *loader) partly(t *tree) {
	c := &checker{bad: l.bad, files: l.files}
	schema.read(c, "", t)
	l.errs = append(l.errs, c.errs...)
}

// setFile stands for the file name in positions of overrides; the line is the
// number of the override.
const setFile = "--set"

// set adds an override as a layer.
func (l *loader) set(number int, override string) {
	at := Position{setFile, number, 1}
	path, value, found := strings.Cut(override, "=")
	if !found {
		l.errs = append(l.errs, at.errorf("", "want key.path=value, have %s", printable(override)))
		return
	}
	path = strings.TrimSpace(path)
	steps := strings.Split(path, ".")
	if under, rest, ok := cutSwept(path); ok {
		steps = append(strings.Split(under, "."), rest)
	} else if f := lookup(path); f == nil {
		l.errs = append(l.errs, at.errorf(join("", path), "unknown key").hint(suggestPath(path)))
		return
	} else if f.own && f.offPath || f.key == "alamos" {
		l.errs = append(l.errs, at.errorf(path, "can only be set in a file"))
		return
	}
	t := &tree{kind: null, at: Position{setFile, 1, 1}}
	if strings.TrimSpace(value) != "" {
		var errs Errors
		t, errs = parse(setFile, []byte(value))
		shift := len([]rune(override)) - len([]rune(value))
		for _, e := range errs {
			e.Line, e.Col = number, e.Col+shift
		}
		l.errs = append(l.errs, errs...)
		if t == nil {
			return
		}
		t.move(number, shift)
	}
	t.at.Line = number
	t = nest(steps, at, t)
	l.partly(t)
	l.layers = append(l.layers, t)
}

// cutSwept cuts a path such as sweep.grid.search.visits into the key that holds
// paths and the path that it holds.
func cutSwept(path string) (under, rest string, ok bool) {
	for _, under := range []string{"sweep.grid", "sweep.zip", "sweep.random.draw"} {
		if rest, ok := strings.CutPrefix(path, under+"."); ok {
			return under, rest, true
		}
	}
	return "", "", false
}

// move puts a tree onto another line.
func (t *tree) move(line, columns int) {
	t.at.Line, t.at.Col = line, t.at.Col+columns
	for _, item := range t.items {
		item.move(line, columns)
	}
	for i := range t.entries {
		t.entries[i].at.Line, t.entries[i].at.Col = line, t.entries[i].at.Col+columns
		t.entries[i].value.move(line, columns)
	}
}

// nest wraps a value into one mapping for each step of a key path.
func nest(steps []string, at Position, t *tree) *tree {
	for _, key := range slices.Backward(steps) {
		t = &tree{kind: mapping, at: at, layer: t.layer, entries: []entry{{key, at, t}}}
	}
	return t
}

func allPaths() []string {
	var paths []string
	eachKey(func(p string, _ *field) { paths = append(paths, p) })
	return paths
}

// merge lays the layers on top of each other, the first at the bottom. Those above the
// files are the overrides, which are one layer: all are of one command line, and what
// they come to does not hang on their order.
func (l *loader) merge(layers []*tree, files int) *tree {
	merged := &tree{kind: mapping, at: layers[len(layers)-1].at, layer: -1}
	for i, t := range layers {
		merged = merge(merged, t.stamped(min(i, files)))
	}
	return merged
}

// whole resolves a merged tree into canonical values of one trial.
func (l *loader) whole(t *tree) (map[string]any, *checker, bool) {
	c := &checker{whole: true, bad: maps.Clone(l.bad)}
	v, ok := schema.read(c, "", t)
	m, _ := v.(map[string]any)
	return m, c, ok
}

// quietly is whole for a tree whose faults are no matter: the grid points decide
// whether an experiment is sound, and what a file extends need not be complete.
func (l *loader) quietly(t *tree) map[string]any {
	values, _, _ := l.whole(t.stamped(0))
	return values
}

// bases returns the files that a file extends directly.
func (l *loader) bases(path string, t *tree) []string {
	var names []string
	if extends := t.get("extends"); extends != nil {
		for _, item := range extends.oneOrMore() {
			names = append(names, l.files.base(path, item.text))
		}
	}
	return names
}

// files reads files, each once.
type files struct {
	readFile func(string) ([]byte, error)
	known    map[string][]byte
}

func (f *files) read(path string) ([]byte, error) {
	if data, ok := f.known[path]; ok {
		return data, nil
	}
	readFile := f.readFile
	if readFile == nil {
		readFile = readRegular
	}
	data, err := readFile(path)
	if err != nil {
		return nil, err
	}
	if f.known == nil {
		f.known = map[string][]byte{}
	}
	f.known[path] = data
	return data, nil
}

// base returns the path of a file that another one extends.
func (f *files) base(file, name string) string {
	if ext := filepath.Ext(name); ext != ".yaml" && ext != ".yml" {
		name += ".yaml"
	}
	return f.beside(file, name)
}

// beside returns the path of name as seen from the folder of a file.
func (f *files) beside(file, name string) string {
	name = filepath.FromSlash(name)
	if filepath.IsAbs(name) {
		return filepath.Clean(name)
	}
	return filepath.Join(filepath.Dir(file), name)
}

// readRegular reads a regular file of a sane size, not a pipe or a device that
// never ends.
func readRegular(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	switch {
	case err != nil:
		return nil, err
	case info.IsDir():
		return nil, errors.New("it is a folder")
	case !info.Mode().IsRegular():
		return nil, errors.New("it is not a regular file")
	}
	return io.ReadAll(io.LimitReader(f, maxFile+1))
}

// reason returns what is wrong, without the path that the caller names itself.
func reason(err error) string {
	var path *fs.PathError
	if errors.As(err, &path) {
		err = path.Err
	}
	return strings.Join(strings.Fields(fmt.Sprint(err)), " ")
}
