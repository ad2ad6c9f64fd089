package woocommerce

import (
	"cmp"
	"context"
	"math"
	"net/url"
	"slices"
	"strings"
	"sync"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/internal/memo"
	"github.com/pubsync/pubsync/shopadapter/woocommerce/internal/rest"
	"github.com/pubsync/pubsync/shopadapter/woocommerce/internal/words"
)

// PHP that dies in the middle of a creation leaves a draft: first the row with name and slug, then
// SKU and price, then the stamp. The slug ends in a hash of the publication's id. So such a
// leftover is found again and finished, and no second one is made.

// A caller that was killed before it could record a listing asks for it anew, without a hint. The
// SKUs may be others by then. Such a listing is one of the last that were made, so the stamps of
// the shop's youngest products tell of it. That is one request for a process, and none for a
// creation.

// mostDraftPages bounds how far back the shop's drafts are read, a hundred on a page. Beyond it
// each creation looks for its own slug.
const mostDraftPages = 10

// mostYoung bounds the young listings that are known: a page of the shop's list.
const mostYoung = rest.PerPage

// leftovers knows the drafts that creations of the past left behind, and the listings made last.
// The lists are read once, before the first creation of the process; what this process leaves
// behind itself is recorded as it happens, and forgotten when the creation has ended well.
type leftovers struct {
	read *memo.Memo[struct{}] // reads the lists

	mu    sync.Mutex
	young []youngListing      // the youngest at the end
	whole bool                // the shop has no more drafts than were read
	ids   map[string][]int64  // by the end of the slug
	tried map[string][]string // by the end of the slug: the slugs of creations that were begun and did not end well
}

// A youngListing is a product that was made lately, by this process or before it.
type youngListing struct {
	owner string // the publication's id, encoded as in the stamp
	id    int64
}

func newLeftovers(a *adapter) *leftovers {
	l := &leftovers{ids: map[string][]int64{}, tried: map[string][]string{}}
	l.read = memo.New(math.MaxInt64, func(ctx context.Context) (struct{}, error) { return struct{}{}, l.load(ctx, a) })
	return l
}

// begin records that a creation is under way under a slug.
func (l *leftovers) begin(end, slug string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !slices.Contains(l.tried[end], slug) {
		l.tried[end] = append(l.tried[end], slug)
	}
}

// end records that nothing is left of the creations of a publication.
func (l *leftovers) end(end string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.tried, end)
	delete(l.ids, end)
}

// made records the product of a publication among the young ones.
func (l *leftovers) made(owner string, id int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.young = append(l.young, youngListing{owner, id}); len(l.young) > mostYoung {
		l.young = slices.Delete(l.young, 0, 1)
	}
}

// lost forgets a product that is no listing of its publication any more.
func (l *leftovers) lost(id int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.young = slices.DeleteFunc(l.young, func(y youngListing) bool { return y.id == id })
}

// candidates is what may be there of a publication: products by their id, the oldest first, and
// slugs to ask for.
func (l *leftovers) candidates(owner, end, slug string) (ids []int64, slugs []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	slugs = slices.Clone(l.tried[end])
	if !l.whole && !slices.Contains(slugs, slug) {
		slugs = append(slugs, slug)
	}
	ids = slices.Clone(l.ids[end])
	for _, y := range l.young {
		if y.owner == owner {
			ids = append(ids, y.id)
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids), slugs
}

// load reads the shop's youngest products and its drafts.
func (l *leftovers) load(ctx context.Context, a *adapter) error {
	some, whole, err := a.youngest(ctx, "any", 1)
	if err != nil {
		return err
	}
	var young []youngListing
	for _, p := range slices.Backward(some) {
		// A copy that the merchant made of a product carries its stamp. A listing was written more
		// than once, so its stamp names it.
		if s := readStamp(rest.Stamp(p.Meta)); s.Product > 0 && s.original(int64(p.ID)) && p.Type != "variation" &&
			p.Status != "trash" {
			young = append(young, youngListing{s.ID, int64(p.ID)})
		}
	}
	if !whole {
		if some, whole, err = a.youngest(ctx, "draft", mostDraftPages); err != nil {
			return err
		}
	}
	ids := map[string][]int64{}
	for _, p := range some {
		if end := slugEnd(string(p.Slug)); end != "" && p.ID > 0 && p.Status == "draft" {
			ids[end] = append(ids[end], int64(p.ID))
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.whole, l.ids, l.young = whole, ids, young
	return nil
}

// youngest reads products, the youngest first, so many pages at the most. whole: there are no more.
// A shop that refuses the list has none to show.
func (a *adapter) youngest(ctx context.Context, status string, most int) (some []rest.Product, whole bool, err error) {
	query := url.Values{
		"status": {status}, "order": {"desc"}, "context": {"edit"}, "_fields": {"id,type,status,slug,meta_data"},
		"include_meta": {rest.StampKey},
	}
	for page, err := range rest.Pages[rest.Product](ctx, a.Client, "/products", query, most) {
		if r := rest.Refused(err); r != nil && shopadapter.Explain(err).Kind == shopadapter.Rejected {
			return some, false, nil // each creation looks for its own
		}
		if err != nil {
			return nil, false, err
		}
		some, whole = append(some, page.Items...), page.Last
	}
	return some, whole, nil
}

// slugEnd is the part of a slug that tells the publication, "" where the slug is not one that the
// adapter makes.
func slugEnd(slug string) string {
	end := slug[strings.LastIndexByte(slug, '-')+1:]
	if len(end) != 2*slugDigest || strings.Trim(end, "0123456789abcdef") != "" {
		return ""
	}
	return end
}

// leftover is the products that creations of the past left behind, unfinished, and the
// publication's listing where it is known: its SKUs may be none of those that it has to have.
func (w *write) leftover(ctx context.Context) ([]rest.Product, error) {
	if _, err := w.a.leftovers.read.Get(ctx, false); err != nil {
		return nil, err
	}
	var found []rest.Product
	ids, slugs := w.a.leftovers.candidates(words.EncodeID(string(w.Ref.Publication)), w.slugEnd(), w.want.slug)
	for _, id := range ids {
		p, err := w.a.Product(ctx, id, "")
		if err != nil {
			return nil, err
		}
		if !w.finished(p) {
			w.a.leftovers.lost(id)
		}
		found = append(found, p)
	}
	for _, slug := range slugs {
		some, err := w.a.Products(ctx, "slug", slug, "status", "any", "orderby", "id", "order", "asc")
		if err != nil {
			return nil, err
		}
		found = append(found, some...)
	}
	seen := map[rest.Number]bool{}
	return slices.DeleteFunc(found, func(p rest.Product) bool {
		twice := seen[p.ID]
		seen[p.ID] = true
		return twice || !w.abandoned(p) && !w.finished(p)
	}), nil
}

// discardAll deletes leftovers but the one with the id, and none that was ever finished.
func (w *write) discardAll(ctx context.Context, left []rest.Product, but rest.Number) error {
	for _, p := range left {
		if p.ID == but || !w.abandoned(p) {
			continue
		}
		if err := w.a.Remove(ctx, int64(p.ID)); err != nil {
			return err
		}
	}
	return nil
}

func (w *write) slugEnd() string { return slugEnd(w.want.slug) }

// abandoned reports whether a product is what a creation of this publication left unfinished: a
// draft with our slug. It has the stamp of a product that was never finished, or no stamp and our
// SKU or none. One that somebody has given a SKU or a price of their own is not.
func (w *write) abandoned(p rest.Product) bool {
	if p.ID <= 0 || p.Type == "variation" || p.Status != "draft" || slugEnd(string(p.Slug)) != w.slugEnd() {
		return false
	}
	if rest.Stamp(p.Meta) != "" {
		s := readStamp(rest.Stamp(p.Meta))
		return s.owns(int64(p.ID), w.Ref.Publication) && !s.Done && !s.Adopted
	}
	ours := slices.ContainsFunc(w.skus(), func(sku string) bool { return words.SameSKU(sku, string(p.SKU)) })
	return ours || p.SKU == "" && p.Price == ""
}

// finished reports whether a product is the publication's listing, on sale or not. It was finished
// once.
func (w *write) finished(p rest.Product) bool {
	return p.ID > 0 && p.Status != "trash" && w.a.owned(p, w.Ref.Publication) && readStamp(rest.Stamp(p.Meta)).Done
}

// reclaim begins the product anew on what a creation of the past left.
func (w *write) reclaim(ctx context.Context, p rest.Product, body map[string]any, s productStamp) error {
	w.a.leftovers.begin(w.slugEnd(), w.want.slug)
	got, err := w.a.Write(ctx, rest.KindWrite, int64(p.ID), body)
	switch r := rest.Refused(err); {
	case rest.Gone(err):
		w.a.leftovers.end(w.slugEnd())
		return shopadapter.Retry("the unfinished product %d was deleted in the shop at this moment", p.ID)
	case rest.HasCode(err, rest.CodeSKU) && r.Resource > 0 && r.Resource != int64(p.ID):
		if err := w.a.Remove(ctx, int64(p.ID)); err != nil {
			return err
		}
		return cmp.Or(w.claimedBy(ctx, w.sku(), r.Resource), errAgain)
	case err != nil:
		return err
	case got.ID != p.ID:
		return shopadapter.Retry("the shop answered a write with another product")
	}
	w.a.leftovers.end(w.slugEnd())
	w.begun(got, s)
	w.a.logger.Info("creation that was interrupted goes on", "publication", w.Ref.Publication, "product", int64(p.ID))
	return nil
}
