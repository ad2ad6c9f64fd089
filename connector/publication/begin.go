package publication

import (
	"errors"
	"slices"
	"time"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

// ErrTaken says that a step must be decided once more: another publication took a SKU meanwhile, or
// somebody judged a hold, or the shop sold something.
var ErrTaken = errors.New("the record has changed since it was decided upon")

// Begun makes a step durable before its call, which lasts until a time at most: whatever becomes of
// the call, the record then shows what may have been sent, and SKUs are claimed. owners is who holds
// the SKUs of the product, read in the same transaction.
func (s *Settings) Begun(
	e *store.Entry, st Step, owners map[string]string, until, now time.Time,
) (attempt uint64, err error) {
	r := &e.Record
	if st.Stale(*r) {
		return 0, ErrTaken
	}
	for _, v := range st.Product.Variants {
		if owner := owners[store.SKUKey(v.SKU)]; st.Do == Publish && v.SKU != "" && owner != "" && owner != r.ID {
			return 0, ErrTaken
		}
	}
	fields := st.Changed
	switch {
	case st.Do == Delete || st.Do == Offline && st.Removal != "":
		r.Removal.Begun, fields = true, shopadapter.AllFields
	case st.Do == Offline: // so that it is not taken for somebody's hand
		fields = shopadapter.FieldStock
	default:
		if st.in.Read != nil {
			if s.takeIn(r, st); st.in.asked() && r.Problem.Gone {
				forgetListing(r)
			}
		}
		claim(r, st)
	}
	a := r.Attempt
	r.Attempt = store.Attempt{
		No: a.No + 1, Until: store.At(until), Fields: fields | a.Fields, Reset: r.Reset | a.Reset,
		Lost: a.Lost || a.Until != 0,
	}
	r.Dirty, r.Reset = r.Dirty&^fields, 0
	if r.State == "" {
		r.State, r.ListedAt = store.StatePending, store.At(now)
	}
	return r.Attempt.No, nil
}

// Stale reports whether a record has changed since a step was decided on it, in what the decision went by.
func (st Step) Stale(now store.Record) bool {
	was := st.in.Rec
	return !slices.EqualFunc(now.Variants, was.Variants, func(a, b store.Variant) bool {
		return a.ID == b.ID && a.Sold == b.Sold && a.Seen == b.Seen
	}) || !slices.Equal(now.Holds, was.Holds) || now.Attempt != was.Attempt || now.Reset != was.Reset ||
		now.Dirty != was.Dirty || now.Sale != was.Sale || now.Removal != was.Removal || now.Problem != was.Problem
}

// claim records the prices and SKUs that are about to be sent, where they are others than the settled
// ones.
func claim(r *store.Record, st Step) {
	r.Variants = slices.Clone(r.Variants)
	at := placesOf(r.Variants, variantID)
	for _, p := range st.Product.Variants {
		i, had := at[p.ID]
		if !had {
			i, r.Variants = len(r.Variants), append(r.Variants, store.Variant{ID: p.ID, Title: p.Title})
		}
		v := &r.Variants[i]
		if !isSettled(*v) || v.Written.Price != p.Price && st.Changed.Has(shopadapter.FieldPrice) {
			v.Sent = store.Written{Price: p.Price, Cost: p.Cost, MSRP: p.MSRP}
		}
		if p.SKU != "" && v.SKU != p.SKU && !slices.Contains(r.Claims, p.SKU) {
			r.Claims = append(slices.Clip(r.Claims), p.SKU)
		}
	}
}

// Undone ends an attempt whose call was not made. It reports whether there is something to write.
func Undone(e *store.Entry, attempt uint64) bool {
	r := &e.Record
	if r.Attempt.No != attempt || r.Attempt.Until == 0 {
		return false
	}
	dirtyAgain(r)
	if !r.Attempt.Lost {
		clearSent(r)
	}
	return true
}

func dirtyAgain(r *store.Record) {
	a := &r.Attempt
	r.Dirty, r.Reset = r.Dirty|a.Fields, r.Reset|a.Reset
	a.Until, a.Fields, a.Reset = 0, 0, 0
}

// returnAttempt ends an attempt that did not do what it should. Of one without an answer the shop may
// hold what was sent.
func returnAttempt(r *store.Record, kind store.ProblemKind, was store.Record) {
	dirtyAgain(r)
	unheard := was.Open() && (r.Sale != store.OnSale || was.Unsure().Has(shopadapter.FieldStock))
	r.Attempt.Lost = kind != store.ProblemRejected || unheard // until the next look has taken it out of sale
	if kind == store.ProblemRejected {                        // a refusal is an answer: the shop shows none of the prices
		before := placesOf(was.Variants, variantID)
		eachVariant(r, func(v *store.Variant) {
			v.Sent = store.Written{}
			if i, had := before[v.ID]; had {
				v.Sent = was.Variants[i].Sent
			}
		})
	}
}

func endAttempt(r *store.Record) {
	r.Attempt = store.Attempt{No: r.Attempt.No}
	clearSent(r)
}

func clearSent(r *store.Record) {
	eachVariant(r, func(v *store.Variant) { v.Sent = store.Written{} })
}
