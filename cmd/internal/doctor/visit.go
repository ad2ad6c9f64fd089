package doctor

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

// The reported address may show something else than the product: a page for a password, the front page, or an error.

const seeTimeout = 20 * time.Second // with redirects

// errUnseen says that a page cannot be judged: the shop does not answer or refuses programs, or the address is
// private.
var errUnseen = errors.New("nothing can be told of the page")

// visitor visits a private network only if the shop's own address is there.
func visitor(adapter map[string]string) *http.Client {
	var hosts []string
	for _, value := range adapter {
		u, err := url.Parse(value)
		if err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Hostname() != "" {
			hosts = append(hosts, visitsBeside(u.Hostname())...)
		}
	}
	return newVisitor(hosts...)
}

// newVisitor returns a client without cookies for public addresses and the named hosts.
func newVisitor(hosts ...string) *http.Client {
	return &http.Client{Transport: wire.PublicTransport(hosts...), Timeout: seeTimeout}
}

// visitsBeside returns a shop's host, and if that is this machine, its other names.
func visitsBeside(host string) []string {
	ip, err := netip.ParseAddr(host)
	if strings.EqualFold(host, "localhost") || err == nil && ip.IsLoopback() {
		return []string{"localhost", "127.0.0.1", "::1", host}
	}
	return []string{host}
}

// see returns in words what a visitor sees in place of a product, "" for the product's page. An error is
// errUnseen.
func see(ctx context.Context, client *http.Client, address string) (saw string, err error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return "an address that cannot be read", nil //nolint:nilerr // this is what a visitor sees
	}
	asked := r.URL
	r.Header.Set("User-Agent", "pubsync")
	r.Header.Set("Accept", "text/html,*/*")
	res, err := client.Do(r)
	if errors.Is(err, wire.ErrPrivate) {
		return "", fmt.Errorf("%w: it is in a private network", errUnseen)
	} else if err != nil {
		return "", fmt.Errorf("%w: %w", errUnseen, err)
	}
	_ = res.Body.Close() //nolint:errcheck // it is not read
	switch status, at := res.StatusCode, res.Request.URL; {
	case status == http.StatusNotFound, status == http.StatusGone:
		return fmt.Sprintf("a page that is not there (%d)", status), nil
	case status == http.StatusUnauthorized, asksPassword(asked, at):
		return "a page that asks for a password", nil
	case status >= http.StatusBadRequest: // a shop that is busy, or refuses programs
		return "", fmt.Errorf("%w: it answers %d", errUnseen, status)
	case isFront(at) && !isFront(asked):
		return "the front page", nil
	default:
		return "", nil
	}
}

// isFront reports whether an address is a front page, perhaps of a language.
func isFront(u *url.URL) bool {
	path := strings.Trim(u.Path, "/")
	if u.RawQuery != "" && path == "" {
		return false // a shop whose addresses are queries
	}
	return path == "" || len(path) == 2 || path == "index.html" || path == "index.php" && u.RawQuery == ""
}

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
