package lichess

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// client makes the requests.
type client struct {
	url, token string
	http       *http.Client
	pause      pauses
}

// pauses are how long the client waits; tests shorten them.
type pauses struct {
	retry   time.Duration // before the first repetition, doubled for each further one
	most    time.Duration // never longer than this
	limited time.Duration // after "too many requests": lichess demands a minute
	answer  time.Duration // after which a request without an answer is made again
	silence time.Duration // after which a silent stream is dead: lichess sends an empty line every few seconds
}

var defaultPauses = pauses{retry: time.Second, most: time.Minute, limited: time.Minute, answer: 30 * time.Second, silence: 30 * time.Second}

// StatusError is an answer with an error status.
type StatusError struct {
	Status int
	Method string
	Path   string
	Text   string // the server's message
}

func (e *StatusError) Error() string {
	text := fmt.Sprintf("lichess: %s %s: %d %s", e.Method, e.Path, e.Status, http.StatusText(e.Status))
	if e.Text != "" {
		text += ": " + e.Text
	}
	if e.Status == http.StatusUnauthorized {
		text += " (is the token of a bot account, with the scope bot:play?)"
	}
	return text
}

// request makes a request; the caller closes the body.
func (c *client) request(ctx context.Context, method, path string, form url.Values) (*http.Response, error) {
	var body io.Reader
	if form != nil {
		body = strings.NewReader(form.Encode())
	}
	r, err := http.NewRequestWithContext(ctx, method, c.url+path, body)
	if err != nil {
		return nil, err
	}
	r.Header.Set("Authorization", "Bearer "+c.token)
	r.Header.Set("User-Agent", "alamos")
	if form != nil {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	answer, err := c.http.Do(r)
	if err != nil {
		return nil, err
	}
	if answer.StatusCode < 300 {
		return answer, nil
	}
	defer answer.Body.Close()
	const most = 1 << 10
	text, _ := io.ReadAll(io.LimitReader(answer.Body, most))
	var said struct {
		Error any `json:"error"`
	}
	if json.Unmarshal(text, &said) == nil && said.Error != nil {
		text = fmt.Append(nil, said.Error)
	}
	return nil, &StatusError{answer.StatusCode, method, path, strings.Join(strings.Fields(string(text)), " ")}
}

// retry calls f until it succeeds or fails for good, or ctx ends, with pauses that
// grow. f calls working when the connection works, which makes the next pause short.
func (c *client) retry(ctx context.Context, note func(error), f func(working func()) error) error {
	wait := c.pause.retry
	for {
		err := f(func() { wait = c.pause.retry })
		refusal, refused := errors.AsType[*StatusError](err)
		limited := refused && refusal.Status == http.StatusTooManyRequests
		switch {
		case err == nil:
			return nil
		case ctx.Err() != nil:
			return ctx.Err()
		case refused && refusal.Status < 500 && !limited: // another try is useless
			return err
		}
		note(err)
		pause := wait
		if limited {
			pause = max(wait, c.pause.limited)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pause):
		}
		wait = min(2*wait, c.pause.most)
	}
}

// requestWithRetry makes a request until it is answered, with success or not, or ctx ends.
func (c *client) requestWithRetry(ctx context.Context, method, path string, form url.Values, note func(error)) (text []byte, err error) {
	err = c.retry(ctx, note, func(func()) error {
		ctx, cancel := context.WithTimeout(ctx, c.pause.answer)
		defer cancel()
		answer, err := c.request(ctx, method, path, form)
		if err != nil {
			return err
		}
		defer answer.Body.Close()
		text, err = io.ReadAll(io.LimitReader(answer.Body, 1<<20))
		return err
	})
	return text, err
}

// follow passes the JSON objects of a stream to f until f returns false, and opens the
// stream again when it breaks.
func (c *client) follow(ctx context.Context, path string, note func(error), f func(line []byte) bool) error {
	return c.retry(ctx, note, func(working func()) error {
		return c.stream(ctx, path, func(line []byte) bool {
			working()
			return f(line)
		})
	})
}

// errSilence is the error of a stream that sends not even empty lines.
var errSilence = errors.New("lichess: the stream is silent")

// stream opens a stream of JSON objects, one on each line, and passes them to f until f
// returns false, which is not an error. Empty lines only show that the stream is alive.
func (c *client) stream(ctx context.Context, path string, f func(line []byte) bool) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	watch := time.AfterFunc(c.pause.answer, func() { cancel(errSilence) })
	defer watch.Stop()
	answer, err := c.request(ctx, http.MethodGet, path, nil)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	watch.Reset(c.pause.silence)
	lines := bufio.NewScanner(answer.Body)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		watch.Stop() // f may take its time
		if line := bytes.TrimSpace(lines.Bytes()); len(line) > 0 && !f(line) {
			return nil
		}
		watch.Reset(c.pause.silence)
	}
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("lichess: GET %s: %w", path, err)
	}
	return fmt.Errorf("lichess: GET %s: %w", path, io.ErrUnexpectedEOF)
}
