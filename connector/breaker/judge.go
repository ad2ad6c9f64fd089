package breaker

import "time"

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
		b.failed(about(id), v.Reason)
	}
	b.tell(v)
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
	if !was {
		return
	}
	if b.side == Shop {
		b.log.Info("shop is back")
	} else {
		b.log.Info("marketplace is back")
	}
}

// about is the publication that a call was about, "" for a check and for a list.
func about(id string) string {
	if id == "check" || id == "list" {
		return ""
	}
	return id
}
