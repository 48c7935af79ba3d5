package hub

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nkeys"

	"alamos/pkg/disk"
)

// site has the keys of a hub and of its workers.
type site struct {
	keys   *Keys
	tokens []*Token
}

func newSite(t *testing.T, workers int) *site {
	t.Helper()
	dir := t.TempDir()
	files, err := Init(dir, "127.0.0.1:1", workers)
	if err != nil {
		t.Fatal(err)
	}
	s := &site{}
	if s.keys, err = ReadKeys(filepath.Join(dir, KeyFile)); err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		token, err := ReadToken(file)
		if err != nil {
			t.Fatal(err)
		}
		s.tokens = append(s.tokens, token)
	}
	return s
}

// serve starts a hub at an address.
func (s *site) serve(t *testing.T, address string) *Hub {
	t.Helper()
	h, err := Serve(address, s.keys, func(text string) { t.Log("hub: " + text) })
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// squares computes the squares of numbers, some of them slowly.
type squares struct {
	kind Kind
	room int
	lie  func(int) string
}

func (p squares) player() *Player { return &Player{p.kind, p.room, p.play, func() {}} }

func (p squares) play(ctx context.Context, todo <-chan int, done func(int, []byte)) error {
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case n, more := <-todo:
			if !more {
				return nil
			}
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-time.After(time.Duration(rand.IntN(4)) * time.Millisecond):
			}
			text := square(n)
			if p.lie != nil {
				text = p.lie(n)
			}
			done(n, []byte(text))
		}
	}
}

func square(n int) string { return fmt.Sprint(n * n) }

// answers are results with what takes them.
type answers struct {
	mu    sync.Mutex
	have  map[int]string
	twice []int
	kind  Kind
}

// job is the job of the numbers below n that are missing.
func (a *answers) job(n int, file []byte) *Job {
	spec, _ := json.Marshal(disk.SumOf(file))
	j := &Job{Spec: spec, Files: [][]byte{file}, Kind: a.kind}
	for i := range n {
		if _, have := a.have[i]; !have {
			j.Todo = append(j.Todo, i)
		}
	}
	j.Begin = func(k Kind) error { a.kind = k; return nil }
	j.Take = func(n int, text []byte, _ Kind) (refused, failed error) {
		a.mu.Lock()
		defer a.mu.Unlock()
		if string(text) != square(n) {
			return fmt.Errorf("%s is not the square of %d", text, n), nil
		}
		if _, have := a.have[n]; have {
			a.twice = append(a.twice, n)
		}
		a.have[n] = string(text)
		return nil, nil
	}
	return j
}

func (a *answers) check(t *testing.T, n int) {
	t.Helper()
	if len(a.have) != n || len(a.twice) > 0 {
		t.Errorf("%d results of %d, and twice %v", len(a.have), n, a.twice)
	}
}

// work starts a worker and returns what waits for its end.
func (s *site) work(ctx context.Context, t *testing.T, token Token, address string, p squares) (wait func() error) {
	token.Address = address
	ended := make(chan error, 1)
	go func() {
		ended <- Work(ctx, &token, WorkOptions{
			Note: func(text string) { t.Logf("%s: %s", token.Name, text) },
			Open: func(ctx context.Context, spec []byte, file func(context.Context, string) ([]byte, error)) (*Player, error) {
				var name string
				if err := json.Unmarshal(spec, &name); err != nil {
					return nil, err
				}
				_, err := file(ctx, name)
				return p.player(), err
			},
		})
	}()
	return func() error { return <-ended }
}

// line forwards connections, and breaks them at random moments.
func line(t *testing.T, to string, life func() time.Duration) (address string) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			a, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer a.Close()
				b, err := net.Dial("tcp", to)
				if err != nil {
					return
				}
				defer b.Close()
				time.AfterFunc(life(), func() { a.Close(); b.Close() })
				go func() { _, _ = io.Copy(a, b) }()
				_, _ = io.Copy(b, a)
			}()
		}
	}()
	return l.Addr().String()
}

// All items of jobs are computed once each, by workers behind lines that break, of which some
// end in the middle and others come late, and by a hub that is started again.
func TestHub(t *testing.T) { // not parallel: it listens on the same port again
	s := newSite(t, 4)
	kind := Kind{"device": "cpu"}
	h := s.serve(t, "127.0.0.1:0")
	address := h.Addr().String()
	bad := line(t, address, func() time.Duration { return time.Duration(100+rand.IntN(900)) * time.Millisecond })
	ctx, cancel := context.WithCancel(context.Background())
	var waits []func() error
	start := func(i int, at string) (stop func()) {
		ctx, cancel := context.WithCancel(ctx)
		waits = append(waits, s.work(ctx, t, *s.tokens[i], at, squares{kind: kind, room: 8}))
		return cancel
	}
	dies := start(0, address)
	start(1, bad)
	start(2, bad)
	file := make([]byte, 3<<20) // several parts
	for i := range file {
		file[i] = byte(rand.Uint32())
	}
	first := &answers{have: map[int]string{}}
	job := first.job(400, file)
	take := job.Take
	job.Take = func(n int, text []byte, k Kind) (refused, failed error) {
		switch len(first.have) {
		case 50:
			dies()
			start(3, address)
		case 200: // the hub is killed, after results that it acknowledged
			go h.conn.Close()
			return nil, errors.New("killed")
		}
		return take(n, text, k)
	}
	if err := h.Do(context.Background(), job); err == nil || err.Error() != "killed" {
		t.Fatalf("error %v", err)
	}
	h.Close()
	h = s.serve(t, address)
	if err := h.Do(context.Background(), first.job(400, file)); err != nil {
		t.Fatal(err)
	}
	first.check(t, 400)
	second := &answers{have: map[int]string{}}
	if err := h.Do(context.Background(), second.job(100, []byte("another file"))); err != nil {
		t.Fatal(err)
	}
	second.check(t, 100)
	cancel()
	for _, wait := range waits {
		if err := wait(); !errors.Is(err, context.Canceled) {
			t.Errorf("a worker ended with %v", err)
		}
	}
	h.Close()
}

// A worker whose hub ends in the middle of a job ends too, after its time without work.
func TestHubGoesAway(t *testing.T) { // not parallel: it listens on the same port again
	s := newSite(t, 1)
	h := s.serve(t, "127.0.0.1:0")
	token := *s.tokens[0]
	token.Address = h.Addr().String()
	began, ended := make(chan struct{}), make(chan error, 1)
	go func() {
		ended <- Work(context.Background(), &token, WorkOptions{
			Idle: time.Second,
			Open: func(context.Context, []byte, func(context.Context, string) ([]byte, error)) (*Player, error) {
				close(began)
				return squares{kind: Kind{}, room: 1, lie: func(int) string { time.Sleep(50 * time.Millisecond); return "no square" }}.player(), nil
			},
		})
	}()
	ctx, cancel := context.WithCancel(context.Background())
	a := &answers{have: map[int]string{}}
	j := a.job(1000, nil)
	j.Take = func(int, []byte, Kind) (refused, failed error) { return nil, nil }
	go func() {
		<-began
		time.Sleep(200 * time.Millisecond)
		h.Close() // no news of the end of the job
		cancel()
	}()
	if err := h.Do(ctx, j); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	if err := <-ended; err != nil {
		t.Errorf("error %v", err)
	}
}

// Two jobs at the same time are shared out too.
func TestTwoJobs(t *testing.T) {
	t.Parallel()
	s := newSite(t, 2)
	h := s.serve(t, "127.0.0.1:0")
	defer h.Close()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	for _, token := range s.tokens {
		s.work(ctx, t, *token, h.Addr().String(), squares{kind: Kind{}, room: 4})
	}
	var both sync.WaitGroup
	for i := range 2 {
		both.Go(func() {
			a := &answers{have: map[int]string{}}
			if err := h.Do(ctx, a.job(60, []byte{byte(i)})); err != nil {
				t.Error(err)
			}
			a.check(t, 60)
		})
	}
	both.Wait()
}

// A worker that hangs with items of the job, or with results to compute again, does not hold it
// up: another gets the items too, and what nobody else can compute again stays unverified.
func TestStraggler(t *testing.T) {
	for _, recheck := range []float64{0, 1} {
		t.Run(fmt.Sprint(recheck), func(t *testing.T) {
			t.Parallel()
			s := newSite(t, 2)
			h := s.serve(t, "127.0.0.1:0")
			defer h.Close()
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			hangs := make(chan struct{})
			hang := sync.OnceFunc(func() { close(hangs) }) // at the end it may play another item
			s.work(ctx, t, *s.tokens[0], h.Addr().String(), squares{kind: Kind{}, room: 3, lie: func(n int) string {
				hang()
				<-ctx.Done()
				return square(n)
			}})
			a := &answers{have: map[int]string{}}
			go func() {
				<-hangs
				s.work(ctx, t, *s.tokens[1], h.Addr().String(), squares{kind: Kind{}, room: 3})
			}()
			j := a.job(20, nil)
			j.Recheck = recheck
			if err := h.Do(ctx, j); err != nil {
				t.Fatal(err)
			}
			a.check(t, 20)
		})
	}
}

// A worker that one hub refuses works for the next one at the same place, whose job is the same and
// wants another kind.
func TestRefusedBefore(t *testing.T) { // not parallel: it listens on the same port again
	s := newSite(t, 1)
	refused := make(chan struct{})
	first, err := Serve("127.0.0.1:0", s.keys, func(string) { close(refused) })
	if err != nil {
		t.Fatal(err)
	}
	address := first.Addr().String()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	s.work(ctx, t, *s.tokens[0], address, squares{kind: Kind{"precision": "bf16"}, room: 2})
	a := &answers{have: map[int]string{}}
	job := a.job(20, nil)
	job.Kind = Kind{"precision": "fp32"}
	working, end := context.WithCancel(ctx)
	done := make(chan error)
	go func() { done <- first.Do(working, job) }()
	<-refused
	end()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	first.Close()
	second := s.serve(t, address)
	defer second.Close()
	if err := second.Do(ctx, a.job(20, nil)); err != nil {
		t.Fatal(err)
	}
	a.check(t, 20)
}

// A job that some workers cannot do goes on with one that can.
func TestFailures(t *testing.T) {
	t.Parallel()
	s := newSite(t, 1)
	h := s.serve(t, "127.0.0.1:0")
	defer h.Close()
	h.mu.Lock()
	defer h.mu.Unlock()
	h.jobs = []*job{{Job: &Job{}, name: "job", ended: make(chan error, 1)}}
	defer func() { h.jobs = nil }()
	for i := range 2 * maxFailures {
		works := ask{Worker: "works", Job: "job", Kind: Kind{}}
		h.jobs[0].Begin = func(Kind) error { return nil }
		if i == maxFailures { // it does no more
			works = ask{Worker: "works", Job: "job", Failed: "no room"}
		}
		if i <= maxFailures {
			h.order("key", &works)
		}
		h.order("key", &ask{Worker: fmt.Sprint(i), Job: "job", Failed: "no room"})
		select {
		case err := <-h.jobs[0].ended:
			if i < maxFailures || !strings.Contains(err.Error(), "no room") {
				t.Errorf("after %d failures: %v", i+1, err)
			}
			return
		default:
		}
	}
	t.Error("the job goes on though no worker can do it")
}

// A worker that has no items says so: the hub then hands out again what a lost reply had.
func TestWorkerWithoutItems(t *testing.T) {
	t.Parallel()
	var a ask
	b, err := json.Marshal(ask{Held: []int{}})
	if err == nil {
		err = json.Unmarshal(b, &a)
	}
	if err != nil || a.Held == nil {
		t.Errorf("%s, %v", b, err)
	}
}

// While another job has items that nobody has, no worker gets what another one works on.
func TestNewItemsFirst(t *testing.T) {
	t.Parallel()
	s := newSite(t, 1)
	h := s.serve(t, "127.0.0.1:0")
	defer h.Close()
	ctx, cancel := context.WithCancel(context.Background())
	var jobs sync.WaitGroup
	defer jobs.Wait()
	defer cancel()
	for i := range 2 {
		jobs.Go(func() { _ = h.Do(ctx, (&answers{}).job(1, []byte{byte(i)})) }) // until it is canceled
		for n := 0; n <= i; {
			h.mu.Lock()
			n = len(h.jobs)
			h.mu.Unlock()
		}
	}
	first, second := h.jobs[0], h.jobs[1]
	asks := func(worker string, of *job, wantJob *job, want ...int) {
		t.Helper()
		b, err := json.Marshal(ask{Worker: worker, Job: of.name, Kind: Kind{"a": "b"}, Room: 1})
		if err != nil {
			t.Fatal(err)
		}
		reply, err := h.ask(s.keys.Workers[s.tokens[0].Name], b)
		o, is := reply.(order)
		if err != nil || !is || o.Job != wantJob.name || !slices.Equal(o.Numbers, want) {
			t.Errorf("%s: %+v (%v), want items %v of %s", worker, reply, err, want, wantJob.name)
		}
		h.mu.Lock()
		defer h.mu.Unlock()
		for _, j := range h.jobs {
			for i := range j.out {
				j.out[i].at = j.out[i].at.Add(-time.Hour)
			}
		}
	}
	asks("one", first, first, 0)
	asks("two", first, second)
	asks("two", second, second, 0)
	asks("three", first, first, 0)
}

// A worker of another kind is refused by name, and so are results that cannot be right; the
// others do the work.
func TestRefused(t *testing.T) {
	t.Parallel()
	s := newSite(t, 3)
	var mu sync.Mutex
	var notes []string
	h, err := Serve("127.0.0.1:0", s.keys, func(text string) {
		mu.Lock()
		defer mu.Unlock()
		notes = append(notes, text)
	})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	says := func(text string) bool {
		mu.Lock()
		defer mu.Unlock()
		return strings.Contains(strings.Join(notes, "\n"), text)
	}
	a := &answers{have: map[int]string{}}
	job := a.job(20, nil)
	job.Kind = Kind{"precision": "fp32"}
	s.work(ctx, t, *s.tokens[0], h.Addr().String(), squares{kind: Kind{"precision": "bf16"}, room: 2})
	s.work(ctx, t, *s.tokens[1], h.Addr().String(), squares{kind: job.Kind, room: 2, lie: func(int) string { return "-1" }})
	done := make(chan error)
	go func() { done <- h.Do(ctx, job) }()
	for !says("worker-1 on ") || !says("is of another kind and does not play: precision is bf16, want fp32") || !says("refused: -1 is not the square of") {
		time.Sleep(10 * time.Millisecond)
	}
	s.work(ctx, t, *s.tokens[2], h.Addr().String(), squares{kind: job.Kind, room: 2})
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	a.check(t, 20)
}

// A worker with a token of another hub, or for another hub, does not get in.
func TestStrangers(t *testing.T) {
	t.Parallel()
	s, other := newSite(t, 1), newSite(t, 1)
	h := s.serve(t, "127.0.0.1:0")
	defer h.Close()
	token := *other.tokens[0]
	err := s.work(context.Background(), t, token, h.Addr().String(), squares{})()
	if err == nil || !strings.Contains(err.Error(), "is not the one of this token") {
		t.Errorf("with another certificate: %v", err)
	}
	token.Certificate = s.tokens[0].Certificate
	err = s.work(context.Background(), t, token, h.Addr().String(), squares{})()
	if err == nil || !strings.Contains(err.Error(), "does not know this token") {
		t.Errorf("with another key: %v", err)
	}
	if err := s.keys.revoke(s.keys.Workers["worker-1"], "it lied"); err != nil {
		t.Fatal(err)
	}
	if err = s.work(context.Background(), t, *s.tokens[0], h.Addr().String(), squares{})(); !errors.Is(err, ErrRevoked) || !strings.Contains(err.Error(), "it lied") {
		t.Errorf("with a revoked key: %v", err)
	}
	again, err := ReadKeys(s.keys.file)
	if err != nil || len(again.valid()) != 0 {
		t.Errorf("the file of keys has %v (%v)", again.valid(), err)
	}
}

// A hub works at a server that runs elsewhere with the configuration that was written for it, and
// there is one hub at a time. Such a server refuses what the hub's own does.
func TestServerElsewhere(t *testing.T) {
	s, other := newSite(t, 2), newSite(t, 1)
	dir := filepath.Dir(s.keys.file)
	if err := WriteServer(dir); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	opts, err := server.ProcessConfigFile(ServerFile)
	if err != nil {
		t.Fatal(err)
	}
	opts.Host, opts.Port, opts.NoLog, opts.NoSigs = "127.0.0.1", server.RANDOM_PORT, true, true
	elsewhere, err := server.NewServer(opts)
	if err != nil {
		t.Fatal(err)
	}
	elsewhere.Start()
	defer elsewhere.Shutdown()
	if !elsewhere.ReadyForConnections(10 * time.Second) {
		t.Fatal("the server does not start")
	}
	address := elsewhere.Addr().String()
	h := s.serve(t, ServerScheme+address)
	if _, err := Serve(ServerScheme+address, s.keys, func(string) {}); err == nil || !strings.Contains(err.Error(), "another run is its hub") {
		t.Errorf("a second hub: %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	for _, token := range s.tokens {
		s.work(ctx, t, *token, address, squares{kind: Kind{}, room: 3})
	}
	a := &answers{have: map[int]string{}}
	if err := h.Do(ctx, a.job(100, []byte("file"))); err != nil {
		t.Fatal(err)
	}
	a.check(t, 100)
	token := *other.tokens[0]
	token.Certificate = s.tokens[0].Certificate
	if err := s.work(ctx, t, token, address, squares{})(); err == nil || !strings.Contains(err.Error(), "does not know this token") {
		t.Errorf("with another key: %v", err)
	}
	h.Close()
	h = s.serve(t, ServerScheme+address) // after the first one
	defer h.Close()
}

// An item whose second holder leaves is handed out again while the first one is silent.
func TestHandedOutAgain(t *testing.T) {
	t.Parallel()
	j := &job{Job: &Job{}, items: map[int]*item{7: {}}, fresh: []int{7}}
	for i := range 3 {
		w := &worker{job: j, held: map[int]time.Time{}}
		if got := j.give(w, 1, 3, true); !slices.Equal(got, []int{7}) {
			t.Fatalf("worker %d got %v, want item 7", i, got)
		}
		if i == 1 {
			w.leave()
		}
		for k := range j.out {
			j.out[k].at = j.out[k].at.Add(-time.Hour)
		}
	}
}

// What every worker must have, it must have also where workers may be of different kinds, and
// before the first of them decides on the kind.
func TestNeeds(t *testing.T) {
	t.Parallel()
	for _, anyKind := range []bool{false, true} {
		s := newSite(t, 2)
		h := s.serve(t, "127.0.0.1:0")
		defer h.Close()
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		a := &answers{have: map[int]string{}}
		job := a.job(20, nil)
		job.Needs, job.Any = Kind{"code": "6"}, anyKind
		s.work(ctx, t, *s.tokens[0], h.Addr().String(), squares{kind: Kind{"code": "5"}, room: 2, lie: func(int) string { return "of old code" }})
		done := make(chan error)
		go func() { done <- h.Do(ctx, job) }()
		for refused := false; !refused; time.Sleep(10 * time.Millisecond) {
			refused = slices.ContainsFunc(h.Workers(), func(w WorkerState) bool { return w.Refused == "code is 5, want 6" })
		}
		s.work(ctx, t, *s.tokens[1], h.Addr().String(), squares{kind: job.Needs, room: 2})
		if err := <-done; err != nil {
			t.Fatal(err)
		}
		a.check(t, 20)
	}
}

// An Init that is repeated adds workers, and leaves the others.
func TestInit(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	first, err := Init(dir, "hub.example.org:1", 2)
	if err != nil || len(first) != 2 {
		t.Fatal(first, err)
	}
	before, err := ReadKeys(filepath.Join(dir, KeyFile))
	if err != nil {
		t.Fatal(err)
	}
	more, err := Init(dir, "hub.example.org:2", 3)
	if err != nil || len(more) != 3 {
		t.Fatal(more, err)
	}
	for _, file := range more {
		if token, err := ReadToken(file); err != nil || token.Address != "hub.example.org:2" {
			t.Errorf("%s has the address of before: %v, %v", file, token, err)
		}
	}
	after, err := ReadKeys(filepath.Join(dir, KeyFile))
	if err != nil || after.Certificate != before.Certificate || after.Workers["worker-2"] != before.Workers["worker-2"] || len(after.Workers) != 3 || after.Address != "hub.example.org:2" {
		t.Errorf("%+v after %+v (%v)", after, before, err)
	}
	if _, err := Init(dir, "hub2.example.org:1", 4); err == nil || !strings.Contains(err.Error(), "hub2.example.org") {
		t.Errorf("a host without the certificate: %v", err)
	}
	if _, err := Init(dir, "nowhere", 1); err == nil {
		t.Error("an address without a port was taken")
	}
	if _, err := ReadToken(filepath.Join(dir, KeyFile)); err == nil {
		t.Error("the hub's file was taken for a token")
	}
	if _, err := ReadKeys(first[0]); err == nil {
		t.Error("a token was taken for the hub's file")
	}
}

func FuzzAnswer(f *testing.F) {
	b, err := (&answer{Worker: "w", Job: "j", Results: []result{{1, json.RawMessage(`{"a":1}`)}}}).pack()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(b)
	f.Fuzz(func(_ *testing.T, b []byte) {
		var a answer
		_ = a.unpack(b)
	})
}

// A worker that alters some or all of its results is found by those that compute these again,
// and put out; the results are right.
func TestLiars(t *testing.T) {
	t.Parallel()
	for _, share := range []float64{1, 0.2} {
		t.Run(fmt.Sprint(share), func(t *testing.T) {
			s := newSite(t, 3)
			h := s.serve(t, "127.0.0.1:0")
			defer h.Close()
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			a := &answers{have: map[int]string{}}
			job := a.job(300, nil)
			job.Recheck = 0.5
			job.Take = func(n int, text []byte, _ Kind) (refused, failed error) { // which cannot tell
				a.have[n] = string(text)
				return nil, nil
			}
			told, enough := 0, make(chan struct{}) // lies, one of which is computed again for all but one run in a million
			var others sync.WaitGroup              // which must compute something before the job ends
			others.Add(len(s.tokens) - 1)
			lies := squares{kind: Kind{}, room: 4, lie: func(n int) string {
				if rand.Float64() >= share {
					return square(n)
				}
				if told++; told == 20 {
					close(enough)
					others.Wait()
				}
				return fmt.Sprint(n*n + 1)
			}}
			liar := s.work(ctx, t, *s.tokens[0], h.Addr().String(), lies)
			done := make(chan error, 1)
			go func() { done <- h.Do(ctx, job) }()
			<-enough
			for _, token := range s.tokens[1:] {
				computes := sync.OnceFunc(others.Done)
				s.work(ctx, t, *token, h.Addr().String(), squares{kind: Kind{}, room: 4, lie: func(n int) string {
					computes()
					return square(n)
				}})
			}
			if err := <-done; err != nil {
				t.Fatal(err)
			}
			if valid := s.keys.valid(); len(valid) != 2 {
				t.Fatalf("valid keys %v", valid)
			}
			if err := liar(); !errors.Is(err, ErrRevoked) || !strings.Contains(err.Error(), "is not that of two others") {
				t.Errorf("the liar ended with %v", err)
			}
			for n := range 300 {
				if a.have[n] != square(n) {
					t.Errorf("the result of %d is %s", n, a.have[n])
				}
			}
		})
	}
}

// A worker cannot send under the name of another one, nor read what is not for it, nor send more
// than a message may have; messages that are none leave the hub alive.
func TestForgedMessages(t *testing.T) {
	t.Parallel()
	s := newSite(t, 2)
	h := s.serve(t, "127.0.0.1:0")
	defer h.Close()
	user, err := nkeys.FromSeed([]byte(s.tokens[0].Seed))
	if err != nil {
		t.Fatal(err)
	}
	token := *s.tokens[0]
	token.Address = h.Addr().String()
	c := &client{token: &token, public: s.keys.Workers["worker-1"], id: "forger", news: make(chan struct{}, 1)}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	if err := c.connect(ctx, user); err != nil {
		t.Fatal(err)
	}
	defer c.conn.Close()
	violations := make(chan error, 10)
	c.conn.SetErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) { violations <- err })
	other := s.keys.Workers["worker-2"]
	for _, forbidden := range []func() error{
		func() error { return c.conn.Publish(prefix+"."+other+"."+answerSubject, nil) },
		func() error { return c.conn.Publish(newsSubject, nil) },
		func() error { return c.conn.Publish(inbox(other)+".1", nil) },
		func() error { _, err := c.conn.SubscribeSync(">"); return err },
		func() error { _, err := c.conn.SubscribeSync(inbox(other) + ".>"); return err },
		func() error { _, err := c.conn.SubscribeSync(prefix + "." + other + ".*"); return err },
	} {
		if err := forbidden(); err != nil {
			t.Fatal(err)
		}
		if err := <-violations; !errors.Is(err, nats.ErrPermissionViolation) {
			t.Errorf("error %v", err)
		}
	}
	if err := c.conn.Publish(prefix+"."+c.public+"."+answerSubject, make([]byte, 100<<20)); !errors.Is(err, nats.ErrMaxPayload) {
		t.Errorf("a record of 100 MB: %v", err)
	}
	bomb := encoder.EncodeAll(make([]byte, 100<<20), nil)
	for name, data := range map[string][]byte{"a bomb": bomb, "noise": []byte("noise"), "nothing": nil} {
		b, err := c.request(ctx, answerSubject, data)
		if err != nil || !strings.Contains(string(b), `"Taken":false,"Refused":"`) {
			t.Errorf("%s: reply %s (%v)", name, b, err)
		}
	}
	forged := answer{Worker: "forger", Job: "none", Results: []result{{1, json.RawMessage("1")}}}
	a := &answers{have: map[int]string{}}
	done := make(chan error)
	go func() { done <- h.Do(ctx, a.job(10, nil)) }()
	for o := (order{}); o.Job == ""; forged.Job = o.Job {
		if o, err = c.ask(ctx, ask{}); err != nil {
			t.Fatal(err)
		}
	}
	b, err := forged.pack()
	if err != nil {
		t.Fatal(err)
	}
	if b, err = c.request(ctx, answerSubject, b); err != nil || !strings.Contains(string(b), `"Taken":false`) {
		t.Errorf("work that it was not given: reply %s (%v)", b, err)
	}
	s.work(ctx, t, *s.tokens[1], h.Addr().String(), squares{kind: Kind{}, room: 2})
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	a.check(t, 10)
}
