package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os/exec"
	"runtime"

	"github.com/spf13/cobra"

	"alamos/pkg/web"
)

func serveCommand() *cobra.Command {
	var results string
	var at address
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Watch results on a page in the browser while they are made",
		Long: `serve shows the results of all experiments on a page that follows them while they are
made: the stage of each trial with its progress and the time left, its metrics, the games of
the running tournament, and the latest game, move by move. The metrics of ticked trials are
compared in a figure, and a filter selects trials by their settings, states and metrics.

The page only reads. It serves only this machine unless --addr says otherwise. For a run on
another machine, let SSH forward the port:
  ssh -L 8090:localhost:8090 MACHINE

` + "`alamos run --serve`" + ` serves the page while it runs. Ctrl-C ends it.`,
		Example: `  alamos serve
  alamos serve --results /scratch/lab --addr localhost:9000 --open
  alamos run experiments/quickstart.yaml --serve`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			host, err := at.host()
			if err != nil {
				return err
			}
			log := slog.New(slog.NewTextHandler(cmd.ErrOrStderr(), nil))
			return at.serve(cmd, "watch", seeResults, web.NewResults(results, host, log), log)
		},
	}
	resultsFlag(cmd, &results)
	at.flags(cmd, resultsAddress)
	return cmd
}

// seeResults is what others can do with the page of results.
const seeResults = "see the results"

// noteReach says what others can do with a page that other machines can reach.
func noteReach(out io.Writer, l net.Listener, others string) {
	if ip := l.Addr().(*net.TCPAddr).IP; !ip.IsLoopback() {
		fmt.Fprintf(out, "note: anyone who can reach this address can %s\n", others)
	}
}

// resultsAddress is the default address of the page of results. That of alamos play differs,
// so that both can be open.
const resultsAddress = "localhost:8090"

// serveAlong serves the page of results at an address until the returned function is called.
func serveAlong(ctx context.Context, out io.Writer, addr, results string) (end func(), err error) {
	at := address{flag: "serve", addr: addr}
	host, err := at.host()
	if err != nil {
		return nil, err
	}
	l, err := at.listen()
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(out, "watch at %s\n", at.page(l))
	noteReach(out, l, seeResults)
	ctx, stop := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		log := slog.New(slog.NewTextHandler(out, nil))
		if err := web.Serve(ctx, web.NewResults(results, host, log), l, log); err != nil {
			log.Error("the page of results has ended", "error", err)
		}
	}()
	return func() { stop(); <-ended }, nil
}

// address is where a page is served.
type address struct {
	flag string // that names it
	addr string
	open bool // the page in the browser
}

func (a *address) flags(cmd *cobra.Command, initial string) {
	a.flag = "addr"
	cmd.Flags().StringVar(&a.addr, a.flag, initial, "`address` to serve the page at")
	cmd.Flags().BoolVar(&a.open, "open", false, "open the page in the browser")
}

// host returns the name in the address.
func (a *address) host() (string, error) {
	host, _, err := net.SplitHostPort(a.addr)
	if err != nil {
		return "", usagef("--%s: %w: want a host and a port, such as localhost:8080", a.flag, err)
	}
	return host, nil
}

func (a *address) listen() (net.Listener, error) {
	l, err := net.Listen("tcp", a.addr)
	if err != nil {
		return nil, fmt.Errorf("%w: --%s chooses another address, such as localhost:0 for any free port", err, a.flag)
	}
	return l, nil
}

// page returns the address of the page for a browser.
func (a *address) page(l net.Listener) string {
	if host, _, _ := net.SplitHostPort(a.addr); host == "localhost" {
		_, port, _ := net.SplitHostPort(l.Addr().String())
		return "http://localhost:" + port + "/"
	}
	return "http://" + l.Addr().String() + "/"
}

// serve serves a page until the command ends. others says what strangers could do with it.
func (a *address) serve(cmd *cobra.Command, verb, others string, page http.Handler, log *slog.Logger) error {
	l, err := a.listen()
	if err != nil {
		return err
	}
	fmt.Fprintf(cmd.OutOrStdout(), "%s at %s (Ctrl-C ends it)\n", verb, a.page(l))
	noteReach(cmd.ErrOrStderr(), l, others)
	if a.open {
		if err := show(a.page(l)); err != nil {
			fmt.Fprintf(cmd.ErrOrStderr(), "note: no browser was opened: %v\n", err)
		}
	}
	return web.Serve(cmd.Context(), page, l, log)
}

// show opens a page in the user's browser.
func show(page string) error {
	name, args := "xdg-open", []string{page}
	switch runtime.GOOS {
	case "darwin":
		name = "open"
	case "windows":
		name, args = "rundll32", []string{"url.dll,FileProtocolHandler", page}
	}
	c := exec.Command(name, args...)
	if err := c.Start(); err != nil {
		return err
	}
	go func() { _ = c.Wait() }() // reap it; how it ends does not matter
	return nil
}
