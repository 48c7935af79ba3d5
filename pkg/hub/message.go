package hub

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/klauspost/compress/zstd"
)

// Subjects are prefix.KEY.request, where KEY is the public key of the worker. A worker may send
// to its own subjects only.
const (
	prefix        = "alamos"
	askSubject    = "ask"
	fileSubject   = "file"
	answerSubject = "answer"
	newsSubject   = prefix + ".news" // to all workers: ask now
	hubSubject    = prefix + ".hub"  // from a hub that begins, to another at the same server
)

func inbox(public string) string { return "_INBOX." + public }

const (
	maxMessage = 1 << 20 // default limit of NATS servers
	chunk      = 1 << 19 // part of a file
	maxAnswer  = 1 << 21 // results that are sent together, before compression, if more than one
	maxResults = 1 << 26 // uncompressed results of an answer
	mostItems  = 32      // items that are handed out at once
)

// Kind names what the bits of a worker's results depend on besides the job, part by part.
type Kind map[string]string

// differs returns how a kind differs from the one that is wanted, or "".
func (k Kind) differs(want Kind) string {
	var all []string
	for part := range want {
		if k[part] != want[part] {
			all = append(all, fmt.Sprintf("%s is %s, want %s", part, k[part], want[part]))
		}
	}
	slices.Sort(all)
	return strings.Join(all, "; ")
}

// ask asks for items.
type ask struct {
	Worker string // names the process
	Host   string
	Job    string // that the worker has opened; empty: none
	Kind   Kind   // of the worker, with this job
	Room   int    // number of items that it can take now
	// Held are the items that it has, unless nil.
	Held   []int   `json:",omitzero"`
	Failed string  `json:",omitempty"` // why it cannot work on the job
	Speed  float64 `json:",omitempty"` // results a second
}

// order is the reply.
type order struct {
	Hub     string // names the hub: another one may not refuse what this one refuses
	Job     string // to work on; empty: none
	Known   bool   // the hub has the job that the worker asked for
	Over    bool   // the job that the worker asked for has ended
	Numbers []int
	Refused string // why the worker gets nothing of this job
	Revoked bool   // it gets nothing at all
}

// fileRequest asks for a part of a file. The reply is the part alone; empty: the end.
type fileRequest struct {
	SHA256 string
	Offset int
}

// answer has results. It is sent as JSON, compressed.
type answer struct {
	Worker  string
	Job     string
	Results []result
}

type result struct {
	Number int
	Result json.RawMessage
}

// receipt is the reply to an answer.
type receipt struct {
	Taken   bool   // the results are on disk, or were before
	Refused string // why the results are worthless
}

var (
	encoder, _ = zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1)) // these options are valid
	decoder, _ = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxResults))
)

func (a *answer) pack() ([]byte, error) {
	b, err := json.Marshal(a)
	return encoder.EncodeAll(b, nil), err
}

// unpack refuses what is not an answer. It takes a bounded amount of memory.
func (a *answer) unpack(b []byte) error {
	text, err := decoder.DecodeAll(b, nil)
	if err == nil {
		err = json.Unmarshal(text, a)
	}
	return err
}
