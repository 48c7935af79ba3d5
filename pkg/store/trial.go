package store

import (
	"cmp"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"alamos/pkg/config"
	"alamos/pkg/disk"
	"alamos/pkg/experiment"
	"alamos/pkg/match"
	"alamos/pkg/train"
)

// Trial is a trial and the results in its folder.
type Trial struct {
	Declared experiment.Trial // its settings and its place in the sweep
	Dir      string           // of its results
	Manifest *Manifest
	Final    *Tournament // of its experiment; nil if the trial's network did not play there
	Unranked bool        // others of its experiment have Final: ratings of other tournaments cannot be compared with theirs

	mu   sync.Mutex
	rows map[*Stage]any // decoded facts
}

// Open reads the results of a trial. dir is the folder of its experiment's results. A trial
// that has not begun has an empty manifest.
func Open(dir string, t experiment.Trial) (*Trial, error) {
	trial := &Trial{Declared: t, Dir: filepath.Join(dir, t.Folder)}
	var err error
	trial.Manifest, err = ReadManifest(trial.Dir)
	return trial, err
}

func (t *Trial) Path(elem ...string) string {
	return filepath.Join(append([]string{t.Dir}, elem...)...)
}

// Name returns the trial's name in legends: its label, or the experiment's name if it has
// no label.
func (t *Trial) Name() string { return cmp.Or(t.Declared.Label, t.Declared.Settings.Name) }

// Last returns the last generation of the trial: that of its early end, or else that of the
// settings. A running trial may not have reached it.
func (t *Trial) Last() int {
	if e := t.Manifest.Ended; e != nil {
		return min(e.Generation, t.Declared.Settings.Generations)
	}
	return t.Declared.Settings.Generations
}

// Dropped reports whether the trial lost a comparison of successive halving.
func (t *Trial) Dropped() bool { return t.Manifest.Ended != nil && t.Manifest.Ended.Rung > 0 }

// Done returns the number of finished generations.
func (t *Trial) Done() int {
	g := 0
	for g < t.Last() && t.Manifest.Stage(TrainStage(g+1)) != nil {
		g++
	}
	return g
}

// Complete reports whether the trial has trained to its end, and lost no comparison before.
func (t *Trial) Complete() bool { return t.Done() >= t.Last() && !t.Dropped() }

// Next returns the next stage of the trial, or "" if it is done. It ignores changes of
// inputs.
func (t *Trial) Next() string {
	has := func(stage string) bool { return t.Manifest.Stage(stage) != nil }
	if !has(UntrainedStage) {
		return UntrainedStage
	}
	if g := t.Done() + 1; g <= t.Last() {
		switch {
		case !has(t.SamplesStage(g)):
			return t.SamplesStage(g)
		case g > 1 && has(HooksStage(g-1)) && !has(HooksStage(g)):
			return HooksStage(g)
		}
		return TrainStage(g)
	}
	if t.Declared.Settings.Tournament.Rounds > 0 && !has(TournamentStage) && !t.Dropped() {
		return TournamentStage
	}
	return ""
}

// TrainedOn lists the kinds of machine that trained the generations, in their order.
func (t *Trial) TrainedOn() string {
	var kinds []string
	for g := 1; g <= t.Done(); g++ {
		if k := t.Manifest.Stage(TrainStage(g)).On.String(); k != "" && (len(kinds) == 0 || kinds[len(kinds)-1] != k) {
			kinds = append(kinds, k)
		}
	}
	return strings.Join(kinds, ", then ")
}

// ReadOutput reads a file that a stage wrote. A file of another checksum is an error.
func (t *Trial) ReadOutput(stage, file string) ([]byte, error) {
	b, err := disk.ReadFile(t.Path(file))
	if err == nil && disk.SumOf(b) != t.Output(stage, file) {
		err = damagedOutput(t.Path(file))
	}
	return b, err
}

// Output returns the checksum of a file that a stage wrote, or "" if the stage has not run.
func (t *Trial) Output(stage, file string) string {
	if s := t.Manifest.Stage(stage); s != nil {
		return s.Outputs[file]
	}
	return ""
}

// CheckpointSum returns the checksum of a generation's checkpoint, or "" if there is none.
func (t *Trial) CheckpointSum(g int) string { return t.Output(checkpointStage(g), CheckpointFile(g)) }

// checkpointStage returns the name of the stage that writes the checkpoint of generation g.
func checkpointStage(g int) string {
	if g == 0 {
		return UntrainedStage
	}
	return TrainStage(g)
}

// SamplesStage returns the name of the stage that makes the samples of generation g:
// self-play, or the import of a chunk of data.
func (t *Trial) SamplesStage(g int) string {
	if t.Declared.Settings.Data != nil {
		return DataStage(g)
	}
	return SelfPlayStage(g)
}

// Names of stages, in the manifest and in messages.
const (
	UntrainedStage  = "untrained network"
	TestStage       = "test positions"
	TournamentStage = "tournament"
)

// Names of the stages of generation g.
func SelfPlayStage(g int) string        { return fmt.Sprintf("self-play %d", g) }
func DataStage(g int) string            { return fmt.Sprintf("data %d", g) } // instead of self-play
func HooksStage(g int) string           { return fmt.Sprintf("hooks %d", g) }
func TargetStage(g int) string          { return fmt.Sprintf("value target %d", g) }
func TrainStage(g int) string           { return fmt.Sprintf("training %d", g) }
func CheckpointHooksStage(g int) string { return fmt.Sprintf("checkpoint hooks %d", g) }
func PuzzlesStage(g int) string         { return fmt.Sprintf("puzzles %d", g) }
func AccuracyStage(g int) string        { return fmt.Sprintf("accuracy %d", g) }
func StopStage(g int) string            { return fmt.Sprintf("stop %d", g) }

// stageKind is a kind of stages.
type stageKind struct {
	name    string     // of the stages without the generation
	rows    func() any // returns a place for the facts; nil if these are no rows
	scratch string     // see ScratchFile; * stands for the generation
}

// stageKinds are the kinds of stages in the order of execution.
var stageKinds = []stageKind{
	{name: UntrainedStage},
	{TestStage, rowsOf[Generation], "samples/test.journal"},
	{"self-play", rowsOf[Generation], "games/gen-*.journal"},
	{"data", rowsOf[Generation], "samples/gen-*.journal"},
	{"hooks", rowsOf[HookResults], ""},
	{name: "value target"},
	{"training", rowsOf[[]train.Epoch], "checkpoints/gen-*.progress"},
	{"checkpoint hooks", rowsOf[HookResults], ""},
	{"puzzles", rowsOf[[]PuzzleScore], ""},
	{"accuracy", rowsOf[[]PhaseAccuracy], ""},
	{name: "stop"},
	{"rung", rowsOf[Rung], "gen-*/games.journal"},
	{TournamentStage, rowsOf[Tournament], "tournament/games.journal"},
	{FinalStage, rowsOf[Tournament], "final/games.journal"},
}

func rowsOf[T any]() any { return new(T) }

// CompareStages compares two stages by the order of execution in a first run: by
// generation, then the tournament, then the positions of figures.
func CompareStages(a, b string) int {
	ga, ka := stagePlace(a)
	gb, kb := stagePlace(b)
	return cmp.Or(cmp.Compare(ga, gb), cmp.Compare(ka, kb))
}

// SplitStage splits the name of a stage into its kind and its generation, or 0.
func SplitStage(name string) (kind string, generation int) {
	if i := strings.LastIndexByte(name, ' '); i >= 0 {
		if g, err := strconv.Atoi(name[i+1:]); err == nil {
			return name[:i], g
		}
	}
	return name, 0
}

// stagePlace returns the generation of a stage and its position in that generation, which is
// its index in stageKinds. Stages after the last generation have a generation above all others.
func stagePlace(name string) (generation, place int) {
	kind, g := SplitStage(name)
	place = slices.IndexFunc(stageKinds, func(k stageKind) bool { return k.name == kind })
	switch {
	case place < 0:
		return math.MaxInt, len(stageKinds)
	case g == 0 && name != UntrainedStage && name != TestStage:
		return math.MaxInt, place
	}
	return g, place
}

// The settings of a trial and the scripts and other files that they name.
const (
	SettingsFile = "experiment.yaml"
	filesFolder  = "files"
)

// NamedFile returns where a trial keeps a file that its settings name, relative to its folder. The folder is the hash
// of the content, so files of one name do not collide, and a script keeps its name.
func NamedFile(f config.File) string {
	return path.Join(filesFolder, f.SHA256[:min(8, len(f.SHA256))], filepath.Base(f.Path))
}

// WriteSettings writes the trial's settings as an experiment file, which depends on the
// experiment only, and copies the files that it names. Files of earlier settings are removed.
func (t *Trial) WriteSettings() error {
	named := map[string]bool{}
	for _, f := range t.Declared.Settings.Files() {
		to := NamedFile(f.File)
		named[to] = true
		content, err := f.Read()
		if err == nil {
			err = disk.UpdateBytes(t.Path(to), content)
		}
		if err != nil {
			return err
		}
	}
	if err := disk.UpdateBytes(t.Path(SettingsFile), t.Declared.Settings.YAML(NamedFile)); err != nil {
		return err
	}
	have, err := fs.Glob(os.DirFS(t.Path(filesFolder)), "*/*")
	for _, name := range have {
		if err == nil && !named[path.Join(filesFolder, name)] {
			err = disk.Remove(t.Path(filesFolder, name))
			_ = os.Remove(t.Path(filesFolder, path.Dir(name))) // fails while it has other files
		}
	}
	return err
}

// Files of generation g, relative to the trial's folder. Generation 0 is the untrained
// network.
func CheckpointFile(g int) string { return fmt.Sprintf("checkpoints/gen-%04d.safetensors", g) }
func SamplesFile(g int) string    { return fmt.Sprintf("samples/gen-%04d.parquet", g) }
func GamesFile(g int) string      { return fmt.Sprintf("games/gen-%04d.pgn", g) }
func PuzzlesFile(g int) string    { return fmt.Sprintf("evaluation/gen-%04d.csv", g) }
func TargetFile(g int) string     { return fmt.Sprintf("targets/gen-%04d.json", g) }

// TestFile has the samples of the test files of the data.
const TestFile = "samples/test.parquet"

// TournamentGames is the file of the tournament's games, relative to the trial's folder, and
// FinalGames that of the final tournament's, relative to the experiment's.
const (
	TournamentGames = "tournament/games.pgn"
	FinalGames      = ComparisonsFolder + "/" + FinalStage + "/games.pgn"
)

// ScratchFile returns the file that a stage needs only until it has ended: a journal, or the
// state of training. It is empty if the stage has none.
func ScratchFile(stage string) string {
	g, place := stagePlace(stage)
	if place == len(stageKinds) {
		return ""
	}
	return strings.Replace(stageKinds[place].scratch, "*", fmt.Sprintf("%04d", g), 1)
}

// StepsFile returns the journal of the steps of training in generation g, see [TrainingEntry].
func StepsFile(g int) string { return fmt.Sprintf("checkpoints/gen-%04d.steps", g) }

// ScratchFiles returns all files that a stage needs only until it has ended.
func ScratchFiles(stage string) (all []string) {
	if file := ScratchFile(stage); file != "" {
		all = append(all, file)
	}
	if _, g := SplitStage(stage); stage == TrainStage(g) {
		all = append(all, StepsFile(g))
	}
	return all
}

// CheckpointName returns the player name of a checkpoint.
func CheckpointName(g int) string {
	if g == 0 {
		return match.Untrained
	}
	return "gen-" + strconv.Itoa(g)
}
