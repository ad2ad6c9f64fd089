package woocommerce

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/kit"
)

// uncategorized is the slug of the category that a product without any is in.
const uncategorized = "uncategorized"

// categories finds the shop's category of one of the marketplace's, and makes the branch that is
// missing. A category that it makes carries a key in its slug, which a rename leaves alone.
type categories struct {
	*terms
	mapping mapping // folded path of the marketplace -> path in the shop
	makes   bool    // a branch that the shop lacks is made
}

// chosen is the category that was last looked for, and what was found.
type chosen struct {
	Path string `json:"p,omitempty"`
	ID   int64  `json:"i,omitempty"` // in the shop; 0: it had none
	// the branch was found level by level: the category stays the one of it, whatever it is called
	Same bool `json:"s,omitempty"`
}

// find is the shop's category, with id 0 where there is none. makes says that a missing one may be
// made, asked that a person waits: what was learned of the shop may be out of date.
func (c *categories) find(
	ctx context.Context, want shopadapter.Category, last *chosen, makes, asked bool,
) (*chosen, error) {
	got := &chosen{Path: want.Path}
	if want.Path == "" && want.Name == "" {
		return got, nil
	}
	age := listedFor
	if asked {
		age = askedFor
	}
	if err := c.open(ctx, age); err != nil {
		return nil, err
	}
	defer c.close()
	var mapped bool
	if got.ID, got.Same, mapped = c.lookUp(want, last); got.ID > 0 {
		return got, nil
	}
	if makes && c.makes && !mapped && whole(want) {
		for _, level := range want.Branch {
			parent := got.ID
			if got.ID = c.level(parent, level); got.ID > 0 {
				continue
			}
			var err error
			if got.ID, err = c.make(ctx, parent, level.Name, keyOf(level), asked); err != nil || got.ID == 0 {
				got.ID = 0
				return got, err
			}
		}
		got.Same = true
		return got, nil
	}
	if key := want.Path + "\n" + want.Name + "\n" + want.Trail("\n"); !c.told[key] {
		c.told[key] = true
		c.logger.Warn("category has no counterpart in the shop: make one of this name, or map it with "+
			"PUBSYNC_WOOCOMMERCE_CATEGORIES; then a run with --full moves what is there",
			"path", want.Path, "name", want.Label(), "branch", want.Trail(" / "))
	}
	return got, nil
}

// keyOf is what ends the slug of the category of a level.
func keyOf(level shopadapter.Level) string {
	if level.Path == "" {
		return ""
	}
	return kit.Digest(level.Path, 4)
}

// whole reports whether each level of the branch has a name that a category can have.
func whole(want shopadapter.Category) bool {
	return len(want.Branch) > 0 &&
		!slices.ContainsFunc(want.Branch, func(l shopadapter.Level) bool { return fold(l.Name) == "" })
}

// level is the category of a level below a parent: the one with its key, else the one of its name.
func (c *categories) level(parent int64, level shopadapter.Level) int64 {
	if id := c.keyed(keyOf(level)); id > 0 {
		return id
	}
	return c.at(parent, level.Name)
}

// lookUp is the category that the settings name. Where they name none, it is the one that the
// branch was before, the one of the same branch, of the same path, or of the same name. The last
// resort is the one that the settings name for the nearest path above. Where branches are made, a
// category of the same name counts only outside of any branch: below another it is another one.
func (c *categories) lookUp(want shopadapter.Category, last *chosen) (id int64, branch, mapped bool) {
	path := fold(want.Path)
	if target, ok := c.mapping[path]; ok {
		return c.target(target), false, true
	}
	if last != nil && last.Same && last.Path == want.Path &&
		c.one(func(t term) bool { return int64(t.ID) == last.ID }) > 0 {
		return last.ID, true, false
	}
	for i, level := range want.Branch {
		if id = c.level(id, level); id == 0 {
			break
		}
		if i == len(want.Branch)-1 {
			return id, true, false
		}
	}
	for _, folded := range []string{fold(strings.Join(want.Names(), "_")), path} {
		if id = c.byPath(folded); id > 0 {
			return id, false, false
		}
	}
	for _, name := range []string{want.Label(), want.Name} {
		id, parent := c.byName(name)
		if id > 0 && name != want.Path && (!c.makes || !whole(want) || parent == 0) {
			return id, false, false
		}
	}
	above := make([]string, 0, len(want.Branch))
	for _, level := range slices.Backward(want.Branch[:max(len(want.Branch)-1, 0)]) {
		above = append(above, fold(level.Path))
	}
	for cut := strings.LastIndexByte(path, '_'); cut >= 0; cut = strings.LastIndexByte(path[:cut], '_') {
		above = append(above, path[:cut])
	}
	for _, one := range above {
		if target, ok := c.mapping[one]; ok {
			return c.target(target), false, true
		}
	}
	return 0, false, false
}

// target is the category that a mapping names, by its path or its name.
func (c *categories) target(path string) int64 {
	if id := c.byPath(foldPath(path)); id > 0 {
		return id
	}
	id, _ := c.byName(path)
	return id
}

const mostDeep = 20

// byPath is the first category whose names from the root are these, folded.
func (c *categories) byPath(folded string) int64 {
	if folded == "" {
		return 0
	}
	by := map[number]term{}
	for _, one := range c.all {
		by[one.ID] = one
	}
	for _, one := range c.all {
		var names []string
		for at, ok := one, true; ok && len(names) < mostDeep; at, ok = by[at.Parent] {
			names = append(names, fold(string(at.Name)))
		}
		slices.Reverse(names)
		if strings.Join(names, "_") == folded {
			return int64(one.ID)
		}
	}
	return 0
}

// byName is the one category of a name, 0 where several have it.
func (c *categories) byName(name string) (id, parent int64) {
	for _, one := range c.all {
		if folded := fold(string(one.Name)); folded == "" || folded != fold(name) {
			continue
		}
		if id > 0 {
			return 0, 0
		}
		id, parent = int64(one.ID), int64(one.Parent)
	}
	return id, parent
}

// deleted reports whether the categories that were last written are no more, as of a call that began
// at a time.
func (c *categories) deleted(ctx context.Context, last kit.Written, begun time.Time) (bool, error) {
	if last.Exact == "" || last.IsMerchants() {
		return false, nil
	}
	return c.lacks(ctx, begun, func(id string) bool { return slices.Contains(strings.Split(last.Exact, ","), id) })
}

// hashCategories is the hash of the categories that a product is in: their ids.
func hashCategories(held []term) kit.Hash {
	var ids []int64
	for _, one := range held {
		if one.ID > 0 && one.Slug != uncategorized {
			ids = append(ids, int64(one.ID))
		}
	}
	return hashIDs(ids)
}

func hashIDs(ids []int64) kit.Hash {
	slices.Sort(ids)
	var all []string
	for _, id := range slices.Compact(ids) {
		all = append(all, strconv.FormatInt(id, 10))
	}
	return kit.Hash{Exact: strings.Join(all, ",")}
}

// digest stands for what the settings say of categories.
func (c *categories) digest() string {
	if len(c.mapping) == 0 && c.makes {
		return ""
	}
	return kit.Digest(kit.Encode(c.mapping)+strconv.FormatBool(c.makes), 8)
}
