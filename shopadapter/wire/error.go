package wire

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
)

// An Error is a request without an answer that can be used. Time mends all of them.
type Error struct {
	Message    string // one line, without secrets
	Unsent     bool   // the server has not seen the request
	Unreadable bool   // a whole answer came, in another form than was asked for
	Err        error  // the cause; a context's error is found by errors.Is
}

func (e *Error) Error() string { return e.Message }

func (e *Error) Unwrap() error { return e.Err }

// lost is the error of a request to which no whole answer came. Being stopped is no failure of the
// server's, so the context's own error comes first.
func (c *Client) lost(ctx context.Context, a *Answer, err error) *Error {
	e := &Error{Err: err}
	var excess *LimitError
	var dial *net.OpError
	var timeout interface{ Timeout() bool }
	late := errors.As(err, &timeout) && timeout.Timeout() || errors.Is(err, context.DeadlineExceeded)
	switch {
	case ctx.Err() != nil:
		e.Message, e.Err = ctx.Err().Error(), ctx.Err()
	case a.Status == 0 && errors.As(err, &dial) && dial.Op == "dial":
		e.Message, e.Unsent = c.o.Peer+" cannot be reached: "+c.cause(err), true
	case a.Status == 0 && late:
		e.Message = fmt.Sprintf("no answer within %v", c.o.Timeout)
	case a.Status == 0:
		e.Message = "no answer: " + c.cause(err)
	case errors.As(err, &excess):
		e.Message = excess.Error()
	default:
		e.Message = "the answer was cut off: " + c.cause(err)
	}
	return e
}

// cause is the innermost text of a transport's error: the layers around it name the address, which
// may hold a secret.
func (c *Client) cause(err error) string {
	for err != nil {
		var next error
		switch e := err.(type) { //nolint:errorlint // the chain is what is walked here
		case interface{ Unwrap() error }:
			next = e.Unwrap()
		case interface{ Unwrap() []error }:
			if all := e.Unwrap(); len(all) > 0 {
				next = all[0]
			}
		}
		if next == nil {
			return c.Clean(strings.TrimSpace(err.Error()))
		}
		err = next
	}
	return "unknown"
}
