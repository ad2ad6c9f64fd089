package conform

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/pubsync/pubsync/shopadapter"
	httpshop "github.com/pubsync/pubsync/shopadapter/http"
	"github.com/pubsync/pubsync/shopadapter/laws"
)

// A driver holds one endpoint to one law: by the adapter http, and by requests of its own where a
// law asks for what no adapter sends.
type driver struct {
	Endpoint
	offer offer
	run   string // before the id of each publication
	*recorder
}

func newDriver(e Endpoint, o offer, run string) *driver {
	return &driver{Endpoint: e, offer: o, run: run, recorder: newRecorder(e)}
}

// harness is the endpoint as the book of laws needs it.
func (d *driver) harness() laws.Harness {
	h := laws.Harness{
		Open: d.open, Observe: d.observe, ObserveOne: d.observeOne,
		Endpoint: d, Prefix: d.run, NoPictures: true,
		Hidden: d.offer.hidden(), HiddenOptions: !d.offer.options,
		Stride: 3, Details: d.offer.details, Drafts: d.offer.drafts,
		BreakCredentials: d.breakToken,
		Without:          d.offer.without(d.Endpoint),
	}
	if d.offer.options {
		h.Visit = laws.VisitSeen(d.observe)
	}
	if d.DeleteByHand != nil {
		h.DeleteByHand = d.deleteByHand
	}
	if d.Restart != nil {
		h.Restart = d.restart
	}
	return h
}

// restart starts the endpoint anew, and waits until it answers.
func (d *driver) restart(ctx context.Context) error {
	if err := d.Restart(ctx); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, startTime)
	defer cancel()
	for {
		_, err := d.Send(ctx, laws.Request{Method: http.MethodGet, Path: "/health"})
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("the shop does not answer within %s: %w", startTime, err)
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// open opens the adapter http at the endpoint.
func (d *driver) open(wrap func(http.RoundTripper) http.RoundTripper) (shopadapter.Adapter, error) {
	a, err := shopadapter.Open(httpshop.Name, shopadapter.Options{
		Settings: map[string]string{"URL": d.URL, "TOKEN": d.Endpoint.Token},
		HTTPClient: &http.Client{
			Transport: wrap(d.recorder), Timeout: d.Client.Timeout,
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	})
	if err != nil {
		return nil, err
	}
	return lenient{a, d}, nil
}

// A lenient adapter fills in what the protocol leaves to the endpoint and the book asks of every
// adapter: an address, and ids of variants where the endpoint names none.
type lenient struct {
	shopadapter.Adapter
	driver *driver
}

// Publish is the adapter's.
func (l lenient) Publish(
	ctx context.Context, ref shopadapter.Ref, p shopadapter.Product, changed shopadapter.Fields,
) (shopadapter.Listing, error) {
	listing, err := l.Adapter.Publish(ctx, ref, p, changed)
	return l.fill(ref, listing, p.Variants), err
}

func (l lenient) fill(
	ref shopadapter.Ref, listing shopadapter.Listing, variants []shopadapter.Variant,
) shopadapter.Listing {
	if listing.ID == "" {
		return listing
	}
	if listing.URL == "" {
		listing.URL = l.driver.URL + httpshop.Path(ref.Publication)
	}
	if held, known := l.driver.known(ref.Publication); known && held.answer.Variants == nil {
		for _, v := range variants {
			if _, refused := listing.Refused[v.ID]; !refused {
				listing.Variants = append(listing.Variants, shopadapter.ListedVariant{ID: v.ID, ShopID: unnamed(v.ID)})
			}
		}
	}
	return listing
}

// unnamed stands for the shop's id of a variant that the endpoint does not name.
func unnamed(variant string) string { return "unnamed " + variant }

// deleteByHand deletes a listing as the merchant would.
func (d *driver) deleteByHand(ctx context.Context, listing shopadapter.ListingID) error {
	id, known := d.publication(string(listing))
	if !known {
		return fmt.Errorf("listing %s is not known", listing)
	}
	if err := d.DeleteByHand(ctx, string(listing), id); err != nil {
		return fmt.Errorf("listing %s: %w", listing, err)
	}
	d.forget(id)
	return nil
}

// clean deletes what the law made. Where that fails no more is tried: other laws ask for the
// deletion.
func (d *driver) clean(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), cleanup)
	defer cancel()
	for _, id := range d.everPut() {
		path := httpshop.Path(id) + "?mode=" + shopadapter.Delete.String()
		if _, err := d.Send(ctx, laws.Request{Method: http.MethodDelete, Path: path}); err != nil {
			return
		}
	}
}
