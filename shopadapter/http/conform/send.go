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

	"github.com/pubsync/pubsync/shopadapter"
	httpshop "github.com/pubsync/pubsync/shopadapter/http"
	"github.com/pubsync/pubsync/shopadapter/laws"
)

// The driver is what laws of the protocol send requests by.
var _ laws.Endpoint = (*driver)(nil)

// Send makes one request past the adapter.
func (d *driver) Send(ctx context.Context, q laws.Request) (laws.Reply, error) {
	var body io.Reader
	switch {
	case q.Half:
		body = severed{bytes.NewReader(q.Body[:len(q.Body)/2])}
	case q.Body != nil:
		body = bytes.NewReader(q.Body)
	}
	req, err := http.NewRequestWithContext(ctx, q.Method, strings.TrimRight(d.URL, "/")+q.Path, body)
	if err != nil {
		return laws.Reply{}, fmt.Errorf("make request: %w", err)
	}
	for name, values := range q.Header {
		req.Header[name] = values
	}
	req.Header.Set("Accept", "application/json, application/problem+json")
	if q.Body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	token := d.Endpoint.Token
	if q.Token != nil {
		token = *q.Token
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	client := http.Client{
		Transport: d.recorder, Timeout: d.Client.Timeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	if q.Half {
		return d.cut(&client, req, q)
	}
	res, err := client.Do(req)
	if err != nil {
		if u, ok := errors.AsType[*url.Error](err); ok {
			err = u.Err
		}
		return laws.Reply{}, fmt.Errorf("%s %s: no answer: %w", q.Method, q.Path, err)
	}
	defer res.Body.Close() //nolint:errcheck // only read
	r := laws.Reply{Status: res.StatusCode, Header: res.Header}
	r.Body, err = io.ReadAll(res.Body)
	return r, err
}

// A severed body ends in the middle with an error, so that the connection is closed before all that
// was promised has been sent.
type severed struct{ io.Reader }

var errSevered = errors.New("cut off on purpose")

func (s severed) Read(p []byte) (int, error) {
	n, err := s.Reader.Read(p)
	if errors.Is(err, io.EOF) {
		err = errSevered
	}
	return n, err
}

// cut sends the first half of a body and closes the connection. An answer may come before that.
func (d *driver) cut(client *http.Client, req *http.Request, q laws.Request) (laws.Reply, error) {
	client.Transport = d.next
	req.ContentLength = int64(len(q.Body))
	seen := Exchange{
		Request: q.Method + " " + q.Path + " (cut off in the middle)", Body: d.show(q.Body[:len(q.Body)/2], maxShown),
	}
	defer func() { d.record(seen) }()
	d.tried(q.Path)
	res, err := client.Do(req)
	if err != nil {
		return laws.Reply{}, nil //nolint:nilerr // that is what was asked for
	}
	seen.Status = res.StatusCode
	return laws.Reply{Status: res.StatusCode, Header: res.Header}, res.Body.Close()
}

// Body is the body of a PUT.
func (d *driver) Body(p shopadapter.Product, changed shopadapter.Fields) ([]byte, error) {
	return httpshop.Encode(p, changed)
}

// Figures is the body of a PATCH of all figures.
func (d *driver) Figures(p shopadapter.Product) ([]byte, error) {
	figures := shopadapter.FieldPrice | shopadapter.FieldStock
	return httpshop.EncodeFigures(shopadapter.FiguresOf(p.Variants), p.UpdatedAt, figures)
}

// Path is where a publication lies below the base address.
func (d *driver) Path(id shopadapter.PublicationID) string { return httpshop.Path(id) }

// Answer reads the answer to a PUT or a PATCH.
func (d *driver) Answer(r laws.Reply) (laws.Answer, error) {
	var said httpshop.Answer
	if err := json.Unmarshal(r.Body, &said); err != nil {
		return laws.Answer{}, fmt.Errorf(
			"the answer: got no JSON (%w), want a listing with \"id\", \"url\", \"variants\" and \"refused\" where "+
				"it has them",
			err,
		)
	}
	a := readAnswer(r.Body)
	if a.ID == "" {
		return a, errors.New(`the answer: got no "id", want the shop's`)
	}
	return a, nil
}

// AcceptsFigures says whether health offers figures.
func (d *driver) AcceptsFigures() bool { return d.offer.figures }

// IsObserved says whether health and the list tell what stands in the shop.
func (d *driver) IsObserved() bool { return d.offer.observed }

// Token is the token that requests are made with.
func (d *driver) Token() string { return d.Endpoint.Token }
