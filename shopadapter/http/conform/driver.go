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
	"strings"
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
	if e.Client == nil {
		e.Client = http.DefaultClient
	}
	return &driver{Endpoint: e, offer: o, run: run, recorder: newRecorder(e)}
}

// harness is the endpoint as the book of laws needs it.
func (d *driver) harness() laws.Harness {
	h := laws.Harness{
		Open: d.open, Observe: d.observe, ObserveOne: d.observeOne, Prefix: d.run, NoPictures: true, Stride: 3,
		Endpoint: &laws.Endpoint{
			Send: d.Send, Body: httpshop.Encode, Path: httpshop.Path, Answer: answered,
			Observed: d.offer.observed, Token: d.Token,
		},
		Hidden: d.offer.hidden(), HiddenOptions: !d.offer.options, Details: d.offer.details, Drafts: d.offer.drafts,
		BreakCredentials: d.breakToken, Without: d.offer.without(d.Endpoint),
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

// client makes requests by a transport, and follows no redirect.
func (d *driver) client(transport http.RoundTripper) *http.Client {
	return &http.Client{
		Transport: transport, Timeout: d.Client.Timeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// open opens the adapter http at the endpoint.
func (d *driver) open(wrap func(http.RoundTripper) http.RoundTripper) (shopadapter.Adapter, error) {
	settings := map[string]string{"URL": d.URL, "TOKEN": d.Token}
	a, err := shopadapter.Open(
		httpshop.Name, shopadapter.Options{Settings: settings, HTTPClient: d.client(wrap(d.recorder))},
	)
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
	if h, known := l.driver.known()[ref.Publication]; known && h.answer.Variants == nil {
		ids := map[string]string{}
		for _, v := range p.Variants {
			ids[v.ID] = unnamed(v.ID)
		}
		listing.Variants = shopadapter.Made(ids)
	}
	return listing, err
}

// unnamed is the id of a variant that the endpoint gives none.
func unnamed(variant string) string { return "unnamed " + variant }

// deleteByHand deletes a listing as the merchant would.
func (d *driver) deleteByHand(ctx context.Context, listing shopadapter.ListingID) error {
	for id, h := range d.known() {
		if h.answer.ID == string(listing) {
			if err := d.DeleteByHand(ctx, h.answer.ID, id); err != nil {
				return fmt.Errorf("listing %s: %w", listing, err)
			}
			d.forget(id)
			return nil
		}
	}
	return fmt.Errorf("listing %s is not known", listing)
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
	var body io.Reader
	transport := http.RoundTripper(d.recorder)
	switch {
	case q.Half:
		body, transport = severed{bytes.NewReader(q.Body[:len(q.Body)/2])}, d.next
	case q.Body != nil:
		body = bytes.NewReader(q.Body)
	}
	req, err := http.NewRequestWithContext(ctx, q.Method, strings.TrimRight(d.URL, "/")+q.Path, body)
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
	if q.Half {
		req.ContentLength = int64(len(q.Body))
		if id, err := url.PathUnescape(strings.TrimPrefix(q.Path, "/products/")); err == nil {
			d.tried(shopadapter.PublicationID(id))
		}
		seen := Exchange{Request: q.Method + " " + q.Path + " (cut off in the middle)", Body: d.show(q.Body, maxShown)}
		defer func() { seen.Status = r.Status; d.record(seen) }()
	}
	res, err := d.client(transport).Do(req)
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

// A severed body ends in the middle with an error, so that the connection is closed before all that
// was promised has been sent.
type severed struct{ io.Reader }

func (s severed) Read(p []byte) (int, error) {
	n, err := s.Reader.Read(p)
	if errors.Is(err, io.EOF) {
		err = errors.New("cut off on purpose")
	}
	return n, err
}

// answered reads the answer to a PUT.
func answered(r laws.Reply) (laws.Answer, error) {
	var said httpshop.Answer
	if err := json.Unmarshal(r.Body, &said); err != nil {
		return laws.Answer{}, fmt.Errorf("got no JSON (%w), want a listing with \"id\", and \"url\", \"variants\" and "+
			"\"refused\" where it has them", err)
	}
	a := readAnswer(r.Body)
	if a.ID == "" {
		return a, errors.New(`got no "id", want the shop's`)
	}
	return a, nil
}
