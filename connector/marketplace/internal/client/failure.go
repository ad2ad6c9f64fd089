package client

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"

	"github.com/pubsync/pubsync/connector/marketplace/internal/document"
	"github.com/pubsync/pubsync/connector/marketplace/internal/fault"
	"github.com/pubsync/pubsync/connector/marketplace/internal/wire"
	"github.com/pubsync/pubsync/shopadapter/jsonlimit"
)

// find returns the failure that an answer amounts to.
func (c *Conn) find(
	ctx context.Context, q Request, x *exchange, err error, data json.RawMessage, complaints []fault.Complaint,
) *failure {
	f := &failure{
		verdict: fault.AsInternal,
		err:     &fault.Error{Kind: fault.Transient, Status: x.status, RetryAfter: x.retryAfter},
	}
	say := func(format string, args ...any) *failure {
		f.err.Message = c.Clean(fmt.Sprintf(format, args...))
		return f
	}
	if ctx.Err() != nil {
		f.err.Err = ctx.Err()
		return say("%v", ctx.Err())
	}
	for i, said := range complaints {
		v := fault.Judge(said, q.Cursor)
		if v == fault.AsUnauthorized && x.status < 300 && anyField(data) {
			v = fault.AsUnknown // one field is denied, the token is good
		}
		if i == 0 || v < f.verdict {
			f.verdict = v
			f.err.Denied = v == fault.AsUnauthorized && fault.Denies(said)
			f.err.Message = c.Clean(said.Message)
		}
	}
	f.err.Said = fault.ObjectionOf(complaints, anyField(data))
	switch {
	case x.status == 0 && dialFailed(err):
		return say("the marketplace cannot be reached: %s", cause(err))
	case x.status == 0 && isTimeout(err):
		return say("no answer within %v", AnswerTimeout)
	case x.status == 0:
		return say("no answer: %s", cause(err))
	case tooMuch(err) != nil:
		return say("%v", tooMuch(err))
	case x.body == nil || isTimeout(err):
		return say("the answer was cut off: %s", cause(err))
	case x.status == http.StatusUnauthorized || x.status == http.StatusForbidden:
		f.verdict, f.err.Kind = fault.AsUnauthorized, fault.Unauthorized
		return say("the token was refused (HTTP %d)", x.status)
	case x.status == http.StatusTooManyRequests || len(complaints) > 0 && f.verdict == fault.AsThrottled:
		f.verdict, f.err.Kind = fault.AsThrottled, fault.Throttled
		return say("throttled")
	case x.status >= 500:
		f.verdict = fault.AsInternal
		return say("the marketplace answered HTTP %d", x.status)
	case len(complaints) > 0:
		f.err.Kind, f.err.Odd = f.verdict.Kind(), f.verdict == fault.AsUnknown
		if f.err.Message == "" {
			return say("the marketplace reports an error without a message")
		}
		return f
	case x.status >= 300:
		return say("the marketplace answered HTTP %d without saying why: is the address right?", x.status)
	case x.status == http.StatusOK || x.status == http.StatusCreated:
		return say("the answer is not GraphQL, or holds no data")
	default:
		return say("the marketplace answered HTTP %d", x.status)
	}
}

// usable reports whether data can be read root field by root field: each complaint is about one of
// them, or some of them are there nonetheless.
func usable(data json.RawMessage, complaints []fault.Complaint) bool {
	if wire.IsNull(data) || len(complaints) == 0 {
		return false
	}
	some := anyField(data)
	for _, said := range complaints {
		switch v := fault.Judge(said, false); {
		case v == fault.AsThrottled, said.Alias() == "" && !some, v == fault.AsUnauthorized && !some:
			return false
		}
	}
	return true
}

// anyField reports whether some root field of data is not null.
func anyField(data json.RawMessage) bool {
	var fields map[string]json.RawMessage
	if json.Unmarshal(wire.OrNull(data), &fields) != nil {
		return false
	}
	for _, value := range fields {
		if !wire.IsNull(value) {
			return true
		}
	}
	return false
}

func dialFailed(err error) bool {
	op, ok := errors.AsType[*net.OpError](err)
	return ok && op.Op == "dial"
}

func isTimeout(err error) bool {
	var t interface{ Timeout() bool }
	return errors.As(err, &t) && t.Timeout() || errors.Is(err, context.DeadlineExceeded)
}

// tooMuch is the error about a limit that the answer exceeds, nil for none.
func tooMuch(err error) error {
	if e, ok := errors.AsType[*jsonlimit.Error](err); ok {
		return e
	}
	return nil
}

// cause is the innermost text of a transport's error: the layers around it name the address, which
// may hold a secret.
func cause(err error) string {
	for {
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
			break
		}
		err = next
	}
	if err == nil {
		return "unknown"
	}
	return strings.TrimSpace(err.Error())
}

// onlyDetails reports whether an answer lacks details alone: each complaint is about a value within
// them, and the rest is there.
func (q Request) onlyDetails(status int, data []byte, complaints []fault.Complaint) bool {
	if q.Details == nil || status >= 300 || len(complaints) == 0 || !anyField(data) {
		return false
	}
	return !slices.ContainsFunc(complaints, func(c fault.Complaint) bool {
		return !c.Within(q.Details...) || fault.Judge(c, false) == fault.AsThrottled
	})
}

// onlyAbsent reports whether an answer says no more than that publications do not exist: each
// complaint is about a root field of the request, which is null or missing.
func (q Request) onlyAbsent(status int, data json.RawMessage, complaints []fault.Complaint) bool {
	if !q.Partial && !q.Alone || status >= 300 && status != http.StatusNotFound || len(complaints) == 0 {
		return false
	}
	var fields map[string]json.RawMessage
	if json.Unmarshal(wire.OrNull(data), &fields) != nil {
		return false
	}
	for _, c := range complaints {
		asked := slices.ContainsFunc(
			q.Doc.Body, func(f document.Field) bool { return cmp.Or(f.Alias, f.Name) == c.Alias() },
		)
		if !asked || !c.Absent() || !wire.IsNull(fields[c.Alias()]) {
			return false
		}
	}
	return true
}

// A failure is why there is no reply.
type failure struct {
	err     *fault.Error
	verdict fault.Verdict
	counted bool // the answer said what remains in the bucket
}
