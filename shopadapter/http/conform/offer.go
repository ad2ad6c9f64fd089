package conform

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"

	"github.com/pubsync/pubsync/shopadapter"
	httpshop "github.com/pubsync/pubsync/shopadapter/http"
	"github.com/pubsync/pubsync/shopadapter/laws"
)

// An offer is what an endpoint shows of itself beyond its answers.
type offer struct {
	figures  bool     // health says that it accepts figures alone
	drafts   bool     // health says that it makes drafts
	list     bool     // it has a list, short enough to be read at each step
	observed bool     // the list tells the figures of variants
	options  bool     // the list tells the options of variants
	edited   bool     // the list tells which texts the merchant edited
	page     bool     // the page at a listing's address shows the title
	details  []string // brand and details that this page shows
}

// mostPages of a list are read at each step of a law.
const mostPages = 3

// explore publishes a product and sees what the endpoint shows of it. What does not work here is
// not offered; whether that is right the laws find out.
func explore(ctx context.Context, e Endpoint, run string) (o offer) {
	d := newDriver(e, offer{}, run)
	defer d.clean(ctx)
	p := laws.Sample(shopadapter.PublicationID(run+"offer"), 2)
	p.Images = nil
	for i := range p.Variants {
		p.Variants[i].EAN = ""
	}
	body, err := d.Body(p, shopadapter.AllFields)
	if err != nil {
		return o
	}
	var said struct{ Figures, Observed, Drafts bool }
	if r, err := d.Send(ctx, laws.Request{Method: http.MethodGet, Path: "/health"}); err == nil {
		_ = json.Unmarshal(r.Body, &said) //nolint:errcheck // an endpoint may answer anything, and then it says nothing
	}
	o.figures, o.drafts = said.Figures, said.Drafts
	put := laws.Request{Method: http.MethodPut, Path: httpshop.Path(p.ID), Body: body}
	if _, err := d.Send(ctx, put); err != nil {
		return o
	}
	// A list that breaks a law is a list all the same.
	all, err := d.list(ctx, mostPages, func(l listed) {
		if l.Publication != string(p.ID) || !said.Observed {
			return
		}
		o.observed, o.edited = true, l.Edited != nil
		for _, v := range l.Variants {
			o.options = o.options || len(v.Options) > 0
		}
	})
	o.list = err == nil && all
	o.drafts = o.drafts && o.list
	o.observed, o.options, o.edited = o.observed && o.list, o.options && o.list, o.edited && o.list
	if _, o.page = d.shown(ctx, p.ID); !o.page || !o.observed {
		return o // nothing tells which variants there are
	}
	p.ID += "-details" // a shop may write them once alone, which the laws find out
	p, put.Path = laws.WithDetails(p, 1), httpshop.Path(p.ID)
	if put.Body, err = d.Body(p, shopadapter.AllFields); err != nil {
		return o
	}
	if _, err := d.Send(ctx, put); err != nil {
		return o
	}
	page, _ := d.page(ctx, p.ID)
	h, _ := d.known(p.ID)
	o.details = slices.DeleteFunc(pagedDetails(), func(name string) bool { return !h.given.shows(page, name) })
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

// without is the reason for each law that cannot be shown of this endpoint.
func (o offer) without(e Endpoint) map[string]string {
	const (
		inGo     = "this is asked of an adapter in Go, and pubsync's own for endpoints is held to it"
		pictures = "nothing tells what the shop does with the addresses of pictures"
		refuses  = "nothing tells what this shop refuses"
		details  = "the page at the listing's address does not show brand and details, or no list tells of the variants: " +
			"nothing tells what became of them"
		byHand = "nothing here does by hand what the shop's owner does in the back office"
	)
	reasons := map[string]string{
		"input-unmodified": inGo, "cancel": inGo, "error-kinds": inGo, "no-secret": inGo, "fault-half-way": inGo,
		"checker":          inGo,
		"stale-hint":       "the protocol has no hints: an endpoint finds a listing by its key alone",
		"stamp-deleted":    "the protocol has no stamps: an endpoint finds a listing by its key alone",
		"never-half-built": "a PUT is one request, and nothing looks while it is worked on",
		"image-once":       pictures, "late-picture": pictures, "refused-picture": pictures,
		"refused-variant": refuses, "all-variants-refused": refuses, "refused-product": refuses,
		"merchants-detail":  byHand,
		"merchants-edit":    byHand + "; only-changed asks whether what changed does not name is left alone",
		"edit-not-invented": byHand, "hidden-by-hand": byHand, "foreign": byHand,
		"observed-price": byHand, "observed-quantity": byHand, "observed-reduction": byHand,
		"observed-variant-gone": byHand, "observed-variant-off": byHand, "observed-foreign": byHand,
		"observed-edit": byHand, "renamed-choice": byHand,
		"adopted": "the protocol takes over no product of the merchant's own",
	}
	unseen := func(seen bool, law, reason string) {
		if !seen {
			reasons[law] = reason
		}
	}
	unseen(e.DeleteByHand != nil, "deleted-by-hand",
		"nothing says how a listing is deleted by hand: name a program with --delete-by-hand")
	unseen(e.Restart != nil, "restart-without-hint",
		"nothing says how the shop is started anew: name a program with --restart")
	unseen(e.Token != "", "credentials", "PUBSYNC_HTTP_TOKEN is not set, so everybody may publish here")
	unseen(o.drafts, "draft",
		`GET /health does not say "drafts": true, or the list does not tell what is on sale: `+
			"PUBSYNC_PUBLISH_AS=draft is refused")
	unseen(o.figures, "restock", `GET /health does not say "figures": true, so each change comes as a PUT`)
	unseen(o.list || o.page, "unpublish",
		"there is no list, or a long one, and no page at the listing's address: nothing tells what is on sale")
	unseen(o.observed || o.page, "only-changed",
		`GET /health does not say "observed": true, and no page at the listing's address shows the title: `+
			"nothing tells what was written")
	for _, law := range []string{"details-shown", "details-filled", "details-unknown"} {
		unseen(len(o.details) > 0, law, details)
	}
	for _, law := range []string{
		"observed-as-written", "lister", "observed-some", "observed-idle", "observed-cost",
	} {
		unseen(o.observed, law, `GET /health does not say "observed": true, or the list is too long to be read at each `+
			"step: nothing tells what somebody changed in the shop")
	}
	unseen(o.edited, "observed-unedited",
		`the list does not tell the texts that the merchant "edited": nobody is told of an edit before the supplier's next`)
	unseen(o.options, "choice",
		`the list does not tell the "options" of its "variants": nothing tells where a visitor's choice leads`)
	return reasons
}
