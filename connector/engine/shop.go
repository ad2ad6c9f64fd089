package engine

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

const (
	callDeadline   = 10 * time.Minute // a hundred variants and images on slow hosting take minutes
	callLasts      = 30 * time.Minute // what an attempt records for a call with its wait for a slot
	leastCall      = 15 * time.Second // the least time of a call in a run
	observeTimeout = time.Minute
	mostTaken      = 5 // how often a step is decided again after a change in between
)

// errNotCalled says that no slot came free before a stop, or that the shop asked for a pause.
var errNotCalled = errors.New("the shop was not called")

// inSlot makes one call with a deadline once a slot is free.
func (x *Engine) inSlot(ctx context.Context, id string, call func(context.Context) error) error {
	leave, err := enter(ctx, x.slots)
	if err != nil {
		return errNotCalled
	}
	defer leave()
	if x.AllCalls != nil {
		leaveLine, err := enter(ctx, x.line)
		if err != nil {
			return errNotCalled
		}
		err = x.AllCalls.Acquire(ctx, 1)
		leaveLine()
		if err != nil {
			return errNotCalled
		}
		defer x.AllCalls.Release(1)
	}
	if s := x.ShopSide.Status(time.Now()); ctx.Err() != nil || s.Shut && s.Firm {
		return errNotCalled
	}
	limited, cancel := context.WithTimeout(ctx, callDeadline)
	defer cancel()
	begun := time.Now()
	x.locked(func() { x.begun[id] = begun })
	err = x.diagnosed(limited, x.Health.guard(func() error { return call(limited) }, "publication", id))
	x.locked(func() { delete(x.begun, id) })
	result := "ok"
	if err != nil && !errors.Is(err, shopadapter.ErrWhole) {
		result = shopadapter.Explain(err).Kind.String()
	}
	x.Metrics.calls.WithLabelValues(result).Observe(time.Since(begun).Seconds())
	if ctx.Err() == nil || err == nil {
		x.ShopSide.Told(id, err)
	}
	return err
}

func (x *Engine) isSecret(s string) bool { return x.Redact(s) != s }

const (
	// mostListings bounds a shop's list, which may have no end.
	mostListings = 200_000
	// silence bounds the wait for the next listing. A shop that counts costs may take hours for all.
	silence = 10 * time.Minute
)

var errSilent = shopadapter.Retry("the shop was silent for too long between two of its listings")

// shown returns the shop's listings by publication; of two the one on sale counts. It leaves out what pubsync cannot
// have made, and gives up when the shop is silent for longer than patience.
func (x *Engine) shown(
	ctx context.Context, q shopadapter.Query, patience time.Duration,
) (all map[string]*publication.Shown, err error) {
	prices := x.info(ctx).Prices
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	quiet := time.AfterFunc(patience, func() { cancel(errSilent) })
	defer quiet.Stop()
	met := 0
	all = map[string]*publication.Shown{}
	err = x.Health.guard(func() error {
		for l, err := range x.Shop.List(ctx, q) {
			if met++; err != nil {
				return err
			} else if met > mostListings {
				return shopadapter.Retry("the shop's list has no end: it shows more than %d listings", mostListings)
			}
			quiet.Reset(patience)
			id := string(l.Ref.Publication)
			if before := all[id]; (before == nil || !before.OnSale) &&
				publication.Unkeepable(l.Ref, l.Listing, x.isSecret) == nil {
				all[id] = &publication.Shown{Listed: l, Prices: prices}
			}
		}
		return ctx.Err()
	}, "call", "list")
	if err != nil && context.Cause(ctx) == errSilent { //nolint:errorlint // it is this very value
		err = errSilent
	}
	return all, err
}

// observe reconciles the record with the shop's listing for a look that a person asked for, and updates in.
func (x *Engine) observe(ctx context.Context, in *publication.Input) error {
	r := in.Rec
	if r.ShopID == "" || r.Open() {
		return nil
	}
	asked, ref := time.Now(), shopadapter.Ref{
		Publication: shopadapter.PublicationID(r.ID), Listing: shopadapter.ListingID(r.ShopID), State: r.ShopState,
	}
	shown, err := x.shown(ctx, shopadapter.Query{Refs: []shopadapter.Ref{ref}}, observeTimeout)
	switch {
	case errors.Is(err, shopadapter.ErrNoList):
		return nil
	case err != nil:
		return x.diagnosed(ctx, err)
	}
	_, err = x.Store.Change(ctx, []string{r.ID}, func(e *store.Entry) bool {
		mark := e.Mark
		_, changed := x.Observe(e, shown[r.ID], store.At(asked), publication.Group{}, time.Now())
		e.Mark = mark // this look is what it would be due for
		return changed
	})
	if err != nil {
		return err
	}
	e, err := x.Store.Get(ctx, r.ID)
	in.Rec = e.Record
	return err
}

// carryOut decides again when the record has changed meanwhile.
func (x *Engine) carryOut(ctx context.Context, in publication.Input, st publication.Step) {
	for range mostTaken { // else the mark stays
		switch {
		case st.Do == publication.Read:
			x.readWhole(ctx, in.Mark)
			return
		case st.Calls():
			attempt, err := x.begin(ctx, st)
			if err == nil {
				x.carryToShop(ctx, st, attempt)
			}
			if !errors.Is(err, publication.ErrTaken) {
				x.Health.Stored(err)
				return
			}
		case x.settle(ctx, st, 0, publication.Outcome{}):
			return
		}
		e, err := x.Store.Get(ctx, in.Mark.ID)
		if in.Rec = e.Record; err == nil {
			st, err = x.decide(ctx, &in)
		}
		if err != nil {
			x.Health.Stored(err)
			return
		}
	}
}

func (x *Engine) carryToShop(ctx context.Context, st publication.Step, attempt uint64) {
	out := x.call(ctx, st)
	switch {
	case errors.Is(out.Err, errNotCalled): // it stays due, and no other is begun meanwhile
		x.change(ctx, st.Before().ID, func(e *store.Entry) bool { return publication.Undone(e, attempt) })
	case out.Err != nil && ctx.Err() != nil:
		x.stopped(ctx, st)
	default:
		x.settle(ctx, st, attempt, out)
	}
}

// begin makes a step durable before its call.
func (x *Engine) begin(ctx context.Context, st publication.Step) (attempt uint64, err error) {
	skus := make([]string, 0, len(st.Product.Variants))
	for _, v := range st.Product.Variants {
		if v.SKU != "" {
			skus = append(skus, store.SKUKey(v.SKU))
		}
	}
	now, id := time.Now(), st.Before().ID
	var begun store.Entry
	err = x.Store.Begin(ctx, id, skus, func(e *store.Entry, owners map[string]string) (err error) {
		attempt, err = x.Begun(e, st, owners, now.Add(callLasts), now)
		begun = *e
		return err
	})
	if err == nil {
		x.tellNews(id, begun)
	}
	return attempt, err
}

// call cuts the answer's texts, and refuses an answer that cannot be kept.
func (x *Engine) call(ctx context.Context, st publication.Step) (out publication.Outcome) {
	out.Err = x.inSlot(ctx, st.Before().ID, func(ctx context.Context) (err error) {
		if st.Do == publication.Offline || st.Do == publication.Delete {
			how := shopadapter.TakeOffline
			if st.Do == publication.Delete {
				how = shopadapter.Delete
			}
			out.Note, err = x.Shop.Unpublish(ctx, st.Ref, how)
			return err
		}
		trouble := x.check(ctx, checkedFor) // if the shop cannot answer now, the write is tried: its error tells why
		if e := shopadapter.Explain(trouble); ctx.Err() != nil || e != nil && e.Kind == shopadapter.Blocked {
			return cmp.Or(ctx.Err(), trouble)
		}
		product := st.Product
		if st.Do == publication.Figures {
			product = product.OnlyFigures()
		}
		out.Listing, err = x.Shop.Publish(ctx, st.Ref, product, st.Changed)
		if errors.Is(err, shopadapter.ErrWhole) {
			return err
		}
		if e := shopadapter.Explain(err); trouble != nil && e != nil && e.Kind == shopadapter.Transient {
			all := *e // its check and a write have failed
			all.ShopWide, err = true, &all
		}
		if unkeepable := publication.Unkeepable(st.Ref, out.Listing, x.isSecret); unkeepable != nil {
			out.Listing, err = shopadapter.Listing{}, unkeepable
		}
		return err
	})
	if out.Note = x.Health.line(out.Note); out.Err == nil && out.Note != "" {
		x.Logger.Info("listing left the shop in another way than was asked for",
			"publication", st.Before().ID, "instead", out.Note)
	}
	for variant, why := range out.Listing.Refused {
		out.Listing.Refused[variant] = x.Health.line(why)
	}
	for i, p := range out.Listing.Missing {
		p.URL, p.Reason = x.Health.line(p.URL), x.Health.line(p.Reason)
		out.Listing.Missing[i] = p
	}
	return out
}
