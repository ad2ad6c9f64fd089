package conform

import (
	"context"
	"fmt"

	"github.com/pubsync/pubsync/shopadapter"
	httpshop "github.com/pubsync/pubsync/shopadapter/http"
)

func keyLaws() []Law {
	return []Law{{
		ID: "hostile-ids", check: checkHostileIDs,
		Sentence: "An id is data and may hold any character: ids that differ are different products, and each is " +
			"found again.",
	}}
}

// hostileIDs are ids that a careless endpoint confuses with each other, with a path, or with a
// member of its own.
func hostileIDs(run string) []shopadapter.PublicationID {
	forms := []string{
		"%s-a/b", "%s-a%%2Fb", "%s-a%%252Fb", "%s-a b", "%s-a+b", "%s-a%%20b", "%s-../up", "%s-..", "%s-?x=1", "%s-#x", "%s-a&b", "%s-a;b", "%s-ä", "%s-a\u0308", "%s-🌱",
		"%s-Id", "%s-iD", "%s-'\"", "%s-\\", "%s-x\ty", "%s-.", "%s-x.json", "../%s", "__proto__-%s", "%s-*", "%s-[0]", "%s-<b>", "%s-x ", "%s-x",
	}
	ids := make([]shopadapter.PublicationID, len(forms))
	for i, form := range forms {
		ids[i] = shopadapter.PublicationID(fmt.Sprintf(form, idPrefix+run))
	}
	return ids
}

func checkHostileIDs(ctx context.Context, b *bench) error {
	ids := hostileIDs(b.run)
	first := map[shopadapter.PublicationID]httpshop.Text{}
	owner := map[httpshop.Text]shopadapter.PublicationID{}
	for _, id := range ids {
		l, err := b.published(ctx, sample(b.own(id), 1))
		if err != nil {
			return fmt.Errorf("the id %q: %w", id, err)
		}
		if other, taken := owner[l.ID]; taken {
			return fmt.Errorf("the ids %q and %q are one listing, %q", other, id, l.ID)
		}
		first[id], owner[l.ID] = l.ID, id
	}
	for _, id := range ids {
		l, err := b.published(ctx, sample(id, 1))
		if err != nil {
			return fmt.Errorf("the id %q again: %w", id, err)
		}
		if l.ID != first[id] {
			return fmt.Errorf("the id %q was the listing %q and is %q", id, first[id], l.ID)
		}
	}
	if all, err := b.products(ctx); err == nil {
		for _, id := range ids {
			if _, err := one(all, string(id)); err != nil {
				return err
			}
		}
	} else if err = ignoreNoList(err); err != nil {
		return err
	}
	if err := b.stand(ctx, ids...); err != nil {
		return fmt.Errorf("%w: it was confused with one of the ids deleted before it", err)
	}
	return nil
}
