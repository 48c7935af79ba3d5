package web

import (
	"context"
	"embed"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"time"

	"alamos/pkg/report"
	"alamos/plots"
)

//go:embed page
var files embed.FS

// servePage serves the files of a page, and below /shared those of all pages. Other requests below
// /api are errors.
func servePage(mux *http.ServeMux, name string) {
	page, shared := below("page/"+name), below("page/shared")
	index, err := fs.ReadFile(page, "index.html")
	if err != nil {
		panic(err) // it was there when this was compiled
	}
	text := strings.Replace(string(index), "<body>", "<body>\n"+plots.PieceSymbols(), 1)
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = io.WriteString(w, text) // a page that is gone needs no answer
	})
	mux.Handle("/", http.FileServerFS(page))
	board := report.ReplayFiles()
	mux.HandleFunc("GET /shared/{file}", func(w http.ResponseWriter, r *http.Request) {
		name := r.PathValue("file")
		if _, err := fs.Stat(board, name); err == nil {
			http.ServeFileFS(w, r, board, name)
			return
		}
		http.ServeFileFS(w, r, shared, name)
	})
	mux.HandleFunc("/api/", func(w http.ResponseWriter, r *http.Request) {
		answer(w, nil, problemf(http.StatusNotFound, "there is no %s %.200q", r.Method, r.URL.Path))
	})
}

// below returns a folder of the embedded files.
func below(folder string) fs.FS {
	sub, err := fs.Sub(files, folder)
	if err != nil {
		panic(err) // it was there when this was compiled
	}
	return sub
}

// Serve serves a page at l until ctx ends, which is not an error. log receives failures.
func Serve(ctx context.Context, page http.Handler, l net.Listener, log *slog.Logger) error {
	running, stop := context.WithCancel(ctx)
	defer stop()
	server := &http.Server{
		Handler: page, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 64 << 10,
		BaseContext: func(net.Listener) context.Context { return running }, // ends the streams of events
		ErrorLog:    slog.NewLogLogger(log.Handler(), slog.LevelDebug),
	}
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(l) }()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	last, cancel := context.WithTimeout(context.Background(), 3*time.Second)
	defer cancel()
	if err := server.Shutdown(last); err != nil {
		return server.Close()
	}
	return nil
}

const (
	// breath is the least time between two events: one has all changes of it.
	breath = 40 * time.Millisecond
	// heartbeat finds pages that are gone.
	heartbeat = 15 * time.Second
	// patience bounds the wait for a page that does not read.
	patience = 10 * time.Second
)

// stream sends server-sent events until the page is gone or ctx ends. next returns the value
// of the next event, nil for none, and a channel that the next change closes.
func stream(ctx context.Context, w http.ResponseWriter, next func() (any, <-chan struct{})) error {
	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Accel-Buffering", "no")
	control := http.NewResponseController(w)
	send := func(format string, args ...any) error {
		if err := control.SetWriteDeadline(time.Now().Add(patience)); err != nil {
			return err
		}
		if _, err := fmt.Fprintf(w, format, args...); err != nil {
			return err
		}
		return control.Flush()
	}
	for {
		value, changed := next()
		if value != nil {
			data, err := json.Marshal(value)
			if err == nil {
				err = send("data: %s\n\n", data)
			}
			if err != nil {
				return err
			}
		}
		if err := sleep(ctx, breath); err != nil {
			return nil
		}
		for waiting := true; waiting; {
			select {
			case <-changed:
				waiting = false
			case <-ctx.Done():
				return nil
			case <-time.After(heartbeat):
				if err := send(": still here\n\n"); err != nil {
					return err
				}
			}
		}
	}
}

func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
