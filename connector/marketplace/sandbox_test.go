package marketplace_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

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
