package engine

import (
	"cmp"
	"context"
	"strconv"
	"time"

	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/connector/rules"
	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

// The facts under which all listings were last written. Each is stored last: after an interruption the next
// check does it again.
const (
	metaPrices  = "prices"   // the form of prices
	metaWritten = "reviewed" // shopadapter.Info.Written
)

// told compares what the shop says of itself with what it said before. One goroutine at a time calls it.
func (x *Engine) told(ctx context.Context, is shopadapter.Info) error {
	warning := x.Health.Line(is.Warning)
	if err := x.news(ctx, publication.MetaWarning, warning, func(string) error {
		if warning != "" {
			x.Logger.Warn("shop accepts products, and visitors do not see them", "reason", warning)
		}
		return nil
	}); err != nil {
		return err
	}
	form := formOf(is.Prices)
	if err := x.news(ctx, metaPrices, form, func(last string) error {
		if cmp.Or(last, shopadapter.PricesGross) == form { // the usual one, before a shop has said anything
			return nil
		}
		at := store.At(time.Now())
		n, err := store.ChangeAll(ctx, x.Store, store.Query{}, func(e *store.Entry) bool {
			if e.Record.Sale != store.OnSale || e.Record.ShopID == "" {
				return false
			}
			e.Record.Dirty |= shopadapter.FieldPrice
			e.Note(store.Mark{Class: store.ClassFull, At: at})
			return true
		})
		if n > 0 {
			x.Logger.Info("prices are entered in the shop in another way than before, all are written again",
				"prices", form, "listings", n)
			x.due.Raise()
		}
		return err
	}); err != nil {
		return err
	}
	return x.news(ctx, metaWritten, is.Written, func(string) error {
		n, err := rules.Rewrite(ctx, x.Store, shopadapter.TextFields, time.Now())
		if n > 0 {
			x.Logger.Info("settings of the shop have changed, listings follow", "listings", n)
			x.due.Raise()
		}
		return err
	})
}

// news stores a fact that is another than the last one, once it was dealt with.
func (x *Engine) news(ctx context.Context, fact, now string, deal func(last string) error) error {
	last, err := x.Store.Meta(ctx, fact)
	if err != nil || last == now {
		return err
	}
	if err := deal(last); err != nil {
		return err
	}
	return x.Store.SetMeta(ctx, fact, now)
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
