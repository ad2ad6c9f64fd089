// Package exchange keeps what the HTTP below a GraphQL client saw of an answer. The client drops
// the status and the headers of most answers, and the body of one that is an error; all three say
// who can mend it.
package exchange

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"

	graphql "github.com/hasura/go-graphql-client"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/jsonlimit"
)

// An Exchange is one answer as it came in.
type Exchange struct {
	Status int              // 0 where the shop was not reached
	Header http.Header      //
	Body   []byte           // nil where the answer broke off, or exceeds a limit
	Excess *jsonlimit.Error // the limit that the answer exceeds, nil for none

	limits jsonlimit.Limits
}

type key struct{}

// Record is a context for one request of a Client. The Exchange is filled in when the request has
// ended; limits bound what is read of the answer.
func Record(ctx context.Context, limits jsonlimit.Limits) (context.Context, *Exchange) {
	x := &Exchange{limits: limits}
	return context.WithValue(ctx, key{}, x), x
}

// Client is a copy of a client that records the answers to requests whose context is from Record.
// prepare, which may be nil, changes the header of each request.
func Client(client *http.Client, prepare func(http.Header)) *http.Client {
	own := *client
	next := own.Transport
	if next == nil {
		next = http.DefaultTransport
	}
	own.Transport = &recorder{next, prepare}
	return &own
}

type recorder struct {
	next    http.RoundTripper
	prepare func(http.Header)
}

func (r *recorder) RoundTrip(request *http.Request) (*http.Response, error) {
	if r.prepare != nil {
		request = request.Clone(request.Context())
		r.prepare(request.Header)
	}
	response, err := r.next.RoundTrip(request)
	if err != nil {
		return nil, err
	}
	x, ok := request.Context().Value(key{}).(*Exchange)
	if !ok {
		return response, nil
	}
	defer func() { _ = response.Body.Close() }()
	x.Status, x.Header = response.StatusCode, response.Header
	body, err := jsonlimit.Read(response.Body, x.limits)
	if err != nil {
		_ = errors.As(err, &x.Excess)
		return nil, err
	}
	x.Body = body
	response.Body = io.NopCloser(bytes.NewReader(body))
	return response, nil
}

// Lost is the error of a request to which no whole answer came, nil where one did. err is the
// client's; clean makes a foreign text fit to be shown. The context's own error comes first: being
// stopped is no failure of the shop's.
func (x *Exchange) Lost(ctx context.Context, err error, clean func(string) string) error {
	lost := func(message string) error {
		return &shopadapter.Error{Kind: shopadapter.Transient, Message: message, Err: err}
	}
	switch {
	case ctx.Err() != nil && err != nil:
		return ctx.Err()
	case x.Status == 0:
		return lost("the shop cannot be reached: " + clean(cause(err)))
	case x.Excess != nil:
		err = x.Excess
		return lost("the shop's answer cannot be used: " + x.Excess.Error())
	case x.Body == nil:
		return lost("the shop's answer broke off")
	}
	return nil
}

// cause is the innermost text of a transport's error: the layers around it repeat the address.
func cause(err error) string {
	var list graphql.Errors
	if errors.As(err, &list) && len(list) > 0 {
		if inner := list[0].Unwrap(); inner != nil {
			err = inner
		}
	}
	for inner := errors.Unwrap(err); inner != nil; inner = errors.Unwrap(err) {
		err = inner
	}
	if err == nil {
		return "no answer"
	}
	return err.Error()
}
