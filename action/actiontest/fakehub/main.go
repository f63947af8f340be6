// Fakehub serves a GitHub with one repository, for rigs that run the whole
// Action: act, or the built program, with GITHUB_API_URL set to its address.
//
//	fakehub --addr 127.0.0.1:4013 --state STATE.json
//
// What it holds is set and read while it runs, as the JSON form of
// actiontest.State:
//
//	GET  /_hub/state       the state
//	PUT  /_hub/state       another state; what came in is forgotten
//	GET  /_hub/requests    what came in since
//	GET  /_hub/violations  what GitHub's description does not allow, one a line
//
// It stores nothing, and it is no part of what is released.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/previdence/previdence/action/actiontest"
)

func main() {
	addr := flag.String("addr", "127.0.0.1:0", "address to listen on; port 0 picks a free one")
	file := flag.String("state", "", "file with the first state; none means an empty repository")
	flag.Parse()
	if err := run(*addr, *file); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

func run(addr, file string) error {
	var state actiontest.State
	if file != "" {
		raw, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		if err := json.Unmarshal(raw, &state); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
	}
	var config net.ListenConfig
	listener, err := config.Listen(context.Background(), "tcp", addr)
	if err != nil {
		return err
	}
	fmt.Printf("http://%s\n", listener.Addr())
	s := &http.Server{Handler: handler(actiontest.New(state)), ReadHeaderTimeout: 10 * time.Second}
	return s.Serve(listener)
}

// handler serves a hub, and what is asked about it.
func handler(hub *actiontest.Hub) http.Handler {
	var mu sync.Mutex
	var violations []string
	mux := http.NewServeMux()
	mux.Handle("/", actiontest.Validate(hub, func(text string) {
		mu.Lock()
		defer mu.Unlock()
		violations = append(violations, strings.ReplaceAll(text, "\n", " "))
	}))
	mux.HandleFunc("GET /_hub/state", func(w http.ResponseWriter, _ *http.Request) { write(w, hub.State()) })
	mux.HandleFunc("PUT /_hub/state", func(w http.ResponseWriter, r *http.Request) {
		var s actiontest.State
		if err := json.NewDecoder(r.Body).Decode(&s); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		hub.Set(s)
		mu.Lock()
		defer mu.Unlock()
		violations = nil
	})
	mux.HandleFunc("GET /_hub/requests", func(w http.ResponseWriter, _ *http.Request) { write(w, hub.Requests()) })
	mux.HandleFunc("GET /_hub/violations", func(w http.ResponseWriter, _ *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		for _, v := range violations {
			fmt.Fprintln(w, v)
		}
	})
	return mux
}

func write(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	if err := e.Encode(v); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
	}
}
