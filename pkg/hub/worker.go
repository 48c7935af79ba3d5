package hub

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nkeys"

	"alamos/pkg/disk"
)

// Player computes the items of a job.
type Player struct {
	Kind Kind
	Room int // number of items that it computes at once
	// Play computes the items whose numbers it receives, until todo is closed, ctx ends or it
	// fails. It calls done with each result, one call at a time.
	Play  func(ctx context.Context, todo <-chan int, done func(number int, result []byte)) error
	Close func()
}

// WorkOptions say how a worker works.
type WorkOptions struct {
	// Open opens a job. file returns the file with a SHA-256.
	Open func(ctx context.Context, spec []byte, file func(ctx context.Context, sha256 string) ([]byte, error)) (*Player, error)
	Note func(string)
	// Idle is how long the worker waits for work before it ends; 0: forever.
	Idle time.Duration
}

const (
	beat    = time.Second      // between two asks
	timeout = 10 * time.Second // of a request
	grace   = 10 * time.Second // for a hub that was started again to come to the worker's job
)

// client is a worker's connection to its hub.
type client struct {
	WorkOptions
	token  *Token
	public string
	id     string
	host   string
	conn   *nats.Conn
	news   chan struct{}
}

// ErrRevoked means that the hub has revoked the key of the worker.
var ErrRevoked = errors.New("the hub gives this worker no work")

// errAway means that the hub did not answer for WorkOptions.Idle.
var errAway = errors.New("the hub is away")

// errEnded means that the hub has no files of the job any more.
var errEnded = errors.New("the hub has ended the job")

// Work works for a hub until ctx ends, the hub refuses the worker, or there was no work for
// WorkOptions.Idle. It waits for a hub that is not there.
func Work(ctx context.Context, token *Token, opt WorkOptions) error {
	user, err := nkeys.FromSeed([]byte(token.Seed))
	if err != nil {
		return fmt.Errorf("the token of %s: %w", token.Name, err)
	}
	c := &client{WorkOptions: opt, token: token, id: fmt.Sprintf("%016x", rand.Uint64()), news: make(chan struct{}, 1)}
	if c.public, err = user.PublicKey(); err != nil {
		return err
	}
	c.host, _ = os.Hostname()
	idle := time.Now()
	for err = c.connect(ctx, user); err != nil; err = c.connect(ctx, user) {
		switch {
		case errors.As(err, new(*tls.CertificateVerificationError)):
			return fmt.Errorf("the hub at %s is not the one of this token: %w", token.Address, err)
		case errors.Is(err, nats.ErrAuthorization):
			return fmt.Errorf("the hub at %s does not know this token: %w", token.Address, err)
		case opt.Idle > 0 && time.Since(idle) > opt.Idle:
			return nil
		}
		if err := wait(ctx, beat, c.news, nil); err != nil {
			return err
		}
	}
	defer c.conn.Close()
	refused, by := "", "" // job that this worker cannot work on, and the hub that has it
	for idle = time.Now(); ; {
		o, err := c.ask(ctx, ask{Job: refused})
		if err == nil && o.Hub != by { // what this hub's job wants may be something else
			refused, by = "", o.Hub
		}
		switch {
		case err == nil && o.Revoked:
			return fmt.Errorf("%w: %s", ErrRevoked, o.Refused)
		case c.conn.IsClosed():
			return c.closed()
		case err == nil && o.Job != "" && o.Job != refused:
			refused = ""
			switch err := c.work(ctx, o.Job); {
			case errors.Is(err, ErrRevoked):
				return err
			case errors.Is(err, errAway):
				return nil
			case errors.Is(err, errEnded):
				if err := wait(ctx, beat, c.news, nil); err != nil {
					return err
				}
			case err != nil && ctx.Err() == nil:
				c.Note(err.Error())
				refused = o.Job
			}
			idle = time.Now()
		case ctx.Err() != nil:
			return ctx.Err()
		case opt.Idle > 0 && time.Since(idle) > opt.Idle:
			return nil
		default:
			if err := wait(ctx, beat, c.news, nil); err != nil {
				return err
			}
		}
	}
}

func (c *client) connect(ctx context.Context, user nkeys.KeyPair) (err error) {
	c.conn, err = nats.Connect("tls://"+c.token.Address,
		nats.Nkey(c.public, user.Sign), nats.CustomInboxPrefix(inbox(c.public)), nats.Name(c.token.Name),
		nats.Secure(trust(c.token.Certificate)), nats.Timeout(timeout), nats.PingInterval(5*time.Second), nats.MaxPingsOutstanding(3),
		nats.MaxReconnects(-1), nats.ReconnectWait(beat/2), nats.ReconnectJitter(beat/2, beat/2))
	if err != nil {
		return errors.Join(err, ctx.Err())
	}
	_, err = c.conn.Subscribe(newsSubject, func(*nats.Msg) {
		select {
		case c.news <- struct{}{}:
		default:
		}
	})
	return err
}

// closed returns the error of a connection that was closed for good.
func (c *client) closed() error {
	return fmt.Errorf("the hub at %s: %w", c.token.Address, errors.Join(ErrRevoked, c.conn.LastError()))
}

// wait waits until a channel has something, at most about d.
func wait(ctx context.Context, d time.Duration, a, b <-chan struct{}) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-a:
	case <-b:
	case <-time.After(d/2 + rand.N(d/2)):
	}
	return nil
}

// request sends a request and returns the reply. One with a large message has more time.
func (c *client) request(ctx context.Context, what string, data []byte) ([]byte, error) {
	wait := timeout
	if what != askSubject {
		wait = patience * time.Second
	}
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	m, err := c.conn.RequestWithContext(ctx, prefix+"."+c.public+"."+what, data)
	if err != nil {
		return nil, err
	}
	return m.Data, nil
}

// fail tells the hub why this worker cannot do a job.
func (c *client) fail(ctx context.Context, job string, err error) {
	_, _ = c.ask(ctx, ask{Job: job, Failed: err.Error()})
}

func (c *client) ask(ctx context.Context, a ask) (o order, err error) {
	a.Worker, a.Host = c.id, c.host
	b, err := json.Marshal(a)
	if err == nil {
		b, err = c.request(ctx, askSubject, b)
	}
	if err == nil {
		err = json.Unmarshal(b, &o)
	}
	return o, err
}

// file reads a file of the hub. It repeats what is lost, until the hub has no such file.
func (c *client) file(ctx context.Context, name string) ([]byte, error) {
	var all bytes.Buffer
	for lost := 0; ; {
		b, err := json.Marshal(fileRequest{name, all.Len()})
		if err == nil {
			b, err = c.request(ctx, fileSubject, b)
		}
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case err != nil:
			if lost++; lost == 20 {
				return nil, fmt.Errorf("reading a file of the hub: %w", err)
			}
			if err := wait(ctx, beat, c.news, nil); err != nil {
				return nil, err
			}
		case len(b) > 0:
			lost = 0
			all.Write(b)
		case disk.SumOf(all.Bytes()) != name:
			return nil, errEnded
		default:
			return all.Bytes(), nil
		}
	}
}

// session is the work on one job.
type session struct {
	*client
	job    string
	player *Player
	todo   chan int
	kick   chan struct{} // a result is ready, or was taken

	mu      sync.Mutex
	held    map[int]bool
	results []result // not yet taken by the hub
	taken   int
	began   time.Time
}

// work works on a job until it is over. The error says why this worker does not do it.
func (c *client) work(ctx context.Context, job string) error {
	spec, err := c.file(ctx, job)
	if err != nil {
		return err
	}
	player, err := c.Open(ctx, spec, c.file)
	if errors.Is(err, errEnded) {
		return err
	}
	if err != nil {
		c.fail(ctx, job, err)
		return err
	}
	defer player.Close()
	room := player.Room
	s := &session{
		client: c, job: job, player: player, held: map[int]bool{}, began: time.Now(), kick: make(chan struct{}, 1),
		todo: make(chan int, room+room/4+1), // some items wait, so that no place is empty
	}
	ctx, cancel := context.WithCancelCause(ctx)
	var all sync.WaitGroup
	defer all.Wait()
	defer cancel(nil)
	all.Go(func() {
		if err := player.Play(ctx, s.todo, s.done); err != nil && ctx.Err() == nil {
			c.fail(ctx, job, err)
			cancel(err)
		}
	})
	all.Go(func() { cancel(s.send(ctx)) })
	err = s.fill(ctx)
	if cause := context.Cause(ctx); err == nil && ctx.Err() != nil && !errors.Is(cause, context.Canceled) {
		err = cause
	}
	return err
}

func (s *session) done(number int, text []byte) {
	s.mu.Lock()
	s.results = append(s.results, result{number, text})
	s.mu.Unlock()
	s.wake()
}

func (s *session) wake() {
	select {
	case s.kick <- struct{}{}:
	default:
	}
}

// fill gets items for the player, until the job is over.
func (s *session) fill(ctx context.Context) error {
	reached := time.Now() // when the hub last replied
	heard := reached      // when it last knew the job, or was away
	var whole time.Time   // when the hub last got all held items
	for ctx.Err() == nil {
		s.mu.Lock()
		a := ask{Job: s.job, Kind: s.player.Kind, Room: cap(s.todo) - len(s.held), Speed: float64(s.taken) / time.Since(s.began).Seconds()}
		due := time.Since(whole) > beat
		if due {
			a.Held, whole = slices.AppendSeq([]int{}, maps.Keys(s.held)), time.Now()
		}
		s.mu.Unlock()
		if !due && 8*a.Room < cap(s.todo) { // a request for each item would be too many
			_ = wait(ctx, beat, s.news, s.kick)
			continue
		}
		o, err := s.ask(ctx, a)
		switch {
		case err != nil && s.conn.IsClosed():
			return s.closed()
		case err != nil: // the hub is away; the player goes on
			if s.Idle > 0 && time.Since(reached) > s.Idle {
				return errAway
			}
			heard = time.Now()
		case o.Revoked:
			return fmt.Errorf("%w: %s", ErrRevoked, o.Refused)
		case o.Refused != "":
			return fmt.Errorf("the hub refuses this worker: %s", o.Refused)
		case o.Over, o.Known && o.Job != s.job, !o.Known && time.Since(heard) > grace:
			return nil
		case o.Known:
			heard = time.Now()
		}
		if err == nil {
			reached = time.Now()
		}
		s.mu.Lock()
		for _, n := range o.Numbers {
			if !s.held[n] && len(s.held) < cap(s.todo) {
				s.held[n] = true
				s.todo <- n // has room for all that are held
			}
		}
		s.mu.Unlock()
		if err == nil && len(o.Numbers) > 0 && len(o.Numbers) < a.Room {
			continue
		}
		_ = wait(ctx, beat, s.news, s.kick)
	}
	return nil
}

// send sends results until ctx ends. It sends a result again until the hub has taken it.
func (s *session) send(ctx context.Context) error {
	for ctx.Err() == nil {
		s.mu.Lock()
		a := answer{Worker: s.id, Job: s.job}
		size := 0
		for _, r := range s.results {
			if size += len(r.Result); size > maxAnswer && len(a.Results) > 0 {
				break
			}
			a.Results = append(a.Results, r)
		}
		s.mu.Unlock()
		if len(a.Results) == 0 {
			if err := wait(ctx, beat/10, nil, nil); err != nil {
				return nil
			}
			continue
		}
		b, err := a.pack()
		for err == nil && len(b) > maxMessage && len(a.Results) > 1 { // results that hardly compress
			a.Results = a.Results[:len(a.Results)/2]
			b, err = a.pack()
		}
		if err == nil && len(b) > maxMessage {
			err := fmt.Errorf("a result of %d bytes, more than a message can have", len(b))
			s.fail(ctx, s.job, err) // it would be so on any worker
			return err
		}
		var r receipt
		if err == nil {
			b, err = s.request(ctx, answerSubject, b)
		}
		if err == nil {
			err = json.Unmarshal(b, &r)
		}
		switch {
		case err == nil && r.Refused != "":
			return fmt.Errorf("the hub refuses the results: %s", r.Refused)
		case err != nil || !r.Taken:
			if err := wait(ctx, beat, nil, nil); err != nil {
				return nil
			}
			continue
		}
		s.mu.Lock()
		s.results = s.results[len(a.Results):]
		for _, r := range a.Results {
			delete(s.held, r.Number)
		}
		s.taken += len(a.Results)
		s.mu.Unlock()
		s.wake()
	}
	return nil
}
