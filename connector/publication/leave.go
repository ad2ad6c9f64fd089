package publication

import (
	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

// leave decides about an entry that cannot be in the shop: nothing to show, or gone.
func (d Decision) leave(reason store.RemovalReason) Decision {
	d.rec.UntitledSince = 0
	if d.pub != nil {
		d.rec.UpdatedAt, d.rec.ContentAt = d.pub.UpdatedAt, ""
	}
	made := d.rec.ShopID != "" || d.rec.Attempted != 0 || d.rec.OnSale
	switch {
	case d.rec.Removal.Done && (reason == store.RemovalAbsent || !Gone(d.rec)):
		d.rec.Removal.Reason = reason
		return d.ends(event{kind: eventStands})
	case !made && reason == store.RemovalAbsent:
		d.forget = true
		return d.ends(event{kind: eventStands})
	case !made:
		d.rec.Removal = store.Removal{}
		return d.ends(event{kind: eventWaiting, err: shopadapter.Retry("%s", waitingReason(reason))})
	case d.rec.Removal.Go || !d.rec.OnSale:
		d.rec.Removal.Reason = reason
		return d.withdraw()
	}
	if d.rec.Removal.Reason == "" {
		d.rec.Removal = store.Removal{Reason: reason, At: store.At(d.asked)}
		d.rec.Holds = nil
	}
	d.found = true
	return d.ends(event{kind: eventRemovable})
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
		d.Deed = Withdrawn
	}
	if d.Step == Unpublish && d.Removal == shopadapter.Delete {
		d.rec.ShopID, d.rec.ShopState, d.rec.URL, d.rec.WrittenAt = "", nil, "", 0
	}
	return d.ends(event{kind: eventWithdrawn})
}
