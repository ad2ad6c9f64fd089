// Package httpstatus says what the HTTP status of a shop's answer means: who can mend it, and
// whether every product would meet it. Every adapter whose shop speaks HTTP uses it, so that all of
// them judge alike. An adapter adds its own shop's meaning of a status, and the words for the
// merchant.
//
//	meaning      statuses                        kind        shop-wide
//	Pause        429; 503 with Retry-After       transient   yes
//	Failure      408, 425; any other 5xx         transient   no
//	Denied       401, 403                        blocked     yes
//	Absent       404, 405, 410                   blocked     yes
//	Moved        3xx                             blocked     yes
//	Refused      400, 409, 422                   rejected    no
//	TooLarge     413                             rejected    no
//	Unknown      any other                       transient   no
package httpstatus

import (
	"fmt"
	"net/http"
	"time"

	"github.com/pubsync/pubsync/shopadapter"
)

// A Meaning is what a status says of the request.
type Meaning int

// The meanings.
const (
	Unknown  Meaning = iota // nothing by itself: the body may say more
	Done                    // 2xx: it was carried out
	Pause                   // the shop asks every client to wait
	Failure                 // the shop failed, or was too slow
	Denied                  // the credentials do not suffice
	Absent                  // there is no such endpoint: the address is wrong
	Moved                   // the endpoint has another address; a redirect is never followed
	Refused                 // the shop does not take this product
	TooLarge                // the product does not fit one request
)

// Of is the meaning of a status. The header counts too: a 503 with a Retry-After is a pause,
// without one it is a failure.
func Of(code int, h http.Header) Meaning {
	switch code {
	case http.StatusTooManyRequests:
		return Pause
	case http.StatusRequestTimeout, http.StatusTooEarly:
		return Failure
	case http.StatusUnauthorized, http.StatusForbidden:
		return Denied
	case http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusGone:
		return Absent
	case http.StatusBadRequest, http.StatusConflict, http.StatusUnprocessableEntity:
		return Refused
	case http.StatusRequestEntityTooLarge:
		return TooLarge
	case http.StatusServiceUnavailable:
		if _, told := shopadapter.ParseRetryAfter(h, time.Now()); told {
			return Pause
		}
	}
	switch code / 100 {
	case 2:
		return Done
	case 3:
		return Moved
	case 5:
		return Failure
	}
	return Unknown
}

// general are the words where an adapter has none of its own.
var general = Words{
	Unknown: "the shop's answer says nothing that pubsync knows", Done: "the shop's answer cannot be used",
	Pause:   "the shop asks to come back later",
	Failure: "the shop cannot answer now", Denied: "the shop refuses the credentials", Absent: "the shop's interface " +
		"is not at the configured address",
	Moved: "the configured address is redirected", Refused: "the shop refuses the product", TooLarge: "the product " +
		"is too large for the shop",
}

// Words are what one shop's adapter says of a meaning in place of the general words.
type Words map[Meaning]string

// Error is [Error] in these words.
func (w Words) Error(code int, h http.Header) *shopadapter.Error {
	return Error(code, h, w[Of(code, h)])
}

// Error is the error of an answer with this status, of the kind in the package's table. The
// merchant reads the message, which must hold no secret; the status is put behind it. "" stands for
// general words. A Retry-After is heeded wherever time mends the error.
func Error(code int, h http.Header, message string) *shopadapter.Error {
	meaning := Of(code, h)
	if message == "" {
		message = general[meaning]
	}
	e := &shopadapter.Error{Message: fmt.Sprintf("%s (HTTP %d)", message, code)}
	switch meaning {
	case Denied, Absent, Moved:
		e.Kind, e.ShopWide = shopadapter.Blocked, true
	case Refused, TooLarge:
		e.Kind = shopadapter.Rejected
	default:
		e.ShopWide = meaning == Pause
		e.RetryAfter, _ = shopadapter.ParseRetryAfter(h, time.Now())
	}
	return e
}
