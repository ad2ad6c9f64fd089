package vendure

import (
	"context"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/kit"
)

// Unpublish disables the product, or deletes it with its option groups. Pictures stay in the asset library.
func (a *Adapter) Unpublish(
	ctx context.Context, ref shopadapter.Ref, how shopadapter.Removal,
) (said string, err error) {
	_, products, err := a.read(ctx, findDocument, ref, input{})
	if err != nil {
		return "", err
	}
	key := kit.Key(ref.Publication)
	for _, p := range products {
		if how == shopadapter.Delete {
			err = a.remove(ctx, p.ID)
		} else if p.Enabled {
			err = goneIsDone(a.disable(ctx, p, key))
		}
		if err != nil {
			return "", err
		}
	}
	if how != shopadapter.Delete {
		return "", nil
	}
	return "", a.deleteGroups(ctx, key)
}

// disable takes a product off sale, leaves the note alone and restores a lost key.
func (a *Adapter) disable(ctx context.Context, p *product, key string) error {
	change := input{"id": p.ID, "enabled": false}
	if p.key() == "" {
		change["customFields"] = input{"pubsyncId": key}
	}
	return a.call(ctx, updateProductDocument, input{"input": change}, nil)
}

func (a *Adapter) remove(ctx context.Context, id string) error {
	var answer struct {
		DeleteProduct struct{ Result, Message string }
	}
	if err := goneIsDone(a.call(ctx, deleteProductDocument, input{"id": id}, &answer)); err != nil {
		return err
	}
	if said := answer.DeleteProduct; said.Result == "NOT_DELETED" {
		return shopadapter.Block("the shop does not delete the product %s: %s", id, a.wire.Clean(said.Message))
	}
	return nil
}

// deleteGroups deletes the publication's option groups, which Vendure keeps when it deletes the product. Groups in
// use by another product stay.
func (a *Adapter) deleteGroups(ctx context.Context, key string) error {
	var codes []string
	for i := range maxGroups {
		codes = append(codes, groupCode(key, i))
	}
	found, err := a.findGroups(ctx, codes)
	if err != nil {
		return err
	}
	for _, g := range found {
		if err := a.deleteGroup(ctx, g.ID); err != nil {
			return err
		}
	}
	return nil
}
