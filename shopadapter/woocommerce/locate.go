package woocommerce

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/woocommerce/internal/words"
)

// locate finds the product, or begins it where the caller knows of none.
func (w *write) locate(ctx context.Context) error {
	if w.ref.Listing == "" {
		if w.a.adopting {
			if found, err := w.findToAdopt(ctx); found || err != nil {
				return err
			}
		}
		return w.create(ctx)
	}
	p, err := w.a.byHint(ctx, w.ref)
	if err != nil {
		return err
	}
	if p.ID == 0 {
		if p, err = w.a.bySKU(ctx, w.ref.Publication, w.skus(), ""); err != nil {
			return err
		}
	}
	if p.ID == 0 {
		return shopadapter.ErrGone
	}
	w.take(p)
	return nil
}

// skus are those by which the product can be found.
func (w *write) skus() []string {
	list := []string{words.KeySKU(w.ref.Publication)}
	for _, v := range w.want.variants {
		if v.sku != "" {
			list = append(list, v.sku)
		}
	}
	return list
}

// byHint is the product that a ref points to, if it is the publication's and not in the trash. The
// zero product is none.
func (a *adapter) byHint(ctx context.Context, ref shopadapter.Ref) (product, error) {
	id := listingNumber(ref.Listing)
	if id == 0 {
		return product{}, nil
	}
	p, err := a.product(ctx, id)
	if err != nil || p.ID == 0 || p.Status == "trash" || !a.owned(p, ref.Publication) {
		return product{}, err
	}
	return p, nil
}

// listingNumber is the shop's id in a listing's, 0 where that is none of ours.
func listingNumber(id shopadapter.ListingID) int64 {
	n, err := strconv.ParseInt(string(id), 10, 64)
	if err != nil || n < 0 {
		return 0
	}
	return n
}

// owned tells whether a product is the publication's.
func (a *adapter) owned(p product, publication shopadapter.PublicationID) bool {
	return p.Type != "variation" && readStamp(marked(p.Meta)).owns(int64(p.ID), publication)
}

// product reads one product, or a variation as one. The zero product is none. In the context "edit"
// texts are as they are stored, as they are in the answer to a write; in "view" they are as they
// are shown.
func (a *adapter) product(ctx context.Context, id int64) (product, error) {
	return a.productWith(ctx, id, productFields)
}

// productWith reads no more of a product than some of its fields, the id and the parent's among
// them.
func (a *adapter) productWith(ctx context.Context, id int64, fields string) (product, error) {
	var p product
	_, err := a.call(ctx, request{method: http.MethodGet, path: productPath(id), kind: kindRead, query: url.Values{
		"context": {"edit"}, "_fields": {fields}, "include_meta": {metaKey},
	}}, &p)
	switch {
	case gone(err):
		return product{}, nil
	case err != nil:
		return product{}, err
	case int64(p.ID) != id:
		return product{}, shopadapter.Retry("the shop answered with another product than was asked for")
	}
	return p, nil
}

// bySKU is the publication's product among those that have one of the SKUs, itself or on a
// variation. status is "" for all that is not in the trash. The zero product is none.
func (a *adapter) bySKU(
	ctx context.Context,
	publication shopadapter.PublicationID,
	skus []string,
	status string,
) (product, error) {
	found, err := a.lookUp(ctx, skus, status)
	if err != nil {
		return product{}, err
	}
	seen := map[number]bool{}
	for _, p := range found {
		if a.owned(p, publication) {
			return p, nil
		}
		if _, _, ours := readVariantStamp(marked(p.Meta), publication); ours && p.Parent > 0 && !seen[p.Parent] {
			seen[p.Parent] = true
			parent, err := a.product(ctx, int64(p.Parent))
			if err != nil {
				return product{}, err
			}
			if a.owned(parent, publication) && (status != "" || parent.Status != "trash") {
				return parent, nil
			}
		}
	}
	return product{}, nil
}

// maxLookUp bounds the SKUs of one look-up, in bytes of the query.
const maxLookUp = 3000

// lookUp is the products and variations that have one of the SKUs. WooCommerce splits the SKUs that
// it is asked for at commas, so a SKU with a comma is asked for alone. It ignores parameters that
// it does not know, so the answer is compared.
func (a *adapter) lookUp(ctx context.Context, skus []string, status string) ([]product, error) {
	var found []product
	for _, asked := range groups(skus) {
		query := url.Values{
			"sku": {
				strings.Join(asked, ","),
			}, "per_page": {"100"}, "context": {"edit"}, "_fields": {productFields}, "include_meta": {metaKey},
		}
		if status != "" {
			query.Set("status", status)
		}
		var some list[product]
		if _, err := a.call(ctx, request{method: http.MethodGet, path: "/products", kind: kindList, query: query}, &some); err != nil {
			return nil, err
		}
		for _, p := range some {
			if p.ID > 0 && slices.ContainsFunc(asked, func(sku string) bool { return words.SameSKU(sku, string(p.SKU)) }) {
				found = append(found, p)
			}
		}
	}
	return found, nil
}

// groups are the SKUs in lists that may be asked for at once.
func groups(skus []string) [][]string {
	var all [][]string
	var some []string
	length := 0
	for _, sku := range skus {
		if strings.Contains(sku, ",") {
			all = append(all, []string{sku})
			continue
		}
		if length += len(url.QueryEscape(sku)) + 3; len(some) > 0 && (length > maxLookUp || len(some) == 50) {
			all, some, length = append(all, some), nil, len(sku)
		}
		some = append(some, sku)
	}
	if len(some) > 0 {
		all = append(all, some)
	}
	return all
}
