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
	fewChanges    = 20  // variants of a first page, whose points a sweep waits for
	manyChanges   = 100 // variants of a further page
	variantPages  = 100 // pages that one sweep reads: the next goes on
	variantTries  = 3   // failures in a row after which the list is not read for a while

	variantTurn = 20 * time.Second // how long a further page lets looks at new publications go first
)

// A following follows the list of product variants, the second source of change, in the order in which
// they changed. A sweep reads a short first page of it before the list of publications, and stores it after
// that list: a change that both show leads to one look. Further pages come last, in turn with the looks at
// what is due, so that no new publication waits for many changed variants. Another sweep goes before them,
// and continues them.
type following struct {
	recheck  atomic.Bool // the token was renewed: what was found with the last one does not count
	failures int         // in a row
	troubled bool        // the last sweep could not read the list of publications
}

// withVariants reads the list of product variants beside the list of publications, and records what it
// finds out about it. That the token may not read the variants is believed only where it may read the
// publications.
func (x *Engine) withVariants(
	ctx context.Context, sorted bool, into *listed, list func() error,
) error {
	var before publication.VariantSource
	if _, err := store.MetaJSON(ctx, x.Store, publication.MetaVariants, &before); err != nil {
		return err
	}
	source := before
	follows, err := x.knowVariants(ctx, &source, into, time.Now())
	if err != nil {
		return err
	}
	last := x.follows.troubled // then the publications are read first, alone
	if follows && sorted && !last {
		if last, err = x.readAhead(ctx, into, &source); err != nil {
			return err
		}
	}
	cursor, _, err := x.Store.CursorOf(ctx, cursorVariants)
	if err != nil {
		return err
	}
	r := &variantReading{x: x, into: into, v: &source, cursor: cursor, most: fewChanges}
	var failed error
	var pages []*store.Page // to be stored after those of the publications
	for follows && !last && failed == nil && !r.ended && (len(pages) == 0 || !source.Ended) {
		var page *store.Page
		if page, failed = r.next(ctx, marketplace.News); page != nil {
			pages = append(pages, page)
		}
	}
	unlisted := list()
	x.follows.troubled = unlisted != nil
	into.ahead = nil
	if err := x.putVariants(ctx, pages...); err != nil {
		return err
	}
	for follows && unlisted == nil && failed == nil && !r.ended && !x.wanted() {
		var page *store.Page
		if page, failed = r.inTurn(ctx); page != nil {
			if err := x.putVariants(ctx, page); err != nil {
				return err
			}
		}
	}
	if follows && failed == nil && r.pages > 0 {
		into.variants, x.follows.failures = true, 0
		source.Answered(before.Found, time.Now())
	}
	err = unlisted
	if failed != nil && unlisted == nil && ctx.Err() == nil {
		err = x.judgeUnfollowed(failed, &source)
	}
	if reflect.DeepEqual(source, before) {
		return err
	}
	if source.Found != before.Found {
		x.Logger.Info("list of product variants", "mode", source.Mode, "found", source.Found, "reason", source.Message)
	}
	return errors.Join(err, store.SetMetaJSON(ctx, x.Store, publication.MetaVariants, source))
}

// knowVariants updates what is known about the list, and reports whether to read it now. Whose products it
// holds is found out from a sample.
func (x *Engine) knowVariants(
	ctx context.Context, v *publication.VariantSource, into *listed, now time.Time,
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
	return !into.variants && v.Follows(v.Mode, now), nil
}

// allRead reports whether the content of the publications has been read. One that could not be read for a
// day does not count.
func (x *Engine) allRead(ctx context.Context, now time.Time) (bool, error) {
	counts, err := x.Store.Counts(ctx)
	if err != nil {
		return false, err
	}
	recent := store.Query{
		Key: store.KeyState(store.StatePending), From: store.At(now.Add(-publication.VariantsAgain)),
	}
	for r, err := range store.Records(ctx, x.Store, recent) {
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

// ahead is the first page of both lists, read before they are asked for.
type ahead struct {
	marketplace.Both
	after, afterVariants string
}

// aheadOf removes and returns the page of publications after a cursor, where it was read ahead.
func (l *listed) aheadOf(name, after string) (marketplace.Page, bool) {
	if l.ahead == nil || l.ahead.after != after || name != cursorUpdated {
		return marketplace.Page{}, false
	}
	page := l.ahead.Publications
	l.ahead = nil
	return page, true
}

// readAhead reads the first page of both lists in one request, where that may succeed. Else each is asked
// for by itself.
func (x *Engine) readAhead(
	ctx context.Context, into *listed, v *publication.VariantSource,
) (failed bool, err error) {
	now := time.Now()
	if !v.Together(now) || x.follows.failures > 0 {
		return false, nil
	}
	updated, _, err := x.Store.CursorOf(ctx, cursorUpdated)
	if err != nil {
		return false, err
	}
	changed, _, err := x.Store.CursorOf(ctx, cursorVariants)
	if err != nil {
		return false, err
	}
	both, err := x.Market.ListBoth(ctx, marketplace.News, updated.Value, changed.Value, fewChanges)
	if err != nil {
		if marketplace.KindOf(err) == marketplace.Invalid {
			v.Apart = store.At(now)
		}
		return true, nil //nolint:nilerr // the request for each by itself meets the error
	}
	v.Apart = 0
	into.ahead = &ahead{Both: both, after: updated.Value, afterVariants: changed.Value}
	return false, nil
}

// A variantReading reads the list of product variants page by page, to its end. Until one reading has come
// to the end, only a sample of entries is read: content is read for the first time after them anyway.
type variantReading struct {
	x         *Engine
	into      *listed
	v         *publication.VariantSource
	cursor    store.Cursor
	restarted bool
	most      int // entries of the next page
	pages     int
	ended     bool
}

// next reads a page, which is to be stored; it may be nil.
func (r *variantReading) next(ctx context.Context, priority marketplace.Priority) (*store.Page, error) {
	v := r.v
	page, err := r.page(ctx, priority)
	if isCursorRefused(err) && r.cursor.Value != "" && !r.restarted {
		r.restarted, r.cursor = true, store.Cursor{}
		r.x.Logger.Warn("marketplace refused the cursor of the product variants, reading them from the beginning")
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if page.End != "" { // an empty page has no cursor: the one before it stays
		r.cursor.Value = page.End
	}
	r.cursor.At = store.At(page.Answered)
	p, err := r.x.changesOf(ctx, page, v)
	if err != nil {
		return nil, err
	}
	p.Name, p.Cursor = cursorVariants, r.cursor
	r.x.Health.Progressed(time.Now())
	r.pages++
	switch {
	case !page.More:
		v.Ended, r.ended = true, true
	case v.Found == publication.VariantsOthers, v.Found == publication.VariantsNone, r.pages >= variantPages:
		r.ended = true // a page again showed no product of ours, or the next sweep goes on
	}
	r.most = manyChanges
	return p, nil
}

// inTurn is next for a page that takes turns with the looks at what is due. For variantTurn, looks at new
// publications go first.
func (r *variantReading) inTurn(ctx context.Context) (*store.Page, error) {
	waiting, cancel := context.WithTimeout(ctx, variantTurn)
	defer cancel()
	page, err := r.next(waiting, marketplace.Sweep)
	if err != nil && page == nil && waiting.Err() != nil && ctx.Err() == nil {
		return r.next(ctx, marketplace.News)
	}
	return page, err
}

func (r *variantReading) page(ctx context.Context, priority marketplace.Priority) (marketplace.VariantPage, error) {
	after := r.cursor.Value
	switch a := r.into.ahead; {
	case r.v.Ended && a != nil && a.afterVariants == after:
		return a.Variants, nil
	case r.v.Ended:
		return r.x.Market.Variants(ctx, priority, after, r.most)
	case !r.v.Begun:
		return r.x.Market.Variants(ctx, priority, after, variantSample)
	default:
		return r.x.Market.SkipVariants(ctx, priority, after)
	}
}

// changesOf is the changes that a page makes: it marks the publications whose variants changed.
func (x *Engine) changesOf(
	ctx context.Context, page marketplace.VariantPage, v *publication.VariantSource,
) (p *store.Page, err error) {
	latest := map[string]marketplace.ProductVariant{} // by product
	var products []string
	for _, variant := range page.Variants {
		before, met := latest[variant.Product]
		if variant.Product == "" || len(variant.Product) > publication.MaxIdent ||
			met && before.UpdatedAt >= variant.UpdatedAt {
			continue
		}
		if !met {
			products = append(products, variant.Product)
		}
		latest[variant.Product] = variant
	}
	ids, err := x.Store.Resolve(ctx, nil, products, nil)
	if err != nil {
		return nil, err
	}
	p = &store.Page{}
	if v.Ended {
		p.IDs, p.Change = ids, func(_ int, e *store.Entry) bool {
			variant, changed := latest[e.Record.Product]
			return changed && publication.VariantChanged(e, variant, page.Answered)
		}
	}
	if v.Ended || !v.Begun {
		v.Shown(products, len(ids) > 0, time.Now())
	}
	return p, nil
}

// putVariants stores pages. Of pages without a change the last is enough.
func (x *Engine) putVariants(ctx context.Context, pages ...*store.Page) error {
	for i, page := range pages {
		if len(page.IDs) == 0 && i+1 < len(pages) {
			continue
		}
		if err := x.Store.PutPage(ctx, *page); err != nil {
			return err
		}
		x.due.Raise()
	}
	return nil
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
