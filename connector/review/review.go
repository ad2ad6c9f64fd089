// Package review finds the listings that the shop has come to be written differently: since its
// prices are entered in another way, or since something decides otherwise how products are written.
// It makes them due.
//
// # What it keeps
//
//   - A changed setting of the adapter updates listings whose product is unchanged, with the next
//     check of the shop.
//   - A visitor is shown the price that the rules made, also where prices are entered without tax.
//     Where that changes in the shop, every price is written again.
//   - A shop that accepts products and does not show them to visitors is told, by status too, until
//     it is mended.
package review

import (
	"context"
	"log/slog"
	"time"

	"github.com/pubsync/pubsync/connector/breaker"
	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

// metaWritten is the shopadapter.Info.Written under which all listings were last written.
const metaWritten = "reviewed"

// A Review compares what the shop says of itself with what it said before, for one worker.
type Review struct {
	Store store.Store
	Line  func(string) string // a text of the shop's as it may be shown
	// has groups of every listing written again, and returns how many listings follow
	Rewrite func(ctx context.Context, s store.Store, groups shopadapter.Fields, at time.Time) (n int, err error)
	Log     *slog.Logger
	Due     *breaker.Signal // raised when listings are due
}

// Told is told what the shop is now. One goroutine at a time may call it.
func (v *Review) Told(ctx context.Context, is shopadapter.Info) error {
	for _, take := range []func() error{
		func() error { return v.warning(ctx, v.Line(is.Warning)) },
		func() error { return v.prices(ctx, is.Prices) },
		func() error { return v.written(ctx, is.Written) },
	} {
		if err := take(); err != nil {
			return err
		}
	}
	return nil
}

// warning keeps what keeps visitors from the shop's products.
func (v *Review) warning(ctx context.Context, text string) error {
	last, err := v.Store.Meta(ctx, publication.MetaWarning)
	if err != nil || last == text {
		return err
	}
	if text != "" {
		v.Log.Warn("shop accepts products, and visitors do not see them", "reason", text)
	}
	return v.Store.SetMeta(ctx, publication.MetaWarning, text)
}

// written has the texts of all listings written again where something decides otherwise how they are
// written. The digest is stored last: after an interruption the next check does it again.
func (v *Review) written(ctx context.Context, digest string) error {
	last, err := v.Store.Meta(ctx, metaWritten)
	if err != nil || last == digest {
		return err
	}
	n, err := v.Rewrite(ctx, v.Store, shopadapter.TextFields, time.Now())
	if err != nil {
		return err
	}
	if n > 0 {
		v.Log.Info("settings of the shop have changed, listings follow", "listings", n)
		v.Due.Raise()
	}
	return v.Store.SetMeta(ctx, metaWritten, digest)
}
