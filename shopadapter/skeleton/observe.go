package skeleton

import (
	"context"
	"iter"
	"slices"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/internal/pages"
)

// A Reader is what List has to know of a shop: how its listings are read, many in one request.
// Only products that carry the adapter's stamp are listings.
type Reader struct {
	// All ranges over all listings. It may name one twice. Pages makes it for a shop whose pages begin at a number.
	All func(ctx context.Context) iter.Seq2[shopadapter.Listed, error]
	// Some reads the listings of some refs in one request. Those that the shop no longer has are
	// not among them.
	Some func(ctx context.Context, refs []shopadapter.Ref) ([]shopadapter.Listed, error)
	// Size is how many refs Some is given at most.
	Size int
}

// List is an adapter's List. Each listing is named once.
func (r Reader) List(ctx context.Context, what shopadapter.Query) iter.Seq2[shopadapter.Listed, error] {
	return func(yield func(shopadapter.Listed, error) bool) {
		list := r.All
		if what.Refs != nil {
			list = func(ctx context.Context) iter.Seq2[shopadapter.Listed, error] {
				return r.some(ctx, what.Refs)
			}
		}
		seen := map[shopadapter.ListingID]bool{}
		for one, err := range list(ctx) {
			if err != nil {
				yield(shopadapter.Listed{}, err)
				return
			}
			if id := one.Ref.Listing; !seen[id] {
				seen[id] = true
				if !yield(one, nil) {
					return
				}
			}
		}
	}
}

// some reads refs, Size of them at a time. Where their answer exceeds the adapter's limits, they
// are read in halves.
func (r Reader) some(ctx context.Context, refs []shopadapter.Ref) iter.Seq2[shopadapter.Listed, error] {
	return func(yield func(shopadapter.Listed, error) bool) {
		size := max(r.Size, 1)
		for len(refs) > 0 {
			run := refs[:min(size, len(refs))]
			list, err := r.Some(ctx, run)
			if len(run) > 1 && pages.Exceeded(err) {
				size = len(run) / 2
				continue
			}
			if err != nil {
				yield(shopadapter.Listed{}, err)
				return
			}
			for _, one := range list {
				if !yield(one, nil) {
					return
				}
			}
			refs = refs[len(run):]
		}
	}
}

// Pages ranges over listings in pages of a size. read gives the listings among the products of the
// page behind the first skip, and how many products the page holds in all. Where a page exceeds the
// adapter's limits, smaller ones are read.
func Pages(
	size int,
	read func(skip, size int) (page []shopadapter.Listed, length int, err error),
) iter.Seq2[shopadapter.Listed, error] {
	return pages.Range(size, func(o shopadapter.Listed) shopadapter.ListingID { return o.Ref.Listing }, read)
}

// ForgiveLost takes the pictures off what was edited of the listings that lack nothing but pictures
// that the shop's library has lost: these come again. gone is, by listing, the ids of the pictures
// that were written and are not shown, as stamp.Without tells; standing is those of some ids that
// the library still has. Where gone is empty it is not called.
func ForgiveLost(
	ctx context.Context,
	list []shopadapter.Listed,
	gone map[shopadapter.ListingID][]string,
	standing func(ctx context.Context, ids []string) (map[string]bool, error),
) error {
	var ids []string
	for _, lost := range gone {
		ids = append(ids, lost...)
	}
	if len(ids) == 0 {
		return nil
	}
	there, err := standing(ctx, ids)
	if err != nil {
		return err
	}
	for i := range list {
		lost := gone[list[i].Ref.Listing]
		if len(lost) > 0 && !slices.ContainsFunc(lost, func(id string) bool { return there[id] }) {
			list[i].Edited &^= shopadapter.FieldImages
		}
	}
	return nil
}
