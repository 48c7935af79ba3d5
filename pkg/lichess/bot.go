package lichess

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"alamos/pkg/chess"
	"alamos/pkg/uci"
)

// Config is a bot.
type Config struct {
	URL    string // of the server; "": https://lichess.org
	Token  string
	Policy Policy
	Log    *slog.Logger // nil discards messages

	// Engine makes the engine of a game, which is closed after the game.
	Engine func(v chess.Variant) (uci.Searcher, error)

	pause pauses // zero: the default pauses
}

// bot is a running bot.
type bot struct {
	Config
	client client
	me     account

	mu    sync.Mutex
	games map[string]bool // running
	// accepted are the challenges that have been accepted and whose games have not begun. A
	// challenge's game has its ID.
	accepted map[string]bool
	count    sync.WaitGroup
}

// Run accepts challenges and plays until ctx ends. It then accepts no more, and returns
// when the running games have ended. When end ends, it gives up those games, which then
// lose on time. A token that is refused, or that does not belong to a bot, is an error;
// a failed connection is not: Run tries again.
func Run(ctx, end context.Context, cfg Config) error {
	cfg.URL, cfg.pause = cmp.Or(cfg.URL, "https://lichess.org"), cmp.Or(cfg.pause, defaultPauses)
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	b := &bot{
		Config: cfg, games: map[string]bool{}, accepted: map[string]bool{},
		client: client{url: strings.TrimSuffix(cfg.URL, "/"), token: cfg.Token, http: &http.Client{}, pause: cfg.pause},
	}
	defer b.count.Wait()
	text, err := b.client.requestWithRetry(ctx, http.MethodGet, "/api/account", nil, b.logRetry("account"))
	if err != nil {
		return err
	}
	if err := json.Unmarshal(text, &b.me); err != nil || b.me.ID == "" {
		return fmt.Errorf("lichess: %s is not a lichess server: it does not name the account of the token", cfg.URL)
	}
	if b.me.Title != "BOT" {
		return fmt.Errorf("lichess: %s is not a bot account: upgrade it with POST /api/bot/account/upgrade; it must not have played any game, and the upgrade cannot be undone", b.me.Username)
	}
	b.Log.Info("at work", "as", b.me.Username, "server", cfg.URL)
	err = b.client.follow(ctx, "/api/stream/event", b.logRetry("events"), func(line []byte) bool {
		b.event(ctx, end, line)
		return true
	})
	if ctx.Err() != nil {
		return nil
	}
	return err
}

// logRetry returns a function that logs an error before another try.
func (b *bot) logRetry(with string) func(error) {
	return func(err error) { b.Log.Warn("trying again", "with", with, "error", err) }
}

// event handles an event of the account.
func (b *bot) event(ctx, end context.Context, line []byte) {
	var e event
	if err := json.Unmarshal(line, &e); err != nil {
		b.Log.Warn("not understood", "error", err)
		return
	}
	switch e.Type {
	case "challenge":
		b.challenged(ctx, end, &e.Challenge)
	case "gameStart":
		b.begin(end, cmp.Or(e.Game.GameID, e.Game.ID))
	}
}

const (
	answerTime = 5 * time.Minute // for the answer to a challenge, with its repetitions
	startTime  = time.Minute     // in which the game of an accepted challenge begins
)

// challenged answers a challenge, without holding up the events that follow, and plays the
// game of one that it accepts.
func (b *bot) challenged(ctx, end context.Context, c *challenge) {
	if strings.EqualFold(c.Challenger.ID, b.me.ID) {
		return // our own
	}
	b.mu.Lock()
	if b.accepted[c.ID] || b.games[c.ID] { // a new stream of events repeats the challenges
		b.mu.Unlock()
		return
	}
	reason := b.Policy.refuses(c, len(b.games)+len(b.accepted))
	if reason == "" {
		b.accepted[c.ID] = true
	}
	b.mu.Unlock()
	path, form := "/api/challenge/"+url.PathEscape(c.ID)+"/accept", url.Values(nil)
	if reason != "" {
		path, form = "/api/challenge/"+url.PathEscape(c.ID)+"/decline", url.Values{"reason": {reason}}
	} else {
		ctx = end // the game of an accepted challenge is played
	}
	b.Log.Info("challenge", "of", c.Challenger.Name, "variant", c.Variant.Key, "speed", c.Speed, "rated", c.Rated, "declined", reason)
	b.count.Go(func() {
		answering, cancel := context.WithTimeout(ctx, answerTime)
		defer cancel()
		_, err := b.client.requestWithRetry(answering, http.MethodPost, path, form, b.logRetry("challenge"))
		_, refused := errors.AsType[*StatusError](err)
		switch {
		case err == nil && reason == "":
			b.begin(end, c.ID)
		case refused:
			b.forget(c.ID)
		case err != nil: // without an answer the challenge may have been accepted nevertheless
			time.AfterFunc(startTime, func() { b.forget(c.ID) })
		}
		if err != nil && ctx.Err() == nil {
			b.Log.Info("challenge is gone", "of", c.Challenger.Name, "error", err)
		}
	})
}

// forget ends the wait for the game of a challenge.
func (b *bot) forget(id string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.accepted, id)
}

// begin plays a game unless it runs already: a new stream of events repeats the
// running games.
func (b *bot) begin(end context.Context, id string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.accepted, id)
	if id == "" || b.games[id] {
		return
	}
	b.games[id] = true
	b.count.Go(func() {
		err := b.play(end, id)
		b.mu.Lock()
		delete(b.games, id)
		b.mu.Unlock()
		if err != nil && !errors.Is(err, context.Canceled) {
			b.Log.Error("game given up", "game", id, "error", err)
		}
	})
}

// Policy says which challenges the bot accepts.
type Policy struct {
	Variants []chess.Variant
	Chess960 bool // accept games of chess from other positions
	Rated    bool // accept rated games
	Casual   bool // accept other games
	Humans   bool
	Bots     bool
	Shortest time.Duration // least duration of a game: limit + 40 increments, as lichess estimates it
	Longest  time.Duration // 0: no bound
	Untimed  bool          // accept games without a clock, and by correspondence
	Only     []string      // names of the only users to play; empty: all
	Never    []string      // names of users not to play
	AtOnce   int           // most games at once
}

// refuses returns the reason to decline a challenge in lichess' words, or "" to accept
// it; games is the number of running games.
func (p *Policy) refuses(c *challenge, games int) string {
	v, err := parseVariant(c.Variant.Key)
	bot := c.Challenger.Title == "BOT"
	is := func(name string) bool {
		return strings.EqualFold(name, c.Challenger.Name) || strings.EqualFold(name, c.Challenger.ID)
	}
	length := time.Duration(c.TimeControl.Limit+40*c.TimeControl.Increment) * time.Second
	timed := c.TimeControl.Type == "clock"
	switch {
	case slices.ContainsFunc(p.Never, is), len(p.Only) > 0 && !slices.ContainsFunc(p.Only, is):
		return "generic"
	case err != nil, !slices.Contains(p.Variants, v):
		return "variant"
	case (c.Variant.Key == "chess960" || c.Variant.Key == "fromPosition") && !p.Chess960:
		return "variant"
	case bot && !p.Bots:
		return "noBot"
	case !bot && !p.Humans:
		return "onlyBot"
	case c.Rated && !p.Rated:
		return "casual" // challenge to a casual game instead
	case !c.Rated && !p.Casual:
		return "rated"
	case !timed && !p.Untimed:
		return "timeControl"
	case timed && length < p.Shortest:
		return "tooFast"
	case timed && p.Longest > 0 && length > p.Longest:
		return "tooSlow"
	case games >= p.AtOnce:
		return "later"
	}
	return ""
}
