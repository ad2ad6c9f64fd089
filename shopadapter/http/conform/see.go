package conform

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"math"
	"net/http"
	"strings"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/laws"
)

// An offer is what an endpoint offers of the protocol: what its health says, and whether it has a
// list that is short enough to be read at each step of a law.
type offer struct {
	Figures, Drafts, Observed bool
	list                      bool
}

// mostListed bounds a list that is read at each step of a law.
const mostListed = 300

// explore asks the endpoint what it offers. A wrong list is one, too: the laws say what is wrong.
func (d *driver) explore(ctx context.Context) (o offer) {
	if r, err := d.Send(ctx, laws.Request{Method: http.MethodGet, Path: "/health"}); err == nil {
		_ = json.Unmarshal(r.Body, &o) //nolint:errcheck // an endpoint may answer anything, and then it says nothing
	}
	whole, err := d.list(ctx, mostListed, func(shopadapter.Listed) {})
	o.list = whole || err != nil && !errors.Is(err, shopadapter.ErrNoList)
	o.Observed, o.Figures, o.Drafts = o.Observed && o.list, o.Figures && o.list, o.Drafts && o.list
	return o
}

// hidden is the groups that nothing tells of.
func (o offer) hidden() shopadapter.Fields {
	if o.Observed {
		return shopadapter.AllFields &^ (shopadapter.FieldVariants | shopadapter.FieldPrice | shopadapter.FieldStock)
	}
	return shopadapter.AllFields
}

// byAnswers are the laws of the book that an endpoint without a list is held to beside those of the
// protocol: its answers alone tell whether they hold.
const byAnswers = " idempotent last-wins restart-without-hint hostile-ids variants unpublish-twice republish " +
	"deleted-by-hand lost-answer parallel "

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
		{
			o.Observed, "only-changed observed-as-written observed-some observed-idle observed-cost observed-unedited",
			`GET /health does not say "observed": true: nothing tells what stands in the shop`,
		},
		{o.Drafts, "draft", `GET /health does not say "drafts": true: PUBSYNC_PUBLISH_AS=draft is refused`},
		{
			o.Figures, "restock restock-asks-whole restock-lost-answer restock-leaves-the-merchants",
			`GET /health does not say "figures": true, so each change comes as a PUT`,
		},
		{o.list, strings.Join(unlisted, " "), "the endpoint has no list, GET {base}/products?after=, or a long one: it is " +
			"held to fewer laws, since nothing but its answers tells what it holds"},
		{
			e.DeleteByHand != nil, "deleted-by-hand",
			"nothing says how a listing is deleted by hand: name a program with --delete-by-hand",
		},
		{
			e.Restart != nil, "restart-without-hint",
			"nothing says how the shop is started anew: name a program with --restart",
		},
	} {
		for law := range strings.FieldsSeq(unseen.laws) {
			if !unseen.seen {
				reasons[law] = unseen.reason
			}
		}
	}
	return reasons
}

// list ranges over so many products of the endpoint's list, and says whether these were all.
func (d *driver) list(ctx context.Context, most int, entry func(shopadapter.Listed)) (all bool, err error) {
	a, err := d.open(func(transport http.RoundTripper) http.RoundTripper { return transport })
	if err != nil {
		return false, err
	}
	for l, err := range a.List(ctx, shopadapter.Query{}) {
		if most--; err != nil || most < 0 {
			return false, err
		}
		entry(l)
	}
	return true, nil
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
	_, err = d.list(ctx, math.MaxInt, func(l shopadapter.Listed) {
		if h, ours := known[l.Ref.Publication]; ours {
			all = append(all, seen(l, h))
		}
	})
	return all, err
}

// seen is an entry of the list. The id of a variant in it is the marketplace's or the shop's.
func seen(l shopadapter.Listed, h held) laws.Seen {
	seen := laws.Seen{Listing: l.Ref.Listing, Publication: l.Ref.Publication, OnSale: l.OnSale}
	for _, v := range l.Variants {
		if !v.OnSale {
			continue
		}
		one := laws.SeenVariant{
			ID: v.ID, ShopID: unnamed(v.ID), SKU: v.SKU, Price: v.Price, Quantity: v.Quantity, Backorders: v.Backorders,
		}
		for id, shops := range h.answer.Variants {
			if id == v.ID || shops == v.ID {
				one.ID, one.ShopID = id, shops
			}
		}
		seen.Variants = append(seen.Variants, one)
	}
	return seen
}
