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
}

// OfShop is the verdict on a call of the adapter.
func OfShop(err error) Verdict {
	e := shopadapter.Explain(err)
	blocked := e != nil && e.Kind == shopadapter.Blocked
	if err == nil || errors.Is(err, shopadapter.ErrGone) || errors.Is(err, shopadapter.ErrHidden) ||
		e.Kind == shopadapter.Rejected || blocked && !e.ShopWide {
		return Verdict{OK: true}
	}
	v := Verdict{Wide: e.ShopWide, Refused: blocked, Reason: e.Error()}
	if e.ShopWide && !blocked {
		v.RetryAfter = e.RetryAfter
	}
	return v
}

// OfCheck is the verdict on a check that failed after the breaker had opened: any error keeps it open.
func OfCheck(err error) Verdict {
	e := shopadapter.Explain(err)
	return Verdict{
		Wide: true, Refused: e.Kind == shopadapter.Blocked, RetryAfter: e.RetryAfter, Reason: e.Error(),
	}
}

// OfMarketplace is the verdict on a request to the marketplace. A refused report concerns one
// publication, and for points the pacer waits.
func OfMarketplace(err error) Verdict {
	var e *marketplace.Error
	kind := marketplace.KindOf(err)
	switch {
	case err == nil:
		return Verdict{OK: true}
	case errors.Is(err, context.Canceled):
		return Verdict{Moot: true}
	case !errors.As(err, &e):
		return Verdict{Reason: err.Error()}
	case kind == marketplace.Throttled, kind == marketplace.Refused:
		return Verdict{Moot: true}
	}
	v := Verdict{Reason: err.Error()}
	if v.Refused = e.Kind == marketplace.Unauthorized; !v.Refused {
		v.RetryAfter = e.RetryAfter
	}
	v.Wide = v.Refused || v.RetryAfter > 0
	return v
}
