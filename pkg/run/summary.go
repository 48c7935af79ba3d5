package run

import (
	"fmt"
	"math"
	"time"

	humanize "github.com/dustin/go-humanize"
	"github.com/dustin/go-humanize/english"

	"alamos/pkg/data"
	"alamos/pkg/store"
)

// summary is a line about generation g on the way to another, with an honest
// guess at what is left of that training at the given pace.
func (t *trial) summary(g, until int, pace time.Duration) string {
	row, err := t.Generation(g)
	if err != nil {
		return err.Error()
	}
	epochs, err := t.Epochs(g)
	if err != nil {
		return err.Error()
	}
	s := fmt.Sprintf("generation %d of %d: ", g, until)
	if row.Data == nil {
		s += fmt.Sprintf("%d games of %.0f plies on average", row.Games, row.MeanPlies())
	} else {
		s += fmt.Sprintf("%s positions of %s games", humanize.Comma(int64(row.Samples)), humanize.Comma(int64(row.Games)))
	}
	if known := row.WhiteWins + row.Draws + row.BlackWins; known > 0 {
		s += fmt.Sprintf(", white scored %.0f %%", 100*(float64(row.WhiteWins)+float64(row.Draws)/2)/float64(known))
	}
	if loss := float64(store.SelectedLoss(epochs)); !math.IsNaN(loss) {
		s += fmt.Sprintf(", loss %.3f", loss)
	}
	if d := row.Data; d != nil && d.NoResult+d.NoMoves > 0 {
		s += fmt.Sprintf(", games left out: %s", data.LeftOut(d.NoResult, d.NoMoves))
	}
	if d := row.Data; d != nil && d.Broken > 0 {
		s += fmt.Sprintf(", %s that could not be read passed over", english.Plural(d.Broken, "game", ""))
	}
	if row.Thrown > 0 {
		s += fmt.Sprintf(", %d longer thrown away", row.Thrown)
	}
	if left := until - g; left > 0 {
		s += fmt.Sprintf("; %s of training left at this pace", roughly(pace*time.Duration(left)))
	}
	return s
}

// roughly writes a duration no more exactly than an estimate deserves.
func roughly(d time.Duration) string {
	switch {
	case d < 2*time.Minute:
		return fmt.Sprintf("about %.0f s", math.Max(1, math.Round(d.Seconds()/5)*5))
	case d < 2*time.Hour:
		return fmt.Sprintf("about %.0f min", d.Minutes())
	}
	return fmt.Sprintf("about %.1f h", d.Hours())
}
