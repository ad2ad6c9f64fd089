package breaker

import (
	"context"
	"errors"
	"strings"
	"time"
	"unicode"

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
	blocked := e != nil && e.Kind == shopadapter.Blocked
	if err == nil || errors.Is(err, shopadapter.ErrGone) || errors.Is(err, shopadapter.ErrHidden) ||
		e.Kind == shopadapter.Rejected || blocked && !e.ShopWide {
		return Verdict{OK: true}
	}
	v := Verdict{Wide: e.ShopWide, Refused: blocked, Reason: e.Error(), Cause: e.Kind.String() + e.Error()}
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
		Cause: e.Kind.String() + e.Error(),
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
		return Verdict{Reason: err.Error(), Cause: err.Error()}
	case kind == marketplace.Throttled, kind == marketplace.Refused:
		return Verdict{Moot: true}
	}
	v := Verdict{Reason: err.Error(), Cause: e.Kind.String() + e.Message}
	if v.Refused = e.Kind == marketplace.Unauthorized; !v.Refused {
		v.RetryAfter = e.RetryAfter
	}
	v.Wide = v.Refused || v.RetryAfter > 0
	return v
}

// Judge tells the breaker how a call ended. id is the publication that the call was about, "" for
// none. It reports whether the call failed.
func (b *Breaker) Judge(id string, v Verdict) (failed bool) {
	now := time.Now()
	switch {
	case v.Moot:
		return false
	case v.OK:
		b.Succeed(now, id)
		return false
	case v.Wide:
		b.open(v.Reason, now, v.RetryAfter, v.Refused)
		b.failed("", v.Reason)
	default:
		b.fail(id, v.Reason, now)
		if id == "check" || id == "list" { // these are about no publication
			id = ""
		}
		b.failed(id, v.Reason)
	}
	switch news, first := b.isNews(v.Cause); {
	case first && b.side == Shop:
		b.log.Error("shop cannot be used, pausing until it can", "error", v.Reason)
	case first:
		b.log.Error("marketplace cannot be used, pausing until it can", "error", v.Reason)
	case news && b.side == Shop:
		b.log.Error("shop cannot be used, now for another reason", "error", v.Reason)
	case news:
		b.log.Error("marketplace cannot be used, now for another reason", "error", v.Reason)
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

// mostTold bounds the causes of one trouble that are logged.
const mostTold = 8

// isNews reports whether a cause of the trouble is to be logged, each once until a call succeeds, and
// whether it is the first. Causes that differ in figures alone are one.
func (b *Breaker) isNews(cause string) (news, first bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	key := strings.Map(func(c rune) rune {
		if unicode.IsDigit(c) {
			return -1
		}
		return c
	}, cause)
	if b.since.IsZero() || b.told[key] || len(b.told) >= mostTold {
		return false, false
	}
	first = len(b.told) == 0
	b.told[key] = true
	return true, first
}
