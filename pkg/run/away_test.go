package run

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"alamos/pkg/chess"
	"alamos/pkg/hub"
	"alamos/pkg/nn"
	"alamos/pkg/store"
	"alamos/pkg/uci"
)

// tokens makes the keys of a hub in a site, and returns the files of the tokens of workers.
func (s site) tokens(t testing.TB, address string, workers int) []string {
	t.Helper()
	tokens, err := hub.Init(s.dir, address, workers)
	if err != nil {
		t.Fatal(err)
	}
	return tokens
}

// freeAddress returns an address of this machine at which nobody listens.
func freeAddress(t testing.TB) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// serve starts a hub of a site, and workers that end with ctx.
func (s site) serve(ctx context.Context, t *testing.T, note func(string), workers ...func(*Options)) *hub.Hub {
	t.Helper()
	address := freeAddress(t)
	tokens := s.tokens(t, address, len(workers))
	keys, err := hub.ReadKeys(filepath.Join(s.dir, hub.KeyFile))
	if err != nil {
		t.Fatal(err)
	}
	h, err := hub.Serve(address, keys, note)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { h.Close() })
	for i, change := range workers {
		token, err := hub.ReadToken(tokens[i])
		if err != nil {
			t.Fatal(err)
		}
		r := &recorder{ran: map[string]string{}, event: func(what string) { t.Logf("%s: %s", token.Name, what) }}
		ended := make(chan error)
		go func() {
			opt := s.options(r)
			opt.Workers = 1
			if change != nil {
				change(&opt)
			}
			ended <- PlayFor(ctx, token, opt, 0)
		}()
		t.Cleanup(func() {
			if err := <-ended; !errors.Is(err, context.Canceled) {
				t.Errorf("%s ended with %v", token.Name, err)
			}
		})
	}
	return h
}

// worker starts a worker in a process of its own, which ends with the test.
func (s site) worker(t *testing.T, token string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), workVariable+"="+token)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { kill(cmd) })
	return cmd
}

func kill(cmd *exec.Cmd) {
	_ = cmd.Process.Kill() // it may have ended
	_ = cmd.Wait()
}

// taken returns the number of results that a hub has taken.
func taken(h *hub.Hub) (n int) {
	for _, w := range h.Workers() {
		n += w.Taken
	}
	return n
}

// Games that workers play have the bytes of those that the run plays itself, and a run that plays
// itself continues what workers have begun.
func TestAway(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	h := s.serve(ctx, t, func(text string) { t.Log("hub: " + text) }, nil, nil)
	s.stop(t, "self-play 2 3/", func(o *Options) { o.Hub = h })
	resumed := map[string]int{} // games
	until := func(at string) (context.Context, func(*Options)) {
		stopped, stop := context.WithCancel(ctx)
		return stopped, func(o *Options) {
			o.Reporter = &recorder{ran: map[string]string{}, event: func(what string) {
				if stage, n, ok := strings.Cut(what, " resumes at "); ok {
					resumed[stage], _ = strconv.Atoi(n) // 0 fails the test
				}
				if strings.HasPrefix(what, at) {
					stop()
				}
			}}
		}
	}
	here, change := until("tournament 7/24")
	if _, err := s.try(here, change); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	_, change = until("never")
	if _, err := s.try(ctx, func(o *Options) { change(o); o.Hub = h }); err != nil || resumed["self-play 2"] < 3 || resumed["tournament"] < 7 {
		t.Errorf("error %v, resumed at %v", err, resumed)
	}
	if n := taken(h); n < 6+3+1 { // games of two generations and of the tournament
		t.Errorf("workers played %d games: %+v", n, h.Workers())
	}
	s.same(t)
	cancel()
}

// Workers play the games by which trials are compared: each network searches with the settings of
// its own trial.
func TestAwayComparisons(t *testing.T) {
	t.Parallel()
	set := with(quick, "generations=2", "tournament.rounds=0")
	here, s := newSite(t), newSite(t)
	for _, s := range []site{here, s} {
		s.sweep(t, "{grid: {tournament.search.visits: [4, 30]}, seeds: 2, halving: {factor: 2, first: 1, metric: elo, games: 2}, final: {rounds: 2, anchors: [random, {material: 1}]}}")
	}
	here.run(t, set...)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	h := s.serve(ctx, t, func(text string) { t.Log("hub: " + text) }, nil, nil)
	if _, err := s.try(ctx, func(o *Options) { o.Hub = h }, set...); err != nil {
		t.Fatal(err)
	}
	s.sameAs(t, here)
	if n, want := taken(h), 4*3+6*2+6*2; n != want { // self-play, the rung and the final tournament
		t.Errorf("workers played %d games, want %d", n, want)
	}
	cancel()
}

// Workers play the tournament of networks that learned from data: also of a sparse network, which
// has a precision of its own. Games with a time for a move, which no other worker can repeat, are
// played by the run.
func TestAwayTournaments(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		set    []string
		played int
	}{
		"sparse": {[]string{"network={input: mover16, policy: uci1968-mover, trunk: sparse, width: 32, policy_width: 32}"}, 2},
		"script": {[]string{"tournament.players=[last, {hook: ../../experiments/hooks/atomic.go, depth: 1}]"}, 2},
		"timed":  {[]string{"tournament.limit.movetime=1", "tournament.search.visits=4"}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			s := dataSite(t)
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			h := s.serve(ctx, t, func(text string) { t.Log("hub: " + text) }, nil)
			set := with([]string{"generations=1", "tournament.rounds=2", "tournament.players=[last, random]"}, c.set...)
			if _, err := s.try(ctx, func(o *Options) { o.Hub = h }, set...); err != nil {
				t.Fatal(err)
			}
			if n := taken(h); n != c.played {
				t.Errorf("workers played %d games, want %d", n, c.played)
			}
			cancel()
		})
	}
}

// A worker of another kind than that of the games which exist is refused by name. If any kind will
// do, it plays, and the manifest says so.
func TestAwayOfAnotherKind(t *testing.T) {
	t.Parallel()
	if _, err := nn.Precision(nn.BF16, nn.CPU); err != nil {
		t.Skip(err)
	}
	set := with(quick, "selfplay.games=40", "tournament.rounds=0")
	on := func(precision string) func(*Options) { return func(o *Options) { o.Precision = precision } }
	plain := newSite(t)
	if _, err := plain.try(context.Background(), on(nn.FP32), set...); err != nil {
		t.Fatal(err)
	}
	s := newSite(t)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	s.stop(t, "self-play 1 5/40", on(nn.FP32), set...)
	_, err := s.try(ctx, func(o *Options) { o.Hub, o.Kinds = s.serve(ctx, t, func(string) {}), AnyKind }, set...)
	wantError(t, err, "has games of one kind of machine (cpu fp32", "run again without --kinds any")
	refused := make(chan string, 1)
	note := func(text string) {
		if strings.Contains(text, "worker-1 on ") && strings.Contains(text, "is of another kind and does not play: ") && strings.Contains(text, "precision is bf16, want fp32") {
			refused <- text
		}
	}
	h := s.serve(ctx, t, note, on(nn.BF16), func(o *Options) { on(nn.FP32)(o); <-refused })
	if _, err := s.try(ctx, func(o *Options) { o.Hub, o.Precision = h, nn.FP32 }, set...); err != nil {
		t.Fatal(err)
	}
	s.sameAs(t, plain)

	mixed := newSite(t)
	h = mixed.serve(ctx, t, func(string) {}, on(nn.BF16), on(nn.FP32))
	if _, err := mixed.try(ctx, func(o *Options) { o.Hub, o.Kinds = h, AnyKind }, with(set, "selfplay.games=200")...); err != nil {
		t.Fatal(err)
	}
	m, err := store.ReadManifest(mixed.trial(t))
	if err != nil {
		t.Fatal(err)
	}
	if k := m.Stage("self-play 1").On.String(); !strings.Contains(k, "cpu bf16") || !strings.Contains(k, "cpu fp32") {
		t.Errorf("played on %s", k)
	}
	cancel()
}

// A run with a hub and four workers, in processes of their own, ends in the files of one
// process, whichever of them is killed at whatever moments.
func TestKilledWithWorkers(t *testing.T) {
	if testing.Short() {
		t.Skip("minutes")
	}
	for seed := range *hubSeeds {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			s := newSite(t)
			address := freeAddress(t)
			tokens := s.tokens(t, address, 4)
			rng := rand.New(rand.NewPCG(uint64(seed), 1))
			workers := make([]*exec.Cmd, len(tokens))
			start := func(i int) { workers[i] = s.worker(t, tokens[i]) }
			for i := range workers {
				start(i)
			}
			for kills := 0; ; kills++ {
				run := s.command(t, []string{hubVariable + "=" + address})
				var out strings.Builder
				run.Stdout, run.Stderr = &out, &out
				if err := run.Start(); err != nil {
					t.Fatal(err)
				}
				ended := make(chan error, 1)
				go func() { ended <- run.Wait() }()
				hubLives := time.After(time.Hour)
				if kills < 3 {
					hubLives = time.After(time.Duration(500+rng.IntN(4000)) * time.Millisecond)
				}
				var err error
				for done := false; !done; {
					select {
					case err = <-ended:
						done = true
					case <-hubLives:
						_ = run.Process.Kill()
						<-ended
						err, done = errKilled, true
					case <-time.After(time.Duration(300+rng.IntN(1500)) * time.Millisecond):
						if i := rng.IntN(len(workers)); kills < 3 {
							kill(workers[i])
							start(i)
						}
					}
				}
				if errors.Is(err, errKilled) {
					continue
				}
				if err != nil || strings.Contains(out.String(), "differs") {
					t.Fatalf("%v\n%s", err, out.String())
				}
				break
			}
			for _, secret := range append(tokens, filepath.Join(s.dir, hub.KeyFile)) {
				if info, err := os.Stat(secret); err != nil || info.Mode().Perm() != 0o600 {
					t.Errorf("%s has mode %v (%v)", secret, info.Mode(), err)
				}
			}
			s.same(t)
		})
	}
}

var errKilled = errors.New("killed")

var hubSeeds = flag.Int("hub.seeds", 1, "runs with killed hubs and workers")

// Engines of workers label games, and play games to learn from, with the same results. What a
// stopped run has is not asked again.
func TestAwayEngines(t *testing.T) {
	t.Parallel()
	if _, err := uci.Find(t.Context(), uci.Stockfish, chess.Standard); errors.Is(err, uci.ErrNotInstalled) {
		t.Skip(err)
	}
	for name, settings := range map[string]string{
		"labels": "{kind: pgn, files: games.pgn, positions: 10, chunk: 100, label: {uci: stockfish, depth: 1, finish: {depth: 1}}}",
		"games":  "{kind: engine, games: 5, positions: 8, policy: engine, engine: {uci: stockfish, depth: 1, random_plies: 8}, label: {uci: stockfish, depth: 2}}",
	} {
		t.Run(name, func(t *testing.T) {
			here, s := dataSite(t), dataSite(t)
			for _, s := range []site{here, s} {
				s.edit(t, "small.yaml", `{kind: pgn, files: "*.pgn", positions: 10, chunk: 100, shuffle: 50}`, settings)
			}
			set := []string{noTournament, "generations=2"}
			here.run(t, set...)
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			h := s.serve(ctx, t, func(text string) { t.Log("hub: " + text) }, nil, nil)
			s.stop(t, "data 1 3/", func(o *Options) { o.Hub = h }, set...)
			first := taken(h)
			if _, err := s.try(ctx, func(o *Options) { o.Hub = h }, set...); err != nil {
				t.Fatal(err)
			}
			s.sameAs(t, here)
			x, err := store.Open(s.results(), s.load(t, set...).Trials[0])
			if err != nil {
				t.Fatal(err)
			}
			if n, want := taken(h), x.Generation(1).Games+x.Generation(2).Games; n != want || first < 3 {
				t.Errorf("workers answered %d games and then %d, want %d", first, n, want)
			}
			cancel()
		})
	}
}
