package vendure

import (
	"context"
	"strings"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/internal/step"
	"github.com/pubsync/pubsync/shopadapter/stamp"
)

// Unpublish disables the product, or deletes it together with its option groups. Vendure keeps a
// deleted product for the orders that speak of it, out of everybody's sight. Pictures stay in the
// asset library.
func (a *Adapter) Unpublish(
	ctx context.Context, ref shopadapter.Ref, how shopadapter.Removal,
) (note string, err error) {
	return "", a.unpublish(ctx, ref, how)
}

func (a *Adapter) unpublish(ctx context.Context, ref shopadapter.Ref, how shopadapter.Removal) error {
	v, err := a.read(ctx, findDocument, ref, nil)
	for _, p := range v.products {
		switch {
		case err != nil:
		case how == shopadapter.Delete:
			err = a.remove(ctx, p.ID)
		case p.Enabled:
			err = goneIsDone(a.disable(ctx, p, stamp.Key(ref.Publication)))
		}
	}
	if err != nil || how != shopadapter.Delete {
		return err
	}
	return a.deleteGroups(ctx, stamp.Key(ref.Publication))
}

// disable takes a product out of sale. The stamp stays as it is, and a key that was lost is put
// back.
func (a *Adapter) disable(ctx context.Context, p *product, key string) error {
	change := input{"id": p.ID, "enabled": false}
	if p.key() == "" {
		change[custom] = input{"pubsyncId": key}
	}
	return step.Within(
		"disable product", a.call(ctx, updateProductDocument, map[string]any{"input": change}, nil),
	)
}

func (a *Adapter) remove(ctx context.Context, id string) error {
	var answer struct {
		Deleted struct {
			Result  string `json:"result"`
			Message string `json:"message"`
		} `json:"deleteProduct"`
	}
	if err := goneIsDone(a.call(ctx, deleteProductDocument, map[string]any{"id": id}, &answer)); err != nil {
		return step.Within("delete product", err)
	}
	if answer.Deleted.Result == "NOT_DELETED" {
		return shopadapter.Block("the shop does not delete the product %s: %s", id, a.scrub(answer.Deleted.Message))
	}
	return nil
}

// deleteGroups deletes the option groups made for a publication, which Vendure leaves behind when
// it deletes the product. One that a product of the merchant's uses, a duplicate say, stays.
func (a *Adapter) deleteGroups(ctx context.Context, key string) error {
	codes := make([]string, 0, maxGroups)
	for i := range maxGroups {
		codes = append(codes, groupCode(key, i))
	}
	found, err := a.groups(ctx, codes)
	if err != nil {
		return err
	}
	for _, g := range found {
		if !strings.HasPrefix(g.Code, groupPrefix(key)) {
			continue
		}
		if err := a.deleteGroup(ctx, g.ID); err != nil {
			return err
		}
	}
	return nil
}

// goneIsDone lets a deletion by somebody else, between the reading and this call, count as success.
func goneIsDone(err error) error {
	if hasCode(err, codeNotFound) {
		return nil
	}
	return err
}
