package laws

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/pubsync/pubsync/shopadapter"
)

func publishLaws() []Law {
	return []Law{
		{
			ID: "publish", core: true, check: checkPublish,
			Sentence: "Publishing makes one listing that is on sale and shows the product; the answer has the ids that the " +
				"shop gave to it and to its variants.",
		}, {
			ID: "idempotent", core: true, check: checkIdempotent,
			Sentence: "Publishing the same product again leaves the shop as it was, whichever groups are said to " +
				"have changed.",
		}, {
			ID: "last-wins", core: true, check: checkLastWins,
			Sentence: "After several publications the shop shows the last one, on the listing that was made first.",
		}, {
			ID: "only-changed", check: checkOnlyChanged,
			Sentence: "Only the field groups named in changed are written.",
		}, {
			ID: "restart-without-hint", core: true, needs: needs(restarts()), check: checkRestart,
			Sentence: "With nothing but the key, after a restart that lost every hint, publishing finds the listing that it " +
				"made before.",
		}, {
			ID: "stale-hint", core: true, check: checkStaleHint,
			Sentence: "A hint that points to a listing of the past or to another publication's, or is older than the " +
				"last write, does not mislead: the key decides.",
		}, {
			ID: "hostile-ids", core: true, check: checkHostileIDs,
			Sentence: "A publication id may hold any character; ids that differ are different listings, and text is " +
				"shown as it was given.",
		},
	}
}

func checkPublish(ctx context.Context, b *bench) error {
	for _, variants := range []int{1, 3} {
		p := b.sample(b.id(fmt.Sprint("variants-", variants)), variants)
		// On creation everything is written, so what is said to have changed makes no difference.
		_, listing, err := b.put(ctx, b.ref(p.ID), p, shopadapter.FieldPrice)
		if err != nil {
			return err
		}
		if len(listing.Refused) > 0 || listing.Kept != 0 {
			return fmt.Errorf(
				"a new listing: got refused variants %v and kept groups %s, want none",
				listing.Refused,
				listing.Kept,
			)
		}
		if err := b.expect(ctx, p); err != nil {
			return err
		}
		seen, err := b.one(ctx, p.ID)
		if err != nil {
			return err
		}
		if listing.ID != seen.Listing {
			return fmt.Errorf(
				"the listing id that publish returned: got %q, want the shop's %q",
				listing.ID,
				seen.Listing,
			)
		}
		for _, v := range seen.Variants {
			if listing.ShopIDs()[v.ID] != v.ShopID {
				return fmt.Errorf(
					"publish returned the shop's id %q for variant %s, the shop has %q",
					listing.ShopIDs()[v.ID],
					v.ID,
					v.ShopID,
				)
			}
		}
	}
	return nil
}

func checkIdempotent(ctx context.Context, b *bench) error {
	p := b.sample(b.id("same"), 3)
	ref, first, err := b.put(ctx, b.ref(p.ID), p, shopadapter.AllFields)
	if err != nil {
		return err
	}
	before, err := b.one(ctx, p.ID)
	if err != nil {
		return err
	}
	for _, changed := range []shopadapter.Fields{
		shopadapter.AllFields, shopadapter.NoFields, shopadapter.FieldVariants, shopadapter.FieldImages,
	} {
		again, listing, err := b.put(ctx, ref, p, changed)
		if err != nil {
			return fmt.Errorf("again, changed %s: %w", changed, err)
		}
		ref = again
		if listing.ID != first.ID || listing.URL != first.URL || !maps.Equal(listing.ShopIDs(), first.ShopIDs()) {
			return fmt.Errorf("again, changed %s: the result: got %s %s %v, want %s %s %v",
				changed, listing.ID, listing.URL, listing.ShopIDs(), first.ID, first.URL, first.ShopIDs())
		}
		after, err := b.one(ctx, p.ID)
		if err != nil {
			return fmt.Errorf("again, changed %s: %w", changed, err)
		}
		if diff := difference(before, after); diff != "" {
			return fmt.Errorf("again, changed %s: the shop changed:\n%s", changed, diff)
		}
	}
	return b.expect(ctx, p)
}

func checkLastWins(ctx context.Context, b *bench) error {
	p := b.sample(b.id("last"), 3)
	ref, first, err := b.put(ctx, b.ref(p.ID), p, shopadapter.AllFields)
	if err != nil {
		return err
	}
	for n := range 3 {
		p = b.revise(p, n+1)
		var listing shopadapter.Listing
		if ref, listing, err = b.put(ctx, ref, p, shopadapter.AllFields); err != nil {
			return err
		}
		if listing.ID != first.ID {
			return fmt.Errorf("the listing of revision %d: got %s, want the first, %s", n+1, listing.ID, first.ID)
		}
		if err := b.expect(ctx, p); err != nil {
			return fmt.Errorf("after revision %d: %w", n+1, err)
		}
	}
	return nil
}

func checkOnlyChanged(ctx context.Context, b *bench) error {
	shown := b.sample(b.id("groups"), 3)
	ref, err := b.made(ctx, shown)
	if err != nil {
		return err
	}
	groups := []shopadapter.Fields{
		shopadapter.FieldPrice, shopadapter.FieldTitle, shopadapter.FieldStock,
		shopadapter.FieldDescription, shopadapter.FieldImages, shopadapter.FieldCategory,
	}
	if !slices.ContainsFunc(groups, func(g shopadapter.Fields) bool { return !b.Hidden.Has(g) }) {
		return &Skip{"every field group is hidden, so that nothing tells what was written"}
	}
	// A change of a hidden group tells of the others that they stay.
	for n, group := range groups {
		revised := b.revise(shown, n+1)
		if ref, _, err = b.put(ctx, ref, revised, group); err != nil {
			return fmt.Errorf("changed %s: %w", group, err)
		}
		shown = merge(shown, revised, group)
		if err := b.expect(ctx, shown); err != nil {
			return fmt.Errorf("after a change of %s alone: %w", group, err)
		}
	}
	return nil
}

// merge is p with one group, the figures, or all, taken from q, which has the same variants.
func merge(p, q shopadapter.Product, group shopadapter.Fields) shopadapter.Product {
	if group == shopadapter.AllFields {
		return clone(q)
	}
	p = clone(p)
	switch group {
	case shopadapter.FieldTitle:
		p.Title = q.Title
	case shopadapter.FieldDescription:
		p.Description = q.Description
	case shopadapter.FieldImages:
		p.Images = q.Images
	case shopadapter.FieldCategory:
		p.Category = q.Category
	}
	for i := range p.Variants {
		switch group {
		case shopadapter.FieldPrice:
			p.Variants[i].Price = q.Variants[i].Price
		case shopadapter.FieldStock:
			p.Variants[i].Quantity, p.Variants[i].Backorders = q.Variants[i].Quantity, q.Variants[i].Backorders
		case figures:
			p.Variants[i].Price = q.Variants[i].Price
			p.Variants[i].Quantity, p.Variants[i].Backorders = q.Variants[i].Quantity, q.Variants[i].Backorders
		}
	}
	return p
}

func checkRestart(ctx context.Context, b *bench) error {
	p := b.sample(b.id("lost-store"), 3)
	first, err := b.made(ctx, p)
	if err != nil {
		return err
	}
	if b.Endpoint != nil {
		b.begin("restart the endpoint")
		if err := b.Restart(ctx); err != nil {
			return fmt.Errorf("restart: %w", err)
		}
	}
	if err := b.restart(); err != nil {
		return err
	}
	if err := b.expect(ctx, p); err != nil {
		return fmt.Errorf("after a restart: %w", err)
	}
	revised := b.revise(p, 1)
	_, listing, err := b.put(ctx, b.ref(p.ID), revised, shopadapter.AllFields)
	if err != nil {
		return err
	}
	if listing.ID != first.Listing {
		return fmt.Errorf("the listing after a restart: got %s, want %s", listing.ID, first.Listing)
	}
	if err := b.expect(ctx, revised); err != nil {
		return err
	}
	if err := b.restart(); err != nil {
		return err
	}
	if err := b.unpublish(ctx, b.ref(p.ID), shopadapter.TakeOffline); err != nil {
		return err
	}
	return b.expectOffSale(ctx, p.ID)
}

func checkStaleHint(ctx context.Context, b *bench) error {
	p := b.sample(b.id("old"), 3)
	old, err := b.made(ctx, p)
	if err != nil {
		return err
	}
	if err := b.unpublish(ctx, old, shopadapter.Delete); err != nil {
		return err
	}
	if _, err := b.made(ctx, p); err != nil {
		return fmt.Errorf("after a delete, with the key alone: %w", err)
	}
	p = b.revise(p, 1)
	if _, _, err := b.put(ctx, old, p, shopadapter.AllFields); err != nil {
		return fmt.Errorf("with the hint of the listing that was deleted: %w", err)
	}
	if err := b.expect(ctx, p); err != nil {
		return err
	}

	other := b.sample(b.id("other"), 1)
	otherRef, err := b.made(ctx, other)
	if err != nil {
		return err
	}
	crossed := shopadapter.Ref{Publication: p.ID, Listing: otherRef.Listing, State: otherRef.State}
	p = b.revise(p, 2)
	if _, _, err := b.put(ctx, crossed, p, shopadapter.AllFields); err != nil {
		return fmt.Errorf("with the hint of another publication: %w", err)
	}
	if err := errors.Join(b.expect(ctx, p), b.expect(ctx, other)); err != nil {
		return fmt.Errorf("with the hint of another publication: %w", err)
	}
	if err := b.unpublish(ctx, crossed, shopadapter.Delete); err != nil {
		return err
	}
	if err := errors.Join(b.expectOffSale(ctx, p.ID), b.expect(ctx, other)); err != nil {
		return err
	}
	return b.checkOlderState(ctx)
}

// checkOlderState publishes what is half the first and half new, with the State from before a write
// whose answer the caller did not live to record.
func (b *bench) checkOlderState(ctx context.Context) error {
	for _, changed := range []shopadapter.Fields{figures, shopadapter.AllFields} {
		p := b.sample(b.id("older-"+changed.String()), 3)
		ref, err := b.made(ctx, p)
		if err != nil {
			return err
		}
		if _, _, err := b.put(ctx, ref, b.revise(p, 1), changed); err != nil {
			return err
		}
		p.Variants[2] = b.revise(p, 2).Variants[2]
		if _, _, err := b.put(ctx, ref, p, changed); err != nil {
			return fmt.Errorf("with a state that is older than the last write: %w", err)
		}
		if err := b.expectIn(ctx, p, changed); err != nil {
			return fmt.Errorf("with a state that is older than the last write: %w", err)
		}
	}
	return nil
}

func checkHostileIDs(ctx context.Context, b *bench) error {
	ids := hostileIDs(b.Prefix)
	refs := make([]shopadapter.Ref, len(ids))
	products := make([]shopadapter.Product, len(ids))
	for i, id := range ids {
		products[i] = b.sample(id, 1)
		products[i].Title = fmt.Sprintf(`No. %d: Tom & "Jerry's" – ü, 日本 50%% {{title}} $1 \n`, i)
		var err error
		if refs[i], err = b.made(ctx, products[i]); err != nil {
			return err
		}
	}
	listings := map[shopadapter.ListingID]shopadapter.PublicationID{}
	for i, p := range products {
		if err := b.expect(ctx, p); err != nil {
			return err
		}
		if twin, taken := listings[refs[i].Listing]; taken {
			return fmt.Errorf("%q and %q share the listing %s", twin, p.ID, refs[i].Listing)
		}
		listings[refs[i].Listing] = p.ID
	}
	for i, p := range products {
		if err := b.stand(ctx, p.ID); err != nil {
			return fmt.Errorf("it was confused with an id that was deleted before it: %w", err)
		}
		if err := b.unpublish(ctx, b.ref(p.ID), shopadapter.Delete); err != nil {
			return err
		}
		if err := b.expectNone(ctx, p.ID); err != nil {
			return err
		}
		if i+1 < len(products) {
			if err := b.expect(ctx, products[i+1]); err != nil {
				return fmt.Errorf("after the delete of %q: %w", p.ID, err)
			}
		}
	}
	return nil
}

// hostileIDs are ids that a careless shop confuses with each other, with a path, or with a member
// of its own. In a shop that holds others' publications each has a prefix.
func hostileIDs(prefix string) []shopadapter.PublicationID {
	ids := []shopadapter.PublicationID{
		"../x", "..", ".", "a/b?c#d", "a%2Fb", "a%252Fb", "a/b", "a b", "a+b", "a%20b", "?x=1", "#x", "a&b", "a;b",
		`"quoted" 'twice' \ back`, "<script>alert(1)</script>", "a&b=c;d", "line\nbreak\ttab", "a", "A", " a", "%00",
		"r\u00e9sum\u00e9", "re\u0301sume\u0301", "日本語 🎏", "-rf", "*", "[0]", "a,b", "index", "x.json", "1", "01",
		"__proto__", "constructor",
		shopadapter.PublicationID(
			strings.Repeat("long ", 80),
		), shopadapter.PublicationID(strings.Repeat("long ", 80) + "er"),
	}
	if prefix == "" {
		return append(ids, "a ")
	}
	id := shopadapter.PublicationID(prefix)
	for i := range ids {
		ids[i] = id + ids[i]
	}
	return append(ids, id, "../"+id, "__proto__-"+id, id+" ")
}
