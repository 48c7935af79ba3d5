package store

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Inputs is everything that decides what a stage writes: settings by their
// path, files by their checksum, the version of the stage's code.
type Inputs map[string]string

// Settings adds a group of settings under its path.
func (in Inputs) Settings(path string, group any) {
	b, err := json.Marshal(group)
	if err != nil {
		panic(err) // settings are plain values
	}
	var v any
	if err := json.Unmarshal(b, &v); err != nil {
		panic(err)
	}
	in.flatten(path, v)
}

func (in Inputs) flatten(path string, v any) {
	if m, ok := v.(map[string]any); ok {
		for k, v := range m {
			in.flatten(path+"."+k, v)
		}
		return
	}
	b, _ := json.Marshal(v)
	in[path] = strings.Trim(string(b), `"`)
}

// Change says in a few words how inputs differ from those of an earlier run.
func (in Inputs) Change(was Inputs) string {
	keys := maps.Clone(in)
	maps.Copy(keys, was)
	var out []string
	for _, k := range slices.Sorted(maps.Keys(keys)) {
		if in[k] == was[k] {
			continue
		}
		if len(out) == 3 {
			out = append(out, "and more")
			break
		}
		out = append(out, describe(k, was[k], in[k]))
	}
	return strings.Join(out, ", ")
}

func describe(key, was, is string) string {
	switch {
	case key == "code": // of the stage, see untrainedCode and those below it
		return fmt.Sprintf("alamos computes this in another way now (version %s -> %s)", was, is)
	case len(was) == 64 || len(is) == 64: // a checksum says nothing to a reader
		return key + " changed"
	case was == "":
		return fmt.Sprintf("%s %s (new)", key, is)
	case is == "":
		return fmt.Sprintf("%s %s (gone)", key, was)
	}
	return fmt.Sprintf("%s %s -> %s", key, was, is)
}
