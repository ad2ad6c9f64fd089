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

// category finds the category with a handle, or makes it below the categories of its branch, of which it makes those that are missing. One that is there
// stays where the merchant has it.
func (a *Adapter) category(ctx context.Context, handle string, c shopadapter.Category) (string, error) {
	a.categories.Lock()
	defer a.categories.Unlock()
	return a.categoryBelow(ctx, handle, c)
}

// categoryBelow is category, for callers that hold the lock.
func (a *Adapter) categoryBelow(ctx context.Context, handle string, c shopadapter.Category) (string, error) {
	found, err := a.get(ctx, "find category", "product-categories", query{"handle": handle, "fields": "id,handle"})
	if err != nil {
		return "", err
	}
	if len(found.Categories) > 0 {
		return found.Categories[0].ID, nil
	}
	fields := input{"name": c.Label(), "handle": handle, "is_active": true}
	if n := len(c.Branch) - 1; n > 0 {
		above := shopadapter.Category{Path: c.Branch[n-1].Path, Branch: c.Branch[:n]}
		if fields["parent_category_id"], err = a.categoryBelow(ctx, categoryHandle(above)[0], above); err != nil {
			return "", err
		}
	}
	made, err := a.post(ctx, "create category", "product-categories", query{"fields": "id,handle"}, fields)
	if taken(err, "") {
		return "", shopadapter.Retry("the category %s has just been made by another program", handle)
	}
	return made.Category.ID, err
}
