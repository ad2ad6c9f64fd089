package conform

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"github.com/pubsync/pubsync/shopadapter"
	httpshop "github.com/pubsync/pubsync/shopadapter/http"
)

func goneLaws() []Law {
	return []Law{{
		ID: "deleted-by-hand", check: checkDeletedByHand,
		Sentence: `A listing that was deleted by hand answers PUT with 410 and {"deleted":true}, until the header Pubsync-Recreate has it made anew.`,
	}}
}

// errMadeAnew is how a shop answers that does not tell of deletions.
var errMadeAnew = &Skip{"the endpoint makes a listing that was deleted by hand anew at once: 410 is optional"}

func checkDeletedByHand(ctx context.Context, b *bench) error {
	if b.DeleteByHand == nil {
		return &Skip{"nothing says how a listing is deleted by hand: name a program with --delete-by-hand"}
	}
	p, other := sample(b.id("a"), 2), sample(b.id("other"), 1)
	first, err := b.published(ctx, p)
	if err != nil {
		return err
	}
	stays, err := b.published(ctx, other)
	if err != nil {
		return err
	}
	if err := b.DeleteByHand(ctx, string(first.ID), p.ID); err != nil {
		return fmt.Errorf("delete listing %s by hand: %w", first.ID, err)
	}
	if err := b.gone(ctx, p); err != nil {
		return err
	}
	if err := b.gone(ctx, p); err != nil {
		return fmt.Errorf("the first PUT was answered 410, and a second without Pubsync-Recreate not: %v", err)
	}
	if again, err := b.published(ctx, other); err != nil || again.ID != stays.ID {
		return fmt.Errorf(
			"another product was %q before the deletion by hand and is %q after it (%v)",
			stays.ID,
			again.ID,
			err,
		)
	}
	all, err := b.products(ctx)
	if err == nil && len(all[string(p.ID)]) > 0 {
		return errors.New("the list still holds what was deleted by hand")
	}
	if err = ignoreNoList(err); err != nil {
		return err
	}
	anew, err := b.recreated(ctx, p)
	if err != nil {
		return err
	}
	if after, err := b.published(ctx, p); err != nil || after.ID != anew.ID {
		return fmt.Errorf("made anew it was %q, and the next PUT answers %q (%v)", anew.ID, after.ID, err)
	}
	if err := b.DeleteByHand(ctx, string(anew.ID), p.ID); err != nil {
		return fmt.Errorf("delete listing %s by hand: %w", anew.ID, err)
	}
	return b.removed(ctx, p.ID, shopadapter.Delete)
}

// gone is nil where PUT says that the listing was deleted by hand.
func (b *bench) gone(ctx context.Context, p shopadapter.Product) error {
	r, err := b.put(ctx, p)
	var said struct{ Deleted any }
	switch {
	case err != nil:
		return err
	case r.ok():
		return errMadeAnew
	case r.status == http.StatusGone && json.Unmarshal(r.body, &said) == nil && said.Deleted == true:
		return nil
	}
	return fmt.Errorf(
		`PUT of what was deleted by hand was answered %d: 410 with {"deleted":true} is wanted, or a listing made anew. `+
			`A bare 404, 405 or 410 is a wrong address, and pauses the whole shop`,
		r.status,
	)
}

// recreated has a listing made anew that somebody asked for.
func (b *bench) recreated(ctx context.Context, p shopadapter.Product) (httpshop.Answer, error) {
	r, err := b.putChanged(ctx, p, shopadapter.AllFields, http.Header{"Pubsync-Recreate": {"true"}})
	if err != nil {
		return httpshop.Answer{}, err
	}
	l, err := readListing(r)
	if err == nil {
		err = sameVariants(p, l)
	}
	if err != nil {
		return l, fmt.Errorf("with Pubsync-Recreate, after a deletion by hand: %w", err)
	}
	return l, nil
}
