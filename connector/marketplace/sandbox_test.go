package marketplace_test

import (
	"fmt"
	"testing"
	"testing/synctest"

	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
)

func open(t *testing.T, o sandbox.Options, publications int) (*sandbox.Marketplace, *marketplace.Client) {
	t.Helper()
	m := sandbox.New(o)
	m.AddCatalogue(publications)
	t.Cleanup(m.Close)
	c := marketplace.New(marketplace.Config{
		URL: "https://market.test", Token: sandbox.DefaultToken, Languages: []string{"en", "nl"}, Transport: m.Transport(),
	})
	t.Cleanup(func() { c.Close() })
	return m, c
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
		{name: "small bucket", options: sandbox.Options{ScalarCost: 1, Limit: 400}, most: 16},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m, c := open(t, row.options, 0)
				listing := &sandbox.Listing{Texts: map[string]sandbox.Text{"en": {Title: "Screws"}}}
				for i := range 230 {
					listing.Variants = append(listing.Variants, sandbox.Variant{
						Options: []sandbox.Option{{Name: "Size", Value: fmt.Sprint(i)}}, Cost: "1.00",
					})
				}
				listing.Pictures = make([]sandbox.Picture, 25)
				id := m.Add(sandbox.Publication{Listing: listing})[0]
				if _, err := c.Probe(t.Context()); err != nil {
					t.Fatal(err)
				}
				m.Forget()
				p, err := next(t, c, id, row.expect)
				if err != nil {
					t.Fatal(err)
				}
				for i, v := range p.Listing.Variants {
					if want := fmt.Sprint(i); len(v.Options) != 1 || v.Options[0].Value != want || v.Cost != "1.00" {
						t.Errorf("variant %d: got %+v, want the option %s for 1.00", i, v, want)
					}
				}
				if v, i := len(p.Listing.Variants), len(p.Listing.Images); v != 230 || i != 25 {
					t.Errorf("got %d variants and %d images, want 230 and 25", v, i)
				}
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
