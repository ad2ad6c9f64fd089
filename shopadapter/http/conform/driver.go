package conform

import (
	"bytes"
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
	"sync"
	"time"

	"github.com/pubsync/pubsync/shopadapter"
	httpshop "github.com/pubsync/pubsync/shopadapter/http"
	"github.com/pubsync/pubsync/shopadapter/laws"
	"github.com/pubsync/pubsync/shopadapter/wire"
)

// A driver holds one endpoint to one law: by the adapter http, and by requests past it where a law
// asks for what no adapter sends. It is the transport of all of them, and remembers the exchanges
// and what the endpoint should hold after them.
type driver struct {
	Endpoint
	raw  laws.Endpoint
	run  string // before the id of each publication
	next http.RoundTripper

	mu   sync.Mutex
	said []Exchange
	held map[shopadapter.PublicationID]held
	ever []shopadapter.PublicationID // in the order of their first PUT, refused or not
}

// A held product is one that a PUT was accepted of.
type held struct {
	answer          shopadapter.Listing
	onSale, deleted bool
}

const (
	maxAnswer  = 4 << 20          // bytes read of an answer
	startTime  = 30 * time.Second // bounds the wait for a shop that was started anew
	mostListed = 300              // bounds a list that is read at each step of a law
)

func newDriver(e Endpoint, run string) *driver {
	d := &driver{Endpoint: e, run: run, next: http.DefaultTransport, held: map[shopadapter.PublicationID]held{}}
	if e.Client == nil {
		d.Client = http.DefaultClient
	} else if e.Client.Transport != nil {
		d.next = e.Client.Transport
	}
	if u, err := url.Parse(d.URL); err == nil {
		d.URL = u.String() // as requests spell it
	}
	d.URL = strings.TrimRight(d.URL, "/")
	d.raw = laws.Endpoint{
		URL: d.URL, Token: d.Token,
		Client: wire.New(wire.Options{Peer: "the endpoint", Transport: d, Timeout: d.Client.Timeout}),
		Body: func(p shopadapter.Product, changed shopadapter.Fields) ([]byte, error) {
			return httpshop.Encode(p, changed, shopadapter.Ref{})
		},
		Path: httpshop.Path, Answer: answered,
	}
	return d
}

// with runs a part that no other may run at the same time.
func (d *driver) with(part func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	part()
}

// An offer is what an endpoint offers of the protocol: what its health says, and whether it has a
// list that is short enough to be read at each step of a law.
type offer struct{ Drafts, Observed, lists bool }

// explore asks the endpoint what it offers. A wrong list is one, too: the laws say what is wrong.
func (d *driver) explore(ctx context.Context) (o offer) {
	if r, err := d.raw.Send(ctx, http.MethodGet, "/health", d.Token, nil); err == nil {
		_ = json.Unmarshal(r.Body, &o) //nolint:errcheck // an endpoint may answer anything, and then it says nothing
	}
	listed := 0
	err := d.list(ctx, func(shopadapter.Listed) bool { listed++; return listed <= mostListed })
	o.lists = listed <= mostListed && !errors.Is(err, shopadapter.ErrNoList)
	o.Observed = o.Observed && o.lists
	return o
}

// harness is the endpoint as the book of laws needs it.
func (d *driver) harness(o offer) laws.Harness {
	d.raw.Lists, d.raw.Observed = o.lists, o.Observed
	h := laws.Harness{
		Open: d.open, Prefix: d.run, Stride: 3, Endpoint: &d.raw, Hidden: shopadapter.AllFields, Drafts: o.Drafts,
		Observe: func(ctx context.Context) ([]laws.Seen, error) { return d.observe(ctx, "") }, ObserveOne: d.observe,
	}
	if o.Observed {
		h.Hidden &^= shopadapter.FieldVariants | shopadapter.FieldPrice | shopadapter.FieldStock
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
	var err error
	for end := time.Now().Add(startTime); time.Now().Before(end); time.Sleep(startTime / 300) {
		if _, err = d.raw.Send(ctx, http.MethodGet, "/health", d.Token, nil); err == nil {
			return nil
		}
	}
	return fmt.Errorf("the shop does not answer within %s: %w", startTime, err)
}

// deleteByHand deletes a listing as the merchant would.
func (d *driver) deleteByHand(ctx context.Context, listing shopadapter.ListingID) (err error) {
	d.with(func() {
		for id, h := range d.held {
			if h.answer.ID == listing {
				err = d.DeleteByHand(ctx, string(listing), id)
				h.onSale, h.deleted = false, true
				d.held[id] = h
			}
		}
	})
	return err
}

// clean deletes what the law made. Where that fails no more is tried: other laws ask for the
// deletion.
func (d *driver) clean(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), cleanup)
	defer cancel()
	for _, id := range d.ever {
		path := httpshop.Path(id) + "?mode=" + shopadapter.Delete.String()
		if _, err := d.raw.Send(ctx, http.MethodDelete, path, d.Token, nil); err != nil {
			return
		}
	}
}

// open opens the adapter http at the endpoint.
func (d *driver) open(wrap func(http.RoundTripper) http.RoundTripper) (shopadapter.Adapter, error) {
	a, err := shopadapter.Open(httpshop.Name, shopadapter.Options{
		Settings:   map[string]string{"URL": d.URL, "TOKEN": d.Token},
		HTTPClient: &http.Client{Transport: wrap(d), Timeout: d.Client.Timeout},
	})
	return lenient{a, d}, err
}

func plain(transport http.RoundTripper) http.RoundTripper { return transport }

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
	if listing.ID == "" {
		return listing, err
	}
	if listing.URL == "" {
		listing.URL = l.driver.URL + httpshop.Path(ref.Publication)
	}
	l.driver.with(func() {
		if h, known := l.driver.held[ref.Publication]; known && h.answer.Variants == nil {
			listing.Variants = nil
			for _, v := range p.Variants {
				listing.Variants = append(listing.Variants, shopadapter.ListedVariant{ID: v.ID, ShopID: unnamed(v.ID)})
			}
		}
	})
	return listing, err
}

// unnamed is the id of a variant that the endpoint gives none.
func unnamed(variant string) string { return "unnamed " + variant }

// RoundTrip makes a request and reads the answer to its end.
func (d *driver) RoundTrip(req *http.Request) (*http.Response, error) {
	var body []byte
	if req.Body != nil {
		var err error
		body, err = io.ReadAll(req.Body)
		if err = errors.Join(err, req.Body.Close()); err != nil {
			return nil, err
		}
	}
	out := req.Clone(req.Context())
	if out.Body = http.NoBody; len(body) > 0 {
		out.Body = io.NopCloser(bytes.NewReader(body))
	}
	path := strings.TrimPrefix(req.URL.String(), d.URL)
	resp, err := d.next.RoundTrip(out)
	var data []byte
	if err == nil {
		data, err = io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
		_ = resp.Body.Close() //nolint:errcheck // it was read
	}
	if err != nil {
		d.record(req.Method, path, body, 0, []byte("no answer: "+err.Error()))
		return nil, err
	}
	d.record(req.Method, path, body, resp.StatusCode, data)
	resp.Body = io.NopCloser(bytes.NewReader(data))
	return resp, nil
}

// record remembers an exchange, and what the answer says about a product. A PUT may have made it
// however that ended.
func (d *driver) record(method, path string, body []byte, status int, data []byte) {
	e := Exchange{
		Request: method + " " + path, Body: d.show(body, maxShown), Status: status, Answer: d.show(data, maxShown),
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.said = append(d.said, e)
	path, query, _ := strings.Cut(path, "?")
	segment, about := strings.CutPrefix(path, "/products/")
	name, err := url.PathUnescape(segment)
	if !about || err != nil {
		return
	}
	id := shopadapter.PublicationID(name)
	if method == http.MethodPut && !slices.Contains(d.ever, id) {
		d.ever = append(d.ever, id)
	}
	h, known := d.held[id]
	switch {
	case method == http.MethodPut && (status == http.StatusOK || status == http.StatusCreated):
		a, _ := answered(data) //nolint:errcheck // the laws say what is wrong with it
		h = held{answer: a, onSale: true}
	case !known:
		return
	case status == http.StatusGone:
		h.onSale, h.deleted = false, true
	case method == http.MethodDelete && (status == http.StatusNoContent || status == http.StatusNotFound):
		h.onSale = false
		h.deleted = h.deleted || strings.HasSuffix(query, shopadapter.Delete.String())
	}
	d.held[id] = h
}

// show is a text as a person reads it: on one line, cut, without secrets.
func (d *driver) show(text []byte, most int) string {
	redact := d.Redact
	if redact == nil {
		redact = func(s string) string { return s }
	}
	return wire.Line(string(text), most, redact)
}

// answered reads the answer to a PUT, as leniently as the adapter does.
func answered(data []byte) (a shopadapter.Listing, err error) {
	said, ok := httpshop.Read(data)
	if !ok {
		return a, errors.New("got no JSON, want a listing with \"id\", and \"url\", \"variants\" and \"refused\" where " +
			"it has them")
	}
	if said.Variants != nil || said.Refused != nil {
		a.Variants, a.Refused = []shopadapter.ListedVariant{}, map[string]string{}
		for name, text := range said.Variants {
			if text != nil {
				a.Variants = append(a.Variants, shopadapter.ListedVariant{ID: name, ShopID: string(*text)})
			}
		}
		for name, text := range said.Refused {
			if text != nil {
				a.Refused[name] = string(*text)
			}
		}
	}
	if a.ID = shopadapter.ListingID(said.ID); a.ID == "" {
		return a, errors.New(`got no "id", want the shop's`)
	}
	return a, nil
}

// list ranges over the endpoint's list, until entry is false.
func (d *driver) list(ctx context.Context, entry func(shopadapter.Listed) bool) error {
	a, err := d.open(plain)
	if err != nil {
		return err
	}
	for l, err := range a.List(ctx, shopadapter.Query{}) {
		if err != nil || !entry(l) {
			return err
		}
	}
	return nil
}

// observe is what the endpoint shows of one of the law's publications, or of all for "": by its list or,
// without one, by the answers so far.
func (d *driver) observe(ctx context.Context, one shopadapter.PublicationID) (all []laws.Seen, err error) {
	var known map[shopadapter.PublicationID]held
	d.with(func() { known = maps.Clone(d.held) })
	maps.DeleteFunc(known, func(id shopadapter.PublicationID, _ held) bool { return one != "" && id != one })
	if !d.raw.Lists {
		for id, h := range known {
			if !h.deleted {
				all = append(all, laws.Seen{Listing: h.answer.ID, Publication: id, OnSale: h.onSale})
			}
		}
		return all, nil
	}
	err = d.list(ctx, func(l shopadapter.Listed) bool {
		if h, ours := known[l.Ref.Publication]; ours {
			all = append(all, seen(l, h))
		}
		return true
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
		for id, shops := range h.answer.ShopIDs() {
			if id == v.ID || shops == v.ID {
				one.ID, one.ShopID = id, shops
			}
		}
		seen.Variants = append(seen.Variants, one)
	}
	return seen
}
