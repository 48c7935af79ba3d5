package experiment

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"alamos/pkg/config"
	"alamos/plots"
)

// Options of Load.
type Options struct {
	// Set overrides keys. Each entry is "path=value" with the value in YAML:
	// "search.visits=100", "tournament.players=[last, random]". An empty value resets a key
	// to its default.
	Set []string
	// ReadFile reads experiment files and hooks. nil reads from the disk.
	ReadFile func(path string) ([]byte, error)
	// Lenient accepts what does not change the meaning of the settings: scripts and other named
	// files that do not exist, and figures of a sweep in the file of one of its trials.
	Lenient bool
}

// Experiment is a fully resolved experiment file.
type Experiment struct {
	Description
	Files    []string // every experiment file that was read, bases first
	Missing  []string // named files that do not exist, see Options.Lenient
	Settings Settings // of the file without its sweep

	grower grower // decides the pending trials; nil if there never are any
	view          // of the file merged with its bases
	below  *view  // of the bases alone; nil if there are none
	layers int    // number of merged files and overrides
}

// Description is what results keep of an experiment.
type Description struct {
	Name     string       `json:"name"`            // of the result folder
	About    string       `json:"about,omitempty"` // Markdown
	File     string       `json:"file"`            // as given to Load
	Base     string       `json:"base,omitempty"`  // the first file it extends, or empty
	Axes     []Axis       `json:"axes,omitempty"`  // what the sweep varies, seeds last
	Notebook []Cell       `json:"notebook"`
	Style    *plots.Style `json:"style,omitempty"`
	Trials   []Trial      `json:"trials"`            // the product of the sweep, the last axis fastest, then its includes; seeds innermost
	Left     []Left       `json:"left,omitempty"`    // the combinations that exceed the budget of the sweep
	Halving  *Halving     `json:"halving,omitempty"` // nil means that every trial trains to its end
	Final    *Final       `json:"final,omitempty"`   // nil means that trials play only in their own tournaments
	Pending  int          `json:"pending,omitempty"` // number of trials that earlier ones have yet to decide, see [Experiment.Grow]
}

// Load reads an experiment file and everything it extends. If there are faults, it returns
// all of them as [config.Errors], and no experiment.
func Load(path string, o Options) (*Experiment, error) {
	l := &loader{dir: filepath.Dir(path), files: &config.Files{ReadFile: o.ReadFile, Lenient: o.Lenient}, parsed: map[string]*config.Node{}, bad: map[string]bool{}}
	l.file(path, nil, nil)
	own := len(l.layers) - 1
	depth := func(set string) int { key, _, _ := strings.Cut(set, "="); return strings.Count(key, ".") }
	for _, set := range slices.SortedStableFunc(slices.Values(o.Set), func(a, b string) int { return depth(a) - depth(b) }) {
		l.set(set) // a section before its keys
	}
	if l.incomplete {
		return nil, l.errs.Sorted()
	}
	merged := l.merge(l.layers, own+1)
	merged.At = l.layers[own].At

	e := &Experiment{Description: Description{File: path}, layers: len(l.layers)}
	before := len(l.errs)
	sweep := l.expand(merged)
	trials, left := sweep.trials(before)
	e.add(trials)
	e.Left = left
	e.Axes, e.Halving, e.Final, e.view = sweep.shown(e.Trials), sweep.Halving, sweep.Final, l.view(merged, sweep)
	e.grower, e.Pending = sweep.grower(len(e.Trials))
	if !o.Lenient {
		l.checkFigures(merged, e)
	}
	if own > 0 {
		under := l.merge(l.layers[:own], own)
		quiet := &loader{files: l.files, bad: l.bad} // a base's own sweep may be invalid
		below := l.view(under, quiet.expand(under))
		e.below = &below
	}
	if len(l.errs) > 0 {
		return nil, l.errs.Sorted()
	}

	e.Settings = l.settingsOf(e.values)
	e.Name, e.About, e.Notebook, e.Style = e.Settings.Name, e.Settings.About, e.Settings.Notebook, e.Settings.Style
	if l.readCSV(merged, e.Notebook); len(l.errs) > 0 {
		return nil, l.errs.Sorted()
	}
	e.Files, e.Missing = l.read, l.files.Missing
	if extends := l.layers[own].Get("extends"); extends != nil {
		e.Base = besideExtends(path, extends.OneOrMore()[0].Text)
	}
	return e, nil
}

// start is the hint for an empty file.
const start = "start with: alamos: 1"

// loader collects the layers of one experiment: its files from the lowest base to the file
// itself, then the overrides.
type loader struct {
	dir    string // of the experiment file
	files  *config.Files
	parsed map[string]*config.Node // by path; nil if it could not be parsed
	read   []string
	layers []*config.Node
	errs   config.Errors
	bad    map[string]bool // key paths with an error in any file

	// incomplete means that a file is missing from the layers. The faults within each other
	// file have been reported, but the merged file cannot be checked.
	incomplete bool
}

const (
	maxChain  = 32   // longest chain of extends
	maxLayers = 1000 // number of layers, including repetitions
)

// file adds the layers of a file. from is the value of extends that names it, and chain
// holds the files on the way to it.
func (l *loader) file(path string, from *config.Node, chain []string) {
	at, key := config.Position{File: path, Line: 1, Col: 1}, ""
	if from != nil {
		at, key = from.At, "extends"
	}
	fail := func(format string, args ...any) *config.Error {
		l.incomplete = true
		return l.fault(at, key, format, args...)
	}
	clean := filepath.Clean(path)
	if i := slices.Index(chain, clean); i >= 0 {
		var around []string
		for _, p := range append(chain[i:len(chain):len(chain)], clean) {
			around = append(around, config.Printable(p))
		}
		fail("the files extend each other in a circle: %s", strings.Join(around, " -> "))
		return
	}
	if len(chain) >= maxChain || len(l.layers) >= maxLayers {
		fail("too many files that extend each other: want at most %d in a row and %d in all", maxChain, maxLayers)
		return
	}
	t, seen := l.parsed[clean]
	if !seen {
		data, err := l.files.Read(path)
		if err != nil && from == nil {
			fail("cannot read the file: %s", config.Reason(err)).Err = err
		} else if err != nil {
			fail("cannot read %s: %s", config.Printable(path), config.Reason(err)).WithHint("paths start at the folder of this file").Err = err
		} else {
			t = l.check(path, data)
		}
		l.parsed[clean] = t
	}
	if t == nil {
		l.incomplete = true
		return
	}
	if extends := t.Get("extends"); extends != nil {
		for _, item := range extends.OneOrMore() {
			l.file(besideExtends(path, item.Text), item, append(chain[:len(chain):len(chain)], clean))
		}
	}
	if !seen {
		l.read = append(l.read, path)
	}
	layer := *t
	if len(chain) > 0 { // some keys are not inherited
		layer.Entries = slices.DeleteFunc(slices.Clone(t.Entries), func(e config.Entry) bool {
			f := schema().Lookup(e.Key)
			return f != nil && f.Own && f.Key != "alamos"
		})
	}
	l.layers = append(l.layers, &layer)
}

// check parses one file and checks it alone.
func (l *loader) check(path string, data []byte) *config.Node {
	t, errs := config.Parse(config.Position{File: path}, data, start)
	l.errs = append(l.errs, errs...)
	if t == nil || t.Bad {
		return nil
	}
	if t.Kind != config.Mapping {
		l.errs = append(l.errs, t.At.Errorf("", "want a group of keys, have %s", t.Have()).WithHint(start))
		return nil
	}
	if e := t.Entry("alamos"); e == nil || e.Value.Kind == config.Null {
		l.errs = append(l.errs, config.Position{File: path, Line: 1, Col: 1}.Errorf("alamos", "missing: the version of the language").WithHint("start the file with: alamos: 1"))
	}
	l.checkLayer(t)
	l.incomplete = l.incomplete || l.bad["extends"]
	return t
}

// checkLayer checks a tree that is one of several layers.
func (l *loader) checkLayer(t *config.Node) {
	c := &config.Reader{Bad: l.bad, Files: l.files}
	schema().Read(c, "", t)
	l.errs = append(l.errs, c.Errs...)
}

// set adds an override as a layer.
func (l *loader) set(override string) {
	at := config.Position{File: config.SetFile, Line: 1, Col: 1, Set: override}
	path, value, found := strings.Cut(override, "=")
	path = strings.TrimSpace(path)
	steps := strings.Split(path, ".")
	f := schema().Lookup(path)
	switch under, rest, ok := cutSwept(path); {
	case !found:
		l.fault(at, "", "want key.path=value")
		return
	case ok:
		steps = append(strings.Split(under, "."), rest)
	case f == nil:
		l.fault(at, config.Join("", path), "unknown key").WithHint(schema().SuggestPath(path))
		return
	case f.Own && f.Outside || f.Key == "alamos":
		l.fault(at, path, "can only be set in a file")
		return
	}
	t := &config.Node{Kind: config.Null, At: at}
	if strings.TrimSpace(value) != "" {
		var errs config.Errors
		t, errs = config.Parse(at, []byte(value), start)
		l.errs = append(l.errs, errs...)
		if t == nil {
			return
		}
	}
	t = config.Nest(steps, at, t)
	l.checkLayer(t)
	l.layers = append(l.layers, t)
}

// merge merges the layers, the lowest first. All overrides are one layer, because they come
// from one command line and their order must not matter.
func (l *loader) merge(layers []*config.Node, files int) *config.Node {
	merged := &config.Node{Kind: config.Mapping, At: layers[len(layers)-1].At, Layer: -1}
	for i, t := range layers {
		merged = schema().Merge(merged, t.Stamped(min(i, files)))
	}
	return merged
}

// resolve resolves a merged tree into canonical values of one trial.
func (l *loader) resolve(t *config.Node) (map[string]any, *config.Reader, bool) {
	c := &config.Reader{Whole: true, Bad: maps.Clone(l.bad)}
	t = l.gameRules(c, t)
	values, ok := schema().Read(c, "", t)
	return values, c, ok
}

// resolveSilently is resolve without reporting faults. The combinations decide whether an experiment
// is valid, and a base may be incomplete.
func (l *loader) resolveSilently(t *config.Node) map[string]any {
	values, _, _ := l.resolve(t.Stamped(0))
	return values
}

// IsFile reports whether a name is that of an experiment's file, by its ending.
func IsFile(name string) bool {
	ext := filepath.Ext(name)
	return ext == ".yaml" || ext == ".yml"
}

// besideExtends returns the path of a file that another file extends.
func besideExtends(file, name string) string {
	if !IsFile(name) {
		name += ".yaml"
	}
	return config.Beside(file, name)
}

// settingsOf converts canonical values to settings, and reads the hashes that represent
// their files in the identity of a trial.
func (l *loader) settingsOf(values map[string]any) Settings {
	d := document{Settings: settingsOf(values)}
	d.Folder = l.dir
	schema().EachFile(&d, func(_ string, f *config.File) { f.SHA256 = l.files.Sum(f.Path) }) // the file was read before
	return d.Settings
}
