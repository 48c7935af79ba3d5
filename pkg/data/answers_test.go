package data

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"alamos/pkg/encode"
	"alamos/pkg/nn"
	"alamos/pkg/uci"
)

// keeper keeps entries as a journal does.
type keeper struct {
	mutex   sync.Mutex
	entries [][]byte
}

func (k *keeper) answers(t *testing.T, known [][]byte) *Answers {
	t.Helper()
	a := &Answers{Keep: func(entry []byte) error {
		k.mutex.Lock()
		defer k.mutex.Unlock()
		k.entries = append(k.entries, entry)
		return nil
	}}
	for _, entry := range known {
		if err := a.Replay(entry); err != nil {
			t.Fatal(err)
		}
	}
	return a
}

// An interrupted chunk that continues has the same bytes, and engines answer only for games
// that are not known.
func TestAnswersRecalled(t *testing.T) {
	command := stockfish(t)
	nobody := uci.Command{Name: "nobody", Path: "/nonexistent/engine"}
	c := codecOf(t, "mover15", "uci1968-mover")
	engine := func(c uci.Command) Config {
		return Config{Kind: Engine, Games: 4, Positions: 5, Policy: EngineMove, Player: Player{Command: c, Limit: uci.Limit{Nodes: 20}, RandomPlies: 8}, Label: &Label{Command: c, Limit: uci.Limit{Depth: 1}}}
	}
	pgn := func(c uci.Command) Config {
		return Config{Kind: PGN, Files: []string{gamesPGN}, Positions: 2, Label: &Label{Command: c, Limit: uci.Limit{Depth: 2}, Finish: uci.Limit{Depth: 1}}}
	}
	teacher := labeler(t)
	network := func(c uci.Command) Config {
		return Config{Kind: Engine, Games: 3, Positions: 5, Policy: EngineMove, Player: Player{Command: c, Limit: uci.Limit{Nodes: 20}, RandomPlies: 8}, Label: &Label{Model: "x.safetensors", Network: teacher}}
	}
	for name, config := range map[string]func(uci.Command) Config{"engine": engine, "pgn": pgn, "network": network} {
		t.Run(name, func(t *testing.T) {
			var all, rest, none keeper
			made := func(by uci.Command, a *Answers) (Info, string) {
				return sumOf(t, open(t, config(by), 4, 2), 1, c, a)
			}
			first, want := made(command, all.answers(t, nil))
			if len(all.entries) != first.Games {
				t.Fatalf("%d games kept of %d", len(all.entries), first.Games)
			}
			half := all.entries[:len(all.entries)/2]
			if info, sum := made(command, rest.answers(t, half)); sum != want || info != first {
				t.Errorf("from half of the answers the chunk is %+v %s, want %+v %s", info, sum, first, want)
			}
			if len(rest.entries) != first.Games-len(half) {
				t.Errorf("with %d games of %d known %d were asked about", len(half), first.Games, len(rest.entries))
			}
			asked := askedElsewhere(t, config(command), half)
			if info, sum := made(nobody, none.answers(t, slices.Concat(half, asked))); sum != want || len(asked) != len(rest.entries) {
				t.Errorf("with %d answers of another process the chunk is %+v %s, want %d and %+v %s", len(asked), info, sum, len(rest.entries), first, want)
			}
			if info, sum := made(nobody, none.answers(t, all.entries)); sum != want || info != first || len(none.entries) > 0 {
				t.Errorf("from all answers and without an engine the chunk is %+v %s, want %+v %s; %d kept again", info, sum, first, want, len(none.entries))
			}
		})
	}
}

// Answers of another game are an error.
func TestAnswersOfAnotherGame(t *testing.T) {
	command := stockfish(t)
	c := codecOf(t, "mover15", "uci1968-mover")
	cfg := Config{Kind: Engine, Games: 1, Player: Player{Command: command, Limit: uci.Limit{Nodes: 20}, RandomPlies: 8}}
	var kept keeper
	sumOf(t, open(t, cfg, 1, 0), 1, c, kept.answers(t, nil))
	if _, err := open(t, cfg, 2, 0).Chunk(t.Context(), First, c, filepath.Join(t.TempDir(), "x"), kept.answers(t, kept.entries), nil); err == nil || !strings.Contains(err.Error(), "answers of another game") {
		t.Errorf("error %v", err)
	}
	if err := new(Answers).Replay([]byte("{")); err == nil {
		t.Error("a damaged entry is taken")
	}
}

// An engine that ends is started again once, and its game begins again.
func TestEngineStartedAgain(t *testing.T) {
	dir := t.TempDir()
	game := filepath.Join(dir, "a.pgn")
	if err := os.WriteFile(game, []byte("[Event \"?\"]\n\n1. e4 e5 1-0\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	c := codecOf(t, "mover15", "uci1968-mover")
	sum := func(line string) string {
		_, sum := sumOf(t, open(t, Config{Kind: PGN, Files: []string{game}, Label: &Label{Command: script(t, line), Limit: uci.Limit{Depth: 1}}}, 1, 0), 1, c)
		return sum
	}
	flag := filepath.Join(dir, "crashed")
	want := sum("sh: echo info depth 1 score cp 1")
	if have := sum("sh: [ $move = e2e4 ] || [ -e " + flag + " ] || { touch " + flag + "; exit 3; }; echo info depth 1 score cp 1"); have != want {
		t.Errorf("after a crash in the middle of a game the samples are others")
	}
	if _, err := os.Stat(flag); err != nil {
		t.Error("the engine did not crash")
	}
}

// Everything that changes the engines' answers changes their identity.
func TestIdentity(t *testing.T) {
	nobody := uci.Command{Name: "nobody", Path: "/nonexistent/engine"}
	of := func(seed uint64, g int, change func(*Config)) string {
		cfg := Config{Kind: Engine, Games: 1, Player: Player{Command: nobody, Limit: uci.Limit{Nodes: 20}}}
		change(&cfg)
		identity, err := open(t, cfg, seed, 0).Identity(g)
		if err != nil {
			t.Fatal(err)
		}
		return identity
	}
	same := func(*Config) {}
	seen := map[string]string{}
	for name, identity := range map[string]string{
		"plain":       of(1, 1, same),
		"seed":        of(2, 1, same),
		"chunk":       of(1, 2, same),
		"start":       of(1, 1, func(c *Config) { c.Start = []string{"chess960"} }),
		"two starts":  of(1, 1, func(c *Config) { c.Start = []string{"chess960", "8/8/8/8/8/1k6/8/K6R w - - 0 1"} }),
		"limit":       of(1, 1, func(c *Config) { c.Player.Limit.Nodes = 21 }),
		"random":      of(1, 1, func(c *Config) { c.Player.RandomPlies = 3 }),
		"label":       of(1, 1, func(c *Config) { c.Label = &Label{Command: nobody, Limit: uci.Limit{Depth: 1}} }),
		"label depth": of(1, 1, func(c *Config) { c.Label = &Label{Command: nobody, Limit: uci.Limit{Depth: 2}} }),
		"games":       of(1, 1, func(c *Config) { c.Games = 2 }),
	} {
		if other, there := seen[identity]; there {
			t.Errorf("%s and %s are the same: %s", name, other, identity)
		}
		seen[identity] = name
	}
}

// labeler opens a network that labels.
func labeler(t *testing.T) Network {
	t.Helper()
	c := codecOf(t, "mover16", "uci1968-mover")
	net, err := nn.New(nn.Spec{Planes: c.Planes.Count(), Constant: c.Planes.Constant(), PolicyMap: c.Policy.Name(), PolicySize: c.Policy.Size(), Depth: 1, Width: 8}, 5)
	if err != nil {
		t.Fatal(err)
	}
	return func() (*nn.Model, encode.Codec, error) {
		model, err := net.Compile(nn.InferenceOptions{Batch: 4})
		return model, c, err
	}
}

// askedElsewhere returns the answers to the questions of the first chunk that are not known, of a
// source without the files and without the network that labels.
func askedElsewhere(t *testing.T, cfg Config, known [][]byte) (entries [][]byte) {
	t.Helper()
	label := *cfg.Label
	label.Network = nil
	cfg.Label = &label
	s := open(t, cfg, 4, 2)
	questions, err := s.Questions(t.Context(), First)
	if err != nil {
		t.Fatal(err)
	}
	var games bytes.Buffer
	if err := questions.Write(&games); err != nil {
		t.Fatal(err)
	}
	if len(cfg.Files) > 0 {
		empty := filepath.Join(t.TempDir(), "empty.pgn")
		if err := os.WriteFile(empty, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		cfg.Files = []string{empty}
	}
	there, err := open(t, cfg, 4, 2).ReadQuestions(1, &games)
	if err != nil {
		t.Fatal(err)
	}
	todo := make(chan int)
	var a keeper
	numbers := questions.Numbers(a.answers(t, known))
	go func() {
		defer close(todo)
		for _, n := range numbers {
			todo <- n
		}
	}()
	keep := a.answers(t, nil).Keep
	if err := there.Answer(t.Context(), todo, func(number int, entry []byte) {
		if err := questions.Check(t.Context(), number, entry); err != nil {
			t.Error(err)
		}
		_ = keep(entry) // it has no errors
		for _, wrong := range []string{
			strings.Replace(string(entry), `"m":"`, `"m":"h8`, 1), strings.Replace(string(entry), `"p":`, `"p":1`, 1),
			strings.Replace(string(entry), `"v":`, `"v":7`, 1), strings.Replace(string(entry), `"answers":[`, `"answers":[{"p":1,"m":"e2e4"},`, 1),
			strings.Replace(string(entry), `"game":`, `"game":1`, 1), "{}", "",
		} {
			if err := questions.Check(t.Context(), number, []byte(wrong)); wrong != string(entry) && err == nil {
				t.Errorf("game %d: accepted %s", number, wrong)
			}
		}
	}); err != nil {
		t.Fatal(err)
	}
	return a.entries
}
