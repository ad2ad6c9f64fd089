package publication

import (
	"time"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

// SoldOut is what becomes of a product of which nothing can be bought.
type SoldOut string

// The choices. The zero SoldOut is SoldOutShow.
const (
	SoldOutShow SoldOut = "show" // it stays on sale, as sold out
	SoldOutHide SoldOut = "hide" // it is taken off sale until it has stock
)

const soldOut = "it is sold out, and PUBSYNC_ON_SOLD_OUT=hide keeps it off sale until the supplier has some"

// unsellable is why a product is to be off sale until something of it can be bought, "" where it is
// not. A stock that is the merchant's own says nothing of the supplier's, and a price that waits
// for a person is to be seen.
func (r Rules) unsellable(d desired) string {
	if r.SoldOut != SoldOutHide || len(d.product.Variants) == 0 || len(d.holds) > 0 ||
		r.Keep.Has(shopadapter.FieldStock) {
		return ""
	}
	for _, v := range d.product.Variants {
		if v.Quantity > 0 || v.Backorders {
			return ""
		}
	}
	return soldOut
}

// offSale keeps a product off sale of which nothing can be bought. It stays a publication of ours:
// it comes back when there is something to buy, and no brake counts it as a removal. What the
// merchant took off sale or deleted by hand is left alone.
func (d Decision) offSale(why string) Decision {
	if p := d.rec.Problem; p.Hidden || p.Gone {
		return d.ends(event{kind: eventStands})
	}
	d.unsellable = why
	if !d.rec.OnSale && d.rec.Attempted == 0 && !d.rec.Open {
		return d.ends(event{kind: eventUnsellable, why: why})
	}
	d.Step, d.Removal = Unpublish, shopadapter.TakeOffline
	return d
}

// wentOff settles a product that was taken off sale so. What was attempted before stays so: it is
// written when the product comes back.
func (d Decision) wentOff(instead string, now time.Time) Decision {
	d.addHistory(instead, now)
	d.rec.Attempted = d.start.Attempted
	if d.start.OnSale {
		d.Result = Updated
		d.addHistory("off sale: "+d.unsellable, now)
	}
	return d.ends(event{kind: eventUnsellable, why: d.unsellable})
}

// unsold is a record of a product that is off sale until something of it can be bought.
func unsold(r store.Record, why string) store.Record {
	r.Problem, r.UntitledSince, r.Unsellable = store.Problem{}, 0, why
	r.OnSale, r.Open, r.Sent = false, false, nil
	forgetDrift(&r)
	return r
}

// TakesOffSale reports whether an Unpublish is until something of a product on sale can be bought.
func (d Decision) TakesOffSale() bool {
	return d.Step == Unpublish && d.unsellable != "" && d.start.OnSale
}
