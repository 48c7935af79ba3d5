package store

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"alamos/pkg/experiment"
)

// Names of stages in the manifest and in what a person sees.
const (
	UntrainedStage  = "untrained network"
	TournamentStage = "tournament"
)

// Names of the stages of generation g.
func SelfPlayStage(g int) string { return fmt.Sprintf("self-play %d", g) }
func DataStage(g int) string     { return fmt.Sprintf("data %d", g) } // in place of self-play
func HooksStage(g int) string    { return fmt.Sprintf("hooks %d", g) }
func TargetStage(g int) string   { return fmt.Sprintf("value target %d", g) }
func TrainStage(g int) string    { return fmt.Sprintf("training %d", g) }

func PuzzlesStage(g int) string         { return fmt.Sprintf("puzzles %d", g) }
func AccuracyStage(g int) string        { return fmt.Sprintf("accuracy %d", g) }
func CheckpointHooksStage(g int) string { return fmt.Sprintf("checkpoint hooks %d", g) }
func StopStage(g int) string            { return fmt.Sprintf("stop %d", g) }

// CompareStages puts the names of stages in the order in which a run that begins
// anew comes to them. Those of a generation come before those of the next, then
// the tournament and what figures ask.
func CompareStages(a, b string) int {
	ga, ka := stagePlace(a)
	gb, kb := stagePlace(b)
	return cmp.Or(cmp.Compare(ga, gb), cmp.Compare(ka, kb))
}

// stagePlace is the generation of a stage and its place there.
func stagePlace(name string) (generation, place int) {
	kinds := []func(int) string{SelfPlayStage, DataStage, HooksStage, TargetStage, TrainStage, CheckpointHooksStage, PuzzlesStage, AccuracyStage, StopStage}
	if i := strings.LastIndexByte(name, ' '); i >= 0 {
		if g, err := strconv.Atoi(name[i+1:]); err == nil {
			place := slices.IndexFunc(kinds, func(stage func(int) string) bool { return stage(g) == name })
			if place >= 0 {
				return g, place
			}
		}
	}
	switch name {
	case UntrainedStage:
		return 0, 0
	case TournamentStage:
		return math.MaxInt, 0
	}
	return math.MaxInt, 1
}

// Files of a generation, relative to the trial's folder. Generation 0 is the
// untrained network.
func CheckpointFile(g int) string { return fmt.Sprintf("checkpoints/gen-%04d.safetensors", g) }
func SamplesFile(g int) string    { return fmt.Sprintf("samples/gen-%04d.parquet", g) }
func GamesFile(g int) string      { return fmt.Sprintf("games/gen-%04d.pgn", g) }
func PuzzlesFile(g int) string    { return fmt.Sprintf("evaluation/gen-%04d.csv", g) }
func TargetFile(g int) string     { return fmt.Sprintf("targets/gen-%04d.csv", g) }

// Folder is the name of a trial's folder: a hash of what decides its training,
// so that another tournament, another notebook or more generations go on from
// the same networks. What a sweep varies is part of it whatever it is: its
// trials never share a folder.
func Folder(t *experiment.Trial) string {
	s := &t.Settings
	var swept []experiment.AxisValue
	for _, a := range t.Axis {
		if section, _, _ := strings.Cut(a.Path, "."); section == "generations" || section == "tournament" || section == "stop" {
			swept = append(swept, a)
		}
	}
	if s.Data != nil {
		return experiment.Hash(s.Seed, s.Game, s.Network, s.Search, s.Data, s.Training, swept)[:10]
	}
	return experiment.Hash(s.Seed, s.Game, s.Network, s.Search, s.SelfPlay, s.Training, swept)[:10]
}

// RandomName is the name of the player of random moves.
const RandomName = "random"

// CheckpointName is the name of a checkpoint as a player.
func CheckpointName(g int) string {
	if g == 0 {
		return "untrained"
	}
	return "gen-" + strconv.Itoa(g)
}
