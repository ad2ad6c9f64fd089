package publication

import (
	"slices"
	"strings"
	"time"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

// Retry makes a publication due now, whatever it waits for, and asks again for what a person declined.
// With reset, the supplier's texts replace the merchant's edits, and the supplier's stock replaces the
// shop's. by names the person.
func Retry(e *store.Entry, class store.Class, reset bool, by string, now time.Time) {
	r := &e.Record
	what := "retried"
	if reset {
		what = "retried, with the supplier's texts and stock"
		r.Reset = r.Kept | shopadapter.TextFields
		if r.WrittenAt != 0 { // what the look before the write finds in the shop counts as sold no more
			r.Reset |= figures
		}
		eachVariant(r, func(v *store.Variant) {
			v.Sold, v.Written.Offered = 0, max(v.Written.Offered, 0)
		})
		r.Pictures.Lost = 0
	}
	e.Tell(store.Event{At: store.At(now), What: what, By: by})
	r.Holds = without(r.Holds, func(h store.Hold) bool {
		return h.Verdict == store.Declined && !isRemoval(h) && h.Below == ""
	})
	for i, h := range r.Holds {
		if h.Verdict == store.Declined {
			r.Holds[i].Verdict, r.Holds[i].By, r.Holds[i].Since = "", "", store.At(now)
		}
		if h.Verdict == store.Declined && isRemoval(h) && r.Sale == store.OnSale && r.Removal == (store.Removal{}) {
			r.Removal = store.Removal{Reason: store.RemovalReason(h.New), At: store.At(now)} // it is held again
		}
	}
	due(e, class, now)
	RemakeReport(e)
	restate(e, now)
}

// Failed are the states that "failed" means to a person who asks for another try.
func Failed() []store.State {
	return []store.State{store.StateRejected, store.StateBlocked, store.StatePending, store.StatePartial}
}

// RetryTogether makes a publication due among many, and has a refused report made again. What is held
// stays so, and what was declined stays declined. It reports whether there is something to write.
func RetryTogether(e *store.Entry, failedAlone bool, by string, now time.Time) bool {
	again := RemakeReport(e)
	r := e.Record
	if r.State == store.StateHeld || failedAlone && !slices.Contains(Failed(), r.State) {
		return again
	}
	e.Tell(store.Event{At: store.At(now), What: "retried", By: by})
	e.Record.Problem.Content = 0
	wake(e, now)
	due(e, Together(r), now)
	e.Mark.At, e.Mark.Tries = store.At(now), 0
	return true
}

// Together is the class of a publication that a person asks for without naming it. There may be
// thousands: webhooks, and publications that are named by their ids, go before them.
func Together(r store.Record) store.Class {
	if r.ShopID == "" {
		return store.ClassNew
	}
	return store.ClassSweep
}

// A sweep that a person or a run from cron asks for tries a late picture at once where its next try is
// due within lateWoken. So each run from cron retries what has been late for less than an hour, and
// does not keep reading for a server that is away for days.
const lateWoken = time.Hour

func wake(e *store.Entry, now time.Time) {
	if late := e.Record.Pictures.LateAt; late != 0 && late.Time().Sub(now).Abs() <= lateWoken {
		e.Record.Pictures.LateAt = store.At(now)
	}
}

// Wake makes what waits for another try due now, since a person or a run asks for a sweep. It reports
// whether there is something to write.
func Wake(e *store.Entry, now time.Time) bool {
	r := e.Record
	late := r.Pictures.LateAt != 0 && r.Pictures.LateAt.Time().Sub(now) <= lateWoken
	kind := r.Problem.Kind
	failed := kind == "" || kind == store.ProblemTransient || kind == store.ProblemWaiting // "": no reading came
	waits := e.Mark != nil && e.Mark.Tries > 0 && failed
	if e.Mark == nil || e.Mark.At <= store.At(now) || !late && !waits {
		return false
	}
	wake(e, now)
	e.Mark.At, e.Mark.Gen = store.At(now), e.Mark.Gen+1
	return true
}

// unblockGap, times the tries so far, is how long a publication that is blocked by itself waits for
// another try: each costs a reading.
const unblockGap = time.Hour

// Unblock has a publication tried again because the shop's check has passed: one that the shop refused
// with everything else, and now and then one that is blocked by itself. A listing that was deleted or
// taken out of sale by hand stays so. It reports whether there is something to write.
func Unblock(e *store.Entry, now time.Time) bool {
	p := &e.Record.Problem
	tries := 1
	if e.Mark != nil {
		tries = min(max(e.Mark.Tries, 1), 24)
	}
	waits := !p.Wide && now.Sub(p.Last.Time())/unblockGap < time.Duration(tries)
	if p.Kind != store.ProblemBlocked || p.Gone || p.Hidden || waits {
		return false
	}
	p.Content = 0
	due(e, store.ClassSweep, now)
	e.Mark.At = store.At(now)
	return true
}

// A Choice is the holds that a person means. The zero Choice is all of them.
type Choice struct {
	Group string   // a kind of hold, or one of its groups as [GroupOf] names it; "": every one
	Keys  []string // of the holds that were shown; empty: every one. Where one of them is gone, none is meant
	// leaves out what is held since a later moment, so that an answer is for what was shown; 0: nothing
	Until store.Instant
}

// Of is the holds of a record that are meant, of those that stand.
func (c Choice) Of(r store.Record, stands func(store.Hold) bool) (meant []store.Hold) {
	for _, key := range c.Keys {
		if !slices.ContainsFunc(r.Holds, func(h store.Hold) bool { return stands(h) && h.Key() == key }) {
			return nil
		}
	}
	for _, h := range r.Holds {
		named := c.Group == "" || strings.HasPrefix(GroupOf(h)+"/", c.Group+"/")
		if stands(h) && named && (c.Until == 0 || h.Since <= c.Until) &&
			(len(c.Keys) == 0 || slices.Contains(c.Keys, h.Key())) {
			meant = append(meant, h)
		}
	}
	return meant
}

// Approve lets through the holds that a person chose, at the values that are shown. by names the
// person. It reports whether there are any.
func Approve(e *store.Entry, c Choice, class store.Class, by string, now time.Time) bool {
	r := &e.Record
	let := c.Of(*r, store.Hold.Stands)
	if len(let) == 0 {
		return false
	}
	judged(e, let, store.Approved, by, now)
	m := store.Mark{Class: class, At: store.At(now)}
	for _, h := range let {
		if h.Kind == store.HoldRemoval {
			r.Removal.Go = true
		}
		if (h.Kind == store.HoldRules || h.Kind == store.HoldDrift) && Repriceable(*r) {
			m.Class = store.ClassRules // without a reading
		}
	}
	e.Note(m)
	e.Mark.At, e.Mark.Tries = store.At(now), 0 // a person waits for no backoff
	restate(e, now)
	return true
}

// judged gives a person's verdict on holds, and tells of it.
func judged(e *store.Entry, meant []store.Hold, v store.Verdict, by string, now time.Time) {
	tellHolds(e, map[store.Verdict]string{store.Approved: store.WhatApproved, store.Declined: store.WhatDeclined}[v],
		meant, by, now)
	e.Record.Holds = slices.Clone(e.Record.Holds)
	for i, h := range e.Record.Holds {
		if slices.ContainsFunc(meant, h.Same) {
			e.Record.Holds[i].Verdict, e.Record.Holds[i].By = v, by
		}
	}
}

// Decline keeps what is in place of the holds that a person chose. A decline is for the values that
// are shown:
//
//	price        the price stays until the supplier, or a rule, makes another one; while it lies below the
//	             cost the variant is sold out, and stays held
//	first-price  the variant stays out, and a product that was never on sale with it, until its price is
//	             another one
//	removal      the listing stays on sale until the entry is listed anew, or is gone for another reason
//	foreign      the listing stays the other tool's while the entry is on the list
//	rules        the price stays until the rules change again or the supplier moves it
//	drift        the price is the merchant's until the supplier, or a rule, moves ours
//
// [Retry] has everything asked again. by names the person. It reports whether there is something to
// write.
func Decline(e *store.Entry, c Choice, class store.Class, by string, now time.Time) bool {
	r := &e.Record
	no := without(c.Of(*r, func(h store.Hold) bool { return h.Stands() || h.Verdict == store.Approved }),
		func(h store.Hold) bool {
			return isRemoval(h) && r.Removal.Begun || h.Verdict == store.Declined // the shop may have done it
		})
	if len(no) == 0 {
		return false
	}
	judged(e, no, store.Declined, by, now)
	for i, h := range r.Holds {
		if !slices.ContainsFunc(no, h.Same) {
			continue
		}
		r.Holds[i].Since = store.At(now)
		switch h.Kind {
		case store.HoldRemoval:
			r.Removal = store.Removal{}
		case store.HoldDrift:
			eachVariant(r, func(v *store.Variant) {
				if v.ID == h.Variant {
					writtenByHand(v, h.Old)
					forgetSeenPrice(v)
				}
			})
		case store.HoldFirstPrice: // the others of its variants may go on sale
			due(e, class, now)
			keepOut(r, h, now)
		case store.HoldForeign:
			keepOut(r, h, now)
		default:
			if v, ok := r.Variant(h.Variant); ok && h.Below != "" {
				r.Holds[i].Reason = soldOutBelow(shownOf(v).Price, h)
			}
		}
	}
	if slices.ContainsFunc(no, func(h store.Hold) bool { return h.Kind == store.HoldDrift }) {
		due(e, store.ClassFull, now) // what the supplier changed meanwhile was not written
	}
	restate(e, now)
	owe(e, now)
	return true
}

// keepOut is a publication that a person keeps out of the shop.
func keepOut(r *store.Record, h store.Hold, now time.Time) {
	if slices.ContainsFunc(r.Holds, store.Hold.Stands) || r.Sale == store.OnSale || mayShow(*r) {
		return
	}
	r.Problem = problem(store.ProblemRejected, keptOutText(h), now)
}
