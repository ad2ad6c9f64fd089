package engine

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/store"
)

const (
	fewChanges   = 20  // variants of a sweep's first page, which mostly shows none
	manyChanges  = 100 // variants of a further page
	variantPages = 100 // pages of one sweep: the next goes on
	variantTries = 3   // of one sweep, while the marketplace fails

	variantTurn = 20 * time.Second // how long a further page lets due looks go first
)

// followVariants reads the list of product variants, the second source of change, and records whether it can be
// followed.
func (x *Engine) followVariants(ctx context.Context) error {
	if !x.variants.TryLock() { // another sweep reads it
		return nil
	}
	defer x.variants.Unlock()
	before, _, err := publication.MetaVariants.Get(ctx, x.Store)
	if err != nil {
		return err
	}
	v, now := before, time.Now()
	v.Mode = cmp.Or(x.Variants, publication.VariantsOff)
	if x.renewed.Swap(false) || v.Install != x.Install {
		v.Install, v.Found, v.Message = x.Install, "", ""
	}
	if v.Follows(now) {
		switch v.Found {
		case publication.VariantsOurs:
		case publication.VariantsOthers: // for another day, unless one of ours is met
			v.At = store.At(now)
		default:
			v.Found, v.Message = "", ""
		}
		for attempt := 1; ; attempt++ {
			err = x.readVariants(ctx, &v)
			if err == nil || marketplace.KindOf(err) != marketplace.Transient || attempt == variantTries {
				break
			}
			Sleep(ctx, Backoff(attempt, HastyBackoff))
		}
		switch kind := marketplace.KindOf(err); {
		case err == nil:
		case ctx.Err() != nil:
			return err
		case errors.Is(err, marketplace.ErrNoVariants), kind == marketplace.Invalid:
			v.Find(publication.VariantsUnoffered, err.Error(), now)
		case kind == marketplace.Unauthorized:
			v.Find(publication.VariantsRefused, err.Error(), now)
		case errors.As(err, new(*marketplace.Error)):
			v.Find(publication.VariantsFailing, err.Error(), now)
		default:
			return err
		}
	}
	if v.Found != before.Found {
		x.Logger.Info("list of product variants", "mode", v.Mode, "found", v.Found, "reason", v.Message)
	}
	if v == before {
		return nil
	}
	return publication.MetaVariants.Set(ctx, x.Store, v)
}

// readVariants reads the list from its cursor to its end, or until another sweep is wanted. It skips to the first
// end without reading entries, and marks changed publications from then on. Once all publications have been read,
// a list that shows only foreign products is other people's.
func (x *Engine) readVariants(ctx context.Context, v *publication.VariantSource) error {
	cursor, _, err := x.Store.CursorOf(ctx, cursorVariants)
	if err != nil {
		return err
	}
	pages, most, skips := 0, manyChanges, !v.Ended
	if v.Ended {
		most = fewChanges
	}
	_, err = x.walk(ctx, cursorVariants, cursor, func(after string) (marketplace.Page, error) {
		if pages > 0 {
			waiting, cancel := context.WithTimeout(ctx, variantTurn)
			defer cancel()
			page, err := x.Market.Variants(waiting, marketplace.Sweep, after, most, skips)
			if err == nil || waiting.Err() == nil {
				return page, err
			}
		}
		return x.Market.Variants(ctx, marketplace.News, after, most, skips)
	}, func(page marketplace.Page, p *store.Page) (more bool, err error) {
		most, v.Ended = manyChanges, v.Ended || !page.More
		var products []string
		for _, variant := range page.Entries {
			if id := variant.Product.ID; id != "" && len(id) <= publication.MaxIdent {
				products = append(products, id)
			}
		}
		if p.IDs, err = x.Store.Resolve(ctx, nil, products, nil); err != nil {
			return false, err
		}
		p.Change = func(_ int, e *store.Entry) bool {
			return slices.ContainsFunc(page.Entries, func(variant marketplace.Entry) bool {
				return variant.Product.ID == e.Record.Product &&
					publication.VariantChanged(e, variant, page.Answered, time.Now())
			})
		}
		foreign := false
		if len(p.IDs) > 0 {
			v.Find(publication.VariantsOurs, "", time.Now())
		} else if len(products) > 0 && v.Found != publication.VariantsOurs {
			foreign, err = x.allRead(ctx)
		}
		if foreign {
			v.Find(publication.VariantsOthers, "", time.Now())
		}
		pages++
		return pages < variantPages && !foreign && x.sweepIn(false) > 0, err
	})
	return err
}

// allRead reports whether publications were read, all but those that could not be read for a day.
func (x *Engine) allRead(ctx context.Context) (bool, error) {
	read := false
	for r, err := range store.Records(ctx, x.Store, store.Query{}) {
		if err != nil || r.ReadAt == 0 && time.Since(r.ListedAt.Time()) < publication.VariantsAgain {
			return false, err
		}
		read = read || r.ReadAt != 0
	}
	return read, nil
}
