package publication

import (
	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

// leave decides about an entry that cannot be in the shop: it is gone, or has nothing to show. The
// brake judges it where it was on sale; an entry that was not, and that is on the list, waits.
func (d Decision) leave(reason store.RemovalReason) Decision {
	d.rec.UntitledSince, d.rec.Unread = 0, ""
	if d.pub != nil {
		d.rec.UpdatedAt, d.rec.ContentAt = d.pub.UpdatedAt, ""
	}
	absent := reason == store.RemovalAbsent
	made := d.rec.ShopID != "" || d.rec.Attempted != 0 || d.rec.OnSale
	switch {
	case d.rec.Removal.Done && (absent || !Gone(d.rec)):
		d.rec.Removal.Reason = reason
		return d.ends(event{kind: eventStands})
	case keepsOnSale(d.rec, reason) && !d.rec.Removal.Go:
		return d.ends(event{kind: eventStands})
	case !made && absent:
		d.forget = true
		return d.ends(event{kind: eventStands})
	case !absent && !d.wasOnSale(made):
		return d.waits(reason)
	case d.rec.Removal.Go || !d.rec.OnSale:
		d.rec.Removal.Reason = reason
		return d.withdraw()
	}
	forgetDeclined(&d.rec, store.HoldRemoval) // for another reason
	if d.rec.Removal.Reason == "" {
		d.rec.Removal = store.Removal{At: store.At(d.asked)}
		judgeAnew(&d.rec)
		d.rec.Holds = nil
	}
	d.rec.Removal.Reason = reason
	d.found = true
	return d.ends(event{kind: eventRemovable})
}

// wasOnSale reports whether a product was on sale since its entry came to the list. One that the
// marketplace calls a success was.
func (d *Decision) wasOnSale(made bool) bool {
	return d.rec.OnSale || d.rec.WrittenAt != 0 && !Gone(d.rec) || made && d.pub.Status == string(store.StatusSuccess)
}

// waits has an entry wait for its listing. What an attempt without an answer may have put on sale
// is taken out, and so is what was kept on sale after its entry had gone.
func (d Decision) waits(reason store.RemovalReason) Decision {
	gone := Gone(d.rec)
	if gone {
		d.listedAgain()
	}
	d.rec.Removal = store.Removal{}
	e := event{kind: eventWaiting, err: shopadapter.Retry("%s", waitingReason(reason))}
	if d.rec.Attempted == 0 && !d.rec.Open && !(gone && d.rec.ShopID != "") {
		return d.ends(e)
	}
	d.Step, d.Removal, d.clearing = Unpublish, shopadapter.TakeOffline, &e
	return d
}

func waitingReason(reason store.RemovalReason) string {
	if reason == store.RemovalNoListing {
		return "the marketplace shows no listing for it yet"
	}
	return "its listing has no variant yet"
}

// withdraw carries a removal out.
func (d Decision) withdraw() Decision {
	absent := d.rec.Removal.Reason == store.RemovalAbsent
	if absent && d.by.OnRemoved == RemovedKeep {
		return d.withdrawn()
	}
	d.Step, d.Removal = Unpublish, shopadapter.TakeOffline
	if absent && d.by.OnRemoved == RemovedDelete {
		d.Removal = shopadapter.Delete
	}
	return d
}

// withdrawn settles a removal that has been carried out.
func (d Decision) withdrawn() Decision {
	if d.rec.OnSale {
		d.Result = Withdrawn
	}
	if d.Step == Unpublish && d.Removal == shopadapter.Delete {
		d.rec.ShopID, d.rec.ShopState, d.rec.URL, d.rec.WrittenAt = "", nil, "", 0
	}
	return d.ends(event{kind: eventWithdrawn})
}
