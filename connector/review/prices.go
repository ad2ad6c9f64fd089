package review

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"time"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

// metaPrices is the form of prices in which all listings were last written.
const metaPrices = "prices"

const mostAtOnce = 500 // entries of one transaction

// mispriced is the ids of the listings on sale whose prices were written in another form than the
// present one. It is empty while the form has not changed. Before a shop has said anything the form
// is the usual one.
func mispriced(ctx context.Context, s store.Store, now shopadapter.Prices) (ids []string, err error) {
	last, err := s.Meta(ctx, metaPrices)
	if err != nil || cmp.Or(last, shopadapter.PricesGross) == formOf(now) {
		return nil, err
	}
	for r, err := range store.Records(ctx, s, store.Query{}) {
		if err != nil {
			return nil, err
		}
		if r.Sale == store.OnSale && r.ShopID != "" {
			ids = append(ids, r.ID)
		}
	}
	return ids, nil
}

// prices is told how prices are entered in the shop now. Where that has changed, every price is
// written again.
func (v *Review) prices(ctx context.Context, now shopadapter.Prices) error {
	ids, err := mispriced(ctx, v.Store, now)
	if err != nil {
		return err
	}
	if len(ids) > 0 {
		v.Log.Info(
			"prices are entered in the shop in another way than before, all are written again",
			"prices", formOf(now), "listings", len(ids),
		)
		again := func(e *store.Entry) bool {
			e.Record.Dirty |= shopadapter.FieldPrice
			e.Note(store.Mark{Class: store.ClassFull, At: store.At(time.Now())})
			return true
		}
		for some := range slices.Chunk(ids, mostAtOnce) {
			if _, err := v.Store.Change(ctx, some, again); err != nil {
				return err
			}
		}
		v.Due.Raise()
	}
	if last, err := v.Store.Meta(ctx, metaPrices); err != nil || last == formOf(now) {
		return err
	}
	return v.Store.SetMeta(ctx, metaPrices, formOf(now))
}

func formOf(p shopadapter.Prices) string {
	form := shopadapter.PricesGross
	if p.Net() {
		form = shopadapter.PricesNet + " " + p.VAT + " " + strconv.Itoa(p.Places)
	}
	if p.Whole {
		form += " whole"
	}
	return form
}
