package conform

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"

	"github.com/pubsync/pubsync/shopadapter"
	httpshop "github.com/pubsync/pubsync/shopadapter/http"
	"github.com/pubsync/pubsync/shopadapter/laws"
	"github.com/pubsync/pubsync/shopadapter/wire"
)

// A driver holds one endpoint to the laws. It is the transport of the adapter and of requests past it, and remembers
// the exchanges of a law, and what the endpoint should hold.
type driver struct {
	Endpoint
	raw    laws.Endpoint
	run    string // prefix of publication ids
	drafts bool   // the endpoint's health says that it takes drafts

	mu   sync.Mutex
	said []Exchange
	put  map[shopadapter.PublicationID]product // each that was PUT, refused or not
}

// A product is what answers told of one that was PUT.
type product struct {
	answer                    shopadapter.Listing
	accepted, onSale, deleted bool
}

const (
	products   = "/products/"
	maxAnswer  = 4 << 20 // bytes
	mostListed = 300     // bounds a list that is read at each step
)

func newDriver(e Endpoint, run string) *driver {
	d := &driver{Endpoint: e, run: run, put: map[shopadapter.PublicationID]product{}}
	d.raw = laws.Endpoint{
		Token: d.Token, Path: httpshop.Path, Answer: answered,
		Send: func(ctx context.Context, method, path, token string, body []byte, flags ...string) (*wire.Answer, error) {
			through := &http.Client{Transport: d, Timeout: d.Client.Timeout}
			return httpshop.NewClient(d.URL, token, through).Send(ctx, method, path, body, wire.Limits{}, flags...)
		},
		Body: func(p shopadapter.Product, changed shopadapter.Fields) ([]byte, error) {
			return httpshop.Encode(p, changed, shopadapter.Ref{})
		},
	}
	return d
}

// explore finds out what the endpoint's health says, and whether it has a list short enough for each step. It accepts
// a wrong list: the laws say what is wrong.
func (d *driver) explore(ctx context.Context) {
	listed := 0
	err := d.list(ctx, func(shopadapter.Listed) bool { listed++; return listed <= mostListed })
	d.raw.Lists = listed <= mostListed && !errors.Is(err, shopadapter.ErrNoList)
	if r, err := d.raw.Send(ctx, http.MethodGet, "/health", d.Token, nil); err == nil {
		health, _ := httpshop.Read(r.Body) // an endpoint may answer anything: then it says nothing
		d.drafts, d.raw.Observed = health.Drafts, health.Observed && d.raw.Lists
	}
}

func (d *driver) harness() laws.Harness {
	h := laws.Harness{
		Open: d.open, Prefix: d.run, Stride: 3, Endpoint: &d.raw, Hidden: shopadapter.AllFields, Drafts: d.drafts,
		Observe: d.observe,
	}
	if d.raw.Observed {
		h.Hidden &^= shopadapter.FieldVariants | shopadapter.FieldPrice | shopadapter.FieldStock
	}
	return h
}

func (d *driver) known() map[shopadapter.PublicationID]product {
	d.mu.Lock()
	defer d.mu.Unlock()
	return maps.Clone(d.put)
}

// clean deletes what the law made. It stops at an error: other laws ask for the deletion.
func (d *driver) clean(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), cleanup)
	defer cancel()
	for id := range d.known() {
		path := httpshop.Path(id) + "?mode=" + shopadapter.Delete.String()
		if _, err := d.raw.Send(ctx, http.MethodDelete, path, d.Token, nil); err != nil {
			return
		}
	}
}

func (d *driver) open(wrap func(http.RoundTripper) http.RoundTripper) (shopadapter.Adapter, error) {
	return shopadapter.Open(httpshop.Name, shopadapter.Options{
		Settings:   map[string]string{"URL": d.URL, "TOKEN": d.Token},
		HTTPClient: &http.Client{Transport: wrap(d), Timeout: d.Client.Timeout},
	})
}

func plain(transport http.RoundTripper) http.RoundTripper { return transport }

// RoundTrip remembers a request and its whole answer.
func (d *driver) RoundTrip(req *http.Request) (*http.Response, error) {
	in := cmp.Or[io.ReadCloser](req.Body, http.NoBody)
	body, err := io.ReadAll(in)
	if err = errors.Join(err, in.Close()); err != nil {
		return nil, err
	}
	out := req.Clone(req.Context())
	if out.Body = http.NoBody; len(body) > 0 {
		out.Body = io.NopCloser(bytes.NewReader(body))
	}
	e := Exchange{Request: req.Method + " " + req.URL.RequestURI(), Body: d.show(body, maxShown)}
	resp, err := cmp.Or[http.RoundTripper](d.Client.Transport, http.DefaultTransport).RoundTrip(out)
	var data []byte
	if err == nil {
		e.Status = resp.StatusCode
		data, err = io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
		_ = resp.Body.Close() //nolint:errcheck // it was read
	}
	if e.Answer = d.show(data, maxShown); err != nil {
		e.Status, e.Answer = 0, d.show([]byte("no answer: "+err.Error()), maxShown)
	}
	d.mu.Lock()
	d.said = append(d.said, e)
	d.mu.Unlock()
	d.remember(req, e.Status, data)
	if err != nil {
		return nil, err
	}
	resp.Body = io.NopCloser(bytes.NewReader(data))
	return resp, nil
}

// remember keeps what an answer says of a product. A PUT may have made it however that ended.
func (d *driver) remember(req *http.Request, status int, data []byte) {
	path := req.URL.EscapedPath()
	at := strings.LastIndex(path, products)
	if at < 0 {
		return
	}
	name, err := url.PathUnescape(path[at+len(products):])
	if err != nil {
		return
	}
	deleting := req.Method == http.MethodDelete && (status == http.StatusNoContent || status == http.StatusNotFound)
	d.mu.Lock()
	defer d.mu.Unlock()
	id := shopadapter.PublicationID(name)
	p := d.put[id]
	switch {
	case req.Method == http.MethodPut && (status == http.StatusOK || status == http.StatusCreated):
		a, _ := answered(data) //nolint:errcheck // the laws say what is wrong with it
		p = product{answer: a, accepted: true, onSale: true}
	case status == http.StatusGone:
		p.onSale, p.deleted = false, true
	case deleting:
		p.onSale = false
		p.deleted = p.deleted || req.URL.Query().Get("mode") == shopadapter.Delete.String()
	}
	d.put[id] = p
}

func (d *driver) show(text []byte, most int) string {
	redact := d.Redact
	if redact == nil {
		redact = func(s string) string { return s }
	}
	return wire.Line(string(text), most, redact)
}

// answered reads the answer to a PUT, as leniently as the adapter.
func answered(data []byte) (a shopadapter.Listing, err error) {
	said, ok := httpshop.Read(data)
	if !ok {
		return a, errors.New("got no JSON, want a listing with \"id\" and \"url\", and \"variants\" and " +
			"\"refused\" where it has them")
	}
	if a.URL = string(said.URL); said.Variants != nil || said.Refused != nil {
		a.Variants, a.Refused = []shopadapter.ListedVariant{}, said.Refused.All()
		for name, text := range said.Variants.All() {
			a.Variants = append(a.Variants, shopadapter.ListedVariant{ID: name, ShopID: text})
		}
	}
	if a.ID = shopadapter.ListingID(said.ID); a.ID == "" {
		return a, errors.New(`got no "id", want the shop's`)
	}
	return a, nil
}

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

// observe returns what the endpoint shows: by its list or else by the answers.
func (d *driver) observe(ctx context.Context) (all []laws.Seen, err error) {
	known := d.known()
	maps.DeleteFunc(known, func(_ shopadapter.PublicationID, p product) bool { return !p.accepted })
	if !d.raw.Lists {
		for id, p := range known {
			if !p.deleted {
				all = append(all, laws.Seen{Listing: p.answer.ID, Publication: id, OnSale: p.onSale})
			}
		}
		return all, nil
	}
	err = d.list(ctx, func(l shopadapter.Listed) bool {
		if p, ours := known[l.Ref.Publication]; ours {
			all = append(all, seen(l, p))
		}
		return true
	})
	return all, err
}

// seen finds a listed variant by the marketplace's id or the shop's.
func seen(l shopadapter.Listed, p product) laws.Seen {
	seen := laws.Seen{Listing: l.Ref.Listing, Publication: l.Ref.Publication, OnSale: l.OnSale}
	for _, v := range slices.DeleteFunc(l.Variants, func(v shopadapter.ListedVariant) bool { return !v.OnSale }) {
		one := laws.SeenVariant{
			ID: v.ID, SKU: v.SKU, Price: v.Price, Quantity: v.Quantity, Backorders: v.Backorders,
		}
		for id, shops := range p.answer.ShopIDs() {
			if id == v.ID || shops == v.ID {
				one.ID, one.ShopID = id, shops
			}
		}
		seen.Variants = append(seen.Variants, one)
	}
	return seen
}
