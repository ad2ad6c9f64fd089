package woocommerce

import (
	"context"
	"iter"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/internal/each"
	"github.com/pubsync/pubsync/shopadapter/internal/pages"
	"github.com/pubsync/pubsync/shopadapter/internal/step"
	"github.com/pubsync/pubsync/shopadapter/skeleton"
	"github.com/pubsync/pubsync/shopadapter/woocommerce/internal/rest"
)

// List reads the shop's products, and the variations of ours, a hundred in a request and one
// request at a time. Of a thousand products of three variants that is some forty requests.
//
// What the merchant made a draft or private, hid in the catalogue or put behind a password is not on
// sale; what is in the trash is not there.
func (a *adapter) List(ctx context.Context, what shopadapter.Query) iter.Seq2[shopadapter.Listed, error] {
	return func(yield func(shopadapter.Listed, error) bool) {
		prices, err := a.prices.Get(ctx, false)
		if err != nil {
			yield(shopadapter.Listed{}, err)
			return
		}
		w := &watch{a: a, prices: prices}
		reader := skeleton.Reader{All: w.all, Some: w.some, Size: rest.PerPage}
		for one, err := range reader.List(ctx, what) {
			if !yield(one, err) {
				return
			}
		}
	}
}

// A watch is one observation under way.
type watch struct {
	a      *adapter
	prices shopadapter.Prices
	lost   map[string]bool // by name, whether the brand was deleted
}

func (w *watch) all(ctx context.Context) iter.Seq2[shopadapter.Listed, error] {
	return func(yield func(shopadapter.Listed, error) bool) {
		list, err := w.products(ctx)
		list = originals(list)
		if err == nil {
			err = w.complete(ctx, list)
		}
		var all []shopadapter.Listed
		if err == nil {
			all, err = w.observed(ctx, list)
		}
		if err != nil {
			yield(shopadapter.Listed{}, step.Within("observe products", err))
			return
		}
		for _, o := range all {
			if !yield(o, nil) {
				return
			}
		}
	}
}

// some reads products by their ids, without those that are another publication's.
func (w *watch) some(ctx context.Context, refs []shopadapter.Ref) (all []shopadapter.Listed, err error) {
	ids := each.Of(refs, func(r shopadapter.Ref) int64 { return listingNumber(r.Listing) })
	list, err := w.byID(ctx, ids)
	list = slices.DeleteFunc(list, func(s *sighting) bool {
		return !slices.ContainsFunc(refs, func(r shopadapter.Ref) bool {
			return r.Publication == s.Ref.Publication && r.Listing == s.Ref.Listing
		})
	})
	if err == nil {
		err = w.complete(ctx, list)
	}
	if err == nil {
		all, err = w.observed(ctx, list)
	}
	for i := range all {
		for _, ref := range refs {
			if err == nil && ref.Publication == all[i].Ref.Publication && all[i].OnSale {
				var moves shopadapter.Fields
				moves, err = w.a.moves(ctx, ref)
				all[i].Outdated |= moves &^ all[i].Edited
			}
		}
	}
	return all, step.Within("observe products", err)
}

// observed is products as they were found. A category or a brand that was
// deleted is no edit.
func (w *watch) observed(ctx context.Context, list []*sighting) ([]shopadapter.Listed, error) {
	uncounted, err := w.countsNothing(ctx, list)
	if err != nil {
		return nil, err
	}
	for _, s := range list {
		deleted, err := w.a.categories.Deleted(ctx, s.category)
		if err != nil {
			return nil, err
		}
		if deleted {
			s.Edited &^= shopadapter.FieldCategory
			s.Outdated |= shopadapter.FieldCategory
		}
		if s.Edited.Has(shopadapter.FieldBrand) {
			lost, err := w.lostBrand(ctx, s)
			if err != nil {
				return nil, err
			}
			if lost {
				s.Edited &^= shopadapter.FieldBrand
				s.Outdated |= shopadapter.FieldBrand
			}
		}
	}
	return each.Of(list, func(s *sighting) shopadapter.Listed {
		if uncounted {
			s.Untold = shopadapter.FieldStock
		}
		return s.Listed
	}), nil
}

// lostBrand is that of the adapter, asked once for each brand.
func (w *watch) lostBrand(ctx context.Context, s *sighting) (lost bool, err error) {
	if s.brands != "" {
		return false, nil
	}
	if lost, known := w.lost[s.stamp.Brand]; known {
		return lost, nil
	}
	if lost, err = w.a.lostBrand(ctx, s.stamp, s.brands); err == nil {
		if w.lost == nil {
			w.lost = map[string]bool{}
		}
		w.lost[s.stamp.Brand] = lost
	}
	return lost, err
}

// countsNothing reports whether stock management is switched off for the whole shop. WooCommerce
// then keeps no quantity that is written.
func (w *watch) countsNothing(ctx context.Context, list []*sighting) (bool, error) {
	uncounted := func(v shopadapter.ListedVariant) bool { return v.Uncounted }
	if !slices.ContainsFunc(list, func(s *sighting) bool { return slices.ContainsFunc(s.Variants, uncounted) }) {
		return false, nil
	}
	manages, told, err := w.a.option(ctx, "products/woocommerce_manage_stock")
	return told && manages == "no", err
}

// originals are the products without copies that the merchant made of one, each publication once,
// the oldest first. See pass.
func originals(list []*sighting) []*sighting {
	best := map[shopadapter.PublicationID]*sighting{}
	for _, s := range list {
		other, twice := best[s.Ref.Publication]
		if !twice || s.named && !other.named || s.named == other.named && s.id < other.id {
			best[s.Ref.Publication] = s
		}
	}
	return slices.SortedFunc(maps.Values(best), func(a, b *sighting) int { return int(a.id - b.id) })
}

// watchedFields is what is asked for of a product.
const watchedFields = "id,type,status,sku,name,description,permalink,catalog_visibility,post_password,regular_price," +
	"manage_stock,stock_quantity,backorders,categories,brands,images,variations,meta_data"

// products is those of ours that a query finds.
func (w *watch) products(ctx context.Context) (list []*sighting, err error) {
	query := withFields(nil, watchedFields)
	read := func(skip, size int) (page []*sighting, length int, err error) {
		some, err := rest.Page[rest.Product](ctx, w.a.Client, "/products", query, skip, size)
		for _, p := range some {
			if s := w.sight(p); s != nil {
				page = append(page, s)
			}
		}
		return page, len(some), err
	}
	id := func(s *sighting) shopadapter.ListingID { return s.Ref.Listing }
	for s, err := range pages.Range(rest.PerPage, id, read) {
		if err != nil {
			return nil, err
		}
		list = append(list, s)
	}
	return list, nil
}

// byID is those of some products that are there and ours.
func (w *watch) byID(ctx context.Context, ids []int64) (list []*sighting, err error) {
	slices.Sort(ids)
	ids = slices.DeleteFunc(slices.Compact(ids), func(id int64) bool { return id <= 0 })
	err = inRuns(ids, func(run []int64) error {
		query := withFields(url.Values{"include": {joined(run)}}, watchedFields)
		some, err := rest.Page[rest.Product](ctx, w.a.Client, "/products", query, 0, rest.PerPage)
		for _, p := range some {
			if s := w.sight(p); s != nil && slices.Contains(run, s.id) {
				list = append(list, s)
			}
		}
		return err
	})
	return list, err
}

// inRuns hands out ids, as many at a time as a page holds, and fewer where the answer exceeds the
// adapter's limits.
func inRuns(ids []int64, read func(run []int64) error) error {
	for size := rest.PerPage; len(ids) > 0; {
		run := ids[:min(size, len(ids))]
		err := read(run)
		if len(run) > 1 && pages.Exceeded(err) {
			size = len(run) / 2
			continue
		}
		if err != nil {
			return err
		}
		ids = ids[len(run):]
	}
	return nil
}

func withFields(query url.Values, fields string) url.Values {
	all := url.Values{"context": {"edit"}, "_fields": {fields}, "include_meta": {rest.StampKey}}
	maps.Copy(all, query)
	return all
}

func joined(ids []int64) string {
	return strings.Join(each.Of(ids, func(id int64) string { return strconv.FormatInt(id, 10) }), ",")
}
