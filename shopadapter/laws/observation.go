package laws

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/pubsync/pubsync/shopadapter"
)

// observation observes, and gives the law's own publications.
func (b *bench) observation(ctx context.Context, what shopadapter.Query) (
	map[shopadapter.PublicationID]shopadapter.Listed, error,
) {
	b.begin("observe (%s)", asked(what))
	all := map[shopadapter.PublicationID]shopadapter.Listed{}
	for one, err := range b.adapter.List(ctx, what) {
		id := one.Ref.Publication
		_, twice := all[id]
		switch {
		case errors.Is(err, shopadapter.ErrNoList), b.Endpoint != nil && err == nil && one.Variants == nil && one.Images < 0:
			return nil, &Skip{notObserved}
		case err != nil:
			return nil, fmt.Errorf("observe: %w", err)
		case id == "":
			return nil, fmt.Errorf("observe: got listing %q without a publication, want none", one.Ref.Listing)
		case twice:
			return nil, fmt.Errorf("observe: got %q twice, want it once", id)
		case strings.HasPrefix(string(id), string(b.id(""))):
			all[id] = one
		}
	}
	return all, nil
}

// asked is an observation in words.
func asked(what shopadapter.Query) string {
	if what.Refs == nil {
		return "all"
	}
	return fmt.Sprintf("%d listings", len(what.Refs))
}

// watched is one publication as a complete observation has it.
func (b *bench) watched(ctx context.Context, id shopadapter.PublicationID) (shopadapter.Listed, error) {
	all, err := b.observation(ctx, shopadapter.Query{})
	if err != nil {
		return shopadapter.Listed{}, err
	}
	o, ok := all[id]
	if !ok {
		return o, fmt.Errorf("observe: got nothing of %q, want its listing", id)
	}
	return o, nil
}

// expectObserved is nil when a complete observation has p as it was written, on sale.
func (b *bench) expectObserved(ctx context.Context, p shopadapter.Product, l shopadapter.Listing) error {
	o, err := b.watched(ctx, p.ID)
	if err != nil {
		return err
	}
	return b.asWritten(o, p, l)
}

// asWritten compares an observation with what was published, and what that answered.
func (b *bench) asWritten(o shopadapter.Listed, p shopadapter.Product, l shopadapter.Listing) error {
	var faults []error
	wrong := func(what string, got, want any) {
		faults = append(faults, fmt.Errorf("observed of %q: %s: got %v, want %v", p.ID, what, got, want))
	}
	if o.Ref.Listing != l.ID {
		wrong("the listing", o.Ref.Listing, l.ID)
	}
	if !o.OnSale {
		wrong("on sale", false, true)
	}
	told := o.Images >= 0 || !b.Hidden.Has(shopadapter.FieldImages)
	if want := len(p.Pictures()); told && o.Images != want {
		wrong("the number of pictures", o.Images, want)
	}
	if o.Variants == nil && b.Hidden.Has(figures) {
		return errors.Join(faults...)
	}
	if len(o.Variants) != len(p.Variants) {
		wrong("the number of variants", len(o.Variants), len(p.Variants))
	}
	for _, v := range p.Variants {
		faults = append(faults, b.variantAsWritten(o, v, l))
	}
	return errors.Join(faults...)
}

func (b *bench) variantAsWritten(o shopadapter.Listed, v shopadapter.Variant, l shopadapter.Listing) error {
	got, err := observedVariant(o, v.ID, l)
	if err != nil {
		return err
	}
	var faults []error
	wrong := func(what string, got, want any) {
		faults = append(faults, fmt.Errorf("observed of variant %s: %s: got %v, want %v", v.ID, what, got, want))
	}
	if got.SKU != v.SKU && !b.Hidden.Has(shopadapter.FieldVariants) {
		wrong("sku", got.SKU, v.SKU)
	}
	if !sameAmount(got.Price, v.Price) && !b.Hidden.Has(shopadapter.FieldPrice) {
		wrong("price", got.Price, v.Price)
	}
	if stock := !b.Hidden.Has(shopadapter.FieldStock); stock {
		if got.Uncounted {
			wrong("uncounted", true, false)
		}
		if got.Quantity != v.Quantity {
			wrong("quantity", got.Quantity, v.Quantity)
		}
		if got.Backorders != v.Backorders {
			wrong("backorders", got.Backorders, v.Backorders)
		}
	}
	if !got.OnSale {
		wrong("on sale", false, true)
	}
	return errors.Join(faults...)
}

// observedVariant is the variant of the marketplace's id.
func observedVariant(o shopadapter.Listed, id string, l shopadapter.Listing) (shopadapter.ListedVariant, error) {
	var found []shopadapter.ListedVariant
	ids, made := make([]string, 0, len(o.Variants)), l.ShopIDs()[id]
	for _, v := range o.Variants {
		if ids = append(ids, v.ShopID); v.ID == id || v.ShopID == made && made != "" {
			found = append(found, v)
		}
	}
	if len(found) != 1 {
		return shopadapter.ListedVariant{}, fmt.Errorf(
			"observed of %q: variants with the id %s, or %s: got %d among %q, want 1",
			o.Ref.Publication, made, id, len(found), ids,
		)
	}
	return found[0], nil
}
