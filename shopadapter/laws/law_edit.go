package laws

import (
	"context"
	"errors"
	"fmt"

	"github.com/pubsync/pubsync/shopadapter"
)

func editLaws() []Law {
	return []Law{
		{
			ID: "merchants-edit", needs: needs(edit()), check: checkMerchantsEdit,
			Sentence: "A text that the merchant edited stays and is named as kept, until it is reset; price, stock " +
				"and the other texts follow.",
		}, {
			ID: "edit-not-invented", needs: needs(faults()), check: checkEditNotInvented,
			Sentence: "An answer that was lost is not taken for the merchant's edit: the supplier's next text is " +
				"written.",
		},
	}
}

func textGroups() []shopadapter.Fields {
	return []shopadapter.Fields{
		shopadapter.FieldTitle,
		shopadapter.FieldDescription,
		shopadapter.FieldImages,
		shopadapter.FieldCategory,
	}
}

func checkMerchantsEdit(ctx context.Context, b *bench) error {
	for _, group := range textGroups() {
		if b.Hidden.Has(group) {
			continue
		}
		if err := b.checkEditOf(ctx, group); err != nil {
			return fmt.Errorf("an edit of %s: %w", group, err)
		}
	}
	return nil
}

func (b *bench) checkEditOf(ctx context.Context, group shopadapter.Fields) error {
	p := b.sample(b.id(group.String()), 3)
	ref, err := b.made(ctx, p)
	if err != nil {
		return err
	}
	before, err := b.one(ctx, p.ID)
	if err != nil {
		return err
	}
	if err := b.Edit(ctx, ref.Listing, group); err != nil {
		return fmt.Errorf("edit: %w", err)
	}
	edited, err := b.one(ctx, p.ID)
	if err != nil {
		return err
	}
	mine := text(edited, group)
	if mine == text(before, group) {
		return errors.New("the harness's Edit changed nothing that Observe shows")
	}
	follows := shopadapter.AllFields &^ group
	steps := []struct {
		name    string
		restart bool // every hint is lost
		changed shopadapter.Fields
		kept    shopadapter.Fields
	}{
		{"the supplier changes everything", false, shopadapter.AllFields, group},
		{"once more", false, shopadapter.AllFields, group},
		{"after a restart without hints", true, shopadapter.AllFields, group},
		{"the supplier changes price and stock", false, shopadapter.FieldPrice | shopadapter.FieldStock, 0},
	}
	for n, step := range steps {
		revised := b.revise(p, n+1)
		if step.restart {
			if err := b.restart(); err != nil {
				return err
			}
			ref = b.ref(p.ID)
		}
		var listing shopadapter.Listing
		if ref, listing, err = b.put(ctx, ref, revised, step.changed); err != nil {
			return fmt.Errorf("%s: %w", step.name, err)
		}
		if listing.Kept != step.kept {
			return fmt.Errorf("%s: kept: got %s, want %s", step.name, listing.Kept, step.kept)
		}
		seen, err := b.one(ctx, p.ID)
		if err != nil {
			return fmt.Errorf("%s: %w", step.name, err)
		}
		if now := text(seen, group); now != mine {
			return fmt.Errorf("%s: got %q, want the merchant's %q", step.name, now, mine)
		}
		if err := b.expectIn(ctx, revised, step.changed&follows); err != nil {
			return fmt.Errorf("%s: %w", step.name, err)
		}
	}
	return b.checkReset(ctx, ref, p, group)
}

// checkReset gives an edited group back to the supplier, whose it then stays.
func (b *bench) checkReset(
	ctx context.Context,
	ref shopadapter.Ref,
	p shopadapter.Product,
	group shopadapter.Fields,
) error {
	revised := b.revise(p, 5)
	ref.Reset = group
	for _, name := range []string{"reset", "the supplier's next change after a reset"} {
		next, listing, err := b.put(ctx, ref, revised, shopadapter.AllFields)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if listing.Kept != 0 {
			return fmt.Errorf("%s: kept: got %s, want none", name, listing.Kept)
		}
		if err := b.expect(ctx, revised); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		ref, revised = next, b.revise(p, 6)
	}
	return nil
}

func checkEditNotInvented(ctx context.Context, b *bench) error {
	return b.everyCut(ctx, func(c *cut) error {
		p := b.sample(b.id(c.name), 3)
		ref, err := b.made(ctx, p)
		if err != nil {
			return err
		}
		second := b.revise(p, 1)
		ref, err = c.strike(ref, func() (shopadapter.Ref, error) {
			next, _, err := b.try(ctx, ref, second, shopadapter.AllFields)
			return next, err
		})
		if err != nil && !c.met {
			return err
		}
		third := b.revise(p, 2)
		_, listing, err := b.put(ctx, ref, third, shopadapter.AllFields)
		if err != nil {
			return err
		}
		if listing.Kept != 0 {
			return fmt.Errorf("kept: got %s, want none, since no text was edited", listing.Kept)
		}
		return b.expect(ctx, third)
	})
}
