package marketplace_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strconv"
	"testing"
	"testing/synctest"

	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
)

// A firsts remembers the sizes of the pages that requests ask for.
type firsts struct {
	http.RoundTripper
	seen []int
}

func (f *firsts) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	for _, m := range regexp.MustCompile(`first:\s*(\d+)`).FindAllSubmatch(body, -1) {
		n, err := strconv.Atoi(string(m[1]))
		if err != nil {
			return nil, err
		}
		f.seen = append(f.seen, n)
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	return f.RoundTripper.RoundTrip(r)
}

// However much a bucket allows and however large a listing is, no page is larger than the
// specification shows.
func TestNoPageIsLargerThanTheSpecificationShows(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := sandbox.New(sandbox.Options{Limit: 100_000, BaseURL: "https://market.test"})
		t.Cleanup(m.Close)
		transport := &firsts{RoundTripper: m.Transport()}
		c := marketplace.New(
			marketplace.Config{
				URL:       "https://market.test",
				Token:     sandbox.DefaultToken,
				Languages: []string{"en"},
				Transport: transport,
			},
		)
		t.Cleanup(func() { c.Close() })
		m.AddSound(250)
		listing := &sandbox.Listing{Texts: map[string]sandbox.Text{"en": {Title: "Screws"}}}
		for i := range 230 {
			listing.Variants = append(
				listing.Variants,
				sandbox.Variant{Options: []sandbox.Option{{Name: "Size", Value: fmt.Sprint(i)}}, Cost: "1.00"},
			)
		}
		id := m.Add(sandbox.Publication{Listing: listing})[0]
		if n := len(enumerate(t, c, marketplace.IDDesc)); n != 251 {
			t.Errorf("%d entries, want %v", n, 251)
		}
		switch p, err := next(t, c, id, 230); {
		case err != nil:
			t.Errorf("%+v, %v; err: got %v, want nil", p, err, err)
		case len(p.Listing.Variants) != 230:
			t.Errorf("%+v, %v; len(p.Listing.Variants): got %v, want %v", p, err, len(p.Listing.Variants), 230)
		}
		if _, err := c.Webhooks(t.Context()); err != nil {
			t.Error(err)
		}
		largest := 0
		for _, n := range transport.seen {
			largest = max(largest, n)
		}
		if largest != 100 {
			t.Errorf("the largest page is of %d: %v, want %v", largest, transport.seen, 100)
		}
	})
}
