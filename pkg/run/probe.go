package run

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"alamos/pkg/encode"
	"alamos/pkg/nn"
	"alamos/pkg/search"
	"alamos/pkg/selfplay"
)

// Sizes and times of probes.
const (
	quickVisits = 32
	quickCount  = 8 // games
	probeTime   = 1200 * time.Millisecond
	probeWarm   = 300 * time.Millisecond
)

// playing returns the self-play settings of a trial's last generation. If the trial learns
// from data, they stand for the games of its tournament.
func playing(t *Trial) selfplay.Config {
	cfg := t.Setup.SelfPlay(t.Settings.Generations)
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
		cfg.Decided = selfplay.Decided{} // its visits may be more; and no game is decided by uniform values
		if fast := &cfg.PlayoutCap.Visits; *fast > 0 {
			*fast = max(1, *fast*quickVisits/full)
		}
	}
	return cfg
}

// quickGames plays games with uniform priors, like those of an untrained network.
func quickGames(ctx context.Context, t *Trial) (samples []encode.Sample, plies, evaluations int, err error) {
	err = selfplay.Play(ctx, quickConfig(t), t.Setup.Codec, []search.Net{search.Indifferent{}}, func(r *selfplay.Record) {
		samples = append(samples, r.Samples...)
		plies += len(r.Moves)
		evaluations += r.Evaluations
	})
	return samples, plies, evaluations, err
}

func probePlies(ctx context.Context, t *Trial) (plies, games float64, err error) {
	_, n, _, err := quickGames(ctx, t)
	return float64(n), quickCount, err
}

// probeEvaluations measures the evaluations of games with the full number of visits.
func probeEvaluations(ctx context.Context, t *Trial) (evaluations, games float64, err error) {
	_, _, n, err := quickGames(ctx, t)
	full, quick := playing(t), quickConfig(t)
	return float64(n) * full.MeanVisits() / quick.MeanVisits(), quickCount, err
}

// probeImport measures the speed of a source. A plan starts no engines, so their speed is
// unknown.
func probeImport(ctx context.Context, t *Trial) (positions, seconds float64, err error) {
	if t.imports.source.UsesEngine() {
		return 0, 0, nil
	}
	var began time.Time
	for _, err := range t.imports.source.All(ctx) {
		if err != nil {
			return 0, 0, err
		}
		if began.IsZero() { // the first position includes opening the files
			began = time.Now()
			continue
		}
		positions++
		if seconds = time.Since(began).Seconds(); seconds > probeTime.Seconds() {
			break
		}
	}
	return positions, seconds, nil
}

// probePlaying measures how fast the network evaluates positions in self-play.
func probePlaying(ctx context.Context, t *Trial) (evaluations, seconds float64, err error) {
	net, err := nn.New(t.Setup.Spec(), 1)
	if err != nil {
		return 0, 0, err
	}
	model, err := net.Compile(t.run.inference())
	if err != nil {
		return 0, 0, err
	}
	defer model.Close()
	nets, end, err := t.sessions(model)
	if err != nil {
		return 0, 0, err
	}
	defer end()
	cfg := playing(t)
	cfg.Games, cfg.Parallel = 1<<16, model.GameSlots(t.Workers) // more games than can end in the time
	cfg.Evaluations = new(atomic.Int64)
	limited, stop := context.WithTimeout(ctx, probeWarm+probeTime)
	defer stop()
	ended := make(chan error, 1)
	go func() { ended <- selfplay.Play(limited, cfg, t.Setup.Codec, nets, func(*selfplay.Record) {}) }()
	time.Sleep(probeWarm)
	before, began := cfg.Evaluations.Load(), time.Now()
	if err := <-ended; !errors.Is(err, context.DeadlineExceeded) {
		return 0, 0, err
	}
	return float64(cfg.Evaluations.Load() - before), time.Since(began).Seconds(), nil
}

// probeTraining measures how fast the network trains.
func probeTraining(ctx context.Context, t *Trial) (positions, seconds float64, err error) {
	samples, _, _, err := quickGames(ctx, t)
	if err != nil || len(samples) == 0 {
		return 0, 0, err
	}
	var batch nn.Batch
	for i := range min(t.Settings.Training.Batch, 256) {
		batch.Add(&samples[i%len(samples)])
	}
	net, err := nn.New(t.Setup.Spec(), 1)
	if err != nil {
		return 0, 0, err
	}
	tr, err := nn.NewTrainer(net, t.Setup.Optimizer(1), nn.TrainerOptions{Device: t.run.Device})
	if err != nil {
		return 0, 0, err
	}
	defer tr.Close()
	if _, err := tr.Step(&batch, 0); err != nil { // the first step is slower
		return 0, 0, err
	}
	for began := time.Now(); seconds < probeTime.Seconds(); seconds = time.Since(began).Seconds() {
		if _, err := tr.Step(&batch, 0); err != nil {
			return 0, 0, err
		}
		positions += float64(batch.N)
	}
	return positions, seconds, nil
}
