package connector

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/store"
)

// reportBatch is how many reports are settled together: their looks share a request, and so do they.
const reportBatch = 20

// A reporter tells the marketplace what is owed, one report of a publication at a time, from the outbox.
//
// A report moves the publication's updatedAt, and a supplier's change may hide behind that move. So each attempt is preceded by a light look: only
// when that still shows the updatedAt that the content was read at is the reply's adopted, else the content is read again. An attempt whose answer
// was lost may have been applied: before the next, a look with status and address tells.
type reporter struct {
	c     *Connector
	bell  *bell // rung when something may be owed
	acked *bell // rung when something has been acknowledged

	mu     sync.Mutex
	flying map[string]chan struct{} // closed when the attempt has ended
	tries  map[string]try           // reports that were attempted in vain
	last   store.Instant            // of the last acknowledgement
	failed error                    // of the last batch
}

type try struct {
	attempts int
	at       time.Time // of the next
	since    time.Time // of the first
}

func newReporter(c *Connector) *reporter {
	return &reporter{c: c, bell: newBell(), acked: newBell(), flying: map[string]chan struct{}{}, tries: map[string]try{}}
}

// landing is closed when the report of a publication that is under way has ended, so that the echo it leaves is known before anybody asks what moved;
// nil when none is.
func (r *reporter) landing(id string) <-chan struct{} {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.flying[id]
}

// wake has every report tried now.
func (r *reporter) wake() {
	r.mu.Lock()
	for id, t := range r.tries {
		t.at = time.Time{}
		r.tries[id] = t
	}
	r.mu.Unlock()
	r.bell.ring()
}

func (r *reporter) lastAck() store.Instant {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.last
}

// run reports until ctx ends; what it has begun to ask goes on under asking.
func (r *reporter) run(ctx, asking context.Context) {
	for ctx.Err() == nil {
		rung, moved := r.bell.listen(), r.c.marketGate.moved()
		now := time.Now()
		wait := idleWait
		if t := r.c.marketGate.look(now); t.Shut {
			wait = t.wait(now)
		} else if !r.c.canWork() {
			wait = time.Second
		} else if did, next := r.pass(asking, now); did {
			continue
		} else if !next.IsZero() {
			wait = max(next.Sub(now), time.Millisecond)
		}
		timer := time.NewTimer(wait)
		select {
		case <-ctx.Done():
		case <-rung:
		case <-moved:
		case <-timer.C:
		}
		timer.Stop()
	}
}

// lastPass tries once more everything that is owed, before the worker ends.
func (r *reporter) lastPass(ctx context.Context) {
	if t := r.c.marketGate.look(time.Now()); t.Shut || !r.c.canWork() {
		return
	}
	r.wake()
	for ctx.Err() == nil {
		if did, _ := r.pass(ctx, time.Now()); !did {
			return
		}
	}
}

// pass settles one batch. next is when the earliest report that waits may be tried again.
func (r *reporter) pass(ctx context.Context, now time.Time) (did bool, next time.Time) {
	r.mu.Lock()
	for _, t := range r.tries {
		if t.at.After(now) && (next.IsZero() || t.at.Before(next)) {
			next = t.at
		}
	}
	r.mu.Unlock()
	owed, err := r.c.store.Outbox(reportBatch, func(id string) bool {
		r.mu.Lock()
		defer r.mu.Unlock()
		return r.tries[id].at.After(now)
	})
	if err != nil {
		r.c.storeFailed(err)
		return false, now.Add(time.Second)
	}
	if len(owed) == 0 {
		return false, next
	}
	r.takeOff(owed)
	defer r.land(owed)
	if err := r.attempt(ctx, owed); err != nil && ctx.Err() == nil {
		r.c.marketFailed("", err)
	}
	return true, next
}

func (r *reporter) takeOff(owed []store.Report) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, o := range owed {
		r.flying[o.ID] = make(chan struct{})
	}
}

func (r *reporter) land(owed []store.Report) {
	r.mu.Lock()
	for _, o := range owed {
		close(r.flying[o.ID])
		delete(r.flying, o.ID)
	}
	r.mu.Unlock()
	r.acked.ring()
}

// attempt settles one batch. A panic on the way is an error like any other, and each of the batch is tried again at a time of its own.
func (r *reporter) attempt(ctx context.Context, owed []store.Report) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = &marketplace.Error{Op: "report", Message: r.c.panicked(p, "reports", len(owed))}
			r.note(err)
			r.putOff(owed)
		}
	}()
	return r.settle(ctx, owed)
}

// settle brings one batch to the marketplace.
func (r *reporter) settle(ctx context.Context, owed []store.Report) error {
	owed, err := r.dropApplied(ctx, owed)
	if err != nil {
		r.note(err)
		r.putOff(owed)
		return err
	}
	if len(owed) == 0 {
		return nil
	}
	byID := make(map[string]store.Report, len(owed))
	reports := make([]marketplace.Report, len(owed))
	for i, o := range owed {
		byID[o.ID] = o
		reports[i] = marketplace.Report{ID: o.ID, Status: o.Status, URL: o.URL}
	}
	looked := make(map[string]*marketplace.Entry, len(owed))
	results, err := r.c.market.Settle(ctx, marketplace.Urgent, reports, func(looks map[string]*marketplace.Entry) []marketplace.Report {
		var send []marketplace.Report
		for _, report := range reports {
			entry, answered := looks[report.ID]
			if !answered {
				continue
			}
			looked[report.ID] = entry
			if entry != nil && entry.Err == nil {
				send = append(send, report)
			}
		}
		return send
	})
	var acks []store.Ack
	told, failed := 0, err
	for _, res := range results {
		o := byID[res.ID]
		delete(byID, res.ID)
		switch {
		case res.Err == nil:
			told++
			acks = append(acks, r.acknowledge(o, res, looked[res.ID]))
		case marketplace.KindOf(res.Err) == marketplace.Refused:
			acks = append(acks, r.refused(o, res.Err))
		default: // also a document that does not validate: the status is owed still
			r.putOff([]store.Report{o})
			failed = res.Err
			if marketplace.KindOf(res.Err) == marketplace.Invalid {
				r.c.marketFailed(o.ID, res.Err)
			}
		}
	}
	for id, o := range byID { // not sent
		if entry, answered := looked[id]; answered && entry == nil {
			acks = append(acks, r.vanished(o))
		} else {
			r.putOff([]store.Report{o})
		}
	}
	r.note(failed)
	return errors.Join(err, r.write(acks, told))
}

// note remembers why reports are still owed.
func (r *reporter) note(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.failed = err
}

// trouble is why the last reports could not be made, nil when they could.
func (r *reporter) trouble() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.failed
}

// putOff has reports tried again later.
func (r *reporter) putOff(reports []store.Report) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, o := range reports {
		t := r.tries[o.ID]
		if t.attempts == 0 {
			t.since = time.Now()
		}
		t.attempts++
		t.at = time.Now().Add(backoff(t.attempts, r.c.backoffMost()))
		r.tries[o.ID] = t
	}
}

// patient reports whether an owed report may still be made within the patience: one that was never tried, or not for so long in vain.
func (r *reporter) patient(owed int, from, now time.Time, patience time.Duration) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.flying) > 0 || owed > len(r.tries) {
		return true
	}
	for _, t := range r.tries {
		if now.Sub(later(t.since, from)) <= patience {
			return true
		}
	}
	return false
}
