package look

import (
	"context"
	"errors"
	"time"

	"github.com/pubsync/pubsync/connector/breaker"
	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/store"
)

// mostObjections is how many objections in a row to a publication a run waits for the next try.
const mostObjections = 3

// notRead puts off a look whose reading failed. A failure of the marketplace is not the
// publication's, unless the marketplace fails to show this one alone. One to which it objects again
// and again keeps no run waiting.
func (l *Looks) notRead(ctx context.Context, m store.Mark, err error) {
	if errors.Is(err, context.Canceled) {
		return
	}
	failed := publication.FailedRead{Err: err, InARow: l.misread.count(m.ID)}
	l.breaker.Judge(m.ID, breaker.OfMarketplace(err))
	if own := failed.Own(l.breaker.Status(time.Now()).Open); own != nil {
		l.fail(ctx, m, own)
		if failed.InARow >= mostObjections && marketplace.IsObjection(err) {
			l.misread.own(m.ID)
			l.settler.retrying.forget(m.ID)
		}
		return
	}
	l.settler.retryAt(ctx, m, time.Now().Add(breaker.Backoff(failed.InARow, l.waiters.MaxBackoff())))
}
