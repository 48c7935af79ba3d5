package hub

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nkeys"

	"alamos/pkg/disk"
)

// silence is how long a worker may send nothing before its items are handed out again.
const silence = 15 * time.Second

// patience is the time in seconds that a worker on a bad line gets for its handshake, and to receive
// a part of a file.
const patience = 20

// maxFailures is the number of times that workers may fail at a job that no worker does.
const maxFailures = 3

// Hub hands out jobs to workers.
type Hub struct {
	id     string
	keys   *Keys
	server *server.Server
	conn   *nats.Conn
	note   func(string)
	stop   chan struct{}

	mu      sync.Mutex
	jobs    []*job
	files   map[string][]byte
	over    map[string]bool    // names of jobs that have ended
	workers map[string]*worker // by the name of the process
	told    map[string]bool    // notes
}

// worker is a process that works.
type worker struct {
	WorkerState
	key  string
	held map[int]time.Time // items of its job
	job  *job
}

// WorkerState describes a worker.
type WorkerState struct {
	Name     string // of its token
	Host     string
	Kind     Kind
	Held     int // items in work
	Taken    int
	Verified int     // results that another worker has computed too
	Speed    float64 // results a second, as the worker says
	Refused  string
	Seen     time.Time
}

// ServerScheme begins the address of a NATS server in [Serve].
const ServerScheme = "nats://"

// Serve starts a hub, with a NATS server of its own. address is the host and port to listen at,
// as in ":4321". An address as in "nats://host:4321" is that of a server which runs elsewhere with
// the configuration of [WriteServer]. note is told what the user should know.
func Serve(address string, keys *Keys, note func(string)) (*Hub, error) {
	h := &Hub{id: rand.Text(), keys: keys, note: note, stop: make(chan struct{}), files: map[string][]byte{}, over: map[string]bool{}, workers: map[string]*worker{}, told: map[string]bool{}}
	user, public, err := keys.hub()
	if err != nil {
		return nil, err
	}
	if server, elsewhere := strings.CutPrefix(address, ServerScheme); elsewhere {
		err = h.join(server, public, user)
	} else {
		err = h.listen(address, public, user)
	}
	if err != nil {
		return nil, err
	}
	for request, handle := range map[string]func(key string, data []byte) (any, error){askSubject: h.ask, fileSubject: h.file, answerSubject: h.answer} {
		if _, err := h.conn.Subscribe(prefix+".*."+request, func(m *nats.Msg) { h.reply(m, handle) }); err != nil {
			h.Close()
			return nil, err
		}
	}
	go h.watch()
	return h, h.conn.Flush()
}

// listen starts the hub's server and connects to it.
func (h *Hub) listen(address, public string, user nkeys.KeyPair) error {
	host, port, err := net.SplitHostPort(address)
	number, bad := strconv.Atoi(port)
	if err != nil || bad != nil {
		return fmt.Errorf("hub: want an address as in :4321, have %q", address)
	}
	if number == 0 {
		number = server.RANDOM_PORT
	}
	config, err := h.keys.serverTLS()
	if err != nil {
		return err
	}
	users := []*server.NkeyUser{{Nkey: public}}
	for _, key := range h.keys.valid() {
		users = append(users, &server.NkeyUser{Nkey: key, Permissions: permissions(key)})
	}
	h.server, err = server.NewServer(&server.Options{
		Host: host, Port: number, NoLog: true, NoSigs: true, NoSystemAccount: true, MaxPayload: maxMessage, Nkeys: users,
		TLS: true, TLSConfig: config, TLSTimeout: patience, AuthTimeout: 2 * patience, WriteDeadline: patience * time.Second,
	})
	if err != nil {
		return err
	}
	h.server.Start()
	if !h.server.ReadyForConnections(5 * time.Second) {
		h.server.Shutdown()
		return fmt.Errorf("hub: cannot listen at %s: is another hub running there?", address)
	}
	h.conn, err = nats.Connect("", nats.InProcessServer(h.server), nats.Nkey(public, user.Sign), nats.MaxReconnects(-1), nats.Name("hub"))
	if err != nil {
		h.server.Shutdown()
	}
	return err
}

// join connects to a server that runs elsewhere. Two hubs there would be in each other's way.
func (h *Hub) join(address, public string, user nkeys.KeyPair) (err error) {
	h.conn, err = nats.Connect("tls://"+address, nats.Nkey(public, user.Sign), nats.Secure(trust(h.keys.Certificate)),
		nats.Timeout(timeout), nats.MaxReconnects(-1), nats.ReconnectWait(beat/2), nats.Name("hub"))
	if err != nil {
		return fmt.Errorf("hub: the server at %s: %w", address, err)
	}
	for try := 0; try == 0 || try < 5 && errors.Is(err, nats.ErrTimeout); try++ { // the server may not know yet that a hub has ended
		_, err = h.conn.Request(hubSubject, nil, beat)
	}
	if err == nil {
		err = errors.New("another run is its hub now: wait for its end, or use other keys")
	} else if errors.Is(err, nats.ErrNoResponders) {
		_, err = h.conn.Subscribe(hubSubject, func(m *nats.Msg) { _ = m.Respond(nil) })
	}
	if err != nil {
		h.conn.Close()
		return fmt.Errorf("hub: the server at %s: %w", address, err)
	}
	return nil
}

// permissions let a worker ask, answer and read files under its own name, and nothing else.
func permissions(key string) *server.Permissions {
	return &server.Permissions{
		Publish:   &server.SubjectPermission{Allow: []string{prefix + "." + key + ".*"}},
		Subscribe: &server.SubjectPermission{Allow: []string{inbox(key) + ".>", newsSubject}},
	}
}

// Addr returns the address at which the hub's own server listens.
func (h *Hub) Addr() net.Addr { return h.server.Addr() }

// Close ends the hub.
func (h *Hub) Close() {
	close(h.stop)
	h.conn.Close()
	if h.server != nil {
		h.server.Shutdown()
		h.server.WaitForShutdown()
	}
}

// Workers returns the workers of the last minutes, sorted by name.
func (h *Hub) Workers() []WorkerState {
	h.mu.Lock()
	defer h.mu.Unlock()
	var all []WorkerState
	for _, id := range slices.Sorted(maps.Keys(h.workers)) {
		w := h.workers[id]
		w.WorkerState.Held = len(w.held)
		all = append(all, w.WorkerState)
	}
	slices.SortStableFunc(all, func(a, b WorkerState) int {
		return cmp.Or(strings.Compare(a.Name, b.Name), strings.Compare(a.Host, b.Host))
	})
	return all
}

// Do has the items of a job computed. It returns when all results are taken, at the first
// failure, or when ctx ends.
func (h *Hub) Do(ctx context.Context, of *Job) (err error) {
	if len(of.Todo) == 0 {
		return nil
	}
	j := &job{Job: of, name: disk.SumOf(of.Spec), items: map[int]*item{}, fresh: slices.Clone(of.Todo), sums: map[int]string{}, by: map[int]string{}, checks: map[int]*check{}, ended: make(chan error, 1)}
	for _, n := range of.Todo {
		j.items[n] = &item{}
	}
	j.files = []string{j.name}
	h.mu.Lock()
	h.files[j.name] = of.Spec
	for _, file := range of.Files {
		j.files = append(j.files, disk.SumOf(file))
		h.files[disk.SumOf(file)] = file
	}
	delete(h.over, j.name)
	h.jobs = append(h.jobs, j)
	h.mu.Unlock()
	defer func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.jobs = slices.DeleteFunc(h.jobs, func(other *job) bool { return other == j })
		h.over[j.name] = err == nil // workers keep what another hub may want
		for _, w := range h.workers {
			if w.job == j {
				w.leave()
			}
		}
		for _, name := range j.files { // other jobs may have the same files
			if !slices.ContainsFunc(h.jobs, func(other *job) bool { return slices.Contains(other.files, name) }) {
				delete(h.files, name)
			}
		}
	}()
	if err = h.conn.Publish(newsSubject, nil); err != nil {
		return err
	}
	select {
	case <-ctx.Done():
		return ctx.Err()
	case err = <-j.ended:
		return err
	}
}

// reply handles a request of a worker. What cannot be a request gets no reply.
func (h *Hub) reply(m *nats.Msg, handle func(string, []byte) (any, error)) {
	key := strings.Split(m.Subject, ".")[1]
	answer, err := handle(key, m.Data)
	if err != nil {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.tell(fmt.Sprintf("%s sent a message that is none: %v", h.keys.name(key), err))
		return
	}
	data, ok := answer.([]byte)
	if !ok {
		data, _ = json.Marshal(answer) // a reply can always be marshaled
	}
	_ = m.Respond(data) // a worker that gets no reply asks again
}

// tell notes something once. The caller holds the lock.
func (h *Hub) tell(text string) {
	if len(h.told) < 1000 && !h.told[text] {
		h.told[text] = true
		h.note(text)
	}
}

// file returns a part of a file.
func (h *Hub) file(key string, data []byte) (any, error) {
	var r fileRequest
	if err := json.Unmarshal(data, &r); err != nil {
		return nil, err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.keys.refuses(key) != "" {
		return []byte{}, nil
	}
	file := h.files[r.SHA256]
	from := max(0, min(r.Offset, len(file)))
	return file[from:min(from+chunk, len(file))], nil
}

// ask hands out items.
func (h *Hub) ask(key string, data []byte) (any, error) {
	var a ask
	if err := json.Unmarshal(data, &a); err != nil {
		return nil, err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if why := h.keys.refuses(key); why != "" {
		return order{Revoked: true, Refused: why}, nil
	}
	o := h.order(key, &a)
	o.Hub, o.Known = h.id, h.job(a.Job) != nil
	return o, nil
}

// order returns what a worker is to do.
func (h *Hub) order(key string, a *ask) order {
	w := h.workers[a.Worker]
	if w == nil || w.key != key {
		w = &worker{key: key, WorkerState: WorkerState{Name: h.keys.name(key)}, held: map[int]time.Time{}}
		h.workers[a.Worker] = w
	}
	w.Seen, w.Host, w.Speed = time.Now(), a.Host, a.Speed
	j := h.job(a.Job)
	if w.job != j {
		w.leave()
	}
	if j == nil {
		return order{Job: h.next(nil), Over: h.over[a.Job]}
	}
	if a.Failed != "" {
		w.leave()
		w.Refused = a.Failed
		if j.failures++; j.failures >= maxFailures && h.busy(j) == 0 {
			j.end(fmt.Errorf("%s on %s: %s", w.Name, w.Host, a.Failed))
		}
		h.tell(fmt.Sprintf("%s on %s failed: %s", w.Name, w.Host, a.Failed))
		return order{Job: j.name}
	}
	if a.Kind == nil { // it does not work on the job
		w.leave()
		return order{Job: h.next(j)}
	}
	w.Kind, w.Refused = a.Kind, a.Kind.differs(j.Needs)
	switch {
	case w.Refused != "", j.Any && j.kind != nil:
	case j.kind != nil:
		w.Refused = a.Kind.differs(j.kind)
	default:
		w.Refused = a.Kind.differs(j.Kind)
	}
	if w.Refused != "" {
		h.tell(fmt.Sprintf("%s on %s is of another kind and does not play: %s", w.Name, w.Host, w.Refused))
		return order{Job: j.name, Refused: w.Refused}
	}
	if j.kind == nil {
		if j.Begin != nil {
			if err := j.Begin(a.Kind); err != nil {
				j.end(err)
				return order{}
			}
		}
		j.kind = a.Kind
	}
	w.job = j
	if a.Held != nil {
		j.reconcile(w, a.Held)
	}
	elsewhere := h.job(h.next(nil))
	numbers := j.give(w, a.Room, h.busy(j), elsewhere == j || len(elsewhere.fresh) == 0)
	if len(numbers) == 0 && len(w.held) == 0 && len(j.fresh) == 0 {
		return order{Job: elsewhere.name}
	}
	return order{Job: j.name, Numbers: numbers}
}

func (h *Hub) job(name string) *job {
	for _, j := range h.jobs {
		if j.name == name {
			return j
		}
	}
	return nil
}

// next returns the job that a worker should open: the first with items that nobody has, other than
// one that it cannot do.
func (h *Hub) next(cannot *job) string {
	for _, j := range h.jobs {
		if len(j.fresh) > 0 && j != cannot {
			return j.name
		}
	}
	if cannot != nil {
		return cannot.name
	}
	if len(h.jobs) > 0 {
		return h.jobs[0].name
	}
	return ""
}

// busy returns the number of workers on a job.
func (h *Hub) busy(j *job) (n int) {
	for _, w := range h.workers {
		if w.job == j {
			n++
		}
	}
	return n
}

// watch hands out again what silent workers have.
func (h *Hub) watch() {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		select {
		case <-h.stop:
			return
		case <-tick.C:
		}
		h.mu.Lock()
		for id, w := range h.workers {
			quiet := time.Since(w.Seen)
			if quiet > silence {
				w.leave()
			}
			if quiet > 10*silence {
				delete(h.workers, id)
			}
		}
		for _, j := range h.jobs {
			if len(j.sums) == 0 && h.busy(j) == 0 { // its first worker has left it without a result
				j.kind = nil
			}
			h.finish(j)
		}
		h.mu.Unlock()
	}
}

// answer takes results.
func (h *Hub) answer(key string, data []byte) (any, error) {
	var a answer
	if err := a.unpack(data); err != nil {
		return receipt{Refused: err.Error()}, nil
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if why := h.keys.refuses(key); why != "" {
		return receipt{Refused: why}, nil
	}
	j, w := h.job(a.Job), h.workers[a.Worker]
	switch {
	case j == nil: // it has ended, or this hub has not come to it yet
		return receipt{Taken: h.over[a.Job]}, nil
	case w == nil || j.kind == nil: // this hub was started again, and the worker has not asked it yet
		return receipt{}, nil
	case w.key != key || w.Refused != "":
		return receipt{Refused: "the worker did not ask for this job"}, nil
	}
	for _, r := range a.Results {
		refused, failed := h.take(j, w, r)
		if refused != nil {
			return receipt{Refused: refused.Error()}, nil
		}
		if failed != nil { // the worker sends its results to the next hub
			j.end(failed)
			return receipt{}, nil
		}
	}
	return receipt{Taken: true}, nil
}

// take takes a result. refused is the error of a result that cannot be right, failed that of a
// hub that cannot keep it.
func (h *Hub) take(j *job, w *worker, r result) (refused, failed error) {
	it := j.items[r.Number]
	if it == nil {
		c := j.checks[r.Number]
		if first := j.sums[r.Number]; c == nil && first != "" && first != disk.SumOf(r.Result) && j.by[r.Number] != w.key && !j.Any {
			c = &check{number: r.Number, sums: map[string]string{j.by[r.Number]: first}}
			j.checks[r.Number] = c
		}
		if c != nil {
			return h.compare(j, c, w, r)
		}
		return nil, nil
	}
	refused, failed = j.Take(r.Number, r.Result, w.Kind)
	if refused != nil {
		h.tell(fmt.Sprintf("%s on %s: refused: %v", w.Name, w.Host, refused))
	}
	if refused != nil || failed != nil {
		return refused, failed
	}
	j.failures = 0
	j.sums[r.Number], j.by[r.Number] = disk.SumOf(r.Result), w.key
	j.draw(w, r.Number)
	w.Taken++
	if at, mine := w.held[r.Number]; mine {
		j.mean += (time.Since(at).Seconds() - j.mean) / float64(len(j.sums))
	}
	for _, holder := range it.holders {
		delete(holder.held, r.Number)
	}
	delete(j.items, r.Number)
	h.finish(j)
	return nil, nil
}
