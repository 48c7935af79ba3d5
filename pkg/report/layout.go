package report

import (
	"fmt"
	"path/filepath"
	"strings"

	"alamos/pkg/experiment"
	"alamos/pkg/store"
)

// Options say what is drawn, and where to.
type Options struct {
	// Out is a folder for all figures and tables together, named after their
	// trials. Empty: each in its place among the results.
	Out string
	// Figure draws only the figures of this name or kind.
	Figure string
}

// layout says where files lie.
type layout struct {
	dir   string // of the results
	out   string // one folder for all; empty: in the results
	slugs map[string]string
}

func (r *Report) layout(opt Options) layout {
	return layout{r.Dir, opt.Out, slugs(r.Experiment.Trials)}
}

// picture is the path of a picture, without extension, of a trial or (nil) of the
// experiment.
func (l layout) picture(name string, t *experiment.Trial) string {
	switch {
	case l.out != "":
		return filepath.Join(l.out, l.flat(name, t))
	case t == nil:
		return filepath.Join(l.dir, "figures", name)
	}
	return filepath.Join(l.dir, store.Folder(t), "figures", name)
}

// table is the path of a table, a file of the trial's folder, or (nil) of the
// experiment's.
func (l layout) table(file string, t *experiment.Trial) string {
	switch {
	case l.out != "":
		base := filepath.Base(file)
		ext := filepath.Ext(base)
		return filepath.Join(l.out, l.flat(strings.TrimSuffix(base, ext), t)+ext)
	case t == nil:
		return filepath.Join(l.dir, file)
	}
	return filepath.Join(l.dir, store.Folder(t), file)
}

func (l layout) flat(name string, t *experiment.Trial) string {
	if t == nil || l.slugs[t.ID] == "" {
		return name
	}
	return name + "-" + l.slugs[t.ID]
}

// slugs are names of trials as parts of file names, by ID: what the sweep varies,
// short, as in depth-2. A lone trial needs none.
func slugs(trials []experiment.Trial) map[string]string {
	out := map[string]string{}
	if len(trials) < 2 {
		return out
	}
	taken := map[string]bool{}
	for i := range trials {
		t := &trials[i]
		keys := make([]experiment.Axis, len(t.Axis))
		for k, a := range t.Axis {
			keys[k].Path = a.Path
		}
		short := shortKeys(keys)
		var parts []string
		for _, a := range t.Axis {
			key := strings.ReplaceAll(short[a.Path], ".", "-")
			value := strings.Trim(fileName(a.Value), "-")
			if len(value) > 24 || value == "" { // a list of positions
				value = experiment.Hash(a.Value)[:6]
			}
			parts = append(parts, key+"-"+value)
		}
		slug := strings.Join(parts, "-")
		if len(slug) > 80 || slug == "" || taken[slug] {
			slug = store.Folder(t)
		}
		taken[slug] = true
		out[t.ID] = slug
	}
	return out
}

// match tells whether a picture is asked for.
func (o Options) match(p *picture) bool {
	return o.Figure == "" || o.Figure == p.name || o.Figure == p.cell.Kind
}

// names lists what can be asked for with Options.Figure.
func names(pictures []*picture) string {
	var all []string
	seen := map[string]bool{}
	for _, p := range pictures {
		if !seen[p.name] {
			seen[p.name] = true
			all = append(all, p.name)
		}
	}
	if len(all) == 0 {
		return "its notebook has no figures"
	}
	return fmt.Sprintf("there are %s", strings.Join(all, ", "))
}
