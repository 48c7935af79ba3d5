package report

import (
	"fmt"
	"io"
	"path/filepath"
	"text/tabwriter"
	"time"

	"alamos/pkg/store"
)

// List writes how it stands with the results of experiments, a line each.
func List(w io.Writer, runs []*store.Run) error {
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(tw, "NAME\tSTATE\tTRIALS\tGENERATIONS\tCHANGED\tSIZE\tPAGE")
	for _, r := range runs {
		trials, generations, page := progress(r.TrialsDone, r.Trials), progress(r.Done, r.Generations), "–"
		if r.Experiment == nil {
			trials, generations = fmt.Sprint(r.Trials), "?"
		}
		if r.Old > 0 {
			trials += fmt.Sprintf(" (+%d old)", r.Old)
		}
		if r.Page != "" {
			page = r.Page
		}
		fmt.Fprintf(tw, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n", r.Name, standing(r), trials, generations, when(r.Changed), size(r.Bytes), page)
	}
	return tw.Flush()
}

// progress is "3/8", or "8" where all is done.
func progress(done, of int) string {
	if done == of {
		return fmt.Sprint(of)
	}
	return fmt.Sprintf("%d/%d", done, of)
}

// standing is the state of a run in a few words.
func standing(r *store.Run) string {
	switch s := string(r.State); r.State {
	case store.Running:
		if r.Stage != "" {
			s += ": " + r.Stage
		}
		return s + " (" + r.Holder + ")"
	case store.Interrupted:
		if r.Stage != "" {
			return s + " before " + r.Stage
		}
		return s
	case store.Damaged, store.Failed:
		return s + ": " + r.Why
	default:
		return s
	}
}

func when(t time.Time) string { return t.Local().Format("2006-01-02 15:04") }

// size is a number of bytes as people read it.
func size(n int64) string {
	units := []string{"B", "kB", "MB", "GB", "TB"}
	x, i := float64(n), 0
	for x >= 999.5 && i < len(units)-1 {
		x, i = x/1000, i+1
	}
	if i == 0 || x >= 99.5 {
		return fmt.Sprintf("%.0f %s", x, units[i])
	}
	return fmt.Sprintf("%.2g %s", x, units[i])
}

// folder is the name of a trial's folder.
func folder(t *store.Trial) string { return filepath.Base(t.Dir) }
