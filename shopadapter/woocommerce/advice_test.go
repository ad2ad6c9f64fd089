package woocommerce

import (
	"context"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	numbers "github.com/shopspring/decimal"

	"github.com/pubsync/pubsync/connector"
	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
	"github.com/pubsync/pubsync/store/bolt"
)

// A chain is a marketplace, a store, a connector and the shop, as they run together.
type chain struct {
	t     *testing.T
	box   *sandbox.Marketplace
	store *bolt.Store
	shop  *fakeShop
	pairs []string // settings of the adapter
}

func newChain(t *testing.T, pairs ...string) *chain {
	t.Helper()
	s, err := bolt.Open(filepath.Join(t.TempDir(), "pubsync.db"))
	if err != nil {
		t.Fatal(err)
	}
	c := &chain{t: t, box: sandbox.New(sandbox.Options{}), store: s, shop: newFakeShop(t), pairs: pairs}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		c.box.Close()
	})
	return c
}

// add puts a publication with so many variants on the import list. Its SKUs are those of
// sample(title, n).
func (c *chain) add(title string, n int) string { return c.addIn("FURNITURE_INDOOR_PATIO", title, n) }

// addIn does it with a category of the marketplace.
func (c *chain) addIn(category, title string, n int) string {
	l := &sandbox.Listing{
		Texts: map[string]sandbox.Text{"en": {Title: title, Description: "<p>A lamp.</p>"}}, Category: category,
	}
	for _, v := range sample(title, n).Variants {
		own := sandbox.Variant{Cost: "10.00", MSRP: v.Price, SKU: v.SKU, Quantity: 5}
		for _, o := range v.Options {
			own.Options = append(own.Options, sandbox.Option{Name: o.Name, Value: o.Value})
		}
		l.Variants = append(l.Variants, own)
	}
	return c.box.Add(sandbox.Publication{Listing: l})[0]
}

// desk is the desk over the chain's store.
func (c *chain) desk() *desk.Local { return connector.NewDesk(c.store, publication.Rules{}, nil) }

// run is a run of `pubsync run --once` with the settings of today.
func (c *chain) run(full bool) desk.Summary {
	c.t.Helper()
	time.Sleep(time.Minute)
	a, err := c.shop.dial(realPatience(), nil, c.pairs...)
	if err != nil {
		c.t.Fatal(err)
	}
	conn, err := connector.New(c.t.Context(), connector.Options{
		Store: c.store, Shop: a, ShopName: Name, Concurrency: 4,
		Marketplace: marketplace.New(marketplace.Config{
			URL: "http://marketplace.example", Token: sandbox.DefaultToken, Languages: []string{"en"},
			Transport: c.box.Transport(),
		}),
		Rules:     publication.Rules{Languages: []string{"en"}, Price: publication.PriceRule{Base: publication.BaseMSRP}},
		Brake:     publication.Brake{PricePercent: numbers.NewFromInt(50), RemovedPercent: numbers.NewFromInt(20)},
		OnRemoved: publication.RemovedUnpublish, FailAfter: 24 * time.Hour,
		RefreshAfter: 24 * time.Hour,
		Webhook:      connector.WebhookOptions{Prefix: "X-Service"},
	})
	if err != nil {
		c.t.Fatal(err)
	}
	s, err := conn.Once(c.t.Context(), desk.RunOptions{Full: full, Patience: 2 * time.Minute})
	if err != nil {
		c.t.Fatalf("run: %v", err)
	}
	return s
}

func (c *chain) state(id string) string {
	c.t.Helper()
	e, err := c.store.Get(c.t.Context(), id)
	if err != nil {
		c.t.Fatal(err)
	}
	return string(e.Record.State)
}

// "Make a category of this name, or map it": each moves what is on sale, by a retry, and the mapping
// by itself.
func TestAdviceAboutCategories(t *testing.T) {
	makeIt := func(c *chain) {
		c.shop.Mu.Lock()
		defer c.shop.Mu.Unlock()
		c.shop.Categories = append(
			c.shop.Categories, map[string]any{"id": 40, "name": "Furniture indoor patio", "slug": "patio", "parent": 0},
		)
	}
	mapIt := func(c *chain) { c.pairs = []string{"CATEGORIES", "FURNITURE=My own"} }
	retry := func(c *chain, id string) {
		if _, err := c.desk().Retry(c.t.Context(), desk.Retry{IDs: []string{id}}); err != nil {
			c.t.Error(err)
		}
	}
	for _, tt := range []struct {
		name   string
		follow func(c *chain)
		ask    func(c *chain, id string)
		full   bool
		want   string
	}{
		{"make it, retry", makeIt, retry, false, "Furniture indoor patio"},
		{"map it, retry", mapIt, retry, false, "My own"},
		{"map it, full", mapIt, nil, true, "My own"},
		{"map it", mapIt, nil, false, "My own"},
		{"neither, full", func(*chain) {}, retry, true, "Uncategorized"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := newChain(t)
				id := c.add("lamp", 3)
				if s := c.run(false); s.Created != 1 || c.shop.seen(t, shopadapter.PublicationID(id)).Category != "Uncategorized" {
					t.Fatalf("the run is %+v, the category %q, want 1 created and Uncategorized",
						s, c.shop.seen(t, shopadapter.PublicationID(id)).Category)
				}
				tt.follow(c)
				if tt.ask != nil {
					tt.ask(c, id)
				}
				c.run(tt.full)
				if got := c.shop.seen(t, shopadapter.PublicationID(id)); got.Category != tt.want || !got.OnSale ||
					c.state(id) != "live" {
					t.Errorf("in %q, on sale %t, %s, want %q, true and live", got.Category, got.OnSale, c.state(id), tt.want)
				}
				c.shop.Requests()
				if s := c.run(true); s.Updated != 0 {
					t.Errorf("the next full run updates %d by %v, want none", s.Updated, c.shop.Requests())
				}
			})
		})
	}
}

// A worker that goes on running takes notice of a category that was made a moment ago, when a
// person asks.
func TestReviewReadsCategoriesAnew(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFakeShop(t)
		a := f.connect(t, realPatience(), nil)
		p := sample("lamp", 1)
		p.Category = shopadapter.Category{Path: "GAMES", Name: "Games"}
		ref, _ := must(t, a, refOf(p), p, shopadapter.AllFields)
		review := func(asked bool) shopadapter.Fields {
			t.Helper()
			ref.Asked = asked
			fields, err := a.moves(t.Context(), ref)
			if err != nil {
				t.Fatal(err)
			}
			return fields
		}
		f.Categories = append(f.Categories, map[string]any{"id": 41, "name": "Games", "slug": "games", "parent": 0})
		time.Sleep(15 * time.Second)
		f.Requests()
		if got := review(false); got != 0 || len(f.Requests()) != 0 {
			t.Errorf("a review that nobody asked for moves %s, want none, without a request", got)
		}
		for range 3 {
			if got := review(true); got != shopadapter.FieldCategory {
				t.Errorf("a review that a person asked for moves %s, want the category", got)
			}
		}
		if n := len(f.Requests()); n != 1 {
			t.Errorf("%d requests, want 1", n)
		}
		ref, _ = must(t, a, ref, p, shopadapter.FieldCategory)
		if got := review(true); got != 0 || f.seen(t, p.ID).Category != "Games" {
			t.Errorf("the next review moves %s, the product is in %s, want none and Games", got, f.seen(t, p.ID).Category)
		}
		ref.State = nil
		if got := review(true); got != 0 {
			t.Errorf("without a state a review moves %s, want none", got)
		}
	})
}

// "Set PUBSYNC_WOOCOMMERCE_ADOPT=sku to have it kept in step": what was begun while it was not set
// is no obstacle.
func TestAdviceAboutAdoption(t *testing.T) {
	for _, n := range []int{1, 3} {
		for _, lost := range []bool{false, true} {
			synctest.Test(t, func(t *testing.T) {
				c := newChain(t)
				id := c.add("lamp", n)
				own := sample("lamp", n)
				own.Title = "My own lamp"
				mine := c.shop.AddForeign(own)
				if s := c.run(false); s.Blocked != 1 {
					t.Fatalf("the run is %+v, want 1 blocked", s)
				}
				e, err := c.desk().Explain(c.t.Context(), id)
				if err != nil || e.Problem == nil || !strings.Contains(e.Problem.Message, "PUBSYNC_WOOCOMMERCE_ADOPT=sku") {
					t.Fatalf("explained with %v, %+v, want a problem that names PUBSYNC_WOOCOMMERCE_ADOPT=sku", err, e.Problem)
				}
				c.pairs = []string{"ADOPT", "sku"}
				if lost {
					if _, err := store.Update(c.t.Context(), c.store, func(_ *store.Report, w *store.Settlement) bool {
						w.Record.ShopID, w.Record.ShopState = "", nil
						return true
					}, id); err != nil {
						t.Fatal(err)
					}
				}
				if _, err := c.desk().Retry(c.t.Context(), desk.Retry{IDs: []string{id}}); err != nil {
					t.Fatal(err)
				}
				c.run(false)
				got := c.shop.seen(t, shopadapter.PublicationID(id))
				if got.Listing != mine || got.Title != "My own lamp" || !got.OnSale || len(got.Variants) != n ||
					c.state(id) != "live" {
					t.Errorf(
						"%d variants, hint lost %t: listing %s, want %s; %q, on sale %t with %d, %s",
						n,
						lost,
						got.Listing,
						mine,
						got.Title,
						got.OnSale,
						len(got.Variants),
						c.state(id),
					)
				}
				products, err := c.shop.Observe(t.Context())
				if err != nil || len(products) != 1 {
					t.Errorf("the shop holds %d products, %v, want 1", len(products), err)
				}
				if slices.ContainsFunc(
					c.shop.Requests(),
					func(line string) bool { return line == "DELETE /products/"+string(mine) },
				) {
					t.Error("got a DELETE of the merchant's own product, want none")
				}
			})
		}
	}
}

// pictured is add with pictures at addresses of their own.
func (c *chain) pictured(title string, pictures ...string) string {
	id := c.add(title, 1)
	if err := c.box.Update(id, func(l *sandbox.Listing) {
		for _, address := range pictures {
			l.Pictures = append(l.Pictures, sandbox.Picture{URL: address})
		}
	}); err != nil {
		c.t.Fatal(err)
	}
	return id
}

// missing is what explain says of the pictures that are not shown.
func (c *chain) missing(id string) (reasons []string) {
	c.t.Helper()
	e, err := c.desk().Explain(c.t.Context(), id)
	if err != nil {
		c.t.Fatal(err)
	}
	for _, m := range e.Shop.Missing {
		reasons = append(reasons, m.Reason)
	}
	return reasons
}

// The server of the pictures is away for a minute in the middle of an import. The product is on
// sale meanwhile, and shows them all soon after.
func TestPicturesThatCameLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newChain(t)
		urls := pictureURLs(1, 2, 3)
		id := c.pictured("lamp", urls...)
		back := []func(){c.shop.LosePicture(urls[0]), c.shop.LosePicture(urls[1]), c.shop.LosePicture(urls[2])}
		c.run(false)
		if s := c.shop.seen(t, shopadapter.PublicationID(id)); !s.OnSale || len(s.Images) != 0 || c.state(id) != "partial" ||
			len(c.missing(id)) != 3 {
			t.Errorf("away: on sale %t with %v, %s, missing %v, want true with none, partial, and 3",
				s.OnSale, s.Images, c.state(id), c.missing(id))
		}
		for _, f := range back {
			f()
		}
		for range 30 { // nobody asks: the runs of a cron job
			if c.run(false); c.state(id) == "live" {
				break
			}
			time.Sleep(5 * time.Minute)
		}
		if s := c.shop.seen(t, shopadapter.PublicationID(id)); !slices.Equal(s.Images, urls) || c.state(id) != "live" ||
			c.shop.Uploads() != 3 {
			t.Errorf("back: shows %v, %s, %d uploads, want %v, live and 3", s.Images, c.state(id), c.shop.Uploads(), urls)
		}
	})
}

// PHP dies on a picture. It is given up and named; a person who asks has it tried
// again.
func TestPictureThatKillsPHPIsNamed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newChain(t)
		urls := pictureURLs(1, 2, 3)
		id := c.pictured("lamp", urls...)
		tries := 0
		c.shop.Kills = func(src string) bool {
			if src == urls[1] {
				tries++
			}
			return src == urls[1]
		}
		c.run(false)
		if s := c.shop.seen(t, shopadapter.PublicationID(id)); !s.OnSale || len(s.Images) != 2 || c.state(id) != "partial" {
			t.Errorf("on sale %t with %v, %s, want true with 2 and partial", s.OnSale, s.Images, c.state(id))
		}
		for range 40 {
			c.run(false)
			time.Sleep(time.Hour)
		}
		if said := c.missing(id); tries != 2 || len(said) != 1 ||
			!strings.Contains(said[0], "PHP dies in the shop") ||
			c.state(id) != "partial" {
			t.Errorf("%d tries, missing %v, %s, want 2, one that kills PHP, and partial", tries, said, c.state(id))
		}
		c.shop.Kills = nil
		if _, err := c.desk().Retry(c.t.Context(), desk.Retry{IDs: []string{id}}); err != nil {
			t.Fatal(err)
		}
		c.run(false)
		if s := c.shop.seen(t, shopadapter.PublicationID(id)); !slices.Equal(s.Images, urls) || c.state(id) != "live" {
			t.Errorf("asked: shows %v, %s, missing %v, want %v and live", s.Images, c.state(id), c.missing(id), urls)
		}
	})
}

// A shop that does not answer is asked for its categories once in ten seconds, however many
// listings are reviewed.
func TestReviewsOfADeadShop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFakeShop(t)
		hangs := false
		a := f.connect(t, realPatience(), func(next http.RoundTripper) http.RoundTripper {
			return roundTripper(func(req *http.Request) (*http.Response, error) {
				if hangs {
					<-req.Context().Done()
					return nil, req.Context().Err()
				}
				return next.RoundTrip(req)
			})
		})
		p := sample("lamp", 1)
		p.Category = shopadapter.Category{Path: "GAMES", Name: "Games"}
		ref, _ := must(t, a, refOf(p), p, shopadapter.AllFields)
		time.Sleep(time.Hour)
		hangs = true
		begun := time.Now()
		for range 100 {
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			if _, err := a.moves(ctx, ref); err == nil {
				t.Error("got no error, want one: the shop hangs")
			}
			cancel()
		}
		if took := time.Since(begun); took > 2*time.Minute {
			t.Errorf("a hundred reviews take %s, want 2 minutes at most", took)
		}
		hangs = false
		time.Sleep(time.Minute)
		if fields, err := a.moves(t.Context(), ref); fields != 0 || err != nil {
			t.Errorf("the shop is back: a review moves %s, %v, want none", fields, err)
		}
	})
}
