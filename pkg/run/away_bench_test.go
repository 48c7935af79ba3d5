package run

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"alamos/pkg/hub"
	"alamos/pkg/store"
)

// crowd is the load of BenchmarkCrowd: workers that together send games at a rate, which is about
// that of a hundred cards.
const (
	crowdWorkers = 1000
	crowdGames   = 20_000
	crowdRate    = 710 // games per second
)

// BenchmarkCrowd is a run whose games come from a thousand workers, which another process
// simulates: it has played the games before, and sends them at their rate. The run plays each
// again, keeps it in its journal, and hands out the next. The metrics are those of the run's
// process: cores that it uses while games come, its largest memory, the games per second, and the
// bytes of a game in the journal, which are about those on the line.
func BenchmarkCrowd(b *testing.B) {
	if testing.Short() {
		b.Skip("minutes")
	}
	for b.Loop() {
		s := newSite(b)
		address := freeAddress(b)
		tokens := s.tokens(b, address, 10)
		keys, err := hub.ReadKeys(filepath.Join(s.dir, hub.KeyFile))
		if err != nil {
			b.Fatal(err)
		}
		h, err := hub.Serve(address, keys, func(text string) { b.Log("hub: " + text) })
		if err != nil {
			b.Fatal(err)
		}
		self, err := os.Executable()
		if err != nil {
			b.Fatal(err)
		}
		crowd := exec.Command(self)
		crowd.Env = append(os.Environ(), crowdVariable+"="+strings.Join(tokens, "\n"))
		crowd.Stderr = os.Stderr
		if err := crowd.Start(); err != nil {
			b.Fatal(err)
		}
		var first, last crowdMoment
		ctx, stop := context.WithCancel(context.Background())
		watch := func(what string) {
			var n int
			switch fmt.Sscanf(what, "self-play 1 %d/", &n); {
			case n == crowdGames/5: // all workers are at work
				first = crowdNow(b)
			case n == crowdGames*9/10: // and are not idle yet
				last = crowdNow(b)
				stop()
			}
		}
		_, err = s.try(ctx, func(o *Options) {
			o.Hub, o.Reporter = h, &recorder{ran: map[string]string{}, event: watch}
		}, fmt.Sprint("selfplay.games=", crowdGames), "game.max_moves=200", "selfplay.opening.fork_share=0", "search.visits=4")
		if !errors.Is(err, context.Canceled) {
			b.Fatal(err)
		}
		_ = crowd.Process.Kill() // it may have ended
		_ = crowd.Wait()
		h.Close()
		seconds := last.at.Sub(first.at).Seconds()
		b.ReportMetric(float64(crowdGames*9/10-crowdGames/5)/seconds, "games/s")
		b.ReportMetric((last.cpu-first.cpu).Seconds()/seconds, "cores")
		b.ReportMetric(last.megabytes, "MB")
		journals, err := filepath.Glob(filepath.Join(s.results(), "*", store.ScratchFile(store.SelfPlayStage(1))))
		if err != nil || len(journals) != 1 {
			b.Fatal(journals, err)
		}
		info, err := os.Stat(journals[0])
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(info.Size())/(crowdGames*0.9), "bytes/game")
	}
}

// crowdMoment is what a process has used until a moment.
type crowdMoment struct {
	at        time.Time
	cpu       time.Duration
	megabytes float64 // the most so far
}

func crowdNow(b *testing.B) crowdMoment {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return crowdMoment{time.Now(), time.Duration(u.Utime.Nano() + u.Stime.Nano()), float64(u.Maxrss) / 1024}
}

// crowdChild plays the games of the hub's first job, and then sends them as many workers.
func crowdChild(files []string) error {
	var tokens []*hub.Token
	for _, file := range files {
		token, err := hub.ReadToken(file)
		if err != nil {
			return err
		}
		tokens = append(tokens, token)
	}
	var games [crowdGames][]byte
	var kind hub.Kind
	var once sync.Once
	var failed error
	prepare := func(ctx context.Context, spec []byte, file func(context.Context, string) ([]byte, error)) {
		dir, err := os.MkdirTemp("", "alamos-crowd-")
		if err != nil {
			failed = err
			return
		}
		p, err := openOrder(ctx, dir, spec, file, Options{Workers: 2, Batch: 8, Alamos: "test", Reporter: Quiet{}})
		if err != nil {
			failed = err
			return
		}
		defer p.Close()
		kind = p.Kind
		todo := make(chan int, crowdGames)
		for n := range crowdGames {
			todo <- n
		}
		close(todo)
		failed = p.Play(ctx, todo, func(n int, game []byte) { games[n] = game })
	}
	ended := make(chan error)
	for i := range crowdWorkers {
		go func() {
			ended <- hub.Work(context.Background(), tokens[i%len(tokens)], hub.WorkOptions{
				Note: func(text string) { fmt.Fprintln(os.Stderr, text) },
				Open: func(ctx context.Context, spec []byte, file func(context.Context, string) ([]byte, error)) (*hub.Player, error) {
					once.Do(func() { prepare(ctx, spec, file) })
					return &hub.Player{Kind: kind, Room: 4, Play: crowdPlayer(games[:]).play, Close: func() {}}, failed
				},
			})
		}()
	}
	return <-ended
}

// crowdPlayer sends games that are played already.
type crowdPlayer [][]byte

func (p crowdPlayer) play(ctx context.Context, todo <-chan int, done func(int, []byte)) error {
	tick := time.NewTicker(time.Second * crowdWorkers / crowdRate)
	defer tick.Stop()
	for n := range todo {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
			done(n, p[n])
		}
	}
	return nil
}
