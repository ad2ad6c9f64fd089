package conform

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
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

// A driver holds one endpoint to one law: by the adapter http, and by requests of its own where a
// law asks for what no adapter sends. It is the transport of all of them, and remembers the exchanges
// and what the endpoint should hold after them.
type driver struct {
	Endpoint
	offer offer
	run   string // before the id of each publication
	next  http.RoundTripper

	mu   sync.Mutex
	said []Exchange
	held map[shopadapter.PublicationID]held
	ever []shopadapter.PublicationID // in the order of their first PUT, refused or not
}

// A held product is one that a PUT was accepted of.
type held struct {
	answer          laws.Answer
	onSale, deleted bool
}

const (
	maxAnswer = 4 << 20          // bytes read of an answer
	startTime = 30 * time.Second // bounds the wait for a shop that was started anew
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
	return d
}

// with runs a part that no other may run at the same time.
func (d *driver) with(part func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	part()
}

// harness is the endpoint as the book of laws needs it.
func (d *driver) harness() laws.Harness {
	h := laws.Harness{
		Open: d.open, Observe: d.observe, ObserveOne: d.observeOne, Prefix: d.run, NoPictures: true, Stride: 3,
		Endpoint: &laws.Endpoint{
			Send: d.Send, Body: httpshop.Encode, Path: httpshop.Path, Answer: answered,
			Observed: d.offer.Observed, Token: d.Token,
		},
		Hidden: d.offer.hidden(), HiddenOptions: true, Drafts: d.offer.Drafts, Without: d.offer.without(d.Endpoint),
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
		if _, err = d.Send(ctx, laws.Request{Method: http.MethodGet, Path: "/health"}); err == nil {
			return nil
		}
	}
	return fmt.Errorf("the shop does not answer within %s: %w", startTime, err)
}

// client makes requests by a transport, and follows no redirect.
func (d *driver) client(transport http.RoundTripper) *http.Client {
	return &http.Client{
		Transport: transport, Timeout: d.Client.Timeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// open opens the adapter http at the endpoint.
func (d *driver) open(wrap func(http.RoundTripper) http.RoundTripper) (shopadapter.Adapter, error) {
	a, err := shopadapter.Open(httpshop.Name, shopadapter.Options{
		Settings: map[string]string{"URL": d.URL, "TOKEN": d.Token}, HTTPClient: d.client(wrap(d)),
	})
	return lenient{a, d}, err
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
	if listing.ID == "" {
		return listing, err
	}
	if listing.URL == "" {
		listing.URL = l.driver.URL + httpshop.Path(ref.Publication)
	}
	l.driver.with(func() {
		if h, known := l.driver.held[ref.Publication]; known && h.answer.Variants == nil {
			ids := map[string]string{}
			for _, v := range p.Variants {
				ids[v.ID] = unnamed(v.ID)
			}
			listing.Variants = shopadapter.Made(ids)
		}
	})
	return listing, err
}

// unnamed is the id of a variant that the endpoint gives none.
func unnamed(variant string) string { return "unnamed " + variant }

// deleteByHand deletes a listing as the merchant would.
func (d *driver) deleteByHand(ctx context.Context, listing shopadapter.ListingID) (err error) {
	d.with(func() {
		for id, h := range d.held {
			if h.answer.ID == string(listing) {
				err = d.DeleteByHand(ctx, h.answer.ID, id)
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
		if _, err := d.Send(ctx, laws.Request{Method: http.MethodDelete, Path: path}); err != nil {
			return
		}
	}
}

// Send makes one request past the adapter.
func (d *driver) Send(ctx context.Context, q laws.Request) (r laws.Reply, err error) {
	req, err := http.NewRequestWithContext(ctx, q.Method, d.URL+q.Path, bytes.NewReader(q.Body))
	if err != nil {
		return r, fmt.Errorf("make request: %w", err)
	}
	for name, values := range q.Header {
		req.Header[name] = values
	}
	req.Header.Set("Accept", "application/json, application/problem+json")
	if q.Body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	token := d.Token
	if q.Token != nil {
		token = *q.Token
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	res, err := d.client(d).Do(req)
	if err != nil {
		if u, ok := errors.AsType[*url.Error](err); ok {
			err = u.Err
		}
		return r, fmt.Errorf("%s %s: no answer: %w", q.Method, q.Path, err)
	}
	defer res.Body.Close() //nolint:errcheck // only read
	r.Status, r.Header = res.StatusCode, res.Header
	r.Body, err = io.ReadAll(res.Body)
	return r, err
}

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
		h = held{answer: readAnswer(data), onSale: true}
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

// readAnswer reads the answer to a PUT, as leniently as the adapter does.
func readAnswer(data []byte) (a laws.Answer) {
	var said httpshop.Answer
	if json.Unmarshal(data, &said) != nil {
		return a
	}
	words := func(texts httpshop.Texts) map[string]string {
		m := map[string]string{}
		for name, text := range texts {
			m[name] = string(text)
		}
		return m
	}
	a.ID = string(said.ID)
	if said.Variants != nil || said.Refused != nil {
		a.Variants, a.Refused = words(said.Variants), words(said.Refused)
	}
	return a
}

// answered reads the answer to a PUT.
func answered(r laws.Reply) (laws.Answer, error) {
	if !json.Valid(r.Body) {
		return laws.Answer{}, errors.New("got no JSON, want a listing with \"id\", and \"url\", \"variants\" and " +
			"\"refused\" where it has them")
	}
	a := readAnswer(r.Body)
	if a.ID == "" {
		return a, errors.New(`got no "id", want the shop's`)
	}
	return a, nil
}
