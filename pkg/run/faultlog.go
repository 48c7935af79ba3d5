package run

import (
	"errors"
	"fmt"
	"os"
	"time"

	"alamos/pkg/match"
	"alamos/pkg/uci"
)

// faultLog is the file, in the folder of a trial, with what was last said to
// and by opponents whose fault lost them a game. It tells of times and processes
// and belongs to no stage's results.
const faultLog = "tournament/faults.log"

// logFault tells a person of a player's fault, and appends the conversation to
// the log.
func (m *Match) logFault(g *match.Game) error {
	what := fmt.Sprintf("%s - %s, game %d: %s: %v", g.White, g.Black, g.Number+1, g.Outcome, g.Fault)
	m.Report.Note(what + " (see " + m.Path(faultLog) + ")")
	f, err := os.OpenFile(m.Path(faultLog), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		return err
	}
	text := time.Now().UTC().Format(time.RFC3339) + "  " + what + "\n"
	var e *uci.Error
	if errors.As(g.Fault, &e) {
		text += e.Transcript()
	}
	_, err = f.WriteString(text + "\n")
	return errors.Join(err, f.Close())
}
