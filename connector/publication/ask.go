package publication

import (
	"slices"
	"time"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

// Retry makes a publication due now, whatever it waits for, and asks again for what was declined. With reset the
// supplier's texts and stock replace the merchant's. by names the person.
func Retry(e *store.Entry, class store.Class, reset bool, by string, now time.Time) {
	r := &e.Record
	what := "retried"
	if reset {
		what = "retried, with the supplier's texts and stock"
		r.Reset = r.Kept | shopadapter.TextFields
		if r.WrittenAt != 0 { // so that missing pieces do not count as sold
			r.Reset |= figures
		}
		eachVariant(r, func(v *store.Variant) {
			v.Sold, v.Written.Offered = 0, max(v.Written.Offered, 0)
		})
		r.Pictures.Lost = 0
	}
	tell(e, what, by, now)
	r.Holds = without(r.Holds, func(h store.Hold) bool {
		return h.Verdict == store.Declined && !isRemoval(h) && h.Below == ""
	})
	for i, h := range r.Holds {
		if h.Verdict != store.Declined {
			continue
		}
		r.Holds[i].Verdict, r.Holds[i].By, r.Holds[i].Since = "", "", store.At(now)
		if isRemoval(h) && r.Sale == store.OnSale && r.Removal == (store.Removal{}) { // it is held again
			r.Removal = store.Removal{Reason: store.RemovalReason(h.New), At: store.At(now)}
		}
	}
	due(e, class, now)
	RemakeReport(e)
	restate(e, now)
}

// Failed returns the states that a person means by "failed".
func Failed() []store.State {
	return []store.State{store.StateRejected, store.StateBlocked, store.StatePending, store.StatePartial}
}

// RetryTogether makes a publication due among many, and a refused report too. Held and declined changes stay so.
func RetryTogether(e *store.Entry, failedAlone bool, by string, now time.Time) bool {
	again, r := RemakeReport(e), &e.Record
	if r.State == store.StateHeld || failedAlone && !slices.Contains(Failed(), r.State) {
		return again
	}
	tell(e, "retried", by, now)
	r.Problem.Content = 0
	wakePictures(r, now)
	due(e, Together(*r), now)
	e.Mark.At, e.Mark.Tries = store.At(now), 0
	return true
}

// Together returns the class of what a person asks for without naming it. There may be thousands, so webhooks and
// named publications go first.
func Together(r store.Record) store.Class {
	if r.ShopID == "" {
		return store.ClassNew
	}
	return store.ClassSweep
}

// wakePictures tries a late picture now if it is due within an hour. So a run from cron does not keep reading for a
// server that is away for days.
func wakePictures(r *store.Record, now time.Time) (woken bool) {
	late := r.Pictures.LateAt
	if woken = late != 0 && late.Time().Sub(now).Abs() <= time.Hour; woken {
		r.Pictures.LateAt = store.At(now)
	}
	return woken
}

// Wake makes due now what waits for late pictures, or failed without being refused.
func Wake(e *store.Entry, now time.Time) bool {
	if e.Mark == nil || e.Mark.At <= store.At(now) {
		return false
	}
	// also where no reading came of what was refused before
	failed := e.Mark.Tries > 0 && (!isRefusal(e.Record.Problem.Kind) || e.Mark.Class != store.ClassRefresh)
	if !wakePictures(&e.Record, now) && !failed {
		return false
	}
	e.Mark.At, e.Mark.Gen = store.At(now), e.Mark.Gen+1
	return true
}

// Unblock has a publication tried again since the shop's check has passed, but none deleted or hidden by hand. One
// that is blocked by itself waits as many hours as it had tries, at most 24, since each costs a reading.
func Unblock(e *store.Entry, now time.Time) bool {
	p, tries := &e.Record.Problem, 1
	if e.Mark != nil {
		tries = min(max(e.Mark.Tries, 1), 24)
	}
	waits := !p.Wide && now.Sub(p.Last.Time())/time.Hour < time.Duration(tries)
	if p.Kind != store.ProblemBlocked || p.Gone || p.Hidden || waits {
		return false
	}
	p.Content = 0
	due(e, store.ClassSweep, now)
	e.Mark.At = store.At(now)
	return true
}

// A Choice is the holds that a person means; zero: all.
type Choice struct {
	Kind store.HoldKind // "": every one
	Keys []string       // of the holds shown, each once; empty: every one. Where one is gone, none is meant
	// Until leaves out later holds, which were not shown; 0: none
	Until store.Instant
}

// Of returns the holds of a record that stand and are meant.
func (c Choice) Of(r store.Record, stands func(store.Hold) bool) (meant []store.Hold) {
	for _, h := range r.Holds {
		keyed := len(c.Keys) == 0 || slices.Contains(c.Keys, h.Key())
		if stands(h) && keyed && (c.Kind == "" || c.Kind == h.Kind) && (c.Until == 0 || h.Since <= c.Until) {
			meant = append(meant, h)
		}
	}
	if len(meant) < len(c.Keys) {
		return nil
	}
	return meant
}

// Approve lets the chosen holds through at the values shown. It reports whether there are any.
func Approve(e *store.Entry, c Choice, class store.Class, by string, now time.Time) bool {
	r, m := &e.Record, store.Mark{Class: class, At: store.At(now)}
	let := c.Of(*r, store.Hold.Stands)
	judged(e, let, store.Approved, by, now, func(h *store.Hold) {
		r.Removal.Go = r.Removal.Go || isRemoval(*h)
		if (h.Kind == store.HoldRules || h.Kind == store.HoldDrift) && Repriceable(*r) {
			m.Class = store.ClassRules // without a reading
		}
	})
	if r.Problem.Gone || r.Problem.Hidden {
		m.Class = store.ClassSweep // an approval is no retry
	}
	if len(let) > 0 {
		e.Note(m)
		e.Mark.At, e.Mark.Tries = store.At(now), 0 // a person waits for no backoff
	}
	return len(let) > 0
}

func judged(
	e *store.Entry, meant []store.Hold, v store.Verdict, by string, now time.Time, follows func(*store.Hold),
) {
	if len(meant) == 0 {
		return
	}
	tellHolds(e, string(v), meant, by, now)
	e.Record.Holds = slices.Clone(e.Record.Holds)
	var holds []*store.Hold
	for i := range e.Record.Holds {
		if h := &e.Record.Holds[i]; slices.ContainsFunc(meant, h.Same) {
			h.Verdict, h.By = v, by
			holds = append(holds, h)
		}
	}
	for _, h := range holds {
		follows(h)
	}
	restate(e, now)
}

// Decline keeps what is in place of the chosen holds, for the values shown:
//
//	price        the price stays until the supplier or a rule makes another one; while below the floor the
//	             variant is sold out, and stays held
//	first-price  the variant, and a product never on sale with it, stays out until its price is another one
//	removal      the listing stays on sale until the entry is listed anew, or is gone for another reason
//	foreign      the listing stays the other tool's while the entry is listed
//	rules        the price stays until the rules change again or the supplier moves it
//	drift        the price is the merchant's until the supplier or a rule moves ours
//
// [Retry] has everything asked again.
func Decline(e *store.Entry, c Choice, class store.Class, by string, now time.Time) bool {
	r := &e.Record
	no := c.Of(*r, func(h store.Hold) bool { // what the shop may have done is not to be declined
		return (h.Verdict != store.Declined || h.Below != "") && !(isRemoval(h) && r.Removal.Begun)
	})
	judged(e, no, store.Declined, by, now, func(h *store.Hold) {
		h.Since = store.At(now)
		switch v, _ := r.Variant(h.Variant); h.Kind {
		case store.HoldRemoval:
			r.Removal = store.Removal{}
		case store.HoldDrift:
			eachVariant(r, func(v *store.Variant) {
				if v.ID == h.Variant {
					writtenByHand(v, h.Old)
					v.Seen.Price = ""
				}
			})
			due(e, store.ClassFull, now) // what the supplier changed meanwhile was not written
		case store.HoldFirstPrice, store.HoldForeign:
			if h.Kind == store.HoldFirstPrice {
				due(e, class, now) // its other variants may go on sale
			}
			if !slices.ContainsFunc(r.Holds, store.Hold.Stands) && r.Sale != store.OnSale && !mayShow(*r) {
				r.Problem = problem(store.ProblemRejected, keptOutText(*h), now)
			}
		default:
			if h.Below != "" {
				h.Reason = soldOutBelow(shownOf(v).Price, *h)
			}
		}
	})
	if len(no) > 0 {
		owe(e, now)
	}
	return len(no) > 0
}
