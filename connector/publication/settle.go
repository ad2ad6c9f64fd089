package publication

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
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
	holds, fields, stays := r.Holds, st.Changed, shopadapter.NoFields
	st.take(r)
	if r.Holds = holds; st.in.Rec.Removal != st.rec.Removal { // else Ended puts them in force, and tells of them
		r.Holds = without(holds, isRemoval)
	}
	switch {
	case st.Do == Delete || st.Do == Offline && st.Removal != "":
		r.Removal.Begun, fields = true, shopadapter.AllFields
	case st.Do == Offline: // so that it is not taken for somebody's hand
		fields = shopadapter.FieldStock
		if was := st.in.Rec.Removal; was.Done || was.Begun { // listed again, and written whole
			stays = r.Dirty
		}
	default:
		claim(r, st)
	}
	a := r.Attempt
	r.Attempt = store.Attempt{
		No: a.No + 1, Until: store.At(until), Fields: fields | a.Fields, Reset: r.Reset | a.Reset,
		Lost: a.Lost || a.Until != 0,
	}
	r.Dirty, r.Reset = r.Dirty&^fields|stays, 0
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

// take merges a reading into the record as it is now, field by field: one that has changed since the step
// was decided on stays as it is now. Begun does so, or Ended where nothing is called.
func (st Step) take(r *store.Record) {
	was, read, now := reflect.ValueOf(st.in.Rec), reflect.ValueOf(st.rec), reflect.ValueOf(r).Elem()
	for i := range read.NumField() {
		before, after := was.Field(i).Interface(), read.Field(i).Interface()
		if !reflect.DeepEqual(before, after) && reflect.DeepEqual(before, now.Field(i).Interface()) {
			now.Field(i).Set(read.Field(i))
		}
	}
	if st.in.Rec.UpdatedAt != st.rec.UpdatedAt {
		r.Echo = "" // of a report that was made meanwhile, and of the content before
	}
	r.Variants = slices.Clone(r.Variants)
	at := placesOf(r.Variants, variantID)
	for _, row := range st.Rows {
		i, had := at[row.ID]
		if was := row.was; !had && was.ID == "" && was.SKU != "" { // taken over
			i = slices.IndexFunc(r.Variants, func(v store.Variant) bool { return v.ID == "" && v.SKU == was.SKU })
			if had = i >= 0; had {
				r.Variants[i].ID = row.ID
			}
		}
		if !had {
			if r.WrittenAt == 0 && len(r.Variants) >= mostUnwritten {
				continue
			}
			i, r.Variants = len(r.Variants), append(r.Variants, store.Variant{ID: row.ID, Title: row.Title})
		}
		r.Variants[i].Supply = row.Supply
	}
}

// claim records the prices and SKUs that are about to be sent, where they are others than the settled
// ones.
func claim(r *store.Record, st Step) {
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

// An Outcome is how the shop answered a call. Its texts are already cut to the length that is kept.
type Outcome struct {
	Listing shopadapter.Listing // of Publish and Figures; beside an error it is what is known so far
	Note    string              // of Offline and Delete: what the shop did instead, "" where it did that
	Err     error               // as the adapter gave it
}

// Ended applies the end of a step to the record as it is now. attempt is the number that Begun gave,
// 0 of a step that called nothing: where the record's open attempt is another, a later one knows
// better. It takes away only what its step carried; what came since leads to another look.
func (s *Settings) Ended(e *store.Entry, attempt uint64, st Step, out Outcome, now time.Time) {
	r := &e.Record
	if st.Calls() && (r.Attempt.No != attempt || r.Attempt.Until == 0) {
		return
	}
	if st.in.Read != nil || st.in.Gone {
		takeHint(e, st.in)
	}
	if st.stands == forgotten && (e.Mark == nil || e.Mark.Gen == st.in.Mark.Gen) {
		e.Forget, e.Leave, e.Mark = true, r.ReportedAt != 0, nil
		return
	}
	holds, wasOnSale := r.Holds, r.Sale == store.OnSale
	if !st.Calls() {
		st.take(r)
	} else {
		r.Holds = st.holdsBeside(r.Holds)
	}
	switch {
	case st.Do == Publish || st.Do == Figures:
		s.published(e, st, out, now)
	case st.Calls(), st.stands == left, st.stands == soldOut:
		s.wentOff(e, st, out, wasOnSale, now)
	case st.stands != settled:
		s.stood(e, st, now)
	case st.Refusal != nil:
		s.failed(e, st, st.Refusal, now)
	default:
		s.settled(e, st, shopadapter.Listing{}, now)
	}
	if r.Unread != "" && r.Unread != st.in.Rec.Unread {
		note(e, "the marketplace gives what cannot be read: "+r.Unread, now)
	}
	lag(e, st, now)
	s.clip(e, now)
	tellHeld(e, holds, now)
	restate(e, now)
	owe(e, now)
}

func takeHint(e *store.Entry, in Input) {
	if e.Hint != nil && e.Hint.Gen <= in.Hint {
		e.Hint = nil
	}
}

// holdsBeside is the holds of a step with the verdicts as they are now, and those that came since.
func (st Step) holdsBeside(now []store.Hold) []store.Hold {
	was, out := st.in.Rec.Holds, slices.Clone(st.rec.Holds)
	for i, h := range out {
		if at := slices.IndexFunc(now, h.Same); at >= 0 {
			out[i].Verdict, out[i].By = now[at].Verdict, now[at].By
		} else if slices.ContainsFunc(was, h.Same) { // asked again meanwhile
			out[i].Verdict, out[i].By = "", ""
		}
	}
	return append(out, without(now, func(h store.Hold) bool {
		return slices.ContainsFunc(was, h.Same) || slices.ContainsFunc(st.rec.Holds, h.Same)
	})...)
}

// stood ends a look after which the shop, and what it has met, stays as it is.
func (s *Settings) stood(e *store.Entry, st Step, now time.Time) {
	r := &e.Record
	next := s.refresh(*r, now)
	switch p := &r.Problem; st.stands {
	case noted:
		if next = s.idle(*r, now); st.Refusal != nil {
			p.Message, next = st.Refusal.Error(), s.refresh(*r, now)
		}
	case found: // the brake is to judge it, see Brake.Removals
		removal := r.Removal
		if removal.Reason == "" {
			removal = store.Removal{At: store.At(st.in.Now)}
		}
		removal.Reason = st.Removal
		toBeRemoved(r, removal)
	case hidden:
		hide(r, now)
		note(e, "taken out of sale in the shop by hand, before the store was lost", now)
	default:
		if p.Kind == store.ProblemRejected && r.Sale == store.OnSale {
			r.Attempt.Lost = false
		} else if st.stands == cleared {
			*p = store.Problem{}
		}
	}
	if Tombstone(*r) && st.stands != noted {
		e.Mark = nil // only the list brings it back
		return
	}
	again(e, st, next)
}

const soldOutText = "it is sold out, and PUBSYNC_ON_SOLD_OUT=hide keeps it off sale until the supplier has some"

// wentOff ends a step that takes a listing out of sale: its entry is gone or has nothing to show, it is
// sold out, or what it has by now cannot be written.
func (s *Settings) wentOff(e *store.Entry, st Step, out Outcome, wasOnSale bool, now time.Time) {
	r := &e.Record
	if st.Removal != "" {
		r.Removal.Reason = st.Removal
	}
	if out.Err != nil {
		s.stayedOn(e, st, out.Err, wasOnSale, now)
		return
	}
	note(e, out.Note, now)
	switch {
	case st.Removal != "":
		told := store.Event{At: store.At(now), What: "withdrawn: " + string(st.Removal)}
		for _, h := range r.Holds {
			if isRemoval(h) && h.Verdict == store.Approved {
				told.By = h.By
			}
		}
		e.Tell(told)
		if st.Do == Delete {
			r.ShopID, r.ShopState, r.URL, r.URLListed, r.WrittenAt = "", nil, "", false, 0
		}
		r.Sale, r.Problem, r.Holds, r.UntitledSince, r.Reset = store.Off, store.Problem{}, nil, 0, 0
		forgetSeen(r)
		endAttempt(r)
		r.Pictures, r.Dirty, r.Claims = store.Pictures{}, 0, nil
		r.Removal = store.Removal{Reason: st.Removal, At: store.At(now), Done: true}
		if e.Removed = wasOnSale; Tombstone(*r) {
			e.Mark = nil // only the list brings it back
			return
		}
		again(e, st, s.refresh(*r, now))
	case st.stands == soldOut:
		if wasOnSale {
			note(e, store.WhatOffSale+": "+soldOutText, now)
		}
		r.Problem, r.UntitledSince, r.Sale = store.Problem{}, 0, store.SoldOut
		forgetSeen(r)
		endAttempt(r)
		again(e, st, s.refresh(*r, now))
	default:
		endAttempt(r)
		if wasOnSale { // it is written whole when it comes back
			r.Sale, r.Dirty = store.Off, shopadapter.AllFields
			note(e, "taken out of sale: the supplier has another price or fewer pieces by now, and what it has cannot be "+
				"written", now)
		} else if st.Refusal.Kind == shopadapter.Transient { // it was never seen on sale
			r.WrittenAt, r.Dirty = 0, 0
		}
		s.failed(e, st, st.Refusal, now)
	}
}

// stayedOn ends a step that could not take a listing out of sale.
func (s *Settings) stayedOn(e *store.Entry, st Step, err error, wasOnSale bool, now time.Time) {
	why := shopadapter.Explain(err)
	switch {
	case st.Removal != "" || st.stands == soldOut:
	case wasOnSale && why.Kind != shopadapter.Transient: // the shop would refuse it again
		returnAttempt(&e.Record, store.ProblemBlocked, st.in.Rec)
		why = st.Refusal
	default:
		why = shopadapter.Retry("what is on sale, or may be, could not be taken out of sale: %w", err)
	}
	s.failed(e, st, why, now)
}

func problem(kind store.ProblemKind, message string, now time.Time) store.Problem {
	return store.Problem{Kind: kind, Message: message, Since: store.At(now), Last: store.At(now)}
}

// failed ends a look that the shop or our rules refused, that failed, or that waits.
func (s *Settings) failed(e *store.Entry, st Step, why *shopadapter.Error, now time.Time) {
	r := &e.Record
	kind := store.ProblemTransient
	switch {
	case why.Kind == shopadapter.Rejected:
		kind = store.ProblemRejected
	case why.Kind == shopadapter.Blocked:
		kind = store.ProblemBlocked
	case why == st.Refusal:
		kind = store.ProblemWaiting
	}
	if st.Calls() && st.Refusal != why {
		returnAttempt(r, kind, st.in.Rec)
	} else if kind == store.ProblemRejected && r.Sale != store.OnSale {
		r.Attempt.Lost = false
		clearSent(r)
	}
	was := r.Problem
	r.Problem = problem(kind, why.Error(), now)
	r.Problem.Wide = why.ShopWide
	tries := 1
	if was.Kind == kind || st.Do == Offline { // which follows on a write that was refused
		tries = st.in.Mark.Tries + 1
	}
	if was.Kind == kind || waitsForShop(was.Kind) && waitsForShop(kind) {
		r.Problem.Since = min(was.Since, store.At(now))
	}
	if isRefusal(kind) && why == st.Refusal && len(st.Product.Variants) > 0 {
		r.Problem.Content = st.content
	}
	r.Problem.Overdue = waitsForShop(kind) && r.Sale != store.OnSale && r.Sale != store.SoldOut && // whatever is held
		now.Sub(r.Problem.Since.Time()) >= s.FailAfter
	note(e, why.Kind.String()+": "+why.Error(), now)
	again(e, st, s.retry(*r, why, tries, st, now))
}

// Unreadable settles a look whose reading failed for a reason of the publication's own.
func (s *Settings) Unreadable(e *store.Entry, in Input, why *shopadapter.Error, now time.Time) {
	takeHint(e, in) // another try comes
	s.failed(e, Step{in: in, rec: in.Rec}, why, now)
	s.clip(e, now)
	restate(e, now)
	owe(e, now)
}

// Stopped records that a call was cancelled after so long.
func Stopped(e *store.Entry, took time.Duration, now time.Time) {
	note(e, fmt.Sprintf("stopped: the shop had not come to an end after %s", took.Round(time.Second)), now)
}

// mostUnwritten bounds the variants that a record keeps of an entry that was never written.
const mostUnwritten = 100

func (s *Settings) takeColumns(r *store.Record, st Step, l shopadapter.Listing, now time.Time) {
	wrote := l.ID != ""
	is := make(map[string]store.Variant, len(r.Variants))
	for _, v := range r.Variants {
		is[v.ID] = v
	}
	sent := placesOf(st.Product.Variants, soldAs)
	ids := l.ShopIDs()
	variants := make([]store.Variant, 0, len(st.Rows))
	for _, row := range st.Rows {
		v := is[row.ID]
		delete(is, row.ID)
		v.ID, v.Title, v.Supply = row.ID, row.Title, row.Supply
		if !row.Shown {
			withdrawn(&v, row)
			variants = append(variants, v)
			continue
		}
		comes := v.Written.Price == "" || v.Refused != ""
		price := wrote && (comes || st.Changed.Has(shopadapter.FieldPrice))
		stock := wrote && (comes || st.Changed.Has(shopadapter.FieldStock))
		if was := v.Written.Price; price && was != "" && was != row.Written.Price {
			turnDay(&v, st, row, now)
		}
		if wrote {
			correct(&v, st, row)
			v.ShopID, v.Refused, v.Unpriced = ids[row.ID], l.Refused[row.ID], false
		} else if st.in.asked() {
			v.Corrected = nil
		}
		v.Sold = stillSold(v, row.Supply.Quantity, row.Written.Quantity)
		w, offered := v.Written, v.Written.Offered
		if v.Written = row.Written; !price {
			v.Written.Price, v.Written.Cost, v.Written.MSRP = w.Price, w.Cost, w.MSRP
		}
		if !stock {
			v.Written.Quantity, v.Written.Backorders = w.Quantity, w.Backorders
		}
		if v.Written.Offered = row.Supply.Quantity; offered < 0 && !wrote {
			v.Written.Offered = offered
		}
		v.SKU, v.Sent = st.Product.Variants[sent[row.ID]].SKU, store.Written{}
		variants = append(variants, v)
	}
	r.Variants = variants
	r.Gone = slices.DeleteFunc(slices.Clone(r.Gone), func(g store.Gone) bool { return now.Sub(g.At.Time()) >= goneFor })
	for _, id := range slices.Sorted(maps.Keys(is)) {
		if v := is[id]; v.SKU != "" && v.Written.Price != "" && len(r.Gone) < mostUnwritten {
			r.Gone = append(r.Gone, store.Gone{SKU: v.SKU, Price: v.Written.Price, At: store.At(now)})
		}
	}
}

// withdrawn records that our own rules keep a variant out of the shop.
func withdrawn(v *store.Variant, row Row) {
	never := v.Refused != "" && !v.Unpriced // the shop never took it
	v.Refused, v.Unpriced, v.Sent, v.Seen, v.Corrected = row.Refused, row.Refused != "", store.Written{}, store.Seen{}, nil
	if !v.Unpriced || never {
		v.ShopID, v.SKU, v.Written = "", "", store.Written{}
	}
}

// turnDay keeps the price that a variant had before the first change of a day. What a person approved,
// and what the merchant's own rules make, begins anew.
func turnDay(v *store.Variant, st Step, row Row, now time.Time) {
	approved := slices.ContainsFunc(st.rec.Holds, func(h store.Hold) bool {
		return h.Variant == row.ID && h.Verdict == store.Approved && h.New == row.Written.Price
	})
	switch {
	case approved || row.ruled:
		v.Day = store.Day{}
	case v.Day.Price == "" || now.Sub(v.Day.At.Time()).Abs() >= day:
		v.Day = store.Day{Price: v.Written.Price, At: store.At(now)}
	}
}

// correct counts what a write puts right of a variant. A correction of a figure that is another one
// since is forgotten: the shop may accept the new one.
func correct(v *store.Variant, st Step, row Row) {
	moved := movedFigures(v.Written, row.Written)
	var made []store.Corrected
	for _, d := range differences(v.Seen) {
		if st.Changed.Has(d.Field) && !moved.Has(d.Field) {
			d.Tries = min(triesOf(*v, d)+1, mostCorrections)
			made = append(made, d)
		}
	}
	for _, c := range v.Corrected {
		again := slices.ContainsFunc(made, func(m store.Corrected) bool { return m.Field == c.Field })
		if !again && !moved.Has(c.Field) && !st.in.asked() {
			made = append(made, c)
		}
	}
	v.Corrected = made
	v.Seen.Gone = v.Seen.Gone && !st.Changed.Has(shopadapter.FieldVariants)
	v.Seen.Off = v.Seen.Off && !st.Ref.Revive
	if st.Changed.Has(shopadapter.FieldPrice) {
		v.Seen.Price = ""
	}
	if st.Changed.Has(shopadapter.FieldStock) {
		v.Seen.Quantity = ""
	}
	if !v.Seen.Differs() {
		v.Seen = store.Seen{}
	}
}

func forgetSeenPrice(v *store.Variant) {
	if v.Seen.Price = ""; !v.Seen.Differs() {
		v.Seen = store.Seen{}
	}
}

// forgetSeen drops what the shop showed of a listing that is not on sale any longer.
func forgetSeen(r *store.Record) {
	eachVariant(r, func(v *store.Variant) { v.Seen, v.Corrected, v.Sold = store.Seen{}, nil, 0 })
	r.Pictures.Shown, r.Pictures.Lost = 0, 0
}

func forgetMissing(r *store.Record) {
	r.Pictures.Missing, r.Pictures.LateSince, r.Pictures.LateAt = nil, 0, 0
}

const (
	lateLeast     = 5 * time.Second // before a late picture is asked for again, then spans that double
	lateMost      = 4 * time.Hour
	mostMissing   = 50
	mostThumbnail = 1024 // bytes of an address that lists show
)

// takePictures records which pictures the listing lacks after a write of its images. One that could
// not be fetched is late, and is asked for again; one that the shop refuses is not.
func takePictures(r *store.Record, st Step, l shopadapter.Listing, now time.Time) {
	if !st.Creates() && !st.Changed.Has(shopadapter.FieldImages) && len(l.Missing) == 0 {
		return
	}
	p := &r.Pictures
	p.Shown, p.Thumbnail = max(len(st.Product.Pictures())-len(l.Missing), 0), ""
	p.Missing, p.LateAt = nil, 0
	if list := st.Product.Images; len(list) > 0 && len(list[0]) <= mostThumbnail {
		p.Thumbnail = list[0]
	}
	for _, later := range []bool{true, false} { // where there are too many, late ones come first
		for _, m := range l.Missing {
			if m.Later == later && len(p.Missing) < mostMissing {
				p.Missing = append(p.Missing, store.Picture{URL: m.URL, Reason: m.Reason, Later: later})
			}
		}
	}
	if len(p.Missing) == 0 || !p.Missing[0].Later {
		p.LateSince = 0
		return
	}
	if p.LateSince == 0 || p.LateSince > store.At(now) {
		p.LateSince = store.At(now)
	}
	p.LateAt = store.At(now.Add(min(max(now.Sub(p.LateSince.Time()), lateLeast), lateMost)))
}

func (s *Settings) published(e *store.Entry, st Step, out Outcome, now time.Time) {
	r, l, err := &e.Record, out.Listing, out.Err
	gone, hidden := errors.Is(err, shopadapter.ErrGone), errors.Is(err, shopadapter.ErrHidden)
	switch {
	case errors.Is(err, shopadapter.ErrWhole): // nothing was written
		r.Dirty |= r.Attempt.Fields
		endAttempt(r)
		soon(e, st, min(store.ClassFull, st.in.Mark.Class), 0, now)
		return
	case gone:
		err = shopadapter.Block("the listing was deleted in the shop by hand: `pubsync retry %s` brings it back", r.ID)
	case hidden:
		err = shopadapter.Block("%s", hiddenText(r.ID))
	}
	adopt(r, l)
	if err != nil && r.Sale == store.SoldOut {
		r.Sale = store.Off // it was to come back
	}
	if err == nil && allRefused(st.Product, l) {
		if r.Sale == store.OnSale {
			r.Sale = store.Off
		}
		err = shopadapter.Reject("the shop refused every variant: %s", l.Refused[st.Product.Variants[0].ID])
	}
	if err == nil {
		s.settled(e, st, l, now)
		return
	}
	why := shopadapter.Explain(err)
	s.failed(e, st, why, now)
	switch p := &r.Problem; {
	case gone, hidden:
		p.Gone, p.Hidden, r.Sale = gone, hidden, store.Off
		forgetMissing(r)
		clearSent(r)
		if hidden { // nothing was written
			endAttempt(r)
			r.Dirty = 0
		}
		p.Content, p.Overdue = st.content, s.overdue(*r, "", now)
	case why.Kind != shopadapter.Transient:
		p.Content = st.content
		was := st.in.Rec
		maybe := p.Kind == store.ProblemRejected && was.Open() && r.Sale != store.OnSale // an earlier one may have put it on
		unheard := was.Open() && was.Unsure().Has(shopadapter.FieldStock)
		if maybe || !why.ShopWide && isListed(*r) && (unheard || s.sellsWrong(st)) {
			// the next look takes it out of sale
			soon(e, st, store.ClassHook, st.in.Mark.Tries, now)
		}
	}
}

func allRefused(p shopadapter.Product, l shopadapter.Listing) bool {
	return len(l.Refused) > 0 && !slices.ContainsFunc(p.Variants, func(v shopadapter.Variant) bool {
		return l.Refused[v.ID] == ""
	})
}

// adopt records what the adapter learned, even beside an error. An address that is no web address is
// never reported.
func adopt(r *store.Record, l shopadapter.Listing) {
	if l.ID == "" {
		return
	}
	r.URLListed = r.URLListed && r.ShopID == string(l.ID)
	r.ShopID, r.ShopState = string(l.ID), l.State
	if !r.URLListed {
		if r.URL = ""; isWebAddress(l.URL) {
			r.URL = l.URL
		}
	}
}

// settled ends a look after which the shop holds what it should: l is what a write answered, zero
// where nothing was to be written.
func (s *Settings) settled(e *store.Entry, st Step, l shopadapter.Listing, now time.Time) {
	r := &e.Record
	changes, wrote := Diff(st.in.Rec, st), l.ID != ""
	s.takeColumns(r, st, l, now)
	if wrote {
		r.Sale = store.OnSale
		if l.Draft && st.Product.Draft {
			r.Sale = store.Draft
		}
		if r.WrittenAt == 0 || st.Changed != shopadapter.FieldImages {
			r.WrittenAt = store.At(now)
		} else { // a write of pictures says nothing of figures; what a list from before it lacks is not lost
			r.Pictures.Lost = 1
		}
		r.Kept = r.Kept&^st.Changed | l.Kept
		tellWritten(e, st, changes, l, now)
		if st.Do == Publish {
			takePictures(r, st, l, now)
		}
		endAttempt(r)
	} else if e.Mark == nil || e.Mark.Gen == st.in.Mark.Gen { // what was set since stays
		price := shopadapter.NoFields
		if driftHeld(st.rec.Holds) {
			price = shopadapter.FieldPrice
		}
		r.Dirty &= st.Product.Unknown | price
		r.Reset &= st.Product.Unknown
		endAttempt(r)
	}
	if st.in.Read != nil {
		sums := maps.Clone(r.Hashes)
		if sums == nil || wrote && st.Creates() {
			sums = map[shopadapter.Fields]uint64{}
		}
		for group, sum := range st.Hashes {
			if !st.Product.Unknown.Any(group) {
				sums[group] = sum
			}
		}
		r.Hashes, r.Language, r.Claims = sums, st.Product.Language, nil
	}
	r.Dirty &^= s.Keep
	if !s.Details {
		r.Dirty &^= detailGroups
	}
	r.Holds = without(r.Holds, func(h store.Hold) bool { // what was approved meanwhile is made by the next look
		return h.Verdict == store.Approved && slices.ContainsFunc(st.rec.Holds, func(let store.Hold) bool {
			return let.Same(h) && let.Verdict == store.Approved
		})
	})
	r.Problem = store.Problem{}
	m := s.idle(*r, now)
	if st.OwesRest() {
		m = store.Mark{At: store.At(now), Class: store.ClassFull, Seen: st.in.Mark.Seen}
	}
	again(e, st, m)
}
