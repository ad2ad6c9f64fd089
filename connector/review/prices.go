package review

import (
	"context"
	"strconv"
	"time"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

// metaPrices is how the shop took prices when all of them were last known to be written so.
const metaPrices = "prices"

// mispriced is the ids of the listings on sale whose prices were written when the shop took them
// otherwise. It is empty while the shop takes them as it did.
func mispriced(ctx context.Context, s store.Reader, now shopadapter.Prices) (ids []string, err error) {
	last, err := s.Meta(ctx, metaPrices)
	if err != nil || last == formOf(now) {
		return nil, err
	}
	for r, err := range store.Records(ctx, s, store.Query{}) {
		if err != nil {
			return nil, err
		}
		if r.OnSale && r.ShopID != "" {
			ids = append(ids, r.ID)
		}
	}
	return ids, nil
}

// markOf is the mark by which a listing's prices are written again.
func markOf(id string, now time.Time) store.Mark {
	return store.Mark{ID: id, Class: store.ClassSweep, Cause: store.CauseRead | store.CausePrices, At: store.At(now)}
}

// Prices is told how the shop takes prices now. Where it took them otherwise before, every price is
// written again.
func (v *Review) Prices(ctx context.Context, now shopadapter.Prices) error {
	v.pricing.Lock()
	defer v.pricing.Unlock()
	ids, err := mispriced(ctx, v.Store, now)
	if err != nil {
		return err
	}
	marks := make([]store.Mark, 0, len(ids))
	for _, id := range ids {
		marks = append(marks, markOf(id, time.Now()))
	}
	if len(marks) > 0 {
		v.Log.Info(
			"shop takes prices otherwise than before, all are written again",
			"prices",
			formOf(now),
			"listings",
			len(ids),
		)
		if err := v.Store.Mark(ctx, marks...); err != nil {
			return err
		}
		v.Due.Raise()
	}
	if last, err := v.Store.Meta(ctx, metaPrices); err != nil || last == formOf(now) {
		return err
	}
	return v.Store.SetMeta(ctx, metaPrices, formOf(now))
}

// formOf is how prices are taken, as the store remembers it.
func formOf(p shopadapter.Prices) string {
	if !p.Net() {
		return shopadapter.PricesGross
	}
	return shopadapter.PricesNet + " " + p.VAT + " " + strconv.Itoa(p.Places)
}
