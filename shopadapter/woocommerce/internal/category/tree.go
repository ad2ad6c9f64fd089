package category

import (
	"context"
	"html"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/pubsync/pubsync/shopadapter/internal/slug"
	"github.com/pubsync/pubsync/shopadapter/woocommerce/internal/rest"
	"github.com/pubsync/pubsync/shopadapter/woocommerce/internal/words"
)

// A tree is the shop's categories by what they are looked for. Names are folded.
type tree struct {
	slug   map[int64]string
	parent map[int64]int64
	byPath map[string]int64 // path from the root
	byName map[string]int64 // -1 for a name that several have
	below  map[spot]int64
	bySlug map[spot]int64 // renamed categories: under the slug of the name that they had
}

// A spot is where a category stands: below a parent, 0 for the root, under a name or a slug.
type spot struct {
	parent int64
	name   string
}

// A node is a category as the shop tells it.
type node struct {
	ID     rest.Number `json:"id"`
	Parent rest.Number `json:"parent"`
	Name   rest.Text   `json:"name"`
	Slug   rest.Text   `json:"slug"`
}

const (
	fields = "id,parent,name,slug"

	// mostPages bounds the list: twenty thousand categories.
	mostPages = 200
)

// readAll reads the list.
func (c *Finder) readAll(ctx context.Context) error {
	var nodes []node
	for page, err := range rest.Pages[node](ctx, c.client, "/products/categories", url.Values{"_fields": {fields}},
		mostPages) {
		if err != nil {
			return err
		}
		nodes = append(nodes, page.Items...)
	}
	tree := growTree(nodes)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.read, c.tree = time.Now(), tree
	return nil
}

// growTree makes the tree of a list. Of several categories at one spot the first counts.
func growTree(nodes []node) tree {
	t := tree{
		slug:   map[int64]string{},
		parent: map[int64]int64{},
		byPath: map[string]int64{},
		byName: map[string]int64{},
		below:  map[spot]int64{},
		bySlug: map[spot]int64{},
	}
	names := map[int64]string{}
	for _, n := range nodes {
		id := int64(n.ID)
		t.parent[id], names[id], t.slug[id] = int64(n.Parent), words.Fold(string(n.Name)), string(n.Slug)
	}
	for _, n := range nodes {
		id := int64(n.ID)
		name := names[id]
		if id <= 0 || name == "" {
			continue
		}
		var path []string
		for at := id; at != 0 && len(path) < 20; at = t.parent[at] {
			path = append(path, names[at])
		}
		slices.Reverse(path)
		if joined := strings.Join(path, "_"); t.byPath[joined] == 0 {
			t.byPath[joined] = id
		}
		t.stand(id, spot{t.parent[id], name})
		if before := t.slugs(id); !slices.Contains(before, slugOf(string(n.Name))) {
			for _, slug := range before {
				t.bySlug[spot{t.parent[id], slug}] = id
			}
		}
	}
	return t
}

// slugOf is the slug that WordPress makes of a name, "" for one without ASCII letters and digits.
func slugOf(name string) string { return slug.ASCII(html.UnescapeString(name), mostName) }

var numbered = regexp.MustCompile(`-\d+$`)

// slugs is what the slug of a category was made of: where another category had it, WordPress puts
// the parent's behind it, or a number.
func (t *tree) slugs(id int64) []string {
	all := []string{t.slug[id]}
	if before, ok := strings.CutSuffix(t.slug[id], "-"+t.slug[t.parent[id]]); ok {
		all = append(all, before)
	}
	for _, s := range all {
		all = append(all, numbered.ReplaceAllString(s, ""))
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// has reports whether the shop has a category.
func (t *tree) has(id int64) bool {
	_, ok := t.parent[id]
	return ok
}

// at is the category of a name below a parent, 0 for none. One that the merchant renamed counts
// where none has the name.
func (t *tree) at(parent int64, name string) int64 {
	if id := t.below[spot{parent, words.Fold(name)}]; id > 0 {
		return id
	}
	if s := slugOf(name); s != "" {
		return t.bySlug[spot{parent, s}]
	}
	return 0
}

// stand has a category be found at a spot, unless another is, and by its name where that is unique.
func (t *tree) stand(id int64, at spot) {
	if t.below[at] == 0 {
		t.below[at] = id
	}
	if t.byName[at.name] != 0 {
		t.byName[at.name] = -1
	} else {
		t.byName[at.name] = id
	}
}

// branch is the category at the end of a branch of names, found level by level; 0 where one of them
// is missing.
func (t *tree) branch(names []string) (id int64) {
	for _, name := range names {
		if id = t.at(id, name); id == 0 {
			return 0
		}
	}
	return id
}

// target is the category that a setting names: by its path from the root, or by its name alone
// where that is unique.
func (t *tree) target(path string) int64 {
	folded := words.FoldPath(path)
	if id := t.byPath[folded]; id > 0 {
		return id
	}
	return max(t.byName[folded], 0)
}
