package woocommerce

import (
	"strings"
	"testing"
	"testing/synctest"

	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

// A listing whose stamp somebody deleted is told, and is never reported failed while it is on sale.
// A retry takes it back, with the merchant's edits.
func TestAListingThatHasLostItsStamp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newChain(t)
		ids := []string{c.add("lamp", 1), c.add("vase", 3), c.add("rug", 1)}
		c.run(false)
		for _, id := range ids[:2] {
			listing := shopadapter.ListingID(c.record(id).ShopID)
			if err := c.shop.DeleteStamp(t.Context(), listing); err != nil {
				t.Fatal(err)
			}
			if err := c.shop.Edit(listing, shopadapter.FieldTitle); err != nil {
				t.Fatal(err)
			}
		}
		products := len(c.shop.Posts)
		for range 3 {
			c.run(true)
		}
		for _, id := range ids[:2] {
			if got := c.state(id); got != "blocked" {
				t.Errorf("the state is %s, want blocked", got)
			}
			if got := c.record(id).Problem.Message; !strings.Contains(got, "pubsync retry "+id) {
				t.Errorf("told is %q, want a word of pubsync retry", got)
			}
			if got := c.reported(id); got != string(store.StatusSuccess) {
				t.Errorf("reported is %s, want %s", got, store.StatusSuccess)
			}
			if _, err := c.desk().Retry(t.Context(), desk.Retry{IDs: []string{id}}); err != nil {
				t.Fatal(err)
			}
		}
		c.run(false)
		for _, id := range ids {
			if got := c.state(id); got != "live" {
				t.Errorf("after a retry the state is %s, want live", got)
			}
			if got := c.reported(id); got != string(store.StatusSuccess) {
				t.Errorf("after a retry %s is reported, want %s", got, store.StatusSuccess)
			}
		}
		for _, id := range ids[:2] {
			if got := c.shop.seen(t, shopadapter.PublicationID(id)).Title; !strings.Contains(got, "own") {
				t.Errorf("the title is %q, want the merchant's", got)
			}
		}
		if got := len(c.shop.Posts); got != products {
			t.Errorf("the shop has %d products and variations, want %d", got, products)
		}
	})
}

// One that is withdrawn meanwhile is told, too: it is on sale still.
func TestAListingThatHasLostItsStampIsWithdrawn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newChain(t)
		id := c.add("lamp", 1)
		c.add("vase", 1)
		c.run(false)
		listing := shopadapter.ListingID(c.record(id).ShopID)
		if err := c.shop.DeleteStamp(t.Context(), listing); err != nil {
			t.Fatal(err)
		}
		c.box.Remove(id)
		c.run(true)
		if got := c.state(id); got != "blocked" {
			t.Errorf("the state is %s, want blocked", got)
		}
		if _, err := c.desk().Retry(t.Context(), desk.Retry{IDs: []string{id}}); err != nil {
			t.Fatal(err)
		}
		c.run(false)
		if got := c.state(id); got != "withdrawn" {
			t.Errorf("after a retry the state is %s, want withdrawn", got)
		}
		if got := c.shop.Find(listing).Status; got != "draft" {
			t.Errorf("after a retry the product is %s, want a draft", got)
		}
	})
}

// reported is the status that the marketplace was told last.
func (c *chain) reported(id string) string {
	c.t.Helper()
	p, ok := c.box.Publication(id)
	if !ok {
		c.t.Fatalf("the marketplace has no publication %s", id)
	}
	return p.Status
}

func (c *chain) record(id string) store.Record {
	c.t.Helper()
	e, err := c.store.Get(c.t.Context(), id)
	if err != nil {
		c.t.Fatal(err)
	}
	return e.Record
}
