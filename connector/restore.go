package connector

import (
	"time"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

// restore takes up where the last process stopped: pauses that the other side set are kept, everything else that waits is due now. Nothing lies further
// ahead than it could have been put by a clock that was right.
func (c *Connector) restore() error {
	now := time.Now()
	if err := c.doubt(now); err != nil {
		return err
	}
	for key, gate := range map[string]*gate{pauseOfShop: c.shopGate, pauseOfMarket: c.marketGate} {
		var p pause
		ok, err := c.store.MetaJSON(key, &p)
		if err != nil {
			return err
		}
		if ok {
			if p.Set.After(now) { // by a clock that has been set back since
				p.Until = now.Add(p.Until.Sub(p.Set))
				c.keepPause(key, trouble{Until: p.Until, Reason: p.Reason})
			}
			gate.restore(p.Until, p.Reason, now)
		}
	}
	for _, bring := range []func(time.Time) error{c.advance, c.wake} {
		if err := bring(now); err != nil { // a full disk keeps nobody from starting
			c.storeFailed(err)
		}
	}
	return nil
}

// MetaCopied is the fact of a store that it is a copy, and since when: what was done since is not in it.
const MetaCopied = "copied"

// doubt takes a copy that was put in the place of the store for what it is. The shop is asked anew what it holds as ours, what is looked at next is
// written whole, and nothing is reported that has not been looked at.
func (c *Connector) doubt(now time.Time) error {
	copied, err := c.store.Meta(MetaCopied)
	if err != nil || copied == "" {
		return err
	}
	c.log.Warn("the store is a backup: what is looked at next is written whole", "backup", copied)
	if err := c.store.Doubt(store.At(now), func(r *store.Record) {
		if r.ShopID != "" || r.WrittenAt != 0 || r.Attempted != 0 {
			r.Attempted = uint16(shopadapter.AllFields)
		}
		r.Open = true // the shop may hold what was sent since
	}); err != nil {
		return err
	}
	if err := c.store.SetMeta(metaMapped, ""); err != nil {
		return err
	}
	return c.store.SetMeta(MetaCopied, "")
}

// advance brings forward what a clock that has been set back since put off for too long.
func (c *Connector) advance(now time.Time) error {
	_, err := c.store.Advance(now.Add(c.refreshAfter))
	return err
}

// wake makes due what waits for another try. What a webhook's limit puts off stays put off.
func (c *Connector) wake(now time.Time) error {
	_, err := c.store.Wake(now, func(m store.Mark) bool { return wakes(m, store.At(now)) })
	c.reporter.wake()
	c.bell.ring()
	return err
}

// wakes reports whether a mark that lies ahead is for another try, and not put off because webhooks came too close together.
func wakes(m store.Mark, now store.Instant) bool {
	switch {
	case m.Class == store.ClassRefresh:
		return false
	case m.At > now+store.Instant(unsignedGap.Milliseconds()): // by a clock that has been set back since
		return true
	default:
		return m.Cause&^(store.CauseSigned|store.CauseUnsigned) != 0
	}
}

// The facts of the store that keep a pause over a restart.
const (
	pauseOfShop   = "pause"
	pauseOfMarket = "pause.marketplace"
)

type pause struct {
	Set    time.Time `json:"set,omitzero"`
	Until  time.Time `json:"until"`
	Reason string    `json:"reason"`
}

// keepPause remembers a pause that the other side set, over a restart.
func (c *Connector) keepPause(key string, t trouble) {
	if err := c.store.SetMetaJSON(key, pause{Set: time.Now(), Until: t.Until, Reason: t.Reason}); err != nil {
		c.storeFailed(err)
	}
}
