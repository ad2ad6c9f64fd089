package breaker

import (
	"context"
	"errors"
	"time"

	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/shopadapter"
)

// A Verdict is what the end of one call says about the side that it was sent to.
type Verdict struct {
	OK         bool // the side can be used, even where it refused this one publication
	Moot       bool // the call says nothing about the side
	Wide       bool // the failure concerns every call
	Refused    bool // credentials or the address are refused
	RetryAfter time.Duration
	Reason     string // for people
	Cause      string // the reason without the name of the call
}

// OfShop is the verdict on a call of the adapter.
func OfShop(err error) Verdict {
	e := shopadapter.Explain(err)
	switch {
	case err == nil,
		errors.Is(err, shopadapter.ErrGone),
		errors.Is(err, shopadapter.ErrHidden),
		e.Kind == shopadapter.Rejected,
		e.Kind == shopadapter.Blocked && !e.ShopWide:
		return Verdict{OK: true}
	case e.Kind == shopadapter.Blocked:
		return Verdict{Wide: true, Refused: true, Reason: e.Error(), Cause: e.Kind.String() + e.Error()}
	case e.ShopWide:
		return Verdict{Wide: true, RetryAfter: e.RetryAfter, Reason: e.Error(), Cause: e.Kind.String() + e.Error()}
	default:
		return Verdict{Reason: e.Error(), Cause: e.Kind.String() + e.Error()}
	}
}

// OfCheck is the verdict on a check that failed after the breaker had opened: any error keeps it
// open.
func OfCheck(err error) Verdict {
	e := shopadapter.Explain(err)
	return Verdict{
		Wide: true, Refused: e.Kind == shopadapter.Blocked, RetryAfter: e.RetryAfter, Reason: e.Error(),
		Cause: e.Kind.String() + e.Error(),
	}
}

// OfMarketplace is the verdict on a request to the marketplace. A refused report concerns one
// publication, and for points the pacer waits.
func OfMarketplace(err error) Verdict {
	if err == nil {
		return Verdict{OK: true}
	}
	if errors.Is(err, context.Canceled) {
		return Verdict{Moot: true}
	}
	v := Verdict{Reason: err.Error(), Cause: err.Error()}
	var e *marketplace.Error
	if !errors.As(err, &e) {
		return v
	}
	v.Cause = e.Kind.String() + e.Message // without the name of the request
	switch {
	case e.Kind == marketplace.Unauthorized:
		v.Wide, v.Refused = true, true
	case e.Kind == marketplace.Throttled, e.Kind == marketplace.Refused:
		return Verdict{Moot: true}
	case e.RetryAfter > 0:
		v.Wide, v.RetryAfter = true, e.RetryAfter
	}
	return v
}
