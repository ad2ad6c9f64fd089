package publication

import (
	"maps"
	"slices"
	"time"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

const mostGone = 100 // variants that left, of a record

func (s *Settings) takeColumns(r *store.Record, st Step, l shopadapter.Listing, now time.Time) {
	wrote := l.ID != ""
	is := make(map[string]store.Variant, len(r.Variants))
	for _, v := range r.Variants {
		is[v.ID] = v
	}
	ids := l.ShopIDs()
	variants := make([]store.Variant, 0, len(st.Rows))
	for _, row := range st.Rows {
		v := is[row.ID]
		before := v.Written.Price
		if row.was.ID != row.ID { // the brake goes on from what had its SKU
			before, v.Past = row.was.Written.Price, row.was.Past
		}
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
		if price && before != "" && before != row.Written.Price {
			endPrice(&v, before, st, row, now)
		}
		if wrote {
			correct(&v, st, row)
			v.ShopID, v.Refused, v.Unpriced = ids[row.ID], l.Refused[row.ID], false
		} else if st.in.asked() {
			v.Corrected = nil
		}
		v.Sold = stillSold(v, row.Supply.Quantity, row.Written.Quantity)
		if price {
			v.Written = atPrice(v.Written, row.Written)
		}
		if stock {
			v.Written.Quantity, v.Written.Backorders = row.Written.Quantity, row.Written.Backorders
		}
		if v.Written.Offered >= 0 || wrote {
			v.Written.Offered = row.Supply.Quantity
		}
		v.SKU, v.Sent = st.Product.Variants[row.at].SKU, store.Written{}
		variants = append(variants, v)
	}
	r.Variants = variants
	r.Gone = slices.DeleteFunc(slices.Clone(r.Gone), func(g store.Gone) bool { return now.Sub(g.At.Time()) >= goneFor })
	for _, id := range slices.Sorted(maps.Keys(is)) {
		if v := is[id]; v.SKU != "" && v.Written.Price != "" && len(r.Gone) < mostGone {
			r.Gone = append(r.Gone, store.Gone{
				SKU: unsuffixed(v.SKU, r.ID, id), Price: v.Written.Price, Past: v.Past, At: store.At(now),
			})
		}
	}
}

// withdrawn records that our own rules keep a variant out.
func withdrawn(v *store.Variant, row Row) {
	never := v.Refused != "" && !v.Unpriced // the shop never took it
	v.Refused, v.Unpriced = row.Refused, row.Refused != ""
	v.Sent, v.Seen, v.Corrected = store.Written{}, store.Seen{}, nil
	if !v.Unpriced || never {
		v.ShopID, v.SKU, v.Written = "", "", store.Written{}
	}
}

// mostPast prices of a day are kept of a variant.
const mostPast = 50

// endPrice keeps the price before a change. One that is approved, or that other rules make, begins anew.
func endPrice(v *store.Variant, before string, st Step, row Row, now time.Time) {
	approved := slices.ContainsFunc(st.rec.Holds, func(h store.Hold) bool {
		return h.Variant == row.ID && h.Verdict == store.Approved && h.New == row.Written.Price
	})
	v.Past = append(ofDay(v.Past, now), store.Past{Price: before, At: store.At(now)})
	if len(v.Past) > mostPast {
		v.Past = slices.Delete(v.Past, 1, 2)
	}
	if approved || row.ruled {
		v.Past = nil
	}
}

// ofDay returns the prices that a variant had within a day, the one of a day ago first.
func ofDay(past []store.Past, now time.Time) []store.Past {
	return slices.DeleteFunc(slices.Clone(past), func(d store.Past) bool { return now.Sub(d.At.Time()).Abs() >= day })
}

// correct counts what a write puts right. It forgets a figure that has moved since: the shop may accept the new one.
func correct(v *store.Variant, st Step, row Row) {
	moved := movedFigures(v.Written, row.Written)
	tries := map[shopadapter.Fields]int{}
	for field, n := range v.Corrected {
		if !moved.Has(field) && !st.in.asked() {
			tries[field] = n
		}
	}
	for _, d := range differences(v.Seen) {
		if st.Changed.Has(d.field) && !moved.Has(d.field) {
			tries[d.field]++
		}
	}
	v.Corrected = tries
	v.Seen.Gone = v.Seen.Gone && !st.Changed.Has(shopadapter.FieldVariants)
	v.Seen.Off = v.Seen.Off && !st.Ref.Revive
	if st.Changed.Has(shopadapter.FieldStock) {
		v.Seen.Quantity = ""
	}
	if st.Changed.Has(shopadapter.FieldPrice) {
		v.Seen.Price = ""
	}
}

func forgetSeen(r *store.Record) {
	eachVariant(r, func(v *store.Variant) { v.Seen, v.Corrected = store.Seen{}, nil })
	r.Pictures.Shown, r.Pictures.Lost = 0, 0
}

func forgetMissing(r *store.Record) {
	r.Pictures.Missing, r.Pictures.LateSince, r.Pictures.LateAt = nil, 0, 0
}

const (
	lateLeast     = 5 * time.Second // the first wait, which doubles
	lateMost      = 4 * time.Hour
	mostMissing   = 50
	mostThumbnail = 1024 // bytes of the address
)

func takePictures(r *store.Record, st Step, l shopadapter.Listing, now time.Time) {
	if !st.Creates() && !st.Changed.Has(shopadapter.FieldImages) && len(l.Missing) == 0 {
		return
	}
	p := &r.Pictures
	p.Shown, p.Thumbnail = max(len(st.Product.Pictures())-len(l.Missing), 0), ""
	p.Missing, p.LateAt = nil, 0
	late := false
	if list := st.Product.Images; len(list) > 0 && len(list[0]) <= mostThumbnail {
		p.Thumbnail = list[0]
	}
	for _, m := range l.Missing[:min(len(l.Missing), mostMissing)] {
		p.Missing = append(p.Missing, store.Picture{URL: m.URL, Reason: m.Reason, Later: m.Later})
		late = late || m.Later
	}
	if !late {
		p.LateSince = 0
		return
	}
	if p.LateSince == 0 || p.LateSince > store.At(now) {
		p.LateSince = store.At(now)
	}
	p.LateAt = store.At(now.Add(min(max(now.Sub(p.LateSince.Time()), lateLeast), lateMost)))
}
