package run

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"alamos/pkg/uci/testdata/fake"

	"alamos/pkg/hook"
	"alamos/pkg/hub"
)

// Variables in the environment that make the test binary another program.
const (
	runVariable   = "ALAMOS_TEST_RUN"   // run the experiment of the site of this folder
	setVariable   = "ALAMOS_TEST_SET"   // with these settings, a line each
	killVariable  = "ALAMOS_TEST_KILL"  // and die at the first step that this file does not name
	limitVariable = "ALAMOS_TEST_LIMIT" // or write no file longer than this
	hubVariable   = "ALAMOS_TEST_HUB"   // with a hub at this address, whose keys are in the site
	workVariable  = "ALAMOS_TEST_WORK"  // work with the token of this file
	crowdVariable = "ALAMOS_TEST_CROWD" // be many workers with the tokens of these files
)

func TestMain(m *testing.M) {
	switch dir := os.Getenv(runVariable); {
	case hook.IsChild():
		os.Exit(hook.RunChild())
	case os.Getenv(workVariable) != "":
		fmt.Fprintln(os.Stderr, workChild(os.Getenv(workVariable)))
		os.Exit(1)
	case os.Getenv(crowdVariable) != "":
		fmt.Fprintln(os.Stderr, crowdChild(strings.Split(os.Getenv(crowdVariable), "\n")))
		os.Exit(1)
	case dir != "":
		if err := runChild(site{dir}); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	code := m.Run()
	if whole.made {
		os.RemoveAll(whole.site.dir)
	}
	if ranQuick.dir != "" {
		os.RemoveAll(ranQuick.dir)
	}
	fake.Clean()
	os.Exit(code)
}

// runChild runs the site's experiment as the environment says.
func runChild(s site) error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	var killer *recorder
	if file := os.Getenv(killVariable); file != "" {
		killer = killAtNewStep(file)
	}
	if limit := os.Getenv(limitVariable); limit != "" {
		signal.Ignore(syscall.SIGXFSZ) // as the command does
		var n uint64
		if _, err := fmt.Sscan(limit, &n); err != nil {
			return err
		}
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: n, Max: n}); err != nil {
			return err
		}
	}
	var h *hub.Hub
	if address := os.Getenv(hubVariable); address != "" {
		keys, err := hub.ReadKeys(filepath.Join(s.dir, hub.KeyFile))
		if err == nil {
			h, err = hub.Serve(address, keys, func(text string) { fmt.Println(text) })
		}
		if err != nil {
			return err
		}
		defer h.Close()
	}
	var set []string
	if lines := os.Getenv(setVariable); lines != "" {
		set = strings.Split(lines, "\n")
	}
	_, err := s.try(ctx, func(o *Options) {
		o.Hub = h
		if killer != nil {
			o.Reporter = killer
		}
	}, set...)
	return err
}

// workChild works for the hub of a token.
func workChild(file string) error {
	token, err := hub.ReadToken(file)
	if err != nil {
		return err
	}
	opt := site{}.options(Quiet{})
	opt.Workers = 1
	return PlayFor(context.Background(), token, opt, 0)
}

// allStages are the stages of the experiment of testdata, in order.
var allStages = []string{
	"untrained network", "self-play 1", "hooks 1", "training 1", "self-play 2", "hooks 2", "training 2", "tournament",
}

// wantError wants an error that has all these texts.
func wantError(t *testing.T, err error, texts ...string) {
	t.Helper()
	if err == nil {
		t.Fatal("no error")
	}
	for _, s := range texts {
		if !strings.Contains(err.Error(), s) {
			t.Errorf("error %q does not say %q", err, s)
		}
	}
}
