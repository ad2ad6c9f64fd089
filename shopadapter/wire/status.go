package wire

import (
	"cmp"
	"fmt"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/pubsync/pubsync/shopadapter"
)

// A Meaning is what an answer's HTTP status says of the request.
type Meaning int

// The meanings. Denied, Unpaid, Absent and Moved are Blocked, Refused and TooLarge are Rejected, others transient.
// Blocked ones and Pause are shop-wide.
const (
	Unknown  Meaning = iota // the body may say more
	Done                    // 2xx
	Pause                   // 429; 503 with Retry-After: every client is to wait
	Failure                 // 408, 425, any other 5xx: failed, or too slow
	Denied                  // 401, 403: the credentials do not suffice
	Unpaid                  // 402: the shop's plan is not paid for
	Absent                  // 404, 405, 410: no such endpoint, the address is wrong
	Moved                   // 3xx: a redirect is never followed
	Refused                 // 400, 409, 422: the shop does not take this product
	TooLarge                // 413: too large for one request
)

var byStatus = map[int]Meaning{
	408: Failure, 425: Failure, 429: Pause, 401: Denied, 402: Unpaid, 403: Denied, 404: Absent, 405: Absent,
	410: Absent, 400: Refused, 409: Refused, 422: Refused, 413: TooLarge,
}

// Means returns the meaning of the answer's status.
func (a *Answer) Means() Meaning {
	_, told := retryAfter(a.Header, time.Now())
	if a.Status == http.StatusServiceUnavailable && told {
		return Pause
	}
	return cmp.Or(byStatus[a.Status], map[int]Meaning{2: Done, 3: Moved, 5: Failure}[a.Status/100])
}

// Words are an adapter's texts for the merchant.
type Words map[Meaning]string

var general = Words{
	Unknown:  "the shop's answer says nothing that pubsync knows",
	Done:     "the shop's answer cannot be used",
	Pause:    "the shop asks to come back later",
	Failure:  "the shop cannot answer now",
	Denied:   "the shop refuses the credentials",
	Unpaid:   "the shop's plan is unpaid: its owner has to settle the bill",
	Absent:   "the shop's interface is not at the configured address",
	Moved:    "the configured address is redirected",
	Refused:  "the shop refuses the product",
	TooLarge: "the product is too large for the shop",
}

// StatusError returns the error of the answer's status. The merchant reads message, which must hold no secret, and
// the status behind it; "" stands for general words. Retry-After counts if time mends the error.
func (a *Answer) StatusError(message string) *shopadapter.Error {
	meaning := a.Means()
	e := &shopadapter.Error{Message: fmt.Sprintf("%s (HTTP %d)", cmp.Or(message, general[meaning]), a.Status)}
	switch meaning {
	case Denied, Unpaid, Absent, Moved:
		e.Kind, e.ShopWide = shopadapter.Blocked, true
	case Refused, TooLarge:
		e.Kind = shopadapter.Rejected
	default:
		e.ShopWide = meaning == Pause
		e.RetryAfter, _ = retryAfter(a.Header, time.Now())
		e.Limited = a.Status == http.StatusTooManyRequests
	}
	return e
}

// retryAfter reads a Retry-After header: an HTTP date, or seconds, in some shops with decimals.
func retryAfter(h http.Header, now time.Time) (d time.Duration, ok bool) {
	value := strings.TrimSpace(h.Get("Retry-After"))
	if seconds, err := strconv.ParseFloat(value, 64); err == nil && seconds >= 0 && seconds <= math.MaxInt32 {
		return time.Duration(seconds * float64(time.Second)), true
	}
	if at, err := http.ParseTime(value); err == nil {
		return max(at.Sub(now), 0), true
	}
	return 0, false
}
