package woocommerce

import (
	"context"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/skeleton"
	"github.com/pubsync/pubsync/shopadapter/stamp"
	"github.com/pubsync/pubsync/shopadapter/woocommerce/internal/picture"
	"github.com/pubsync/pubsync/shopadapter/woocommerce/internal/rest"
	"github.com/pubsync/pubsync/shopadapter/woocommerce/internal/variation"
	"github.com/pubsync/pubsync/shopadapter/woocommerce/internal/words"
)

// Find reads the product where the caller knows of one. A new one is made without a look: Draft
// finds out whether there is one.
func (w *write) Find(ctx context.Context) (found skeleton.Found[variation.Held], err error) {
	found.Pending = w.unsure && !w.Figures // figures alone write no text
	if w.Figures {
		if err := w.look(ctx); err != nil {
			return found, err
		}
	}
	if w.blind = !w.Figures && w.quick(); w.blind {
		found.ID, found.Complete = string(w.Ref.Listing), true
		found.Variants = variation.Known(w.state.Variants)
		return found, nil
	}
	w.state.Done = false
	if w.view.ID == 0 && w.Ref.Listing != "" && !w.Figures {
		p, err := w.a.byHint(ctx, w.Ref)
		if err == nil && p.ID == 0 {
			p, err = w.a.bySKU(ctx, w.Ref.Publication, w.skus(), "")
		}
		if err == nil && p.ID == 0 {
			if p, err = w.a.unstamped(ctx, w.Ref); p.ID > 0 {
				w.takeBack(p)
			}
		} else if p.ID > 0 {
			w.use(p)
		}
		if err != nil {
			return found, err
		}
	}
	if w.view.ID > 0 {
		found.ID, found.Called = w.listing(), w.a.called(w.view)
		found.Complete, found.Damaged = w.stamp.Done, w.stamp.Adopted
		found.Variants = variation.Known(w.state.Variants) // Draft reads those that this does not tell
		if w.known {
			w.choices = w.state.Choices
		}
	}
	return found, nil
}

// byHint is the product that a ref points to, if it is the publication's and not in the trash. The
// zero product is none.
func (a *adapter) byHint(ctx context.Context, ref shopadapter.Ref) (rest.Product, error) {
	id := listingNumber(ref.Listing)
	if id == 0 {
		return rest.Product{}, nil
	}
	p, err := a.Product(ctx, id, "")
	if err != nil || p.ID == 0 || p.Status == "trash" || !a.owned(p, ref.Publication) {
		return rest.Product{}, err
	}
	return p, nil
}

// unstamped is the product that a ref points to, where the State says that it was made for the
// publication, it is on sale, and somebody deleted its stamp. It is an error until a person asks
// for the product.
func (a *adapter) unstamped(ctx context.Context, ref shopadapter.Ref) (rest.Product, error) {
	if _, known := readState(ref); !known || ref.Listing == "" {
		return rest.Product{}, nil
	}
	p, err := a.Product(ctx, listingNumber(ref.Listing), "")
	switch {
	case err != nil, p.ID == 0, p.Type == "variation", !p.OnSale(), readStamp(rest.Stamp(p.Meta)).ID != "":
		return rest.Product{}, err
	case !ref.Revive:
		return rest.Product{}, skeleton.Unstamped(ref, a.called(p))
	}
	return p, nil
}

// takeBack goes on with a product whose stamp was deleted. A text that is not as the supplier has
// it now may be the merchant's edit, and stays.
func (w *write) takeBack(p rest.Product) {
	w.use(p)
	w.stamp, w.retaken = newStamp(w.Ref.Publication), true
	w.stamp.Done = true
	own := map[shopadapter.Fields]stamp.Hash{
		shopadapter.FieldTitle:       words.HashTitle(w.want.title),
		shopadapter.FieldDescription: words.HashDescription(w.want.description),
		shopadapter.FieldImages:      stamp.HashList(picture.MarksOf(w.want.pictures.Pictures)),
	}
	if c := w.state.Category; c != nil && c.ID > 0 {
		own[shopadapter.FieldCategory] = w.a.categories.Hash([]rest.Placement{{ID: rest.Number(c.ID)}})
	}
	for group, held := range w.heldTexts() {
		last := w.stamp.texts()[group]
		if *last = stamp.Merchants(); held == own[group] {
			*last = stamp.Written{Hash: held}
		}
	}
}

// listingNumber is the shop's id in a listing's, 0 where that is none of ours.
func listingNumber(id shopadapter.ListingID) int64 {
	n, err := strconv.ParseInt(string(id), 10, 64)
	if err != nil || n < 0 {
		return 0
	}
	return n
}

// owned reports whether a product is the publication's.
func (a *adapter) owned(p rest.Product, publication shopadapter.PublicationID) bool {
	return p.Type != "variation" && readStamp(rest.Stamp(p.Meta)).owns(int64(p.ID), publication)
}

// bySKU is the publication's product among those that have one of the SKUs, itself or on a
// variation. status is "" for all that is not in the trash. The zero product is none.
func (a *adapter) bySKU(
	ctx context.Context, publication shopadapter.PublicationID, skus []string, status string,
) (rest.Product, error) {
	found, err := a.lookUp(ctx, skus, status)
	if err != nil {
		return rest.Product{}, err
	}
	seen := map[rest.Number]bool{}
	for _, p := range found {
		if a.owned(p, publication) {
			return p, nil
		}
		if _, _, ours := variation.ReadStamp(rest.Stamp(p.Meta), publication); ours && p.Parent > 0 && !seen[p.Parent] {
			seen[p.Parent] = true
			parent, err := a.Product(ctx, int64(p.Parent), "")
			if err != nil {
				return rest.Product{}, err
			}
			if a.owned(parent, publication) && (status != "" || parent.Status != "trash") {
				return parent, nil
			}
		}
	}
	return rest.Product{}, nil
}

// maxLookUp bounds the SKUs of one look-up, in bytes of the query.
const maxLookUp = 3000

// lookUp is the products and variations that have one of the SKUs. WooCommerce splits the SKUs that
// it is asked for at commas, so a SKU with a comma is asked for alone. It ignores parameters that
// it does not know, so the answer is compared.
func (a *adapter) lookUp(ctx context.Context, skus []string, status string) ([]rest.Product, error) {
	var found []rest.Product
	for _, asked := range groups(skus) {
		query := []string{"sku", strings.Join(asked, ",")}
		if status != "" {
			query = append(query, "status", status)
		}
		some, err := a.Products(ctx, query...)
		if err != nil {
			return nil, err
		}
		for _, p := range some {
			if p.ID > 0 &&
				slices.ContainsFunc(asked, func(sku string) bool { return words.SameSKU(sku, string(p.SKU)) }) {
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

// find is the product of a publication, with all that is known of it: the hint, the SKUs, and in
// the end a look at everything there is. The zero product is none.
func (a *adapter) find(ctx context.Context, ref shopadapter.Ref) (rest.Product, error) {
	p, err := a.byHint(ctx, ref)
	if err != nil || p.ID != 0 {
		return p, err
	}
	if p, err = a.bySKU(ctx, ref.Publication, []string{words.KeySKU(ref.Publication)}, ""); err != nil || p.ID != 0 {
		return p, err
	}
	stamped, err := a.stamped(ctx)
	if p = stamped[words.EncodeID(string(ref.Publication))]; err != nil || p.ID != 0 {
		return p, err
	}
	return a.unstamped(ctx, ref)
}
