// Package rest makes the requests of a shop's JSON interface: one body in, one bounded answer out,
// and no secret in what goes wrong.
package rest

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"strings"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/httpstatus"
	"github.com/pubsync/pubsync/shopadapter/jsonlimit"
	"github.com/pubsync/pubsync/shopadapter/quote"
)

// A Client makes requests below one address.
type Client struct {
	HTTP   *http.Client
	Shop   string      // what errors call the one that answers; "" for the shop
	Base   string      // what each path is appended to
	Header http.Header // of each request
	Limits jsonlimit.Limits
	Redact *strings.Replacer // takes the secrets out of texts
	Words  httpstatus.Words  // what Call says of a refusal
}

// An Answer is one that was read to its end.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte
}

// Send makes one request, with a JSON body or nil. more is added to the header. An error is one
// that time mends: there was no answer, or one beyond the limits.
func (c *Client) Send(ctx context.Context, method, path string, body []byte, more http.Header) (*Answer, error) {
	request, err := http.NewRequestWithContext(ctx, method, c.Base+path, bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("make request: %w", err)
	}
	request.Header.Set("Accept", "application/json, application/problem+json")
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	for _, header := range []http.Header{c.Header, more} {
		maps.Copy(request.Header, header)
	}
	response, err := c.HTTP.Do(request)
	if err != nil {
		return nil, c.silence(err)
	}
	defer func() { _ = response.Body.Close() }()
	content, err := jsonlimit.Read(response.Body, c.Limits)
	var excess *jsonlimit.Error
	switch {
	case errors.As(err, &excess):
		return nil, shopadapter.Retry("%s answered %d: %w", c.shop(), response.StatusCode, excess)
	case err != nil:
		return nil, c.silence(err)
	}
	return &Answer{Status: response.StatusCode, Header: response.Header, Body: content}, nil
}

// Call sends a JSON object, nil for no body, and decodes the answer into out, nil for an answer
// that is not looked at. It must be a JSON object all the same. An answer that is neither 200 nor
// 201 is an error in the client's Words, with a *Refusal in its chain.
func (c *Client) Call(
	ctx context.Context,
	method, path string,
	query map[string]string,
	in map[string]any,
	out any,
) error {
	var body []byte
	if in != nil {
		text, err := Encode(in)
		if err != nil {
			return fmt.Errorf("encode request: %w", err)
		}
		body = text
	}
	values := url.Values{}
	for name, value := range query {
		values.Set(name, value)
	}
	if len(values) > 0 {
		path += "?" + values.Encode()
	}
	answer, err := c.Send(ctx, method, path, body, nil)
	switch {
	case err != nil:
		return err
	case answer.Status != http.StatusOK && answer.Status != http.StatusCreated:
		return c.refuse(answer)
	}
	var object map[string]json.RawMessage
	if err := json.Unmarshal(answer.Body, &object); err != nil {
		return shopadapter.Retry("the shop's answer is no JSON object: %s", c.Clean(string(answer.Body)))
	}
	if out == nil {
		return nil
	}
	if err := json.Unmarshal(answer.Body, out); err != nil {
		return shopadapter.Retry("the shop's answer has an unknown form: %w", err)
	}
	return nil
}

// Encode is a value as JSON with the characters of markup as they are.
func Encode(value any) ([]byte, error) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(value)
	return bytes.TrimSpace(b.Bytes()), err
}

// silence is the error of a request that got no whole answer.
func (c *Client) silence(err error) error {
	var u *url.Error
	if errors.As(err, &u) {
		err = u.Err // what is around it repeats the address, which is long and says nothing that the settings do not
	}
	return &shopadapter.Error{Message: "no answer from " + c.shop() + ": " + c.Clean(err.Error()), Err: err}
}

func (c *Client) shop() string { return cmp.Or(c.Shop, "the shop") }

// A Refusal is what the shop says of a request that it does not carry out.
type Refusal struct {
	Type    string // the member "type" of the answer; "" for none
	Message string // the member "message", else the beginning of the text; fit to be shown
}

func (r *Refusal) Error() string { return r.Message }

// refuse is the error of an answer that is no success. Where the merchant is to mend it, the words
// say how; elsewhere the shop's own message follows them.
func (c *Client) refuse(answer *Answer) error {
	var said struct{ Type, Message string }
	if json.Unmarshal(answer.Body, &said) != nil || said.Message == "" {
		said.Message = string(answer.Body)
		if quote.IsPage(answer.Body) {
			said.Message = "an HTML page"
		}
	}
	refusal := &Refusal{Type: said.Type, Message: c.Clean(said.Message)}
	e := c.Words.Error(answer.Status, answer.Header)
	if e.Err = refusal; e.Kind != shopadapter.Blocked {
		e.Message += ": " + refusal.Message
	}
	return e
}

// MaxText bounds what is shown of a text from the shop, in characters.
const MaxText = 300

// Clean makes a text from the shop fit to be shown: on one line, without control or invisible
// characters, without a secret, bounded.
func (c *Client) Clean(text string) string { return quote.Line(text, MaxText, c.Redact.Replace) }
