// Package rest makes the requests of a shop's JSON interface: one body in, one bounded answer out, and no secret in what goes wrong. An adapter adds what its
// shop means by an answer that is no success.
package rest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/jsonlimit"
	"github.com/pubsync/pubsync/shopadapter/quote"
)

// A Client makes requests below one address.
type Client struct {
	HTTP   *http.Client
	Base   string      // what each path is appended to
	Header http.Header // of each request
	Limits jsonlimit.Limits
	Redact *strings.Replacer // takes the secrets out of texts
}

// A Refusal is an answer that is neither 200 nor 201, as an error.
type Refusal struct {
	Status  int
	Header  http.Header
	Type    string // the member "type" of the answer; "" for none
	Message string // the member "message", else the beginning of the text; fit to be shown
}

func (r *Refusal) Error() string { return fmt.Sprintf("%s (HTTP %d)", r.Message, r.Status) }

// Call makes one request and decodes the answer into out. in may be nil for no body, out for an answer that is not looked at; it must be a JSON object all
// the same. The error is a *Refusal, or one that time mends.
func (c *Client) Call(ctx context.Context, method, path string, query map[string]string, in, out any) error {
	var body bytes.Buffer
	if in != nil {
		encoder := json.NewEncoder(&body)
		encoder.SetEscapeHTML(false)
		if err := encoder.Encode(in); err != nil {
			return fmt.Errorf("encode request: %w", err)
		}
	}
	values := url.Values{}
	for name, value := range query {
		values.Set(name, value)
	}
	address := c.Base + path
	if len(values) > 0 {
		address += "?" + values.Encode()
	}
	request, err := http.NewRequestWithContext(ctx, method, address, &body)
	if err != nil {
		return fmt.Errorf("make request: %w", err)
	}
	for name, header := range c.Header {
		request.Header[name] = header
	}
	request.Header.Set("Accept", "application/json")
	if in != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	response, err := c.HTTP.Do(request)
	if err != nil {
		return c.silence(err)
	}
	defer func() { _ = response.Body.Close() }()
	answer, err := jsonlimit.Read(response.Body, c.Limits)
	switch {
	case err != nil:
		return c.silence(err)
	case response.StatusCode != http.StatusOK && response.StatusCode != http.StatusCreated:
		return c.refusal(response, answer)
	}
	var object map[string]json.RawMessage
	if err := json.Unmarshal(answer, &object); err != nil {
		return shopadapter.Retry("the shop's answer is no JSON object: %s", c.Clean(string(answer)))
	}
	if out == nil {
		return nil
	}
	if err := json.Unmarshal(answer, out); err != nil {
		return shopadapter.Retry("the shop's answer has an unknown form: %w", err)
	}
	return nil
}

func (c *Client) silence(err error) error { return NoAnswer("the shop", err, c.Clean) }

// NoAnswer is the error of a request that got no whole answer. clean makes a foreign text fit to be shown.
func NoAnswer(from string, err error, clean func(string) string) error {
	var u *url.Error
	if errors.As(err, &u) {
		err = u.Err // what is around it repeats the address, which is long and says nothing that the settings do not
	}
	return &shopadapter.Error{Message: "no answer from " + from + ": " + clean(err.Error()), Err: err}
}

func (c *Client) refusal(response *http.Response, answer []byte) error {
	var said struct{ Type, Message string }
	if json.Unmarshal(answer, &said) != nil || said.Message == "" {
		said.Message = string(answer)
		if quote.IsPage(answer) {
			said.Message = "an HTML page"
		}
	}
	return &Refusal{Status: response.StatusCode, Header: response.Header, Type: said.Type, Message: c.Clean(said.Message)}
}

// Clean is a foreign text in a form that can be shown.
func (c *Client) Clean(text string) string { return quote.Line(text, 300, c.Redact.Replace) }
