package conform

import (
	"context"
	"fmt"

	"github.com/pubsync/pubsync/shopadapter"
	httpshop "github.com/pubsync/pubsync/shopadapter/http"
)

func listLaws() []Law {
	return []Law{{
		ID: "list-agrees", check: checkList,
		Sentence: "The list holds each product once, with the id that PUT answered, and tells what is on sale from " +
			"what is not.",
	}}
}

func checkList(ctx context.Context, b *bench) error {
	if _, err := b.products(ctx); err != nil {
		return err
	}
	const n = 5
	answered := map[shopadapter.PublicationID]httpshop.Answer{}
	var ids []shopadapter.PublicationID
	for i := range n {
		p := sample(b.id(fmt.Sprint(i)), 1)
		l, err := b.published(ctx, p)
		if err != nil {
			return err
		}
		ids, answered[p.ID] = append(ids, p.ID), l
	}
	offline, deleted := ids[0], ids[1]
	if err := b.removed(ctx, offline, shopadapter.TakeOffline); err != nil {
		return err
	}
	if err := b.removed(ctx, deleted, shopadapter.Delete); err != nil {
		return err
	}
	all, err := b.products(ctx)
	if err != nil {
		return err
	}
	for _, id := range ids {
		if id == deleted {
			if len(all[string(id)]) > 0 {
				return fmt.Errorf("the list still holds %s, which was deleted", id)
			}
			continue
		}
		if id == offline && len(all[string(id)]) == 0 {
			continue // a shop may forget what it took out of sale
		}
		entry, err := one(all, string(id))
		if err != nil {
			return err
		}
		if entry.ID != answered[id].ID {
			return fmt.Errorf("the list says that %s is %q, PUT answered %q", id, entry.ID, answered[id].ID)
		}
		if entry.OnSale != (id != offline) {
			return fmt.Errorf("the list says of %s that onSale is %t", id, entry.OnSale)
		}
	}
	return nil
}
