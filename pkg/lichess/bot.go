package lichess

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"sync"

	"alamos/pkg/chess"
	"alamos/pkg/uci"
)

// Config is a bot.
type Config struct {
	URL    string // of the server; "": https://lichess.org
	Token  string
	Policy Policy
	Log    *slog.Logger // nil: nowhere

	// Engine makes an engine for a game; it is closed after it.
	Engine func(v chess.Variant) (*uci.Engine, error)

	pause pauses // zero: patient
}

// bot is a bot at work.
type bot struct {
	Config
	client client
	me     account

	mu    sync.Mutex
	games map[string]bool // under way
	count sync.WaitGroup
}

// Run takes challenges and plays until ctx ends. It then takes none any more, and
// returns when the games that are under way have ended, or end has: they are given up
// then, and lost on time. A token that is not accepted, or not a bot's, is an error;
// a connection that fails is not: Run comes back to it.
func Run(ctx, end context.Context, cfg Config) error {
	if cfg.URL == "" {
		cfg.URL = "https://lichess.org"
	}
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	if cfg.pause == (pauses{}) {
		cfg.pause = patient
	}
	b := &bot{
		Config: cfg, games: map[string]bool{},
		client: client{url: strings.TrimSuffix(cfg.URL, "/"), token: cfg.Token, http: &http.Client{}, pause: cfg.pause},
	}
	defer b.count.Wait()
	text, err := b.client.insist(ctx, http.MethodGet, "/api/account", nil, b.trouble("account"))
	if err != nil {
		return err
	}
	if err := json.Unmarshal(text, &b.me); err != nil || b.me.ID == "" {
		return fmt.Errorf("lichess: %s is no server of ours: it does not say whose the token is (%w)", cfg.URL, err)
	}
	if b.me.Title != "BOT" {
		return fmt.Errorf("lichess: %s is no bot account: upgrade it with POST /api/bot/account/upgrade; it must not have played, and cannot be made a player's again", b.me.Username)
	}
	b.Log.Info("at work", "as", b.me.Username, "server", cfg.URL)
	for wait := b.pause.retry; ; wait = min(2*wait, b.pause.most) {
		err := b.client.stream(ctx, "/api/stream/event", func(line []byte) bool {
			wait = b.pause.retry // it works
			b.event(ctx, end, line)
			return true
		})
		if ctx.Err() != nil {
			return nil
		}
		if final(err) {
			return err
		}
		b.trouble("events")(err)
		if b.client.sleep(ctx, err, wait) != nil {
			return nil
		}
	}
}

// trouble tells of an error that is not the end.
func (b *bot) trouble(with string) func(error) {
	return func(err error) { b.Log.Warn("trying again", "with", with, "error", err) }
}

// event is something that concerns the account.
func (b *bot) event(ctx, end context.Context, line []byte) {
	var e event
	if err := json.Unmarshal(line, &e); err != nil {
		b.Log.Warn("not understood", "error", err)
		return
	}
	switch e.Type {
	case "challenge":
		b.challenged(ctx, &e.Challenge)
	case "gameStart":
		b.begin(end, e.Game.id())
	}
}

// challenged answers a challenge.
func (b *bot) challenged(ctx context.Context, c *challenge) {
	if strings.EqualFold(c.Challenger.ID, b.me.ID) {
		return // our own
	}
	b.mu.Lock()
	games := len(b.games)
	b.mu.Unlock()
	reason := b.Policy.refuses(c, games)
	path, form := "/api/challenge/"+url.PathEscape(c.ID)+"/accept", url.Values(nil)
	if reason != "" {
		path, form = "/api/challenge/"+url.PathEscape(c.ID)+"/decline", url.Values{"reason": {reason}}
	}
	b.Log.Info("challenge", "of", c.Challenger.Name, "variant", c.Variant.Key, "speed", c.Speed, "rated", c.Rated, "declined", reason)
	if _, err := b.client.insist(ctx, http.MethodPost, path, form, b.trouble("challenge")); err != nil && ctx.Err() == nil {
		b.Log.Info("challenge is gone", "of", c.Challenger.Name, "error", err)
	}
}

// begin plays a game, if nobody plays it yet: a new stream of events tells of games
// under way again.
func (b *bot) begin(end context.Context, id string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if id == "" || b.games[id] {
		return
	}
	b.games[id] = true
	b.count.Add(1)
	go func() {
		defer b.count.Done()
		err := b.play(end, id)
		b.mu.Lock()
		delete(b.games, id)
		b.mu.Unlock()
		if err != nil && !errors.Is(err, context.Canceled) {
			b.Log.Error("game given up", "game", id, "error", err)
		}
	}()
}
