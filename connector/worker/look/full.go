package look

import (
	"context"
	"errors"
	"time"

	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/connector/worker/schedule"
	"github.com/pubsync/pubsync/store"
)

// full is a reading of all the content of one publication.
type full struct{ *Looks }

// patientWait is how long a look that nobody waits for keeps its claim without points. More urgent
// looks may go before it for hours, and its own mark may become urgent meanwhile.
const patientWait = 30 * time.Second

// errOutOfPatience ends a claim whose points did not come within patientWait.
var errOutOfPatience = errors.New("the points did not come")

func (f full) admit(ctx context.Context, b *batch) (err error) {
	if b.admitted != nil {
		return nil
	}
	return patiently(ctx, b, f.market.Admit)
}

// patiently admits a batch, for which a look that nobody waits for keeps its claim for patientWait.
func patiently(
	ctx context.Context, b *batch,
	admit func(context.Context, marketplace.Priority) (*marketplace.Admission, error),
) (err error) {
	p, limited := b.claims[0].Priority(), ctx
	if p >= marketplace.Resync {
		var cancel context.CancelFunc
		limited, cancel = context.WithTimeout(ctx, patientWait)
		defer cancel()
	}
	b.admitted, err = admit(limited, p)
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		return errOutOfPatience
	}
	return err
}

func (f full) read(ctx context.Context, b *batch) (err error) {
	c := b.claims[0]
	b.full, err = f.market.Publication(ctx, b.admitted, marketplace.Expected{
		ID: c.Mark.ID, Variants: len(c.Record.Variants), Pictured: publication.Pictured(c.Record),
		Details: b.details || f.decider.ReadsDetails(c.Record, c.Mark, time.Now()),
	})
	return err
}

func (f full) unread(ctx context.Context, b *batch, err error) {
	if !errors.Is(err, errOutOfPatience) {
		f.notRead(ctx, b.claims[0].Mark, err)
	}
}

func (f full) decide(
	ctx context.Context, b *batch, c schedule.Claim,
) (d publication.Decision, again time.Time, then next) {
	f.misread.forget(c.Mark.ID)
	f.countMissing(c.Mark, b.full)
	if b.full == nil {
		return f.decideGone(ctx, b, c)
	}
	if !b.details && f.market.HasDetails() && publication.WantsDetails(c.Record, b.full) {
		b.details = true
		return d, again, toReread
	}
	again = f.announced.judge(c.Mark.ID, b.full.UpdatedAt, true, time.Now())
	f.directory.Categorize(ctx, b.full)
	d = f.decider.Decide(c.Record, c.Mark, publication.Seen{Publication: b.full, At: b.asked})
	return d, again, toCarryOut
}

// decideGone is the first decision about a publication that the marketplace does not have. Where a
// webhook has just named it, the look is repeated instead.
func (l *Looks) decideGone(
	ctx context.Context, b *batch, c schedule.Claim,
) (d publication.Decision, again time.Time, then next) {
	if again := l.announced.judge(c.Mark.ID, "", false, time.Now()); !again.IsZero() {
		l.settler.putOff(ctx, c.Mark, again, store.CauseSigned)
		return d, time.Time{}, nothing
	}
	return l.decider.Decide(c.Record, c.Mark, publication.Seen{At: b.asked}), time.Time{}, toCarryOut
}
