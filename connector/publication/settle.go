package publication

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

// ErrTaken says that a step must be decided once more: another publication took a SKU meanwhile, or
// somebody judged a hold, or the shop sold something.
var ErrTaken = errors.New("the record has changed since it was decided upon")

// An Outcome is how the shop answered a call. Its texts are already cut to the length that is kept.
type Outcome struct {
	Listing shopadapter.Listing // of Publish and Figures; beside an error it is what is known so far
	Note    string              // of Offline and Delete: what the shop did instead, "" where it did that
	Err     error               // as the adapter gave it
}

// Calls reports whether a step calls the shop, so that it is begun and ended by an attempt.
func (st Step) Calls() bool {
	return st.Do == Publish || st.Do == Figures || st.Do == Offline || st.Do == Delete
}

// Begun makes a step durable before its call, which lasts until a time at most: whatever becomes of
// the call, the record then shows what may have been sent, and SKUs are claimed. owners is who holds
// the SKUs of the product, read in the same transaction.
func (s *Settings) Begun(
	e *Entry, st Step, owners map[string]string, until, now time.Time,
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
	case st.in.Read != nil:
		if s.takeIn(r, st); st.in.asked() && r.Problem.Gone {
			forgetListing(r)
		}
		claim(r, st)
	default:
		claim(r, st)
	}
	a := r.Attempt
	r.Attempt = Attempt{
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
func (st Step) Stale(now Record) bool {
	was := st.in.Rec
	same := slices.EqualFunc(now.Variants, was.Variants, func(a, b Variant) bool {
		return a.ID == b.ID && a.Sold == b.Sold && a.Seen == b.Seen
	})
	return !same || !slices.Equal(now.Holds, was.Holds) || now.Attempt != was.Attempt || now.Reset != was.Reset ||
		now.Dirty != was.Dirty || now.Sale != was.Sale || now.Removal != was.Removal || now.Problem != was.Problem
}

// claim records the prices and SKUs that are about to be sent, where they are others than the settled
// ones.
func claim(r *Record, st Step) {
	r.Variants = slices.Clone(r.Variants)
	at := map[string]int{}
	for i, v := range r.Variants {
		at[v.ID] = i
	}
	for _, p := range st.Product.Variants {
		i, had := at[p.ID]
		if !had {
			i, r.Variants = len(r.Variants), append(r.Variants, Variant{ID: p.ID, Title: p.Title})
		}
		v := &r.Variants[i]
		settled := v.Written.Price != "" && (v.Refused == "" || v.Unpriced)
		if !settled || v.Written.Price != p.Price && st.Changed.Has(shopadapter.FieldPrice) {
			v.Sent = Written{Price: p.Price, Cost: p.Cost, MSRP: p.MSRP}
		}
		if p.SKU != "" && v.SKU != p.SKU && !slices.Contains(r.Claims, p.SKU) {
			r.Claims = append(slices.Clip(r.Claims), p.SKU)
		}
	}
}

// Ended applies the end of a step to the record as it is now. attempt is the number that Begun gave,
// 0 of a step that called nothing: where the record's open attempt is another, a later one knows
// better. It takes away only what its step carried; what came since leads to another look.
func (s *Settings) Ended(e *Entry, attempt uint64, st Step, out Outcome, now time.Time) {
	r := &e.Record
	if st.Calls() && (r.Attempt.No != attempt || r.Attempt.Until == 0) {
		return
	}
	before, holds := r.State, r.Holds
	if (st.in.Read != nil || st.in.Gone) && e.Hint != nil && e.Hint.Gen <= st.in.Hint { // it has been looked at
		e.Hint = nil
	}
	if st.forget && (e.Mark == nil || e.Mark.Gen == st.in.Mark.Gen) {
		e.Forget, e.Leave, e.Mark = true, r.ReportedAt != 0, nil
		return
	}
	wasOnSale := r.Sale == OnSale
	s.takeReading(r, st, now)
	if st.awaits {
		if Tombstone(*r) {
			listedAgain(r, st.in.Now)
		}
		r.Removal, r.UntitledSince, r.Unread = store.Removal{}, 0, ""
	}
	switch {
	case st.noted:
		s.noted(e, st, now)
	case st.stands:
		s.stood(e, st, now)
	case st.found:
		s.foundRemoval(e, st, now)
	case st.Removal != "" && (st.Do == Nothing || st.Calls()):
		s.left(e, st, out, wasOnSale, now)
	case st.soldOut:
		s.tookOff(e, st, out, wasOnSale, now)
	case st.Do == Offline:
		s.cleared(e, st, out, wasOnSale, now)
	case st.Do == Publish || st.Do == Figures:
		s.published(e, st, out, now)
	case st.Refusal != nil:
		s.failed(e, st, st.Refusal, now)
	default:
		s.settled(e, st, shopadapter.Listing{}, now)
	}
	if r.Unread != "" && r.Unread != st.in.Rec.Unread {
		e.Tell(Event{At: store.At(now), What: "the marketplace gives what cannot be read: " + r.Unread})
	}
	s.lag(e, st, now)
	s.clip(e, now)
	tellHeld(e, holds, now)
	restate(e, before, now)
	owe(e, now)
}

// takeReading takes what was read into the record, however the look ends.
func (s *Settings) takeReading(r *Record, st Step, now time.Time) {
	in := st.in
	if in.Fresh {
		r.FiguresAt = store.At(in.Now)
	}
	if in.Read != nil {
		s.takeStatus(r, in, now)
		l := in.Read.Listing
		if len(st.Rows) > 0 || st.judged || st.Do == Wait && st.Removal == "" && l != nil && len(l.Variants) > 0 {
			s.takeIn(r, st)
			r.Terms = st.terms
			if st.terms.Known || len(st.unread) > 0 {
				r.Unread = joined(st.unread)
			}
		} else {
			takeIDs(r, in.Read, in.Now)
			if st.Removal != "" {
				r.UntitledSince, r.Unread = 0, ""
			}
		}
	} else if in.Gone {
		r.ReadAt, r.UntitledSince, r.Unread = store.At(in.Now), 0, ""
	}
	if len(st.Rows) > 0 {
		takeRows(r, st)
	}
	if was := r.Hashes[shopadapter.FieldImages]; s.Keep.Has(shopadapter.FieldImages) && len(st.Hashes) > 0 && was != 0 &&
		was != st.Hashes[shopadapter.FieldImages] {
		r.Pictures.Missing, r.Pictures.LateSince, r.Pictures.LateAt = nil, 0, 0 // they are the merchant's
	}
	if st.judged {
		r.Holds = mergeHolds(r.Holds, st)
		if st.Product.Title == "" && in.Read != nil {
			r.UntitledSince = untitledSince(r.UntitledSince, in.Now)
		} else if in.Read != nil {
			r.Title, r.UntitledSince = st.Product.Title, 0
		}
	}
}

// takeStatus takes in the status that a reading showed: a report whose answer was lost has arrived, or
// somebody else set another.
func (s *Settings) takeStatus(r *Record, in Input, now time.Time) {
	status := store.Status(in.Read.Status)
	was := in.Rec.Removal // it is listed again, and reported anew
	anew := (was.Done || was.Begun) && was.Reason == store.RemovalAbsent
	strange := in.Read.Listing != nil && isForeign(*r, in)
	if anew || strange || status != store.StatusSuccess && status != store.StatusFailed && r.Reported == "" {
		return
	}
	since := r.ReportedAt >= store.At(in.Now) && r.ReportedAt <= store.At(now)
	if !since && r.Reported != status {
		r.Reported, r.ReportedURL = status, in.Read.ProductURL
	}
}

// mostUnwritten bounds the variants that a record keeps of an entry that was never written.
const mostUnwritten = 100

// takeRows takes in the supplier's figures as read.
func takeRows(r *Record, st Step) {
	r.Variants = slices.Clone(r.Variants)
	at := map[string]int{}
	for i, v := range r.Variants {
		at[v.ID] = i
	}
	for _, row := range st.Rows {
		i, had := at[row.ID]
		if was := row.was.v; !had && was.ID == "" && was.SKU != "" { // taken over
			i = slices.IndexFunc(r.Variants, func(v Variant) bool { return v.ID == "" && v.SKU == was.SKU })
			if had = i >= 0; had {
				r.Variants[i].ID = row.ID
			}
		}
		if !had {
			if r.WrittenAt == 0 && len(r.Variants) >= mostUnwritten {
				continue
			}
			i, r.Variants = len(r.Variants), append(r.Variants, Variant{ID: row.ID, Title: row.Title})
		}
		r.Variants[i].Supply = row.Supply
	}
}

// mergeHolds is the holds of a step with the verdicts as they are now, and those that came since.
func mergeHolds(now []Hold, st Step) (out []Hold) {
	for _, h := range st.Holds {
		if i := slices.IndexFunc(now, h.Same); i >= 0 {
			h.Verdict, h.By = now[i].Verdict, now[i].By
		} else if slices.ContainsFunc(st.in.Rec.Holds, h.Same) { // asked again meanwhile
			h.Verdict, h.By = "", ""
		}
		out = append(out, h)
	}
	for _, h := range now {
		if !slices.ContainsFunc(st.in.Rec.Holds, h.Same) && !slices.ContainsFunc(out, h.Same) {
			out = append(out, h)
		}
	}
	return out
}

// noted ends a look that read nothing and calls nothing.
func (s *Settings) noted(e *Entry, st Step, now time.Time) {
	r, p := &e.Record, &e.Record.Problem
	switch {
	case st.Refusal != nil:
		p.Message = st.Refusal.Error()
		s.again(e, st, s.refresh(*r, now))
	case st.stands: // it waits for the shop for too long
		if p.Kind == "" {
			*p = Problem{Kind: store.ProblemTransient, Message: st.in.Shut, Wide: true, Since: r.ListedAt, Last: store.At(now)}
		}
		p.Overdue = true
		m := st.in.Mark
		m.Tries++
		m.At = store.At(now.Add(s.Backoff(r.ID, m.Tries)))
		s.again(e, st, m)
	default:
		s.again(e, st, s.idle(*r, now))
	}
}

// stood ends a look after which the problem, or the hold, stays as it is.
func (s *Settings) stood(e *Entry, st Step, now time.Time) {
	r := &e.Record
	switch p := r.Problem; {
	case st.hidden:
		hide(r, now)
		e.Tell(Event{At: store.At(now), What: "taken out of sale in the shop by hand, before the store was lost"})
	case st.Removal != "" && r.Removal.Done:
		r.Removal.Reason = st.Removal
	case p.Kind == store.ProblemRejected && r.Sale == OnSale:
		r.Attempt.Lost = false
	case st.clears:
		r.Problem = Problem{}
	}
	if Tombstone(*r) {
		e.Mark = nil
		return
	}
	s.again(e, st, s.refresh(*r, now))
}

// foundRemoval has the brake judge a removal: see [Settings.Judge].
func (s *Settings) foundRemoval(e *Entry, st Step, now time.Time) {
	r := &e.Record
	if r.Removal.Reason == "" {
		r.Removal = store.Removal{At: store.At(st.in.Now)}
	}
	r.Removal.Reason = st.Removal
	judgeAnew(r)
	r.Problem, r.Holds = Problem{}, judgedOf(r.Holds)
	s.again(e, st, s.refresh(*r, now))
}

// judgeAnew forgets which prices somebody changed in the shop, where they are held, since the hold goes
// for another reason: the next comparison judges them anew.
func judgeAnew(r *Record) {
	if !driftHeld(r.Holds) {
		return
	}
	r.Variants = slices.Clone(r.Variants)
	for i := range r.Variants {
		if v := &r.Variants[i]; v.Seen.Price != "" {
			if v.Seen.Price = ""; !v.Seen.Differs() {
				v.Seen = Seen{}
			}
		}
	}
}

// judgedOf is the holds without those that wait, but for a removal: a person's word on the others counts
// when the entry is back.
func judgedOf(holds []Hold) (out []Hold) {
	for _, h := range holds {
		if isRemoval(h) == (h.Verdict == "") {
			h.Below = ""
			out = append(out, h)
		}
	}
	return out
}

// left ends a removal.
func (s *Settings) left(e *Entry, st Step, out Outcome, wasOnSale bool, now time.Time) {
	r := &e.Record
	r.Removal.Reason = st.Removal
	if out.Err != nil {
		s.failed(e, st, shopadapter.Explain(out.Err), now)
		return
	}
	by := ""
	for _, h := range r.Holds {
		if h.Kind == store.HoldRemoval && h.Verdict == Approved {
			by = h.By
		}
	}
	note(e, out.Note, now)
	e.Tell(Event{At: store.At(now), What: "withdrawn: " + string(st.Removal), By: by})
	if st.Do == Delete {
		r.ShopID, r.ShopState, r.URL, r.URLListed, r.WrittenAt = "", nil, "", false, 0
	}
	r.Sale, r.Problem, r.Holds, r.UntitledSince, r.Reset = Off, Problem{}, nil, 0, 0
	r.Pictures = Pictures{}
	forgetSeen(r)
	endAttempt(r)
	r.Dirty, r.Claims = 0, nil
	r.Removal = store.Removal{Reason: st.Removal, At: store.At(now), Done: true}
	e.Removed = wasOnSale
	if Tombstone(*r) {
		e.Mark = nil
		return
	}
	s.again(e, st, s.refresh(*r, now))
}

// tookOff ends the taking off sale of what is sold out.
func (s *Settings) tookOff(e *Entry, st Step, out Outcome, wasOnSale bool, now time.Time) {
	r := &e.Record
	if out.Err != nil {
		s.failed(e, st, shopadapter.Explain(out.Err), now)
		return
	}
	note(e, out.Note, now)
	if wasOnSale {
		e.Tell(Event{At: store.At(now), What: WhatOffSale + ": " + soldOutText})
	}
	r.Problem, r.UntitledSince, r.Sale = Problem{}, 0, SoldOut
	forgetSeen(r)
	endAttempt(r)
	s.again(e, st, s.refresh(*r, now))
}

const soldOutText = "it is sold out, and PUBSYNC_ON_SOLD_OUT=hide keeps it off sale until the supplier has some"

// cleared ends a look at what cannot be written, once its earlier version is out of sale.
func (s *Settings) cleared(e *Entry, st Step, out Outcome, wasOnSale bool, now time.Time) {
	r := &e.Record
	lasts := out.Err != nil && shopadapter.Explain(out.Err).Kind != shopadapter.Transient
	switch {
	case lasts && wasOnSale: // the shop would refuse it again
		returnAttempt(r, store.ProblemBlocked, st.in.Rec)
		s.failed(e, st, st.Refusal, now)
		return
	case out.Err != nil && wasOnSale:
		s.failed(e, st, shopadapter.Retry(
			"the version on sale has other figures than the supplier, and could not be taken out of sale: %w", out.Err), now)
		return
	case out.Err != nil:
		s.failed(e, st, shopadapter.Retry("what an earlier attempt may have put on sale is still there: %w", out.Err), now)
		return
	}
	note(e, out.Note, now)
	endAttempt(r)
	switch {
	case wasOnSale: // it is written whole when it comes back
		r.Sale, r.Dirty = Off, shopadapter.AllFields
		note(e, "taken out of sale: the supplier has another price or fewer pieces by now, and what it has cannot be "+
			"written", now)
	case st.Refusal.Kind == shopadapter.Transient: // it was never seen on sale
		r.WrittenAt, r.Dirty = 0, 0
	}
	s.failed(e, st, st.Refusal, now)
}

// published ends a write.
func (s *Settings) published(e *Entry, st Step, out Outcome, now time.Time) {
	r, l, err := &e.Record, out.Listing, out.Err
	gone, hidden := errors.Is(err, shopadapter.ErrGone), errors.Is(err, shopadapter.ErrHidden)
	switch {
	case errors.Is(err, shopadapter.ErrWhole): // nothing was written
		r.Dirty |= r.Attempt.Fields
		endAttempt(r)
		e.Mark = &Mark{At: store.At(now), Class: min(ClassFull, st.in.Mark.Class), Gen: st.in.Mark.Gen + 1}
		return
	case gone:
		err = shopadapter.Block("the listing was deleted in the shop by hand: `pubsync retry %s` brings it back", r.ID)
	case hidden:
		err = shopadapter.Block("%s", hiddenText(r.ID))
	}
	adopt(r, l)
	if err != nil && r.Sale == SoldOut {
		r.Sale = Off // it was to come back
	}
	if err == nil && allRefused(st.Product, l) {
		if r.Sale == OnSale {
			r.Sale = Off
		}
		err = shopadapter.Reject("the shop refused every variant: %s", l.Refused[st.Product.Variants[0].ID])
	}
	if err == nil {
		s.settled(e, st, l, now)
		return
	}
	why := shopadapter.Explain(err)
	s.failed(e, st, why, now)
	switch {
	case gone, hidden:
		r.Problem.Gone, r.Problem.Hidden, r.Sale = gone, hidden, Off
		r.Pictures.Missing, r.Pictures.LateSince, r.Pictures.LateAt = nil, 0, 0
		clearSent(r)
		if hidden { // nothing was written
			endAttempt(r)
			r.Dirty = 0
		}
		r.Problem.Content, r.Problem.Overdue = st.content, s.isOverdue(*r, now)
	case why.Kind != shopadapter.Transient:
		r.Problem.Content = st.content
		unheard := st.in.Rec.Open() && st.in.Rec.Unsure().Has(shopadapter.FieldStock)
		if kind := r.Problem.Kind; kind == store.ProblemRejected && st.in.Rec.Open() && r.Sale != OnSale {
			// an earlier one may have put it on sale: the next look takes it out
			e.Mark = &Mark{At: store.At(now), Class: ClassHook, Tries: st.in.Mark.Tries, Gen: st.in.Mark.Gen + 1}
		}
		if !why.ShopWide && listed(*r) && (unheard || s.sellsWrong(st)) { // the next look takes it out of sale
			e.Mark = &Mark{At: store.At(now), Class: ClassHook, Tries: st.in.Mark.Tries, Gen: st.in.Mark.Gen + 1}
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
func adopt(r *Record, l shopadapter.Listing) {
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
func (s *Settings) settled(e *Entry, st Step, l shopadapter.Listing, now time.Time) {
	r := &e.Record
	wrote := l.ID != ""
	changes := Diff(st.in.Rec, st)
	created := st.creates()
	s.tellCorrected(e, st, now)
	s.takeColumns(r, st, l, now)
	if wrote {
		r.Sale = OnSale
		if l.Draft && st.Product.Draft {
			r.Sale = Draft
		}
		r.WrittenAt = store.At(now)
		r.Kept = r.Kept&^st.Changed | l.Kept
		tellWritten(e, st, created, changes, l, now)
		if st.Do == Publish {
			takePictures(r, st, l, created, now)
		}
		endAttempt(r)
	} else if e.Mark == nil || e.Mark.Gen == st.in.Mark.Gen { // what was set since stays
		price := shopadapter.NoFields
		if driftHeld(st.Holds) {
			price = shopadapter.FieldPrice
		}
		r.Dirty &= st.Product.Unknown | price
		r.Reset &= st.Product.Unknown
		endAttempt(r)
	}
	if st.in.Read != nil {
		if r.Hashes == nil || wrote && st.creates() {
			r.Hashes = map[shopadapter.Fields]uint64{}
		}
		sums := make(map[shopadapter.Fields]uint64, len(hashed))
		for group, sum := range r.Hashes {
			sums[group] = sum
		}
		for group, sum := range st.Hashes {
			if !st.Product.Unknown.Any(group) {
				sums[group] = sum
			}
		}
		r.Hashes, r.Language = sums, st.Product.Language
		r.Claims = nil
	}
	r.Dirty &^= s.Keep
	if !s.Details {
		r.Dirty &^= detailGroups
	}
	r.Holds = slices.DeleteFunc(slices.Clone(r.Holds), func(h Hold) bool {
		return h.Verdict == Approved && slices.ContainsFunc(st.Holds, func(let Hold) bool {
			return let.Same(h) && let.Verdict == Approved // what was approved meanwhile is made by the next look
		})
	})
	r.Problem = Problem{}
	m := s.idle(*r, now)
	if st.in.Fresh && st.in.Mark.Class != ClassRefresh { // the rest of the change is still to be read
		m = Mark{At: store.At(now), Class: ClassFull, Seen: st.in.Mark.Seen}
	}
	s.again(e, st, m)
}

// takeColumns records what the shop holds now of each variant.
func (s *Settings) takeColumns(r *Record, st Step, l shopadapter.Listing, now time.Time) {
	wrote := l.ID != ""
	is := make(map[string]Variant, len(r.Variants))
	for _, v := range r.Variants {
		is[v.ID] = v
	}
	sku := make(map[string]string, len(st.Product.Variants))
	for _, v := range st.Product.Variants {
		sku[v.ID] = v.SKU
	}
	pricer, ids := s.Price.For(st.terms), l.ShopIDs()
	variants := make([]Variant, 0, len(st.Rows))
	for _, row := range st.Rows {
		v, was := is[row.ID], is[row.ID]
		delete(is, row.ID)
		v.ID, v.Title, v.Supply = row.ID, row.Title, row.Supply
		if !row.Shown {
			v.Refused, v.Unpriced, v.Sent, v.Seen, v.Corrected = row.Refused, row.Refused != "", Written{}, Seen{}, nil
			if !v.Unpriced || was.Refused != "" && !was.Unpriced { // the shop never took it
				v.ShopID, v.SKU, v.Written = "", "", Written{}
			}
			variants = append(variants, v)
			continue
		}
		comes := v.Written.Price == "" || v.Refused != ""
		price := wrote && (comes || st.Changed.Has(shopadapter.FieldPrice))
		stock := wrote && (comes || st.Changed.Has(shopadapter.FieldStock))
		if was := v.Written.Price; price && was != "" && was != row.Written.Price {
			turnDay(&v, was, st, row, movedByRules(pricer, v.Written), now)
		}
		if wrote {
			correct(&v, st, row)
		} else if st.in.asked() {
			v.Corrected = nil
		}
		v.Sold = stillSold(v, row.Supply.Quantity, row.Written.Quantity)
		if price {
			v.Written.Price, v.Written.Cost, v.Written.MSRP = row.Written.Price, row.Written.Cost, row.Written.MSRP
		}
		if stock {
			v.Written.Quantity, v.Written.Backorders = row.Written.Quantity, row.Written.Backorders
		}
		if v.Written.Offered >= 0 || wrote {
			v.Written.Offered = row.Supply.Quantity
		}
		v.SKU, v.Sent = sku[row.ID], Written{}
		if wrote {
			v.ShopID, v.Refused, v.Unpriced = ids[row.ID], l.Refused[row.ID], false
		}
		variants = append(variants, v)
	}
	r.Variants = variants
	r.Gone = slices.DeleteFunc(slices.Clone(r.Gone), func(g Gone) bool { return now.Sub(g.At.Time()) >= goneFor })
	for _, id := range slices.Sorted(maps.Keys(is)) {
		if v := is[id]; v.SKU != "" && v.Written.Price != "" && len(r.Gone) < mostUnwritten {
			r.Gone = append(r.Gone, Gone{SKU: v.SKU, Price: v.Written.Price, At: store.At(now)})
		}
	}
	slices.SortFunc(r.Gone, func(a, b Gone) int { return cmp.Or(cmp.Compare(a.At, b.At), cmp.Compare(a.SKU, b.SKU)) })
}

// turnDay keeps the price that a variant had before the first change of a day. What a person approved,
// and what the merchant's own rules make, begins anew.
func turnDay(v *Variant, was string, st Step, row Row, rules bool, now time.Time) {
	approved := slices.ContainsFunc(st.Holds, func(h Hold) bool {
		return h.Variant == row.ID && h.Verdict == Approved && h.New == row.Written.Price
	})
	switch {
	case approved || rules:
		v.Day = Day{}
	case v.Day.Price == "" || now.Sub(v.Day.At.Time()).Abs() >= day:
		v.Day = Day{Price: was, At: store.At(now)}
	}
}

// correct counts what a write puts right of a variant. A correction of a figure that is another one
// since is forgotten: the shop may accept the new one.
func correct(v *Variant, st Step, row Row) {
	moved := map[shopadapter.Fields]bool{
		shopadapter.FieldPrice: v.Written.Price != row.Written.Price,
		shopadapter.FieldStock: v.Written.Quantity != row.Written.Quantity || v.Written.Backorders != row.Written.Backorders,
	}
	var made []Corrected
	for _, d := range differences(v.Seen) {
		if st.Changed.Has(d.Field) && !moved[d.Field] {
			d.Tries = min(triesOf(*v, d)+1, mostCorrections)
			made = append(made, d)
		}
	}
	for _, c := range v.Corrected {
		again := slices.ContainsFunc(made, func(m Corrected) bool { return m.Field == c.Field })
		if !again && !moved[c.Field] && !st.in.asked() {
			made = append(made, c)
		}
	}
	v.Corrected = made
	seen := v.Seen
	seen.Gone = seen.Gone && !st.Changed.Has(shopadapter.FieldVariants)
	if st.Changed.Has(shopadapter.FieldPrice) {
		seen.Price = ""
	}
	if st.Changed.Has(shopadapter.FieldStock) {
		seen.Quantity = ""
	}
	seen.Off = seen.Off && !st.Ref.Revive
	if v.Seen = seen; !seen.Differs() {
		v.Seen = Seen{}
	}
}

const (
	lateLeast   = 5 * time.Second // before a late picture is asked for again, then spans that double
	lateMost    = 4 * time.Hour
	mostMissing = 50
)

// takePictures records which pictures the listing lacks after a write of its images. One that could
// not be fetched is late, and is asked for again; one that the shop refuses is not.
func takePictures(r *Record, st Step, l shopadapter.Listing, created bool, now time.Time) {
	if !created && !st.Changed.Has(shopadapter.FieldImages) && len(l.Missing) == 0 {
		return
	}
	p := r.Pictures
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
	switch at := store.At(now); {
	case len(p.Missing) == 0 || !p.Missing[0].Later:
		p.LateSince = 0
	case p.LateSince == 0 || p.LateSince > at:
		p.LateSince = at
	}
	if p.LateSince != 0 {
		p.LateAt = store.At(now.Add(min(max(now.Sub(p.LateSince.Time()), lateLeast), lateMost)))
	}
	r.Pictures = p
}

// failed ends a look that the shop or our rules refused, that failed, or that waits.
func (s *Settings) failed(e *Entry, st Step, why *shopadapter.Error, now time.Time) {
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
	} else if kind == store.ProblemRejected && r.Sale != OnSale {
		r.Attempt.Lost = false
		clearSent(r)
	}
	was := r.Problem
	r.Problem = Problem{
		Kind: kind, Message: why.Error(), Wide: why.ShopWide, Content: 0, Since: store.At(now), Last: store.At(now),
	}
	tries := 1
	if was.Kind == kind || st.Do == Offline { // which follows on a write that was refused
		tries = st.in.Mark.Tries + 1
	}
	if was.Kind == kind || waitsForShop(was.Kind) && waitsForShop(kind) {
		r.Problem.Since = min(was.Since, store.At(now))
	}
	if kind == store.ProblemRejected || kind == store.ProblemBlocked {
		if why == st.Refusal && len(st.Product.Variants) > 0 {
			r.Problem.Content = st.content
		}
	}
	r.Problem.Overdue = s.isOverdue(*r, now)
	e.Tell(Event{At: store.At(now), What: why.Kind.String() + ": " + why.Error()})
	s.again(e, st, s.retry(*r, why, tries, st, now))
}

// retry is when a failed look is made again.
func (s *Settings) retry(r Record, why *shopadapter.Error, tries int, st Step, now time.Time) Mark {
	m := Mark{Class: ClassSweep, Tries: tries}
	wait := s.Backoff(r.ID, tries)
	switch r.Problem.Kind {
	case store.ProblemRejected, store.ProblemBlocked:
		m = s.refresh(r, now)
		m.Tries = tries
		return m
	case store.ProblemWaiting:
		wait = min(time.Minute<<min(tries-1, 8), 4*time.Hour) // each look costs points, and a sweep finds changes
		if !st.until.IsZero() {
			wait = min(5*time.Minute<<min(tries-1, 10), 6*time.Hour, st.until.Sub(now))
		}
		m.Tries = tries
	default:
		if why.RetryAfter > 0 {
			wait = min(why.RetryAfter, MaxRetryAfter)
		}
		switch {
		case tries == 1: // the first retry comes soon
			m.Class = ClassHook
		case r.ShopID == "":
			m.Class = ClassNew
		}
	}
	m.At = store.At(now.Add(wait))
	return m
}

// MaxRetryAfter is the longest Retry-After that is obeyed: a wrong date must not pause a shop for
// years.
const MaxRetryAfter = 24 * time.Hour

// returnAttempt ends an attempt that did not do what it should. Of one without an answer the shop may
// hold what was sent.
func returnAttempt(r *Record, kind store.ProblemKind, was Record) {
	r.Dirty, r.Reset = r.Dirty|r.Attempt.Fields, r.Reset|r.Attempt.Reset
	unheard := was.Open() && (r.Sale != OnSale || was.Unsure().Has(shopadapter.FieldStock))
	r.Attempt.Lost = kind != store.ProblemRejected || unheard // until the next look has taken it out of sale
	r.Attempt.Until, r.Attempt.Fields, r.Attempt.Reset = 0, 0, 0
	if kind != store.ProblemRejected {
		return
	}
	r.Variants = slices.Clone(r.Variants)
	for i, v := range r.Variants { // a refusal is an answer: the shop shows none of the prices
		before, _ := was.Variant(v.ID)
		r.Variants[i].Sent = before.Sent
	}
}

// endAttempt records that the end of every attempt is known.
func endAttempt(r *Record) {
	r.Attempt = Attempt{No: r.Attempt.No}
	clearSent(r)
}

func clearSent(r *Record) {
	r.Variants = slices.Clone(r.Variants)
	for i := range r.Variants {
		r.Variants[i].Sent = Written{}
	}
}

// forgetSeen drops what the shop showed of a listing that is not on sale any longer.
func forgetSeen(r *Record) {
	r.Variants = slices.Clone(r.Variants)
	for i := range r.Variants {
		r.Variants[i].Seen, r.Variants[i].Corrected, r.Variants[i].Sold = Seen{}, nil, 0
	}
	r.Pictures.Shown, r.Pictures.Lost = 0, 0
}

// again sets the next mark. One that came during the look stays, with the earlier time.
func (s *Settings) again(e *Entry, st Step, m Mark) {
	gen := st.in.Mark.Gen
	if e.Mark != nil && e.Mark.Gen != gen {
		*e.Mark = e.Mark.Merge(m)
		return
	}
	m.Gen = gen + 1
	e.Mark = &m
}

const (
	lagTries = 6
	lagWait  = 10 * time.Second
)

// lag repeats a look that was shown less than was announced: a webhook may be ahead of the API.
func (s *Settings) lag(e *Entry, st Step, now time.Time) {
	m := st.in.Mark
	behind := st.in.Gone && m.Class <= ClassHook || st.in.Read != nil && older(st.in.Read.UpdatedAt, m.Seen)
	if m.Seen == "" || !behind || m.Tries >= lagTries || e.Mark == nil || e.Mark.Gen != m.Gen+1 {
		return
	}
	*e.Mark = Mark{At: store.At(now.Add(lagWait)), Class: m.Class, Seen: m.Seen, Tries: m.Tries + 1, Gen: m.Gen + 1}
}

// older reports whether one updatedAt is before another, in whole seconds: both may be given to
// another precision. A text that is no time is not older than anything.
func older(a, b string) bool {
	one, err := time.Parse(time.RFC3339, a)
	other, wrong := time.Parse(time.RFC3339, b)
	return err == nil && wrong == nil && one.Truncate(time.Second).Before(other.Truncate(time.Second))
}

// clip has a publication looked at when it has waited for FailAfter.
func (s *Settings) clip(e *Entry, now time.Time) {
	r := e.Record
	if since, waits := waitingSince(r, ""); waits && e.Mark != nil && !r.Problem.Overdue {
		if at := store.At(since.Time().Add(s.FailAfter)); at > store.At(now) {
			e.Mark.At = min(e.Mark.At, at)
		}
	}
}

func joined(list []string) string {
	text := ""
	for i, one := range list {
		if i > 0 {
			text += ", "
		}
		text += one
	}
	return text
}

// note adds a sentence to the history, unless it is empty.
func note(e *Entry, what string, now time.Time) {
	if what != "" {
		e.Tell(Event{At: store.At(now), What: what})
	}
}

// Stopped records that a call was cancelled after so long.
func Stopped(e *Entry, took time.Duration, now time.Time) {
	note(e, fmt.Sprintf("stopped: the shop had not come to an end after %s", took.Round(time.Second)), now)
}
