package web_test

import (
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"

	"alamos/pkg/web"
)

// A server without networks offers players that need none.
func ExamplePlay() {
	s, err := web.NewPlay(web.PlayConfig{})
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	h := httptest.NewServer(s)
	defer h.Close()
	r, err := http.Get(h.URL + "/api/setup")
	if err != nil {
		log.Fatal(err)
	}
	defer r.Body.Close()
	setup, err := io.ReadAll(r.Body)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(r.Status, strings.Count(string(setup), `"kind"`), "players")
	// Output: 200 OK 4 players
}
