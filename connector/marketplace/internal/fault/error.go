// Package fault judges what the marketplace says against a request. A [Complaint] is one entry of
// an answer's errors, a [Verdict] what it comes to, an [Objection] what it says of the document,
// and an [Error] what the caller is told.
package fault

import (
	"errors"
	"time"

	"github.com/pubsync/pubsync/shopadapter/quote"
)

// Kind says what may be done about an error.
type Kind int

// The kinds of error. An error of this package without a kind of its own is Transient.
const (
	// time mends it: 5xx, no answer or half of one, an answer that is not GraphQL, an error inside
	// the server
	Transient     Kind = iota
	Throttled          // time mends it: the bucket is empty. The next requests wait in the pacer
	Unauthorized       // the merchant mends it: the token is refused
	CursorRefused      // the list must be started over
	Refused            // the server understood and said no, for this publication or this webhook alone
	// the server refuses our request: a setting or pubsync must be mended
	Invalid
)

func (k Kind) String() string {
	switch k {
	case Throttled:
		return "throttled"
	case Unauthorized:
		return "unauthorized"
	case CursorRefused:
		return "cursor refused"
	case Refused:
		return "refused"
	case Invalid:
		return "invalid"
	default:
		return "transient"
	}
}

// An Error is a request that did not end well. Its text holds no secret and at most some 200
// characters of what the server said.
type Error struct {
	Op         string // what was attempted, "list publications" for example
	Kind       Kind
	Message    string        // one line, shown to the merchant
	Status     int           // of the HTTP answer; 0: there was none
	RetryAfter time.Duration // the server's own word on when to come back; 0: none
	Err        error         // the cause; a context's error is found by errors.Is

	Detail
}

// A Detail is for the packages of this client: what they need to know of an error beyond its kind.
type Detail struct {
	Denied bool // the token is good, what was asked for is not for it
	Odd    bool // the server said something that is none of the errors known
	Bare   bool // refused for want of points, without a figure
	Absent bool // the publication does not exist
	Barred bool // reports are denied

	Said Objection // all that the server said
}

func (e *Error) Error() string {
	if e.Op == "" {
		return e.Message
	}
	return e.Op + ": " + e.Message
}

func (e *Error) Unwrap() error { return e.Err }

// KindOf is the kind of the [Error] in err's chain, and Transient when there is none.
func KindOf(err error) Kind {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Kind
	}
	return Transient
}

// Clean makes one bounded line of what a server said: no control characters, none of the tokens.
func Clean(s string, tokens ...string) string {
	const most = 200
	return quote.Line(s, most, quote.Hider("[token]", tokens...).Replace)
}

// Unreadable is an answer that is not what was asked for; err may be nil.
func Unreadable(op string, err error) *Error {
	if err == nil {
		return &Error{Op: op, Message: "the answer does not hold what was asked for"}
	}
	return &Error{Op: op, Message: "the answer cannot be read: " + Clean(err.Error(), ""), Err: err}
}
