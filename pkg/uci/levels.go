package uci

import (
	"fmt"
	"strconv"
	"time"
)

// Level is a strength at which lichess lets people play against a computer.
type Level struct {
	Number int // 1 to 8
	Skill  int // of the option "Skill Level"
	Limit  Limit
}

// levels are the settings of lichess' client fishnet.
var levels = [...]Level{
	{1, -9, Limit{MoveTime: 50 * time.Millisecond, Depth: 5}},
	{2, -5, Limit{MoveTime: 100 * time.Millisecond, Depth: 5}},
	{3, -1, Limit{MoveTime: 150 * time.Millisecond, Depth: 5}},
	{4, 3, Limit{MoveTime: 200 * time.Millisecond, Depth: 5}},
	{5, 7, Limit{MoveTime: 300 * time.Millisecond, Depth: 5}},
	{6, 11, Limit{MoveTime: 400 * time.Millisecond, Depth: 8}},
	{7, 16, Limit{MoveTime: 500 * time.Millisecond, Depth: 13}},
	{8, 20, Limit{MoveTime: 1000 * time.Millisecond, Depth: 22}},
}

// LichessLevel gives lichess' level n, 1 to 8. Lichess plays all of them, chess
// included, with Fairy-Stockfish; Stockfish itself has no skill below 0, so that
// with it levels 1 to 3 fail with [ErrOption] when they are set.
func LichessLevel(n int) (Level, error) {
	if n < 1 || n > len(levels) {
		return Level{}, fmt.Errorf("uci: lichess has levels 1 to %d, not %d", len(levels), n)
	}
	return levels[n-1], nil
}

// Settings are the options that make the level, in addition to its limit.
func (l Level) Settings() []Setting {
	return []Setting{{"Skill Level", strconv.Itoa(l.Skill)}}
}
