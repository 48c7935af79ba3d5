package lab

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"alamos/pkg/disk"
)

// Versions of the code of each stage: raise one when the stage writes other
// bytes for the same inputs, and old results of it are made anew.
const (
	untrainedCode  = "1"
	selfplayCode   = "1"
	hooksCode      = "1"
	trainCode      = "1"
	tournamentCode = "1"
)

// Names of stages in the manifest and in what a person sees.
const (
	untrainedStage  = "untrained network"
	tournamentStage = "tournament"
)

func selfplayStage(g int) string { return fmt.Sprintf("self-play %d", g) }
func hooksStage(g int) string    { return fmt.Sprintf("hooks %d", g) }
func trainStage(g int) string    { return fmt.Sprintf("training %d", g) }

// Files of a generation, relative to the trial's folder. Generation 0 is the
// untrained network.
func checkpointFile(g int) string { return fmt.Sprintf("checkpoints/gen-%04d.safetensors", g) }
func samplesFile(g int) string    { return fmt.Sprintf("samples/gen-%04d.parquet", g) }
func gamesFile(g int) string      { return fmt.Sprintf("games/gen-%04d.pgn", g) }

// result is what a stage's work leaves: files below the trial's folder and
// rows for the tables.
type result struct {
	files []string
	facts any
}

// stage runs a stage unless its inputs are what they were and its files are
// whole.
func (t *trial) stage(ctx context.Context, name string, in Inputs, work func(ctx context.Context) (result, error)) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	fresh, why, err := t.manifest.fresh(t.dir, name, in)
	if err != nil {
		return err
	}
	if fresh {
		t.Reporter.Cached(name)
		return nil
	}
	t.Reporter.Runs(name, why)
	began := time.Now()
	res, err := work(ctx)
	if err != nil {
		return err
	}
	s := &Stage{Name: name, Inputs: in, Outputs: map[string]string{}, Ended: time.Now().UTC().Truncate(time.Second), Seconds: time.Since(began).Seconds()}
	for _, f := range res.files {
		if s.Outputs[f], err = disk.Sum(t.path(f)); err != nil {
			return err
		}
	}
	if res.facts != nil {
		if s.Facts, err = json.Marshal(res.facts); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	t.manifest.put(s)
	t.manifest.Machine = t.machine
	return t.manifest.write(t.dir)
}

// output is the checksum of a file that an earlier stage wrote.
func (t *trial) output(stage, file string) string { return t.manifest.stage(stage).Outputs[file] }

// checkpointSum is the checksum of a generation's checkpoint.
func (t *trial) checkpointSum(g int) string {
	if g == 0 {
		return t.output(untrainedStage, checkpointFile(0))
	}
	return t.output(trainStage(g), checkpointFile(g))
}
