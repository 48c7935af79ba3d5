package store

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"alamos/pkg/config"
	"alamos/pkg/disk"
)

// Inputs is everything that determines the output of a stage: settings by path, files by
// checksum, and the version of the stage's code.
type Inputs map[string]string

// Settings adds a group of settings under its path.
func (in Inputs) Settings(path string, group any) {
	var v any
	if err := json.Unmarshal(config.JSON(group), &v); err != nil {
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

// List adds an ordered list of names. Each name may also have an input of its own, with the
// key kind + " " + name, such as "player random".
func (in Inputs) List(kind string, names []string) {
	b, _ := json.Marshal(names) // strings can always be marshaled
	in[kind+"s"] = string(b)
}

// list reads what List wrote. It returns nil if there is no such list.
func (in Inputs) list(kind string) (names []string) {
	_ = json.Unmarshal([]byte(in[kind+"s"]), &names)
	return names
}

// Hash returns the SHA-256 of the inputs in hexadecimal.
func (in Inputs) Hash() string {
	b, _ := json.Marshal(in) // with sorted keys
	return disk.SumOf(b)
}

// Changed returns the keys of inputs that differ from those of an earlier run, sorted.
func (in Inputs) Changed(was Inputs) (keys []string) {
	all := maps.Clone(in)
	maps.Copy(all, was)
	for _, k := range slices.Sorted(maps.Keys(all)) {
		if in[k] != was[k] {
			keys = append(keys, k)
		}
	}
	return keys
}

// Change describes briefly how inputs differ from those of an earlier run.
func (in Inputs) Change(was Inputs) string {
	var out []string
	for _, k := range in.Changed(was) {
		kind, name, _ := strings.Cut(k, " ")
		singular := strings.TrimSuffix(k, "s")
		switch {
		case name != "" && (in[k] == "" || was[k] == "") && in.list(kind) != nil && was.list(kind) != nil:
			continue // the entry of the list shows it
		case in.list(singular) != nil && was.list(singular) != nil:
			out = append(out, describeList(k, was.list(singular), in.list(singular)))
		default:
			out = append(out, describe(k, was[k], in[k]))
		}
		if len(out) > 3 {
			return strings.Join(append(out[:3], "and more"), ", ")
		}
	}
	return strings.Join(out, ", ")
}

// mostListed is the largest number of added, and of removed, names that a change lists.
const mostListed = 6

// describeList lists added (+) and removed (-) names.
func describeList(key string, was, is []string) string {
	var out []string
	add := func(sign string, names, others []string) {
		names = slices.DeleteFunc(slices.Clone(names), func(n string) bool { return slices.Contains(others, n) })
		for i, n := range names {
			if i == mostListed && len(names) > mostListed+1 {
				out = append(out, fmt.Sprintf("%s%d more", sign, len(names)-i))
				break
			}
			out = append(out, sign+n)
		}
	}
	add("-", was, is)
	add("+", is, was)
	if len(out) == 0 {
		return key + " in another order"
	}
	return key + " " + strings.Join(out, " ")
}

func describe(key, was, is string) string {
	switch {
	case key == "code": // of the stage, see run.Stage
		return fmt.Sprintf("alamos computes this in another way now (version %s -> %s)", was, is)
	case len(was) == 64 || len(is) == 64: // users need not see checksums
		return key + " changed"
	case was == "":
		return fmt.Sprintf("%s %s (new)", key, is)
	case is == "":
		return fmt.Sprintf("%s %s (gone)", key, was)
	}
	return fmt.Sprintf("%s %s -> %s", key, was, is)
}
