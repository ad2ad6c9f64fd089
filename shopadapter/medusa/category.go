package medusa

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/stamp"
)

// categoryHandle is the handle of a category as a list: the words of its path, none for no category.
func categoryHandle(c shopadapter.Category) []string {
	path := cmp.Or(c.Path, c.Name)
	if path == "" {
		return nil
	}
	return []string{cmp.Or(strings.TrimSuffix(plain(path, 200), "-"), stamp.Digest(path, 8))}
}

func (p *product) categories() []string {
	var list []string
	for _, c := range p.Categories {
		list = append(list, c.Handle)
	}
	slices.Sort(list)
	return list
}

// category finds the category with a handle, or makes it.
func (a *Adapter) category(ctx context.Context, handle string, c shopadapter.Category) (string, error) {
	a.categories.Lock()
	defer a.categories.Unlock()
	found, err := a.get(ctx, "find category", "product-categories", query{"handle": handle, "fields": "id,handle"})
	if err != nil {
		return "", err
	}
	if len(found.Categories) > 0 {
		return found.Categories[0].ID, nil
	}
	made, err := a.post(ctx, "create category", "product-categories", query{"fields": "id,handle"},
		input{"name": cmp.Or(c.Name, c.Path), "handle": handle, "is_active": true})
	if taken(err, "") {
		return "", shopadapter.Retry("the category %s has just been made by another program", handle)
	}
	return made.Category.ID, err
}
