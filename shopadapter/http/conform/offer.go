package conform

import (
	"context"
	"encoding/json"
	"errors"
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

// explore publishes products and sees what the endpoint shows of them. What does not work here is
// not offered; whether that is right the laws find out.
func explore(ctx context.Context, e Endpoint, run string) (o offer) {
	d := newDriver(e, offer{}, run)
	defer d.clean(ctx)
	var said struct{ Figures, Observed, Drafts bool }
	if r, err := d.Send(ctx, laws.Request{Method: http.MethodGet, Path: "/health"}); err == nil {
		_ = json.Unmarshal(r.Body, &said) //nolint:errcheck // an endpoint may answer anything, and then it says nothing
	}
	o.figures = said.Figures
	bare := laws.Sample(shopadapter.PublicationID(run+"offer"), 2)
	bare.Images = nil
	detailed := laws.WithDetails(bare, 1)
	detailed.ID += "-details" // a shop may write them once alone, which the laws find out
	bare.Variants[0].EAN, bare.Variants[1].EAN = "", ""
	for _, p := range []shopadapter.Product{bare, detailed} {
		body, err := httpshop.Encode(p, shopadapter.AllFields)
		if err != nil {
			return o
		}
		if _, err := d.Send(ctx, laws.Request{Method: http.MethodPut, Path: httpshop.Path(p.ID), Body: body}); err != nil {
			return o
		}
	}
	var found listed
	all, err := d.list(ctx, mostPages, func(l listed) {
		if l.Publication == bare.ID {
			found = l
		}
	})
	if o.list = all || err != nil && !errors.Is(err, shopadapter.ErrNoList); !o.list { // a wrong list is one, too
		return o
	}
	known := d.known()
	_, title := d.page(ctx, known[bare.ID])
	o.drafts, o.page = said.Drafts, title != ""
	if o.observed = said.Observed && found.Publication != ""; !o.observed {
		return o
	}
	o.edited = found.Edited != nil
	o.options = slices.ContainsFunc(found.Variants, func(v listedVariant) bool { return len(v.Options) > 0 })
	page, _ := d.page(ctx, known[detailed.ID])
	o.details = known[detailed.ID].shownOn(page)
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
var byAnswers = []string{
	"idempotent", "last-wins", "restart-without-hint", "hostile-ids", "variants", "unpublish-twice", "republish",
	"deleted-by-hand", "lost-answer", "credentials", "parallel",
}

// without is the reason for each law that cannot be shown of this endpoint.
func (o offer) without(e Endpoint) map[string]string {
	var listed []string
	for _, law := range Laws() {
		if !law.OfProtocol() && !slices.Contains(byAnswers, law.ID) {
			listed = append(listed, law.ID)
		}
	}
	reasons := map[string]string{}
	for _, unseen := range []struct {
		seen   bool
		laws   []string
		reason string
	}{
		{
			len(o.details) > 0,
			[]string{"details-shown", "details-unknown", "detail-lost-answer"},
			"the page at the listing's address does not show brand and details, or no list tells of the variants: nothing " +
				"tells what became of them",
		},
		{
			o.edited,
			[]string{"observed-unedited"},
			`the list does not tell the texts that the merchant "edited": nobody is told of an edit before the supplier's next`,
		},
		{o.observed, []string{
			"observed-as-written", "observed-some", "observed-idle", "observed-cost", "observed-unedited",
		}, `GET /health does not say "observed": true: nothing tells what somebody changed in the shop`},
		{
			o.observed || o.page,
			[]string{"only-changed"},
			`GET /health does not say "observed": true, and no page at the listing's address shows the title: nothing tells ` +
				"what was written",
		},
		{
			o.options,
			[]string{"choice"},
			`the list does not tell the "options" of its "variants": nothing tells where a visitor's choice leads`,
		},
		{o.drafts, []string{"draft"}, `GET /health does not say "drafts": true: PUBSYNC_PUBLISH_AS=draft is refused`},
		{o.list, listed, "the endpoint has no list, GET {base}/products?after=, or a long one: it is held to fewer laws, " +
			"since nothing but its answers tells what it holds"},
		{
			o.figures,
			[]string{"restock", "restock-asks-whole", "restock-lost-answer", "restock-leaves-the-merchants"},
			`GET /health does not say "figures": true, so each change comes as a PUT`,
		},
		{
			e.DeleteByHand != nil,
			[]string{"deleted-by-hand"},
			"nothing says how a listing is deleted by hand: name a program with --delete-by-hand",
		},
		{
			e.Restart != nil,
			[]string{"restart-without-hint"},
			"nothing says how the shop is started anew: name a program with --restart",
		},
		{e.Token != "", []string{"credentials"}, "PUBSYNC_HTTP_TOKEN is not set, so everybody may publish here"},
	} {
		for _, law := range unseen.laws {
			if !unseen.seen {
				reasons[law] = unseen.reason
			}
		}
	}
	return reasons
}
