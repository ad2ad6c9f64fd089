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

// Judge tells the breaker how a call ended. id is the publication that the call was about, "" for
// none. It reports whether the call failed.
func (b *Breaker) Judge(id string, v Verdict) (failed bool) {
	var begins bool
	now := time.Now()
	switch {
	case v.Moot:
		return false
	case v.OK:
		b.Succeed(now, id)
		return false
	case v.Wide:
		begins = b.open(v.Reason, now, v.RetryAfter, v.Refused)
		b.failed("", v.Reason)
	default:
		begins = b.fail(id, v.Reason, now)
		if id == "check" || id == "list" { // these are about no publication
			id = ""
		}
		b.failed(id, v.Reason)
	}
	switch {
	case begins && b.side == Shop:
		b.log.Error("shop cannot be used, pausing until it can", "error", v.Reason)
	case begins:
		b.log.Error("marketplace cannot be used, pausing until it can", "error", v.Reason)
	}
	return true
}

// Succeed closes the breaker for good, since a call has succeeded. An answer to a call from before
// the breaker opened changes neither a Retry-After nor a refusal. ids are the publications that the
// call was about.
func (b *Breaker) Succeed(now time.Time, ids ...string) {
	counts, was := b.succeed(now)
	if counts {
		b.mended(ids...)
	}
	switch {
	case was && b.side == Shop:
		b.log.Info("shop is back")
	case was:
		b.log.Info("marketplace is back")
	}
}
