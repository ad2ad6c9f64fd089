package conform

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/pubsync/pubsync/shopadapter"
	httpshop "github.com/pubsync/pubsync/shopadapter/http"
	"github.com/pubsync/pubsync/shopadapter/laws"
)

// An offer is what an endpoint shows of itself beyond its answers.
type offer struct {
	figures  bool // health says that it accepts figures alone
	drafts   bool // health says that it makes drafts
	list     bool // it has a list, short enough to be read at each step
	observed bool // the list tells the figures of variants
	options  bool // the list tells the options of variants
	edited   bool // the list tells which texts the merchant edited
	page     bool // the page at a listing's address shows the title
}

const (
	mostPages = 3               // of a list that is read at each step of a law
	maxPages  = 1000            // of a list
	pageTime  = 5 * time.Second // bounds the reading of a listing's page
)

// explore publishes a product and sees what the endpoint shows of it. What does not work here is
// not offered; whether that is right the laws find out.
func explore(ctx context.Context, e Endpoint, run string) (o offer) {
	d := newDriver(e, run)
	defer d.clean(ctx)
	var said struct{ Figures, Observed, Drafts bool }
	if r, err := d.Send(ctx, laws.Request{Method: http.MethodGet, Path: "/health"}); err == nil {
		_ = json.Unmarshal(r.Body, &said) //nolint:errcheck // an endpoint may answer anything, and then it says nothing
	}
	o.figures = said.Figures
	p := laws.Sample(shopadapter.PublicationID(run+"offer"), 2)
	p.Images = nil
	body, err := httpshop.Encode(p, shopadapter.AllFields)
	if err != nil {
		return o
	}
	if _, err := d.Send(ctx, laws.Request{Method: http.MethodPut, Path: httpshop.Path(p.ID), Body: body}); err != nil {
		return o
	}
	var found listed
	whole, err := d.list(ctx, mostPages, func(l listed) {
		if l.Publication == p.ID {
			found = l
		}
	})
	if o.list = whole || err != nil && !errors.Is(err, shopadapter.ErrNoList); !o.list { // a wrong list is one, too
		return o
	}
	o.drafts, o.page = said.Drafts, d.shownTitle(ctx, d.held[p.ID]) != ""
	o.observed = said.Observed && found.Publication != ""
	o.edited = o.observed && found.Edited != nil
	o.options = o.observed && slices.ContainsFunc(found.Variants, func(v listedVariant) bool { return len(v.Options) > 0 })
	return o
}

// hidden is the groups that nothing tells of.
func (o offer) hidden() shopadapter.Fields {
	hidden := shopadapter.AllFields
	if o.observed {
		hidden &^= shopadapter.FieldVariants | shopadapter.FieldPrice | shopadapter.FieldStock
	}
	if o.page {
		hidden &^= shopadapter.FieldTitle
	}
	return hidden
}

// byAnswers are the laws of the book that an endpoint without a list is held to beside those of the
// protocol: its answers alone tell whether they hold.
const byAnswers = " idempotent last-wins restart-without-hint hostile-ids variants unpublish-twice republish " +
	"deleted-by-hand lost-answer credentials parallel "

// without is the reason for each law that cannot be shown of this endpoint.
func (o offer) without(e Endpoint) map[string]string {
	var unlisted []string
	for _, law := range Laws() {
		if !law.OfProtocol() && !strings.Contains(byAnswers, " "+law.ID+" ") {
			unlisted = append(unlisted, law.ID)
		}
	}
	reasons := map[string]string{}
	for _, unseen := range []struct {
		seen         bool
		laws, reason string
	}{
		{o.edited, "observed-unedited", `the list does not tell the texts that the merchant "edited": nobody is told of ` +
			"an edit before the supplier's next"},
		{
			o.observed, "observed-as-written observed-some observed-idle observed-cost observed-unedited",
			`GET /health does not say "observed": true: nothing tells what somebody changed in the shop`,
		},
		{o.observed || o.page, "only-changed", `GET /health does not say "observed": true, and no page at the listing's ` +
			"address shows the title: nothing tells what was written"},
		{o.options, "choice", `the list does not tell the "options" of its "variants": nothing tells where a visitor's ` +
			"choice leads"},
		{o.drafts, "draft", `GET /health does not say "drafts": true: PUBSYNC_PUBLISH_AS=draft is refused`},
		{o.list, strings.Join(unlisted, " "), "the endpoint has no list, GET {base}/products?after=, or a long one: it is " +
			"held to fewer laws, since nothing but its answers tells what it holds"},
		{
			o.figures, "restock restock-asks-whole restock-lost-answer restock-leaves-the-merchants",
			`GET /health does not say "figures": true, so each change comes as a PUT`,
		},
		{
			e.DeleteByHand != nil, "deleted-by-hand",
			"nothing says how a listing is deleted by hand: name a program with --delete-by-hand",
		},
		{
			e.Restart != nil, "restart-without-hint",
			"nothing says how the shop is started anew: name a program with --restart",
		},
		{e.Token != "", "credentials", "PUBSYNC_HTTP_TOKEN is not set, so everybody may publish here"},
	} {
		for law := range strings.FieldsSeq(unseen.laws) {
			if !unseen.seen {
				reasons[law] = unseen.reason
			}
		}
	}
	return reasons
}

// A listed is one product in the endpoint's list. Where health says "observed", it has its variants
// as they stand in the shop.
type listed struct {
	Publication shopadapter.PublicationID
	ID          httpshop.Text
	OnSale      bool
	Edited      json.RawMessage // texts that the merchant edited; nil: it does not tell
	Variants    []listedVariant
}

type listedVariant struct {
	ID, SKU    string
	Options    map[string]string // optional: what a visitor chooses to get it
	Price      httpshop.Text
	Quantity   int
	Backorders bool
	OnSale     *bool
}

// list reads as many pages of the list, and says whether that was all of it.
func (d *driver) list(ctx context.Context, pages int, entry func(listed)) (all bool, err error) {
	after := ""
	for range pages {
		r, err := d.Send(ctx, laws.Request{Method: http.MethodGet, Path: "/products?after=" + url.QueryEscape(after)})
		if err != nil {
			return false, err
		}
		none := []int{http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusNotImplemented}
		if after == "" && slices.Contains(none, r.Status) {
			return false, shopadapter.ErrNoList
		}
		var page struct {
			Products []listed
			After    string
		}
		if err := json.Unmarshal(r.Body, &page); err != nil || r.Status != http.StatusOK {
			return false, fmt.Errorf("the list: got status %d (%w), want 200 and "+
				`{"products":[{"publication","id","url","onSale"}],"after"}, or 404 where there is no list`, r.Status, err)
		}
		for _, p := range page.Products {
			if p.Publication == "" || p.ID == "" {
				return false, fmt.Errorf(`the list after %q: got a product without "publication" or "id", want both`, after)
			}
			entry(p)
		}
		if page.After == "" {
			return true, nil
		}
		if after == page.After {
			return false, fmt.Errorf(`the list: got the same "after" again, want an end`)
		}
		after = page.After
	}
	return false, nil
}

// observe is what the endpoint shows of the law's publications.
func (d *driver) observe(ctx context.Context) ([]laws.Seen, error) { return d.observeOne(ctx, "") }

// observeOne is what it shows of one of them, by its list or, without one, by the answers so far.
func (d *driver) observeOne(ctx context.Context, one shopadapter.PublicationID) (all []laws.Seen, err error) {
	var known map[shopadapter.PublicationID]held
	d.with(func() { known = maps.Clone(d.held) })
	maps.DeleteFunc(known, func(id shopadapter.PublicationID, _ held) bool { return one != "" && id != one })
	if !d.offer.list {
		for id, h := range known {
			if !h.deleted {
				all = append(all, laws.Seen{Listing: shopadapter.ListingID(h.answer.ID), Publication: id, OnSale: h.onSale})
			}
		}
		return all, nil
	}
	var entries []listed
	_, err = d.list(ctx, maxPages, func(l listed) { entries = append(entries, l) })
	for _, l := range entries {
		if h, ours := known[l.Publication]; ours {
			all = append(all, d.seen(ctx, l, h))
		}
	}
	return all, err
}

// seen is an entry of the list, with what its page shows.
func (d *driver) seen(ctx context.Context, l listed, h held) laws.Seen {
	seen := laws.Seen{Listing: shopadapter.ListingID(l.ID), Publication: l.Publication, OnSale: l.OnSale}
	if d.offer.page && l.OnSale {
		seen.Title = d.shownTitle(ctx, h)
	}
	for _, v := range l.Variants {
		if v.OnSale != nil && !*v.OnSale {
			continue
		}
		one := laws.SeenVariant{
			ID: v.ID, ShopID: unnamed(v.ID), SKU: v.SKU, Options: v.Options,
			Price: string(v.Price), Quantity: v.Quantity, Backorders: v.Backorders,
		}
		for id, shops := range h.answer.Variants { // the id is the marketplace's or the shop's
			if id == v.ID || shops == v.ID {
				one.ID, one.ShopID = id, shops
			}
		}
		seen.Variants = append(seen.Variants, one)
	}
	return seen
}

// shownTitle is the longest of the titles put so far that the page at the listing's address shows. It
// is asked for as a visitor does, without the token; what a cache kept of it would tell of the past.
func (d *driver) shownTitle(ctx context.Context, h held) (title string) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, h.answer.URL, nil)
	if err != nil || h.answer.URL == "" {
		return ""
	}
	req.Header.Set("Cache-Control", "no-cache")
	res, err := (&http.Client{Transport: d.next, Timeout: pageTime}).Do(req)
	if err != nil {
		return ""
	}
	defer res.Body.Close() //nolint:errcheck // only read
	data, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer))
	if err != nil || res.StatusCode != http.StatusOK {
		return ""
	}
	text := laws.Plain(string(data))
	for _, put := range h.titles {
		if strings.Contains(text, laws.Plain(put)) && len(put) > len(title) {
			title = put
		}
	}
	return title
}
