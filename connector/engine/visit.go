package engine

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"github.com/pubsync/pubsync/shopadapter/wire"
)

// The address that is reported to the marketplace may show something else than the product: a page that asks for the
// shop's password, the front page, or an error. A visitor looks at it as anybody does.

const seeTimeout = 20 * time.Second // bounds one visit, with its redirects

// ErrUnknown says that nothing can be told of a page: the shop does not answer or refuses programs, or the address
// leads to a private network.
var ErrUnknown = errors.New("nothing can be told of the page")

// NewVisitor is a client without cookies that visits public addresses and the hosts that are named alone.
func NewVisitor(hosts ...string) *http.Client {
	return &http.Client{Transport: wire.PublicTransport(hosts...), Timeout: seeTimeout}
}

// VisitsBeside is the hosts that a visitor may be led to beside that of the shop: every name of this machine, if it is.
func VisitsBeside(host string) []string {
	ip, err := netip.ParseAddr(host)
	if strings.EqualFold(host, "localhost") || err == nil && ip.IsLoopback() {
		return []string{"localhost", "127.0.0.1", "::1", host}
	}
	return []string{host}
}

// See returns what a visitor sees in place of a product, in words, "" for the product's page. An error is ErrUnknown.
func See(ctx context.Context, client *http.Client, address string) (saw string, err error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return "an address that cannot be read", nil //nolint:nilerr // this is what a visitor sees
	}
	asked := r.URL
	r.Header.Set("User-Agent", "pubsync")
	r.Header.Set("Accept", "text/html,*/*")
	res, err := client.Do(r)
	if errors.Is(err, wire.ErrPrivate) {
		return "", fmt.Errorf("%w: it is in a private network", ErrUnknown)
	} else if err != nil {
		return "", fmt.Errorf("%w: %w", ErrUnknown, err)
	}
	_ = res.Body.Close() //nolint:errcheck // it is not read
	switch status, at := res.StatusCode, res.Request.URL; {
	case status == http.StatusNotFound, status == http.StatusGone:
		return fmt.Sprintf("a page that is not there (%d)", status), nil
	case status == http.StatusUnauthorized, asksPassword(asked, at):
		return "a page that asks for a password", nil
	case status >= http.StatusBadRequest: // a shop that is busy, or refuses programs
		return "", fmt.Errorf("%w: it answers %d", ErrUnknown, status)
	case isFront(at) && !isFront(asked):
		return "the front page", nil
	default:
		return "", nil
	}
}

// isFront reports whether an address is that of a shop's front page, of a language perhaps.
func isFront(u *url.URL) bool {
	path := strings.Trim(u.Path, "/")
	if u.RawQuery != "" && path == "" {
		return false // a shop whose addresses are queries
	}
	return path == "" || len(path) == 2 || path == "index.html" || path == "index.php" && u.RawQuery == ""
}

// asksPassword reports whether a visitor was led to a page for a password or a login.
func asksPassword(asked, at *url.URL) bool {
	if asked.Path == at.Path {
		return false
	}
	for step := range strings.SplitSeq(strings.ToLower(at.Path), "/") {
		switch strings.TrimSuffix(step, ".php") {
		case "password", "login", "wp-login", "signin", "sign-in":
			return true
		default:
		}
	}
	return false
}
