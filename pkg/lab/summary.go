package lab

import (
	"fmt"
	"math"
	"time"

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
	s := fmt.Sprintf("generation %d of %d: %d games of %.0f plies on average, white scored %.0f %%",
		g, until, row.Games, row.MeanPlies(), 100*(float64(row.WhiteWins)+float64(row.Draws)/2)/float64(row.Games))
	if loss := float64(store.SelectedLoss(epochs)); !math.IsNaN(loss) {
		s += fmt.Sprintf(", loss %.3f", loss)
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
