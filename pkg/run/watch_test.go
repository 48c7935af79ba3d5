package run

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"alamos/pkg/experiment"
	"alamos/pkg/nn"
	"alamos/pkg/store"
)

// Those who watch a run see the losses of finished epochs before their generation ends, and how
// many games the tournament will have.
func TestRunIsWatched(t *testing.T) {
	s := newSite(t)
	e, err := experiment.LoadChecked(s.file(), nil)
	if err != nil {
		t.Fatal(err)
	}
	live := store.NewLive(s.results(), e.Trials[0])
	epochs, games := 0, 0
	if _, err := s.try(t.Context(), func(o *Options) {
		o.Reporter.(*recorder).event = func(what string) {
			training, tournament := strings.HasPrefix(what, "training 2 "), strings.HasPrefix(what, "tournament ")
			if !training && !tournament {
				return
			}
			if _, err := live.Read(); err != nil {
				t.Error(err)
			}
			if training && live.Stage == store.TrainStage(2) {
				epochs = max(epochs, len(live.Epochs))
			}
			if tournament && live.Stage == store.TournamentStage {
				games = live.Of
			}
		}
	}); err != nil {
		t.Fatal(err)
	}
	if epochs != 1 { // of two: the second has ended with the last step
		t.Errorf("%d epochs of the second generation were seen before its end", epochs)
	}
	if _, err := live.Read(); err != nil || live.Tournament() == nil {
		t.Fatal(live.Tournament(), err)
	}
	played := 0
	for _, p := range live.Tournament().Players {
		played += p.Games()
	}
	if games == 0 || games != played/2 {
		t.Errorf("the tournament was said to have %d games, and had %d", games, played/2)
	}
	if left, err := filepath.Glob(live.Path("checkpoints", "*.steps")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// Steps are told twice a second at most, as the mean of their losses.
func TestStepJournal(t *testing.T) {
	s := newSite(t)
	trial := &Trial{Results: &store.Trial{Dir: s.dir}}
	j, err := trial.openSteps(3, store.Inputs{"a": "b"}, 4, 2)
	if err != nil {
		t.Fatal(err)
	}
	j.told = time.Now().Add(time.Hour) // however slow the machine is
	for i := range 10 {
		var loss nn.Loss
		loss.Total = float64(i)
		j.step(i+1, 10, loss)
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(filepath.Join(s.dir, store.StepsFile(3)))
	if want := `{"done":10,"of":10,"at":6,"loss":4.5}`; err != nil || strings.Count(string(b), "done") != 1 || !strings.Contains(string(b), want) {
		t.Errorf("have %q, %v, want %s", b, err, want)
	}
}
