package main

import (
	"fmt"
	"log/slog"
	"net"
	"os/exec"
	"runtime"

	"github.com/spf13/cobra"

	"alamos/pkg/play"
	"alamos/pkg/store"
	"alamos/pkg/uci"
)

func playCommand() *cobra.Command {
	var (
		cfg     play.Config
		models  []string
		results string
		addr    string
		open    bool
		h       uci.Hardware
	)
	cmd := &cobra.Command{
		Use:   "play",
		Short: "Play against a network on a page in the browser",
		Long: `play serves a page on which you play against networks, or let them play each other,
and see what their search thinks. It is served to this machine only, unless --addr says
otherwise, and needs nothing from the internet. Ctrl-C ends it.

With networks the page has their variants; without, it has all variants, against random
moves, alpha-beta on material, or a search that knows the rules only.

` + aboutModels,
		Example: `  alamos play
  alamos play --model quickstart/24b4@last --open
  alamos play --model old.safetensors --model new.safetensors --addr localhost:9000`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			cfg.Log = slog.New(slog.NewTextHandler(cmd.ErrOrStderr(), nil))
			host, _, err := net.SplitHostPort(addr)
			if err != nil {
				return usagef("--addr: %w: want a host and a port, such as localhost:8080", err)
			}
			cfg.Host = host
			for _, model := range models {
				file, err := store.FindModel(results, model)
				if err != nil {
					return err
				}
				m, err := uci.Load(file, h)
				if err != nil {
					return err
				}
				defer m.Close()
				cfg.Networks = append(cfg.Networks, m)
			}
			server, err := play.New(cfg)
			if err != nil {
				return usagef("%w", err)
			}
			defer server.Close()
			l, err := net.Listen("tcp", addr)
			if err != nil {
				return fmt.Errorf("%w: --addr chooses another address, such as localhost:0 for any free port", err)
			}
			page := "http://" + l.Addr().String() + "/"
			if host == "localhost" {
				_, port, _ := net.SplitHostPort(l.Addr().String())
				page = "http://localhost:" + port + "/"
			}
			fmt.Fprintf(cmd.OutOrStdout(), "play at %s (Ctrl-C ends it)\n", page)
			if ip := l.Addr().(*net.TCPAddr).IP; !ip.IsLoopback() {
				fmt.Fprintln(cmd.ErrOrStderr(), "note: whoever reaches this address can play, and use this machine's time")
			}
			if open {
				if err := show(page); err != nil {
					fmt.Fprintf(cmd.ErrOrStderr(), "note: no browser was opened: %v\n", err)
				}
			}
			return server.Serve(cmd.Context(), l)
		},
	}
	f := cmd.Flags()
	f.StringArrayVar(&models, "model", nil, "checkpoint `file` or RUN@GENERATION; several for several variants, or to play each other")
	modelFlag(cmd, "model", &results)
	variantFlag(cmd, &cfg.Variant, "the variant to begin with")
	f.StringVar(&addr, "addr", "localhost:8080", "`address` to serve the page at")
	f.BoolVar(&open, "open", false, "open the page in the browser")
	threadsFlag(cmd, &h.Threads)
	deviceFlags(cmd, &h.Device, &h.Precision)
	return cmd
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
	go func() { _ = c.Wait() }() // it is nobody's business how it ends
	return nil
}
