package run

import (
	"context"
	"errors"
	"math"
	"slices"
	"time"

	"alamos/pkg/data"
	"alamos/pkg/encode"
	"alamos/pkg/nn"
	"alamos/pkg/search"
	"alamos/pkg/selfplay"
)

// uniform is a stand-in for a network: uniform priors and value 0, at no cost.
type uniform struct{}

func (uniform) Evaluate(leaves []*encode.Leaf) error {
	for _, l := range leaves {
		for i := range l.Priors {
			l.Priors[i] = 1 / float32(len(l.Priors))
		}
		l.Value = 0
	}
	return nil
}

// Sizes and times of probes.
const (
	quickVisits = 32
	quickCount  = 8 // games
	probeTime   = 1200 * time.Millisecond
	probeWarm   = 300 * time.Millisecond
)

// playing returns the self-play settings of a trial. If the trial learns from data, they
// stand for the games of its tournament.
func playing(t *Trial) selfplay.Config {
	cfg := t.Setup.SelfPlay(0)
	if t.Settings.Data != nil {
		cfg.Games, cfg.Temperature.Power = 1, 1
	}
	return cfg
}

// quickConfig returns the self-play settings of a trial with few games and few visits.
func quickConfig(t *Trial) selfplay.Config {
	cfg := playing(t)
	cfg.Games, cfg.Parallel = quickCount, quickCount
	if full := cfg.Search.Visits; full > quickVisits {
		cfg.Search.Visits = quickVisits
		if fast := &cfg.PlayoutCap.Visits; *fast > 0 {
			*fast = max(1, *fast*quickVisits/full)
		}
	}
	return cfg
}

// quickGames plays games with uniform priors, like those of an untrained network.
func quickGames(ctx context.Context, t *Trial, cfg selfplay.Config) ([]*selfplay.Record, error) {
	nets := make([]search.Net, t.Hardware.Workers)
	for i := range nets {
		nets[i] = uniform{}
	}
	var records []*selfplay.Record
	_, err := selfplay.Play(ctx, cfg, t.Setup.Codec, nets, func(r *selfplay.Record) { records = append(records, r) })
	slices.SortFunc(records, func(a, b *selfplay.Record) int { return a.Number - b.Number })
	return records, err
}

// probeImport measures positions per second of a source after its engines have started.
func probeImport(ctx context.Context, source *data.Source) (float64, error) {
	n, began := 0, time.Time{}
	for _, err := range source.All(ctx) {
		if err != nil {
			return math.NaN(), err
		}
		if began.IsZero() { // the first position includes the start of engines
			began = time.Now()
			continue
		}
		if n++; time.Since(began) > probeTime {
			break
		}
	}
	if n == 0 {
		return math.NaN(), nil
	}
	return float64(n) / time.Since(began).Seconds(), nil
}

// lengthOf returns the length of games that were played with a mean number of visits.
func lengthOf(records []*selfplay.Record, visits float64) *length {
	plies, evaluations := 0, 0
	for _, r := range records {
		plies += len(r.Moves)
		evaluations += r.Evaluations
	}
	return &length{plies: float64(plies) / float64(len(records)), evaluations: float64(evaluations) / (float64(plies) * visits)}
}

// probePlaying measures network evaluations per second in self-play.
func probePlaying(ctx context.Context, t *Trial, net *nn.Network) (float64, error) {
	model, err := net.Compile(t.Hardware.InferenceOptions())
	if err != nil {
		return 0, err
	}
	defer model.Close()
	nets, end, err := t.Hardware.Sessions(model)
	defer end()
	if err != nil {
		return 0, err
	}
	cfg := playing(t)
	cfg.Games, cfg.Parallel = 1<<16, model.GameSlots(t.Hardware.Workers) // more games than can end in the time
	cfg.Progress = new(selfplay.Progress)
	limited, stop := context.WithTimeout(ctx, probeWarm+probeTime)
	defer stop()
	ended := make(chan error, 1)
	go func() {
		_, err := selfplay.Play(limited, cfg, t.Setup.Codec, nets, func(*selfplay.Record) {})
		ended <- err
	}()
	time.Sleep(probeWarm)
	before, began := cfg.Progress.Evaluations.Load(), time.Now()
	if err := <-ended; !errors.Is(err, context.DeadlineExceeded) {
		return 0, err
	}
	return float64(cfg.Progress.Evaluations.Load()-before) / time.Since(began).Seconds(), nil
}

// probeTraining measures positions per second in training.
func probeTraining(ctx context.Context, t *Trial, net *nn.Network) (float64, error) {
	records, err := quickGames(ctx, t, quickConfig(t))
	if err != nil {
		return 0, err
	}
	var samples []encode.Sample
	for _, r := range records {
		samples = append(samples, r.Samples...)
	}
	if len(samples) == 0 {
		return math.NaN(), nil
	}
	var batch nn.Batch
	for i := range min(t.Settings.Training.Batch, 256) {
		batch.Add(&samples[i%len(samples)])
	}
	tr, err := nn.NewTrainer(net, t.Setup.Optimizer(1), t.Hardware.TrainerOptions())
	if err != nil {
		return 0, err
	}
	defer tr.Close()
	if _, err := tr.Step(&batch, 0); err != nil { // the first step is slower
		return 0, err
	}
	began, steps := time.Now(), 0
	for ; steps == 0 || time.Since(began) < probeTime; steps++ {
		if _, err := tr.Step(&batch, 0); err != nil {
			return 0, err
		}
	}
	return float64(steps*batch.N) / time.Since(began).Seconds(), nil
}
