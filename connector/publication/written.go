package publication

import (
	"cmp"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

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
	slices.SortFunc(r.Gone, func(a, b store.Gone) int {
		return cmp.Or(cmp.Compare(a.At, b.At), cmp.Compare(a.SKU, b.SKU))
	})
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
	var moved shopadapter.Fields
	if v.Written.Price != row.Written.Price {
		moved |= shopadapter.FieldPrice
	}
	if v.Written.Quantity != row.Written.Quantity || v.Written.Backorders != row.Written.Backorders {
		moved |= shopadapter.FieldStock
	}
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
		p.Content, p.Overdue = st.content, s.isOverdue(*r, now)
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
