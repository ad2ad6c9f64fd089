// Package httpstatus says what the HTTP status of a shop's answer means: who can mend it, and
// whether every product would meet it. Every adapter whose shop speaks HTTP uses it, so that all of
// them judge alike, and adds the words for the merchant.
package httpstatus

import (
	"cmp"
	"fmt"
	"net/http"
	"time"

	"github.com/pubsync/pubsync/shopadapter"
)

// A Meaning is what a status says of the request.
type Meaning int

// The meanings. Denied, Absent and Moved are Blocked, Refused and TooLarge are Rejected, and the others
// transient. Those that are Blocked and a Pause are shop-wide.
const (
	Unknown  Meaning = iota // nothing by itself: the body may say more
	Done                    // 2xx: it was carried out
	Pause                   // 429; 503 with Retry-After: the shop asks every client to wait
	Failure                 // 408, 425, any other 5xx: the shop failed, or was too slow
	Denied                  // 401, 403: the credentials do not suffice
	Absent                  // 404, 405, 410: there is no such endpoint, the address is wrong
	Moved                   // 3xx: the endpoint has another address; a redirect is never followed
	Refused                 // 400, 409, 422: the shop does not take this product
	TooLarge                // 413: the product does not fit one request
)

// Of is the meaning of a status.
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
	return map[int]Meaning{2: Done, 3: Moved, 5: Failure}[code/100]
}

// general are the words where an adapter has none of its own.
var general = Words{
	Unknown:  "the shop's answer says nothing that pubsync knows",
	Done:     "the shop's answer cannot be used",
	Pause:    "the shop asks to come back later",
	Failure:  "the shop cannot answer now",
	Denied:   "the shop refuses the credentials",
	Absent:   "the shop's interface is not at the configured address",
	Moved:    "the configured address is redirected",
	Refused:  "the shop refuses the product",
	TooLarge: "the product is too large for the shop",
}

// Words are what one shop's adapter says of a meaning in place of the general words.
type Words map[Meaning]string

// Error is [Error] in these words.
func (w Words) Error(code int, h http.Header) *shopadapter.Error {
	return Error(code, h, w[Of(code, h)])
}

// Error is the error of an answer with this status. The merchant reads the message, which must hold
// no secret; the status is put behind it. "" stands for general words. A Retry-After is heeded wherever
// time mends the error.
func Error(code int, h http.Header, message string) *shopadapter.Error {
	meaning := Of(code, h)
	e := &shopadapter.Error{Message: fmt.Sprintf("%s (HTTP %d)", cmp.Or(message, general[meaning]), code)}
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
