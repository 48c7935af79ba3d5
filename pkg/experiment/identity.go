package experiment

import (
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"alamos/pkg/config"
	"alamos/pkg/disk"
)

// schema is the schema of the language.
var schema = sync.OnceValue(func() *config.Schema {
	s := config.Of[document]()
	notebook := s.Lookup("notebook")
	notebook.Fitted = func(values map[string]any) any { return notebook.MustParse(defaultNotebook(values)) }
	notebook.Default = notebook.Fitted(nil)
	return s
})

// settingsOf converts canonical values to settings.
func settingsOf(values map[string]any) Settings {
	var d document
	schema().Fill(&d, values)
	return d.Settings
}

// At returns the settings of generation g, in which every ramp has its value.
func (s *Settings) At(g int) *Settings { return config.At(s, s.Ramps, g) }

// PlayedBy returns the generation of the network that plays the games of generation g.
func (s *Settings) PlayedBy(g int) int { return max(0, g-1-s.At(g).SelfPlay.Lag) }

// values returns the settings in canonical form, with files written according to form.
// Patterns of files are relative to the folder of the experiment file.
func (s *Settings) values(form config.Form) map[string]any {
	if form.Pattern == nil && s.Folder != "" {
		form.Pattern = func(pattern string) string {
			dir := s.Folder
			if filepath.IsAbs(dir) != filepath.IsAbs(pattern) { // the same files have the same name however they are given
				dir, pattern = absolute(dir), absolute(pattern)
			}
			return config.FileFrom(dir, pattern)
		}
	}
	return schema().Values(&document{Settings: *s}, form)
}

// absolute returns the absolute form of a path, or the path if the working folder is unknown.
func absolute(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return path
}

// identity returns the settings that decide a result of training or tournament.
func (s *Settings) identity() map[string]any {
	values := s.values(config.Form{})
	maps.DeleteFunc(values, func(key string, _ any) bool { return schema().Lookup(key).Aside })
	return values
}

// ID identifies a trial: the first 10 hexadecimal digits of the hash of all settings that
// decide a result of training or tournament.
func (s *Settings) ID() string { return Hash(s.identity())[:10] }

// Hash returns the hexadecimal SHA-256 of the values, each written as canonical JSON; see
// [config.JSON]. It panics on values that JSON cannot hold, because that is a programming
// error.
func Hash(values ...any) string {
	var all []byte
	for _, v := range values {
		all = append(append(all, config.JSON(v)...), '\n')
	}
	return disk.SumOf(all)
}

// MarshalJSON writes the canonical values, with the paths of files beside their hashes.
func (s Settings) MarshalJSON() ([]byte, error) {
	return config.JSON(s.values(config.Form{File: config.File.WithPath})), nil
}

// UnmarshalJSON reads what MarshalJSON writes.
func (s *Settings) UnmarshalJSON(b []byte) (err error) {
	defer func() { // a value of another type than its key's
		if fault := recover(); fault != nil {
			err = fmt.Errorf("settings that alamos did not write: %v", fault)
		}
	}()
	var values map[string]any
	if err := json.Unmarshal(b, &values); err != nil {
		return err
	}
	*s = settingsOf(values)
	return nil
}

// YAML returns the settings as an experiment file that resolves to them, with every default
// written out in schema order. path returns the paths of scripts and other files in it;
// patterns of data files are relative to the folder of the experiment file that was loaded.
func (s *Settings) YAML(path func(config.File) string) []byte {
	return schema().YAML(s.values(config.Form{File: path}))
}

// NamedFile is a file and the key that names it.
type NamedFile struct {
	Key string // "selfplay.adjudicate", "tournament.players[2].hook", "hooks[0].file"
	config.File
}

// Files returns every file that the settings name, hooks last.
func (s *Settings) Files() []NamedFile {
	var all []NamedFile
	schema().EachFile(&document{Settings: *s}, func(path string, f *config.File) { all = append(all, NamedFile{path, *f}) })
	return all
}

// Move gives every file that the settings name another path.
func (s *Settings) Move(path func(config.File) string) {
	d := document{Settings: *s}
	schema().EachFile(&d, func(_ string, f *config.File) { f.Path = path(*f) })
	*s = d.Settings
}

// Scripts returns those of Files that are Go scripts.
func (s *Settings) Scripts() []NamedFile {
	return slices.DeleteFunc(s.Files(), func(f NamedFile) bool { return filepath.Ext(f.Path) != ".go" })
}

// bySource returns canonical values in which a hook's metric has its name. The default name
// comes from the hook's file, and file names are not part of an identity.
func (s *Settings) bySource() map[string]any {
	c := *s
	c.Hooks = nil
	for _, h := range s.Hooks {
		h.Metric = h.Name()
		c.Hooks = append(c.Hooks, h)
	}
	return c.values(config.Form{})
}

// Values returns the meaning of every key that applies, by path. Settings with the same
// meaning have equal values.
func (s *Settings) Values() map[string]string {
	values := map[string]string{}
	for _, r := range schema().Explain("", s.bySource(), nil) {
		values[r.Path] = r.Value
	}
	return values
}

// JSONSchema returns the language as a JSON Schema, which editors use to complete and check
// experiment files.
func JSONSchema() []byte {
	lists := byPath(func(path string) map[string]any {
		return map[string]any{"type": []string{"array", "null"}, "items": config.OrNull(config.Definition(path)), "minItems": 1}
	})
	values := byPath(func(path string) map[string]any { return config.OrNull(config.Definition(path)) })
	values["minProperties"] = 1
	values["properties"].(map[string]any)["name"] = includedName.JSONSchema(nil, "") // of sweep.include
	return schema().Document("alamos experiment", []string{"alamos"}, map[string]any{sweptLists: lists, sweptValues: values})
}

const (
	sweptLists  = "sweep.lists"
	sweptValues = "sweep.values"
)

// rampKeys matches the paths of the keys of ramps, which the schema does not list.
const rampKeys = `^(search|selfplay|training)\..+\.(from|to|over)$`

// byPath returns the JSON Schema of a group of paths of keys that decide a result.
func byPath(of func(path string) map[string]any) map[string]any {
	properties := map[string]any{}
	for _, path := range schema().Swept() {
		properties[path] = of(path)
	}
	// The keys of a ramp are numbers, as those of a temperature are.
	ends := map[string]any{rampKeys: of("selfplay.temperature.power")}
	return map[string]any{"type": "object", "properties": properties, "patternProperties": ends, "additionalProperties": false}
}

// cutSwept splits a path such as sweep.grid.search.visits into the key that holds paths and
// the path that it holds.
func cutSwept(path string) (under, rest string, ok bool) {
	for _, under := range []string{"sweep.grid", "sweep.zip", "sweep.random.draw"} {
		if rest, ok := strings.CutPrefix(path, under+"."); ok {
			return under, rest, true
		}
	}
	return "", "", false
}
