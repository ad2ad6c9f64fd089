package laws

import (
	"context"
	"errors"
	"fmt"

	"github.com/pubsync/pubsync/shopadapter"
)

func capabilityLaws() []Law {
	return []Law{
		{
			ID: "lister", check: checkLister,
			Sentence: "List ranges over what the adapter made, on sale or not, and nothing else; its refs are " +
				"good for Publish.",
		}, {
			ID: "checker", needs: needs(breakCredentials()), check: checkChecker,
			Sentence: "Check tells good credentials from bad ones and a shop that cannot be reached from both, and " +
				"changes nothing.",
		},
	}
}

func checkLister(ctx context.Context, b *bench) error {
	for _, err := range b.adapter.List(ctx, shopadapter.Query{}) {
		if errors.Is(err, shopadapter.ErrNoList) {
			return &Skip{"the shop has no list: a lost store is not rebuilt from it"}
		}
		break
	}
	shown, hidden, deleted := b.sample(
		b.id("shown"),
		3,
	), b.sample(
		b.id("hidden/../?#"),
		1,
	), b.sample(
		b.id("deleted"),
		1,
	)
	refs := map[shopadapter.PublicationID]shopadapter.Ref{}
	for _, p := range []shopadapter.Product{shown, hidden, deleted} {
		ref, err := b.made(ctx, p)
		if err != nil {
			return err
		}
		refs[p.ID] = ref
	}
	if err := b.unpublish(ctx, refs[hidden.ID], shopadapter.TakeOffline); err != nil {
		return err
	}
	if err := b.unpublish(ctx, refs[deleted.ID], shopadapter.Delete); err != nil {
		return err
	}
	if b.AddForeign != nil {
		if _, err := b.AddForeign(ctx, b.sample(b.id("foreign"), 1)); err != nil {
			return fmt.Errorf("add foreign: %w", err)
		}
	}
	if err := b.agree(ctx); err != nil {
		return err
	}
	for _, err := range b.adapter.List(ctx, shopadapter.Query{}) {
		if err != nil {
			return fmt.Errorf("list: %w", err)
		}
		break // a caller may stop early
	}
	var ref shopadapter.Ref
	for l, err := range b.adapter.List(ctx, shopadapter.Query{}) {
		if err != nil {
			return fmt.Errorf("listings: %w", err)
		}
		if l.Ref.Publication == shown.ID {
			ref = l.Ref
		}
	}
	shown = b.revise(shown, 1)
	if _, _, err := b.put(ctx, ref, shown, shopadapter.AllFields); err != nil {
		return fmt.Errorf("with a ref from listings: %w", err)
	}
	if err := b.expect(ctx, shown); err != nil {
		return fmt.Errorf("with a ref from listings: %w", err)
	}
	return b.checkListingsFail(ctx)
}

// agree holds the lister to what the shop shows.
func (b *bench) agree(ctx context.Context) error {
	products, err := b.snapshot(ctx)
	if err != nil {
		return err
	}
	want := map[shopadapter.PublicationID]Seen{}
	for _, s := range products {
		if s.Publication != "" {
			want[s.Publication] = s
		}
	}
	for l, err := range b.adapter.List(ctx, shopadapter.Query{}) {
		if err != nil {
			return fmt.Errorf("listings: %w", err)
		}
		s, ok := want[l.Ref.Publication]
		switch {
		case !ok:
			return fmt.Errorf(
				"listings names %q (listing %s), which the shop does not hold, or names it twice",
				l.Ref.Publication,
				l.Ref.Listing,
			)
		case l.Ref.Listing != s.Listing:
			return fmt.Errorf(
				"listings gives %q the listing %s, the shop %s",
				l.Ref.Publication,
				l.Ref.Listing,
				s.Listing,
			)
		case l.OnSale != s.OnSale:
			return fmt.Errorf("listings says on sale %t of %q, the shop %t", l.OnSale, l.Ref.Publication, s.OnSale)
		case l.OnSale && l.URL == "":
			return fmt.Errorf("listings gives %q, which is on sale, no address", l.Ref.Publication)
		}
		delete(want, l.Ref.Publication)
	}
	for id := range want {
		return fmt.Errorf("listings leaves out %q", id)
	}
	return nil
}

// checkListingsFail holds the lister to one error, at the end. An adapter without a transport is
// not asked.
func (b *bench) checkListingsFail(ctx context.Context) error {
	if b.NoTransport {
		return nil
	}
	lift := b.wire.arm(every, unsent)
	defer lift()
	var failed error
	for _, err := range b.adapter.List(ctx, shopadapter.Query{}) {
		if failed != nil {
			return fmt.Errorf("listings went on after the error %w", failed)
		}
		failed = err
	}
	if failed == nil {
		return errors.New("listings of a shop that cannot be reached ended without an error: it looks empty")
	}
	return nil
}

func checkChecker(ctx context.Context, b *bench) error {
	p := b.sample(b.id("there"), 1)
	if _, err := b.made(ctx, p); err != nil {
		return err
	}
	before, err := b.snapshot(ctx)
	if err != nil {
		return err
	}
	check := func(name string) error {
		if _, err := b.adapter.Check(ctx); err != nil {
			return fmt.Errorf("check, %s: %w", name, err)
		}
		return nil
	}
	if err := check("good credentials"); err != nil {
		return err
	}
	mend := b.BreakCredentials()
	_, err = b.adapter.Check(ctx)
	mend()
	if e := shopadapter.Explain(err); e == nil || e.Kind != shopadapter.Blocked {
		return fmt.Errorf("check with bad credentials: got %v, want an error of kind blocked", err)
	}
	if err := check("credentials mended"); err != nil {
		return err
	}
	if !b.NoTransport {
		lift := b.wire.arm(every, unsent)
		_, err := b.adapter.Check(ctx)
		lift()
		if err == nil || shopadapter.Explain(err).Kind == shopadapter.Blocked {
			return fmt.Errorf("check of a shop that cannot be reached: got %v, want an error that time mends", err)
		}
	}
	return b.unchanged(ctx, before)
}
