package breaker

import (
	"strings"
	"unicode"
)

// mostTold bounds the causes of one trouble that are logged.
const mostTold = 8

// tell logs why the side cannot be used, each cause once until a call succeeds.
func (b *Breaker) tell(v Verdict) {
	news, first := b.isNews(v.Cause)
	switch {
	case first && b.side == Shop:
		b.log.Error("shop cannot be used, pausing until it can", "error", v.Reason)
	case first:
		b.log.Error("marketplace cannot be used, pausing until it can", "error", v.Reason)
	case news && b.side == Shop:
		b.log.Error("shop cannot be used, now for another reason", "error", v.Reason)
	case news:
		b.log.Error("marketplace cannot be used, now for another reason", "error", v.Reason)
	}
}

// isNews reports whether a cause of the trouble is to be logged, and whether it is the first.
// Causes that differ in figures alone are one.
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
