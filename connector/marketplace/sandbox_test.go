package marketplace_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
)

func open(t *testing.T, o sandbox.Options, publications int) (*sandbox.Marketplace, *marketplace.Client) {
	t.Helper()
	return opened(t, o, publications, "")
}

// opened is open with PUBSYNC_MARKETPLACE_FORMS.
func opened(
	t *testing.T, o sandbox.Options, publications int, forms string,
) (*sandbox.Marketplace, *marketplace.Client) {
	t.Helper()
	said := saying(t, forms)
	m := sandbox.New(o)
	m.AddCatalogue(publications)
	t.Cleanup(m.Close)
	c := marketplace.New(marketplace.Config{
		URL: "https://market.test", Token: sandbox.DefaultToken, Languages: []string{
			"en", "nl", "de",
		}, Transport: m.Transport(), Forms: said,
	})
	t.Cleanup(func() { c.Close() })
	return m, c
}

// same compares what was read with what the marketplace holds.
func same(t *testing.T, m *sandbox.Marketplace, p *marketplace.Publication) {
	t.Helper()
	held, ok := m.Publication(p.ID)
	if !ok {
		t.Fatalf("publication %s is not held", p.ID)
	}
	if (held.Listing == nil) != (p.Listing == nil) {
		t.Fatalf(
			"listing of %s: %+v; (held.Listing == nil): got %v, want %v", p.ID, p.Listing, (held.Listing == nil),
			(p.Listing == nil),
		)
	}
	if held.Listing == nil {
		return
	}
	if got, want := len(p.Listing.Variants), len(held.Listing.Variants); got != want {
		t.Errorf("%s has %d variants, want %d", p.ID, got, want)
	}
	if got, want := len(p.Listing.Images), len(held.Listing.Pictures); got != want {
		t.Errorf("%s has %d images, want %d", p.ID, got, want)
	}
	for i, v := range p.Listing.Variants[:min(len(p.Listing.Variants), len(held.Listing.Variants))] {
		h := held.Listing.Variants[i]
		if v.ID != h.ID || v.SKU != h.SKU || v.Cost != h.Cost || v.MSRP != h.MSRP || v.Quantity == nil ||
			*v.Quantity != h.Quantity || len(v.Options) != len(h.Options) {
			t.Errorf("variant %d of %s: %+v, want %+v", i, p.ID, v, h)
		}
	}
	for _, image := range p.Listing.Images {
		if !strings.HasPrefix(image, "https://") {
			t.Errorf("image %q", image)
		}
	}
}

// next is one publication's content.
func next(t *testing.T, c *marketplace.Client, id string, expect int) (*marketplace.Publication, error) {
	t.Helper()
	adm, err := c.Admit(t.Context(), marketplace.News)
	if err != nil {
		t.Fatalf("admit: %v", err)
	}
	return c.Publication(t.Context(), adm, marketplace.Expected{ID: id, Variants: expect, Details: true})
}

// TestLargePublication reads more variants than any page holds, with and without knowing how many
// there are.
func TestLargePublication(t *testing.T) {
	for _, row := range []struct {
		name    string
		options sandbox.Options
		expect  int
		most    int // requests
	}{
		{name: "unknown", options: sandbox.Options{ScalarCost: 1}, most: 8},
		{name: "known", options: sandbox.Options{ScalarCost: 1}, expect: 230, most: 7},
		{name: "cheap", expect: 230, most: 4},
		{name: "a bucket that a count alone exceeds", options: sandbox.Options{Limit: 60}, most: 40},
		{name: "small bucket", options: sandbox.Options{ScalarCost: 1, PageInfoMultiplied: true, Limit: 400}, most: 22},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m, c := open(t, row.options, 0)
				listing := &sandbox.Listing{Texts: map[string]sandbox.Text{"en": {Title: "Screws"}}}
				for i := range 230 {
					listing.Variants = append(
						listing.Variants,
						sandbox.Variant{Options: []sandbox.Option{{Name: "Size", Value: fmt.Sprint(i)}}, Cost: "1.00"},
					)
				}
				for range 25 {
					listing.Pictures = append(listing.Pictures, sandbox.Picture{})
				}
				id := m.Add(sandbox.Publication{Listing: listing})[0]
				if _, err := c.Probe(t.Context()); err != nil {
					t.Fatal(err)
				}
				m.Forget()
				p, err := next(t, c, id, row.expect)
				if err != nil {
					t.Fatal(err)
				}
				same(t, m, p)
				if n := len(m.Requests()); n > row.most {
					t.Errorf("%d requests, want at most %d", n, row.most)
				}
			})
		})
	}
}

// TestFaults injects each fault and holds the client to its kinds, and to a book that is right
// again afterwards.
func TestFaults(t *testing.T) {
	for _, row := range []struct {
		fault sandbox.Fault
		kind  marketplace.Kind
	}{
		{sandbox.Fault{Kind: sandbox.ServerError}, marketplace.Transient},
		{sandbox.Fault{Kind: sandbox.ServerError, Executed: true}, marketplace.Transient},
		{sandbox.Fault{Kind: sandbox.Cut}, marketplace.Transient},
		{sandbox.Fault{Kind: sandbox.Cut, Executed: true}, marketplace.Transient},
		{sandbox.Fault{Kind: sandbox.CutBody}, marketplace.Transient},
		{sandbox.Fault{Kind: sandbox.HTML}, marketplace.Transient},
		{sandbox.Fault{Kind: sandbox.TruncatedJSON}, marketplace.Transient},
		{sandbox.Fault{Kind: sandbox.InternalError}, marketplace.Transient},
		{sandbox.Fault{Kind: sandbox.Slow, Delay: time.Minute}, marketplace.Transient},
		{sandbox.Fault{Kind: sandbox.ThrottledNow}, marketplace.Throttled},
		{sandbox.Fault{Kind: sandbox.Unauthorized}, marketplace.Unauthorized},
	} {
		t.Run(fmt.Sprintf("%s executed=%v", row.fault.Kind, row.fault.Executed), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m, c := open(t, sandbox.Options{ScalarCost: 1}, 10)
				ids := m.Publications()
				if _, err := c.Probe(t.Context()); err != nil {
					t.Fatal(err)
				}
				calls := map[string]func() error{
					"list": func() error {
						_, err := c.List(t.Context(), marketplace.Sweep, marketplace.UpdatedAtAsc, "")
						return err
					},
					"look": func() error { _, err := c.Look(t.Context(), marketplace.Sweep, []string{ids[0].ID}, false); return err },
					"read": func() error { _, err := next(t, c, ids[0].ID, 0); return err },
					"report": func() error {
						_, err := c.LookAndReport(
							t.Context(), marketplace.Urgent, []marketplace.Report{{ID: ids[0].ID, Status: "failed"}},
							func(marketplace.Report, *marketplace.Entry) bool { return true },
						)
						return err
					},
					"webhooks": func() error { _, err := c.Webhooks(t.Context()); return err },
				}
				if row.kind == marketplace.Unauthorized { // of a report alone it is a refusal
					delete(calls, "report")
				}
				for name, call := range calls {
					fault := row.fault
					fault.Next = 1
					m.Inject(fault)
					if err := call(); err == nil || marketplace.KindOf(err) != row.kind {
						t.Errorf("%s: %v, want %v", name, err, row.kind)
					}
					m.Heal()
					if err := call(); err != nil {
						t.Errorf("%s afterwards: %v", name, err)
					}
				}
				if ours, theirs := c.Budget().Remaining, float64(m.Remaining()); ours > theirs+1 {
					t.Errorf("the book has %g points, the marketplace %g; ours: got %v, want at most %v", ours, theirs, ours, theirs+1)
				}
			})
		})
	}
}

// The specification shows no cursor for webhooks: their first page is asked for without one.
func TestListsWithoutACursor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, c := open(t, sandbox.Options{Schema: [][2]string{
			{"webhooks(first: Int!, after: String)", "webhooks(first: Int!)"},
		}}, 0)
		if _, err := c.RegisterWebhook(t.Context(), "https://shop.test/webhooks", []string{"PRODUCT_UPDATED"}); err != nil {
			t.Fatal(err)
		}
		hooks, err := c.Webhooks(t.Context())
		if err != nil || len(hooks) != 1 {
			t.Errorf("got %+v, %v, want one webhook", hooks, err)
		}
	})
}
