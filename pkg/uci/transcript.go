package uci

import (
	"bytes"
	"sync"
	"unicode/utf8"
)

// transcriptLines is how many lines of a conversation are kept, and
// transcriptWidth how many bytes of each: an error must not carry megabytes
// because an engine wrote them.
const (
	transcriptLines = 200
	transcriptWidth = 500
)

// transcript keeps the last lines of a conversation. It is safe for use by many
// goroutines: standard error is read beside the conversation itself.
type transcript struct {
	mu    sync.Mutex
	lines [transcriptLines]string
	n     int // lines ever added
}

// add keeps a line; prefix is "> ", "< " or "! ".
func (t *transcript) add(prefix, line string) {
	if len(line) > transcriptWidth {
		cut := transcriptWidth
		for cut > 0 && !utf8.RuneStart(line[cut]) {
			cut--
		}
		line = line[:cut] + " ..."
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.lines[t.n%transcriptLines] = prefix + line
	t.n++
}

// tail copies the lines kept, oldest first.
func (t *transcript) tail() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	kept := min(t.n, transcriptLines)
	out := make([]string, 0, kept)
	for i := t.n - kept; i < t.n; i++ {
		out = append(out, t.lines[i%transcriptLines])
	}
	return out
}

// stderrLines is a writer that cuts what it is given into lines of a transcript.
type stderrLines struct {
	t    *transcript
	rest []byte
}

func (w *stderrLines) Write(p []byte) (int, error) {
	w.rest = append(w.rest, p...)
	for {
		i := bytes.IndexByte(w.rest, '\n')
		if i < 0 {
			break
		}
		w.t.add("! ", string(bytes.TrimRight(w.rest[:i], "\r")))
		w.rest = w.rest[i+1:]
	}
	if len(w.rest) > transcriptWidth {
		w.t.add("! ", string(w.rest))
		w.rest = nil
	}
	return len(p), nil
}
