package publication

import (
	"slices"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

// Retry makes a publication due now, whatever it waits for, and asks again for what a person declined.
// With reset, the supplier's texts replace the merchant's edits, and the supplier's stock replaces the
// shop's. by names the person.
func Retry(e *Entry, class Class, reset bool, by string, now time.Time) {
	r := &e.Record
	before := r.State
	what := "retried"
	if reset {
		what = "retried, with the supplier's texts and stock"
		r.Reset = r.Kept | shopadapter.TextFields
		if r.WrittenAt != 0 {
			r.Dirty |= shopadapter.FieldStock
		}
		r.Variants = slices.Clone(r.Variants)
		for i := range r.Variants {
			r.Variants[i].Sold = 0
			if w := &r.Variants[i].Written; w.Offered < 0 {
				w.Offered = 0
			}
		}
		r.Pictures.Lost = 0
	}
	e.Tell(Event{At: store.At(now), What: what, By: by})
	for _, h := range r.Holds { // a removal that was declined is held again
		if h.Kind == store.HoldRemoval && h.Verdict == Declined && r.Sale == OnSale && r.Removal == (store.Removal{}) {
			r.Removal = store.Removal{Reason: store.RemovalReason(h.New), At: store.At(now)}
		}
	}
	r.Holds = slices.Clone(r.Holds)
	r.Holds = slices.DeleteFunc(r.Holds, func(h Hold) bool {
		return h.Verdict == Declined && h.Kind != store.HoldRemoval && h.Below == ""
	})
	for i, h := range r.Holds {
		if h.Verdict == Declined {
			r.Holds[i].Verdict, r.Holds[i].By, r.Holds[i].Since = "", "", store.At(now)
		}
	}
	e.Note(Mark{Class: class, At: store.At(now)})
	RemakeReport(e)
	restate(e, before, now)
}

// Failed are the states that "failed" means to a person who asks for another try.
func Failed() []store.State {
	return []store.State{store.StateRejected, store.StateBlocked, store.StatePending, store.StatePartial}
}

// RetryTogether makes a publication due among many, and has a refused report made again. What is held
// stays so, and what was declined stays declined. It reports whether there is something to write.
func RetryTogether(e *Entry, failedAlone bool, by string, now time.Time) bool {
	again := RemakeReport(e)
	r := e.Record
	if r.State == store.StateHeld || failedAlone && !slices.Contains(Failed(), r.State) {
		return again
	}
	e.Tell(Event{At: store.At(now), What: "retried", By: by})
	m := Mark{Class: Together(r), At: store.At(now)}
	e.Record.Problem.Content = 0
	wake(e, now)
	e.Note(m)
	e.Mark.At, e.Mark.Tries = store.At(now), 0
	return true
}

// Together is the class of a publication that a person asks for without naming it. There may be
// thousands: webhooks, and publications that are named by their ids, go before them.
func Together(r Record) Class {
	if r.ShopID == "" {
		return ClassNew
	}
	return ClassSweep
}

// A sweep that a person or a run from cron asks for tries a late picture at once where its next try is
// due within lateWoken. So each run from cron retries what has been late for less than an hour, and
// does not keep reading for a server that is away for days.
const lateWoken = time.Hour

func wake(e *Entry, now time.Time) {
	if late := e.Record.Pictures.LateAt; late != 0 && late.Time().Sub(now).Abs() <= lateWoken {
		e.Record.Pictures.LateAt = store.At(now)
	}
}

// Wake makes what waits for another try due now, since a person or a run asks for a sweep. It reports
// whether there is something to write.
func Wake(e *Entry, now time.Time) bool {
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
func Unblock(e *Entry, now time.Time) bool {
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
	e.Note(Mark{Class: ClassSweep, At: store.At(now)})
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
func (c Choice) Of(r Record, stands func(Hold) bool) (meant []Hold) {
	for _, key := range c.Keys {
		if !slices.ContainsFunc(r.Holds, func(h Hold) bool { return stands(h) && h.Key() == key }) {
			return nil
		}
	}
	for _, h := range r.Holds {
		if stands(h) && c.takes(GroupOf(h)) && (c.Until == 0 || h.Since <= c.Until) &&
			(len(c.Keys) == 0 || slices.Contains(c.Keys, h.Key())) {
			meant = append(meant, h)
		}
	}
	return meant
}

func (c Choice) takes(group string) bool {
	return c.Group == "" || group == c.Group || strings.HasPrefix(group, c.Group+"/")
}

// Has reports whether a hold of a record that stands is meant.
func (c Choice) Has(r Record, h Hold) bool { return slices.ContainsFunc(c.Of(r, Hold.Stands), h.Same) }

// Approve lets through the holds that a person chose, at the values that are shown. by names the
// person. It reports whether there are any.
func Approve(e *Entry, c Choice, class Class, by string, now time.Time) bool {
	r := &e.Record
	let, before := c.Of(*r, Hold.Stands), r.State
	if len(let) == 0 {
		return false
	}
	tellHolds(e, WhatApproved, let, by, now)
	giveVerdict(r, let, Approved, by)
	m := Mark{Class: class, At: store.At(now)}
	for _, h := range let {
		if h.Kind == store.HoldRemoval {
			r.Removal.Go = true
		}
		if (h.Kind == store.HoldRules || h.Kind == store.HoldDrift) && Repriceable(*r) {
			m.Class = ClassRules // without a reading
		}
	}
	e.Note(m)
	restate(e, before, now)
	return true
}

// judge gives holds a verdict.
func giveVerdict(r *Record, meant []Hold, v Verdict, by string) {
	r.Holds = slices.Clone(r.Holds)
	for i, h := range r.Holds {
		if slices.ContainsFunc(meant, h.Same) {
			r.Holds[i].Verdict, r.Holds[i].By = v, by
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
func Decline(e *Entry, c Choice, class Class, by string, now time.Time) bool {
	r := &e.Record
	before := r.State
	no := c.Of(*r, func(h Hold) bool { return h.Stands() || h.Verdict == Approved })
	no = slices.DeleteFunc(no, func(h Hold) bool {
		return h.Kind == store.HoldRemoval && r.Removal.Begun || h.Verdict == Declined // the shop may have done it
	})
	if len(no) == 0 {
		return false
	}
	tellHolds(e, WhatDeclined, no, by, now)
	giveVerdict(r, no, Declined, by)
	for i, h := range r.Holds {
		if !slices.ContainsFunc(no, h.Same) {
			continue
		}
		r.Holds[i].Since = store.At(now)
		switch h.Kind {
		case store.HoldRemoval:
			r.Removal = store.Removal{}
		case store.HoldDrift:
			adoptPrice(r, h.Variant, h.Old)
		case store.HoldFirstPrice: // the others of its variants may go on sale
			e.Note(Mark{Class: class, At: store.At(now)})
			keepOut(r, h, now)
		case store.HoldForeign:
			keepOut(r, h, now)
		default:
			if v, ok := r.Variant(h.Variant); ok && h.Below != "" {
				r.Holds[i].Reason = "sold out: " + formerOf(v, now).show().Price + " is below " + h.Below
			}
		}
	}
	if len(no) > 0 && no[0].Kind == store.HoldDrift {
		e.Note(Mark{Class: ClassFull, At: store.At(now)}) // what the supplier changed meanwhile was not written
	}
	restate(e, before, now)
	owe(e, now)
	return true
}

// keepOut is a publication that a person keeps out of the shop.
func keepOut(r *Record, h Hold, now time.Time) {
	if slices.ContainsFunc(r.Holds, Hold.Stands) || r.Sale == OnSale || mayShow(*r) {
		return
	}
	r.Problem = Problem{
		Kind: store.ProblemRejected, Message: keptOutText(h), Since: store.At(now), Last: store.At(now),
	}
}

// adoptPrice records a price that somebody gave a variant in the shop as the one last written. Of one
// that was emptied ours stays the last.
func adoptPrice(r *Record, variant, price string) {
	r.Variants = slices.Clone(r.Variants)
	for i := range r.Variants {
		v := &r.Variants[i]
		if v.ID != variant {
			continue
		}
		if amount, err := decimal.NewFromString(price); err == nil {
			v.Written.Price = amount.StringFixed(2)
		}
		if v.Seen.Price = ""; !v.Seen.Differs() {
			v.Seen = Seen{}
		}
	}
}
