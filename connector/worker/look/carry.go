package look

import (
	"context"
	"errors"
	"time"

	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/connector/worker/call"
	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

const (
	observeTimeout = time.Minute // bounds the question for one listing
	// mostTaken is how often a step is decided once more because something came in between.
	mostTaken = 5
)

// observe takes in what stands in the shop of a listing that a person asked for, and has the decision go
// by the record as it is then.
func (l *Looks) observe(ctx context.Context, set *publication.Settings, in *publication.Input) error {
	r := in.Rec
	if r.ShopID == "" || r.Open() {
		return nil
	}
	limited, cancel := context.WithTimeout(ctx, observeTimeout)
	defer cancel()
	asked, prices := time.Now(), l.Info(ctx).Prices
	var shown *publication.Shown
	err := l.Health.Guard(func() error {
		ref := shopadapter.Ref{
			Publication: shopadapter.PublicationID(r.ID), Listing: shopadapter.ListingID(r.ShopID), State: r.ShopState,
		}
		for seen, err := range l.Shop().List(limited, shopadapter.Query{Refs: []shopadapter.Ref{ref}}) {
			if err != nil {
				return err
			}
			if string(seen.Ref.Publication) == r.ID && (shown == nil || !shown.OnSale) {
				shown = publication.ShownAs(seen.Listing, seen.Ref, prices)
			}
		}
		return limited.Err()
	}, "publication", r.ID)
	switch {
	case errors.Is(err, shopadapter.ErrNoList):
		return nil
	case err != nil:
		return l.Calls.Diagnosed(ctx, err)
	}
	_, err = l.Store.Change(ctx, []string{r.ID}, func(e *store.Entry) bool {
		mark := e.Mark
		changed := set.Observe(e, shown, store.At(asked), publication.Group{}, time.Now())
		e.Mark = mark // this look is what it would be due for
		return changed
	})
	if err != nil {
		return err
	}
	e, err := l.Store.Get(ctx, r.ID)
	in.Rec = e.Record
	return err
}

// carryOut carries out a step, and settles the look. It decides once more where something came in
// between.
func (l *Looks) carryOut(ctx context.Context, set *publication.Settings, in publication.Input, st publication.Step) {
	for tries := 0; ; tries++ {
		attempt, err := uint64(0), error(nil)
		if st.Do == publication.Read {
			l.readWhole(ctx, in.Mark)
			return
		}
		if st.Calls() {
			attempt, err = l.begin(ctx, set, st)
		} else if l.settle(ctx, set, st, 0, publication.Outcome{}, tries < mostTaken) {
			return
		}
		if !st.Calls() || errors.Is(err, publication.ErrTaken) {
			if in.Rec, err = l.now(ctx, in); err == nil {
				st, err = l.decide(ctx, set, &in)
			}
			if err == nil && tries < mostTaken {
				continue
			}
		}
		if err != nil { // nothing was called, and the mark stays as it is
			l.Health.StoreFailed(err)
			return
		}
		out := l.call(ctx, st)
		if p, ok := errors.AsType[*call.PausedError](out.Err); ok {
			l.undo(ctx, st, attempt)
			l.retryAt(ctx, in.Mark, p.Until)
			return
		}
		if out.Err != nil && ctx.Err() != nil {
			l.stop(ctx, st, time.Since(in.Now))
			return
		}
		if l.Observer != nil && out.Err == nil {
			l.Observer.Sent(set, st)
		}
		l.settle(ctx, set, st, attempt, out, false)
		return
	}
}

// now is the record as it is, with the figures that were read where a decision goes by those.
func (l *Looks) now(ctx context.Context, in publication.Input) (store.Record, error) {
	e, err := l.Store.Get(ctx, in.Mark.ID)
	if err != nil || !in.Fresh {
		return e.Record, err
	}
	for i, v := range e.Record.Variants {
		if was, ok := in.Rec.Variant(v.ID); ok {
			e.Record.Variants[i].Supply = was.Supply
		}
	}
	return e.Record, nil
}

// callLasts is how long a call may last at the most, from when it is begun: it may wait for a slot.
const callLasts = 30 * time.Minute

// begin makes a step durable before its call.
func (l *Looks) begin(ctx context.Context, set *publication.Settings, st publication.Step) (attempt uint64, err error) {
	skus := make([]string, 0, len(st.Product.Variants))
	for _, v := range st.Product.Variants {
		if v.SKU != "" {
			skus = append(skus, store.SKUKey(v.SKU))
		}
	}
	now := time.Now()
	err = l.Store.Begin(ctx, st.Before().ID, skus, func(e *store.Entry, owners map[string]string) (err error) {
		attempt, err = set.Begun(e, st, owners, now.Add(callLasts), now)
		return err
	})
	return attempt, err
}

// call carries out a step in the shop. Texts of its answer are cut, and one that cannot be kept is
// refused.
func (l *Looks) call(ctx context.Context, st publication.Step) (out publication.Outcome) {
	id := st.Before().ID
	whole := false
	out.Err = l.Calls.Do(ctx, id, func(ctx context.Context) (err error) {
		switch st.Do {
		case publication.Offline:
			out.Note, err = l.Shop().Unpublish(ctx, st.Ref, shopadapter.TakeOffline)
			return err
		case publication.Delete:
			out.Note, err = l.Shop().Unpublish(ctx, st.Ref, shopadapter.Delete)
			return err
		}
		if l.BeforeWrite != nil {
			if err := l.BeforeWrite(ctx); err != nil {
				return err
			}
		}
		product := st.Product
		if st.Do == publication.Figures {
			product = product.OnlyFigures()
		}
		out.Listing, err = l.Shop().Publish(ctx, st.Ref, product, st.Changed)
		if whole = errors.Is(err, shopadapter.ErrWhole); whole {
			out.Listing = shopadapter.Listing{}
			return nil // nothing is wrong with the shop
		}
		secret := func(s string) bool { return l.Health.Redact(s) != s }
		if unkeepable := publication.Unkeepable(out.Listing, secret); unkeepable != nil {
			out.Listing, err = shopadapter.Listing{}, unkeepable
		}
		return err
	})
	if whole {
		out.Err = shopadapter.ErrWhole
	}
	if out.Note = l.Health.Line(out.Note); out.Err == nil && out.Note != "" {
		l.Log.Info("listing left the shop in another way than was asked for", "publication", id, "instead", out.Note)
	}
	for variant, why := range out.Listing.Refused {
		out.Listing.Refused[variant] = l.Health.Line(why)
	}
	for i, p := range out.Listing.Missing {
		out.Listing.Missing[i] = shopadapter.Picture{
			URL: l.Health.Line(p.URL), Reason: l.Health.Line(p.Reason), Later: p.Later,
		}
	}
	return out
}

// Planned marks the shop of a plan. It shows new figures of what the record holds without another
// reading, whatever the real shop accepts: a plan with other rules costs no points.
type Planned interface{ Planned() }

// reprices reports whether figures of the record are enough for the shop.
func (l *Looks) reprices(ctx context.Context) bool {
	_, planned := l.Shop().(Planned)
	return planned || l.Info(ctx).Figures
}
