package play

import (
	"mime"
	"net"
	"net/http"
	"net/url"
	"strings"
)

// guard keeps the pages of other hosts out. A browser lets any page send requests to
// this machine; three things tell such a request.
//
//   - Host: a page whose own name was made to point here (DNS rebinding) sends that
//     name. Addresses in numbers cannot be pointed anywhere, and localhost is here.
//   - Origin and Sec-Fetch-Site, which browsers set and pages cannot.
//   - The type of a body: JSON needs a permission that is never given (CORS).
type guard struct {
	host string // by which the server is reached, beside localhost and addresses
	next http.Handler
}

// policy lets the page load what this server has, and nothing else.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

func (g guard) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cache-Control", "no-cache")
	if err := g.check(r); err != nil {
		answer(w, nil, err)
		return
	}
	g.next.ServeHTTP(w, r)
}

func (g guard) check(r *http.Request) error {
	if !g.known(hostname(r.Host)) {
		return problemf(http.StatusMisdirectedRequest, "this server is not %.100q: open it by the address that it told", r.Host)
	}
	if origin := r.Header.Get("Origin"); origin != "" {
		u, err := url.Parse(origin)
		if err != nil || u.Host == "" || !strings.EqualFold(u.Host, r.Host) {
			return problemf(http.StatusForbidden, "a page of %.100q may not ask here", origin)
		}
	}
	switch site := r.Header.Get("Sec-Fetch-Site"); site {
	case "", "same-origin", "none":
	default: // a link to the page may stand anywhere
		if r.URL.Path != "/" || r.Header.Get("Sec-Fetch-Mode") != "navigate" || r.Header.Get("Sec-Fetch-Dest") != "document" {
			return problemf(http.StatusForbidden, "a page of another host may not ask here")
		}
	}
	if r.Method == http.MethodPost {
		if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
			return problemf(http.StatusUnsupportedMediaType, "want a request of type application/json")
		}
	}
	return nil
}

func (g guard) known(host string) bool {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	return host != "" && (host == "localhost" || net.ParseIP(host) != nil || host == strings.ToLower(g.host))
}

// hostname is a Host header without its port and brackets.
func hostname(hostport string) string {
	if host, _, err := net.SplitHostPort(hostport); err == nil {
		return host
	}
	return strings.Trim(hostport, "[]")
}
