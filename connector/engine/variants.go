package engine

import (
	"cmp"
	"context"
	"errors"
	"reflect"
	"sync/atomic"
	"time"

	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/store"
)

const (
	variantSample = 8   // variants that are read to find out whose the list is
	fewChanges    = 20  // variants of a first page
	manyChanges   = 100 // variants of a further page
	variantPages  = 100 // pages that one sweep reads: the next goes on
	variantTries  = 3   // failures in a row after which the list is not read for a while

	variantTurn = 20 * time.Second // how long a further page lets looks at new publications go first
)

// A following follows the list of product variants, the second source of change, in the order in which
// they changed: a cursor of its own, which each sweep of what changed moves on after the list of publications.
type following struct {
	recheck  atomic.Bool // the token was renewed: what was found with the last one does not count
	failures int         // in a row
}

// withVariants reads the list of product variants after that of the publications, where it is followed, and
// records what it finds out about it: that the token may not read it, say, which is believed since it may read the
// publications.
func (x *Engine) withVariants(ctx context.Context, into *listed, list func() error) error {
	before, _, err := publication.MetaVariants.Get(ctx, x.Store)
	if err != nil {
		return err
	}
	source := before
	follows, err := x.knowVariants(ctx, &source, time.Now())
	if err != nil {
		return err
	}
	if err = list(); err == nil && follows && !into.variants {
		if err = x.readVariants(ctx, &source); err == nil {
			into.variants, x.follows.failures = true, 0
			source.Answered(before.Found, time.Now())
		} else if ctx.Err() == nil {
			err = x.judgeUnfollowed(err, &source)
		}
	}
	if source.Found != before.Found {
		x.Logger.Info("list of product variants", "mode", source.Mode, "found", source.Found, "reason", source.Message)
	}
	if reflect.DeepEqual(source, before) {
		return err
	}
	return errors.Join(err, publication.MetaVariants.Set(ctx, x.Store, source))
}

// knowVariants updates what is known about the list, and reports whether it is to be read. Whose products it
// holds is found out from a sample.
func (x *Engine) knowVariants(
	ctx context.Context, v *publication.VariantSource, now time.Time,
) (follows bool, err error) {
	if v.Mode = cmp.Or(x.Variants, publication.VariantsOff); v.Mode == publication.VariantsOff {
		return false, nil
	}
	if x.follows.recheck.Swap(false) || x.Install != "" && v.Install != x.Install {
		v.Install = x.Install
		v.Find("", "", now)
	}
	if v.Mode == publication.VariantsAuto && v.Found == "" && v.Begun {
		ids, err := x.Store.Resolve(ctx, nil, v.Sample, nil)
		if err != nil {
			return false, err
		}
		read, err := x.allRead(ctx, now)
		if err != nil {
			return false, err
		}
		v.Judge(len(ids) > 0, read, now)
	}
	return v.Follows(v.Mode, now), nil
}

// allRead reports whether the content of the publications has been read. One that could not be read for a
// day does not count.
func (x *Engine) allRead(ctx context.Context, now time.Time) (bool, error) {
	counts, err := x.Store.Counts(ctx)
	if err != nil {
		return false, err
	}
	for r, err := range store.Records(ctx, x.Store, store.Query{Key: store.KeyState(store.StatePending)}) {
		if err != nil {
			return false, err
		}
		if r.ReadAt == 0 && now.Sub(r.ListedAt.Time()) < publication.VariantsAgain {
			return false, nil
		}
	}
	known := 0
	for _, n := range counts {
		known += n
	}
	return known > counts[store.StatePending], nil
}

// readVariants reads the list page by page, to its end or until another sweep is wanted. Until one reading has
// come to the end, only a sample of entries is read: content is read for the first time after them anyway.
func (x *Engine) readVariants(ctx context.Context, v *publication.VariantSource) error {
	cursor, _, err := x.Store.CursorOf(ctx, cursorVariants)
	if err != nil {
		return err
	}
	restarted := false
	for read := 0; read < variantPages; {
		page, err := x.variantsAfter(ctx, v, cursor.Value, read == 0)
		if isCursorRefused(err) && cursor.Value != "" && !restarted {
			restarted, cursor = true, store.Cursor{}
			x.Logger.Warn("marketplace refused the cursor of the product variants, reading them from the beginning")
			continue
		}
		if err != nil {
			return err
		}
		if page.End != "" { // an empty page has no cursor: the one before it stays
			cursor.Value = page.End
		}
		cursor.At = store.At(page.Answered)
		if err := x.putVariants(ctx, page, cursor, v); err != nil {
			return err
		}
		read++
		if !page.More {
			v.Ended = true
		}
		if !page.More || v.Found == publication.VariantsOthers || v.Found == publication.VariantsNone || x.wanted() {
			break // at its end, or it again shows no product of ours, or another sweep goes before and continues it
		}
	}
	return nil
}

// variantsAfter is a page of the list. A further one takes turns with the looks at what is due: no new
// publication waits for many changed variants.
func (x *Engine) variantsAfter(
	ctx context.Context, v *publication.VariantSource, after string, first bool,
) (marketplace.Page, error) {
	most := manyChanges
	if !v.Begun {
		most = variantSample
	} else if first {
		most = fewChanges
	}
	if !first {
		waiting, cancel := context.WithTimeout(ctx, variantTurn)
		defer cancel()
		page, err := x.Market.Variants(waiting, marketplace.Sweep, after, most, v.Begun && !v.Ended)
		if err == nil || waiting.Err() == nil || ctx.Err() != nil {
			return page, err
		}
	}
	return x.Market.Variants(ctx, marketplace.News, after, most, v.Begun && !v.Ended)
}

// putVariants stores a page: the cursor behind it, and marks of the publications whose variants changed.
func (x *Engine) putVariants(
	ctx context.Context, page marketplace.Page, cursor store.Cursor, v *publication.VariantSource,
) error {
	latest := map[string]marketplace.Entry{} // by product
	var products []string
	for _, variant := range page.Entries {
		before, met := latest[variant.Product.ID]
		if variant.Product.ID == "" || len(variant.Product.ID) > publication.MaxIdent ||
			met && before.UpdatedAt >= variant.UpdatedAt {
			continue
		}
		if !met {
			products = append(products, variant.Product.ID)
		}
		latest[variant.Product.ID] = variant
	}
	ids, err := x.Store.Resolve(ctx, nil, products, nil)
	if err != nil {
		return err
	}
	p := store.Page{Name: cursorVariants, Cursor: cursor}
	if v.Ended {
		p.IDs, p.Change = ids, func(_ int, e *store.Entry) bool {
			variant, changed := latest[e.Record.Product]
			if read := e.Record.ReadAt; read >= store.At(page.Answered) && read <= store.At(time.Now()) {
				return false // a look has read the publication since the page was answered
			}
			return changed && publication.VariantChanged(e, variant, page.Answered)
		}
	}
	if v.Ended || !v.Begun {
		v.Shown(products, len(ids) > 0, time.Now())
	}
	err = x.Store.PutPage(ctx, p)
	x.Health.progressed(time.Now())
	x.due.Raise()
	return err
}

// judgeUnfollowed finds out why the list of product variants could not be read. A transient error ends the
// sweep, until it has come variantTries times in a row.
func (x *Engine) judgeUnfollowed(err error, v *publication.VariantSource) error {
	now := time.Now()
	var market *marketplace.Error
	kind := marketplace.KindOf(err)
	switch {
	case errors.Is(err, marketplace.ErrNoVariants):
		v.Find(publication.VariantsUnoffered, err.Error(), now)
	case !errors.As(err, &market):
		return err
	case kind == marketplace.Invalid:
		v.Find(publication.VariantsUnoffered, market.Message, now)
	case kind == marketplace.Unauthorized:
		v.Find(publication.VariantsRefused, market.Message, now)
	default:
		if x.follows.failures++; x.follows.failures < variantTries {
			return err
		}
		v.Find(publication.VariantsFailing, market.Message, now)
	}
	x.follows.failures = 0
	return nil
}
