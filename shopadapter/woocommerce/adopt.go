package woocommerce

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strconv"
	"time"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/internal/step"
	"github.com/pubsync/pubsync/shopadapter/woocommerce/internal/rest"
	"github.com/pubsync/pubsync/shopadapter/woocommerce/internal/words"
)

// elsewhere says that the publication's listing is another product than the one that is worked on.
type elsewhere struct{ product rest.Product }

func (e *elsewhere) Error() string {
	return "the publication's listing is product " + strconv.FormatInt(int64(e.product.ID), 10)
}

// elsewhere goes over to another product where the error of a try says so, and makes it errAgain.
// The product that was begun was never on sale, and goes: the listing that was made before the hint
// was lost has shown up under another SKU, or the merchant's own product may be taken over since.
func (w *write) elsewhere(ctx context.Context, err error) error {
	var theirs *adoptable
	var other *elsewhere
	switch {
	case errors.As(err, &theirs):
		if err := w.mayAdopt(theirs.owner, theirs.hit, theirs.sku); err != nil {
			return err
		}
	case !errors.As(err, &other):
		return err
	case w.moved:
		return shopadapter.Retry("products %d and %d both carry the stamp of this publication", w.view.ID, other.product.ID)
	}
	if err := w.discard(ctx); err != nil {
		return err
	}
	if theirs != nil {
		return cmp.Or(w.adopt(theirs.owner, theirs.hit, theirs.sku), errAgain)
	}
	w.moved = true
	w.use(other.product)
	return errAgain
}

// claimedBy goes on where the shop refused the SKU of a new product because another has it: with
// that one, if it is the publication's.
func (w *write) claimedBy(ctx context.Context, sku string, by int64) error {
	owner, hit, err := w.a.owner(ctx, by)
	if err != nil {
		return err
	}
	return w.continueWith(ctx, owner, hit, sku)
}

// owner is the product with an id, or the product whose variation has it, and the variation.
func (a *adapter) owner(ctx context.Context, id int64) (owner, hit rest.Product, err error) {
	if hit, err = a.Product(ctx, id, ""); err == nil {
		owner, err = a.ownerOf(ctx, hit)
	}
	return owner, hit, err
}

// ownerOf is the product that something found by its SKU belongs to, or is.
func (a *adapter) ownerOf(ctx context.Context, hit rest.Product) (rest.Product, error) {
	if hit.Owner() == hit.ID {
		return hit, nil
	}
	return a.Product(ctx, int64(hit.Owner()), "")
}

// claimedBySomething looks for the product that has the SKU where the shop does not say which it
// is: it is in the trash, or is being made at this moment by a request whose caller is gone.
func (w *write) claimedBySomething(ctx context.Context, sku string, r *rest.Refusal) error {
	for waits := 0; ; waits++ {
		for _, status := range []string{"", "trash"} {
			found, err := w.a.lookUp(ctx, []string{sku}, status)
			if err != nil {
				return err
			}
			if len(found) == 0 {
				continue
			}
			owner, err := w.a.ownerOf(ctx, found[0])
			if err != nil {
				return err
			}
			return w.continueWith(ctx, owner, found[0], sku)
		}
		if waits == w.a.patience.steps {
			break
		}
		if err := step.Pause(ctx, w.a.patience.step); err != nil {
			return err
		}
	}
	return shopadapter.Retry(
		"the shop refuses the SKU %s and shows no product that has it (%s); should this last, run WooCommerce > "+
			"Status > Tools > Product lookup tables > Regenerate",
		sku,
		r.Message,
	)
}

// continueWith goes on with the product that has the SKU where it is the publication's or may be
// adopted.
func (w *write) continueWith(ctx context.Context, owner, hit rest.Product, sku string) error {
	switch {
	case owner.ID == 0:
		return shopadapter.Retry("the product that has the SKU %s has just been deleted", sku)
	case w.abandoned(owner) && !w.a.owned(owner, w.Ref.Publication):
		body, s, err := w.beginning(ctx)
		if err != nil {
			return err
		}
		return w.reclaim(ctx, owner, body, s)
	case !w.a.owned(owner, w.Ref.Publication):
		return w.adopt(owner, hit, sku)
	}
	w.use(owner)
	if owner.Status == "trash" {
		return w.restore(ctx)
	}
	return nil
}

// restore takes a product of ours out of the trash, as a draft. The caller has cleared the hint, so
// it is wanted again.
func (w *write) restore(ctx context.Context) error {
	if err := w.put(ctx, map[string]any{"status": "draft"}, w.stamp, time.Time{}); err != nil {
		return err
	}
	w.restored = true
	return nil
}

// foreign is the error of a SKU that stands on a product which is not the publication's.
func (w *write) foreign(owner rest.Product, sku string) *shopadapter.Error {
	name := w.a.Clean(words.Plain(string(owner.Name)))
	if s := readStamp(rest.Stamp(owner.Meta)); s.original(int64(owner.ID)) {
		return shopadapter.Block(
			"the SKU %s is used by product #%d «%s», which is the listing of another publication", sku, owner.ID, name,
		)
	}
	if owner.Status == "trash" {
		return shopadapter.Block(
			"the SKU %s is used by your product #%d «%s» in the trash: delete it permanently", sku, owner.ID, name,
		)
	}
	return shopadapter.Block(
		"the SKU %s is used by your own product #%d «%s»: change its SKU, delete it, or set "+
			"PUBSYNC_WOOCOMMERCE_ADOPT=sku to have it kept in step",
		sku,
		owner.ID,
		name,
	)
}

// findToAdopt looks for the SKUs before a product is made, where products of the merchant's own are
// taken over. found: one of them is, or was.
func (w *write) findToAdopt(ctx context.Context) (found bool, err error) {
	hits, err := w.a.lookUp(ctx, w.skus(), "")
	if err != nil || len(hits) == 0 {
		return false, err
	}
	owners := map[rest.Number]rest.Product{}
	for _, hit := range hits {
		owner, known := owners[hit.Owner()]
		if !known {
			if owner, err = w.a.ownerOf(ctx, hit); err != nil {
				return false, err
			}
			owners[hit.Owner()] = owner
		}
		if w.a.owned(owner, w.Ref.Publication) {
			w.use(owner)
			return true, nil
		}
	}
	left, err := w.leftover(ctx)
	if err != nil || slices.ContainsFunc(left, w.finished) {
		return false, err // the publication has a listing, which create finds: none is adopted beside it
	}
	hit := hits[0]
	if err := w.continueWith(ctx, owners[hit.Owner()], hit, string(hit.SKU)); err != nil || !w.stamp.Adopted {
		return true, err
	}
	return true, w.discardAll(ctx, left, 0)
}

// adoptable says that a product of the merchant's own, which may be taken over, has the SKU of a
// variant of the product just begun.
type adoptable struct {
	owner, hit rest.Product
	sku        string
}

func (e *adoptable) Error() string {
	return "the SKU " + e.sku + " is used by product " + strconv.FormatInt(int64(e.owner.ID), 10)
}

// mayAdopt is nil where a product of the merchant's own may become the publication's.
func (w *write) mayAdopt(owner, hit rest.Product, sku string) error {
	refusal := w.foreign(owner, sku)
	shape := rest.Text("simple")
	if w.want.variable {
		shape = "variable"
	}
	switch {
	case !w.a.adopting, owner.Status == "trash", readStamp(rest.Stamp(owner.Meta)).original(int64(owner.ID)):
		return refusal
	case owner.Type != shape || (hit.ID != owner.ID) != w.want.variable:
		return shopadapter.Block(
			"product #%d «%s» has the SKU %s and cannot be taken over: it is %s, and the supplier's is %s",
			owner.ID,
			w.a.Clean(words.Plain(string(owner.Name))),
			sku,
			owner.Type,
			shape,
		)
	}
	return nil
}

// adopt makes a product of the merchant's own the publication's: its texts stay, price and stock
// are the supplier's from now on.
func (w *write) adopt(owner, hit rest.Product, sku string) error {
	if err := w.mayAdopt(owner, hit, sku); err != nil {
		return err
	}
	w.use(owner)
	w.stamp = newStamp(w.Ref.Publication)
	w.stamp.Adopted = true
	w.stamp.allMerchants()
	return nil
}
