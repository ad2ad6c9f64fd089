package laws

import (
	"context"
	"fmt"

	"github.com/pubsync/pubsync/shopadapter"
)

func observedEditLaws() []Law {
	return []Law{
		{
			ID: "observed-edit", needs: needs(edit()), check: checkObservedEdit,
			Sentence: "A text that the merchant edited is observed as edited, and no other is, until it is reset; the " +
				"title at least is compared.",
		}, {
			ID: "observed-unedited", check: checkObservedUnedited,
			Sentence: "What Publish wrote, whole or figures alone, is never observed as edited, however the shop escapes " +
				"or tidies it.",
		},
	}
}

// edits is the texts of a publication that are compared, and those of them that are edited.
func (b *bench) edits(ctx context.Context, id shopadapter.PublicationID) (
	compared, edited shopadapter.Fields, err error,
) {
	o, err := b.watched(ctx, id)
	if err != nil {
		return 0, 0, err
	}
	if extra := o.Compared &^ shopadapter.TextFields; extra != 0 {
		return 0, 0, fmt.Errorf("observed of %q: compared: got %s, which are no texts", id, extra)
	}
	if extra := o.Edited &^ o.Compared; extra != 0 {
		return 0, 0, fmt.Errorf("observed of %q: edited: got %s, which were not compared", id, extra)
	}
	return o.Compared, o.Edited, nil
}

// expectEdits is nil when these texts of a publication, and no others, are observed as edited.
func (b *bench) expectEdits(ctx context.Context, id shopadapter.PublicationID, want shopadapter.Fields) error {
	_, edited, err := b.edits(ctx, id)
	if err == nil && edited != want {
		err = fmt.Errorf("observed of %q: edited: got %s, want %s", id, edited, want)
	}
	return err
}

func checkObservedEdit(ctx context.Context, b *bench) error {
	for _, group := range textGroups() {
		if b.Hidden.Has(group) {
			continue
		}
		if err := b.checkObservedEditOf(ctx, group); err != nil {
			return fmt.Errorf("an edit of %s: %w", group, err)
		}
	}
	return nil
}

func (b *bench) checkObservedEditOf(ctx context.Context, group shopadapter.Fields) error {
	p := b.sample(b.id(group.String()), 3)
	ref, err := b.made(ctx, p)
	if err != nil {
		return err
	}
	compared, edited, err := b.edits(ctx, p.ID)
	switch {
	case err != nil:
		return err
	case edited != 0:
		return fmt.Errorf("before the edit: edited: got %s, want none", edited)
	case group == shopadapter.FieldTitle && !compared.Has(group):
		return fmt.Errorf("compared: got %s, want %s among them", compared, group)
	case !compared.Has(group):
		return nil
	}
	if err := b.Edit(ctx, ref.Listing, group); err != nil {
		return fmt.Errorf("edit: %w", err)
	}
	if err := b.expectEdits(ctx, p.ID, group); err != nil {
		return err
	}
	p = b.revise(p, 1)
	if ref, _, err = b.put(ctx, ref, p, shopadapter.AllFields); err != nil {
		return err
	}
	if err := b.expectEdits(ctx, p.ID, group); err != nil {
		return fmt.Errorf("kept by a publish: %w", err)
	}
	ref.Reset = group
	if _, _, err = b.put(ctx, ref, p, shopadapter.AllFields); err != nil {
		return err
	}
	if err := b.expectEdits(ctx, p.ID, shopadapter.NoFields); err != nil {
		return fmt.Errorf("after a reset: %w", err)
	}
	return nil
}

func checkObservedUnedited(ctx context.Context, b *bench) error {
	p := b.sample(b.id("plain"), 3)
	ref, err := b.made(ctx, p)
	if err != nil {
		return err
	}
	compared, _, err := b.edits(ctx, p.ID)
	if err != nil {
		return err
	}
	if compared == shopadapter.NoFields {
		return &Skip{"nothing tells whether a text was edited: no group is compared"}
	}
	unedited := func(after string, id shopadapter.PublicationID) error {
		if err := b.expectEdits(ctx, id, shopadapter.NoFields); err != nil {
			return fmt.Errorf("after %s: %w", after, err)
		}
		return nil
	}
	if err := unedited("a creation", p.ID); err != nil {
		return err
	}
	for n, changed := range []shopadapter.Fields{
		shopadapter.AllFields, shopadapter.FieldTitle, shopadapter.FieldDescription, shopadapter.FieldPrice,
		shopadapter.FieldImages, shopadapter.FieldCategory,
	} {
		p = merge(p, b.revise(p, n+1), changed)
		if ref, _, err = b.put(ctx, ref, p, changed); err != nil {
			return err
		}
		if err := unedited("a publish of "+changed.String(), p.ID); err != nil {
			return err
		}
	}
	if b.takesFigures(ctx) {
		p.Variants[0].Quantity += 5
		if ref, err = b.restock(ctx, ref, p, figures); err != nil {
			return err
		}
		if err := unedited("a restock", p.ID); err != nil {
			return err
		}
	}
	if err := b.unpublish(ctx, ref, shopadapter.TakeOffline); err != nil {
		return err
	}
	if _, _, err := b.put(ctx, ref, p, shopadapter.AllFields); err != nil {
		return err
	}
	if err := unedited("it came back", p.ID); err != nil {
		return err
	}
	if err := b.restart(); err != nil {
		return err
	}
	if err := unedited("a restart", p.ID); err != nil {
		return err
	}
	return b.checkOddTexts(ctx, unedited)
}

// checkOddTexts publishes texts that shops escape, tidy, trim or fold as they store them.
func (b *bench) checkOddTexts(
	ctx context.Context, unedited func(after string, id shopadapter.PublicationID) error,
) error {
	for n, odd := range []struct{ title, description string }{
		{`Tom & "Jerry's" – ü, 日本 50%`, `<p>Tom &amp; &quot;Jerry&#39;s&quot; &ndash; &euro;5 &lt;b&gt;</p>`},
		{`a < b > c &amp; d`, "<p>One<br>two<br />three</p>\r\n<ul><li>a</li>\n\n<li>b</li></ul>"},
		{`It's 5" wide; "so" it is…`, "Plain words, no markup & a sign\n\nand a second paragraph"},
		{`Emoji 🌱 and a\backslash`, ""},
	} {
		p := b.sample(b.id(fmt.Sprint("odd-", n)), 1)
		p.Title, p.Description = odd.title, odd.description
		p = translated(p)
		ref, err := b.made(ctx, p)
		if err != nil {
			return err
		}
		if err := unedited("a creation of "+odd.title, p.ID); err != nil {
			return err
		}
		p.Variants[0].Price = "33.33"
		if _, _, err := b.put(ctx, ref, p, shopadapter.FieldPrice|shopadapter.FieldTitle); err != nil {
			return err
		}
		if err := unedited("a publish of "+odd.title, p.ID); err != nil {
			return err
		}
	}
	return nil
}
