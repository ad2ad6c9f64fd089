package woocommerce

import (
	"context"
	"errors"
	"html"
	"log/slog"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/stamp"
)

const (
	// categoriesFor is how long the list of the shop's categories is good for while something is missing from it.
	categoriesFor = 5 * time.Minute
	// missingFor is the same where a person asks, who has just made a category as a rule.
	missingFor = 10 * time.Second
	// failedFor is how long a list that could not be read is not asked for again by reviews, of which there may be thousands.
	failedFor = 10 * time.Second
	// foundFor is how long the list is good for where a person asks and nothing is missing: another category may fit better now.
	foundFor = time.Minute
)

// uncategorized is the slug of the category that WordPress gives to a product without one.
const uncategorized = "uncategorized"

// categories knows the shop's categories, read when they are first needed.
type categories struct {
	mapping map[string]string // folded path of the marketplace -> path in the shop
	logger  *slog.Logger

	turn chan struct{} // held by the goroutine that reads the list

	mu     sync.Mutex
	read   time.Time
	failed time.Time // when the list could last not be read
	why    error
	byID   map[int64]string // slug
	byPath map[string]int64 // folded path from the root
	byName map[string]int64 // folded name; -1 for one that several have
	warned map[string]bool
}

func newCategories(mapping map[string]string, logger *slog.Logger) *categories {
	return &categories{mapping: mapping, logger: logger, turn: make(chan struct{}, 1), warned: map[string]bool{}}
}

// find is the shop's category for one of the marketplace's: the one that the settings name, the one of the same branch, the one of the same path, the one of
// the same name, or the one that the settings name for the nearest path above. 0: there is none, and the merchant is told once. asked: a person waits, who may have changed the
// categories just now.
func (c *categories) find(ctx context.Context, a *adapter, want shopadapter.Category, asked bool) (int64, error) {
	if want.Path == "" && want.Name == "" {
		return 0, nil
	}
	for {
		id, read := c.lookUp(want)
		age := time.Since(read)
		switch {
		case read.IsZero():
		case id > 0 && (!asked || age < foundFor):
			return id, nil
		case id == 0 && (!asked && age < categoriesFor || age < missingFor):
			c.warn(want)
			return 0, nil
		}
		if err := c.load(ctx, a, read); err != nil {
			return 0, err
		}
	}
}

func (c *categories) lookUp(want shopadapter.Category) (id int64, read time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	path := foldWords(want.Path)
	if target, ok := c.mapping[path]; ok {
		return c.target(target), c.read
	}
	for _, branch := range []string{foldNames(want.Names()), path} {
		if id := c.byPath[branch]; id > 0 && branch != "" {
			return id, c.read
		}
	}
	for _, name := range []string{want.Label(), want.Name} {
		if id := c.byName[foldWords(name)]; id > 0 && name != want.Path {
			return id, c.read
		}
	}
	for i := len(want.Branch) - 2; i >= 0; i-- {
		if target, ok := c.mapping[foldWords(want.Branch[i].Path)]; ok {
			return c.target(target), c.read
		}
	}
	for above := path; above != ""; {
		above = above[:max(strings.LastIndexByte(above, '_'), 0)]
		if target, ok := c.mapping[above]; ok {
			return c.target(target), c.read
		}
	}
	return 0, c.read
}

// target is the category that a setting names: by its path from the root, or by its name alone where that is unique.
func (c *categories) target(path string) int64 {
	folded := foldPath(path)
	if id := c.byPath[folded]; id > 0 {
		return id
	}
	return max(c.byName[folded], 0)
}

func (c *categories) warn(want shopadapter.Category) {
	c.mu.Lock()
	key := want.Path + "\n" + want.Name + "\n" + foldNames(want.Names())
	first := !c.warned[key]
	c.warned[key] = true
	c.mu.Unlock()
	if first {
		c.logger.Warn("category has no counterpart in the shop: make one of this name, or map it with PUBSYNC_WOOCOMMERCE_CATEGORIES; "+
			"then a run with --full moves what is there",
			"path", want.Path, "name", want.Label(), "branch", want.Trail(" / "))
	}
}

// forget has the list read again when it is next needed.
func (c *categories) forget() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.read, c.byPath, c.byName = time.Time{}, nil, nil
}

// when is when the list was last read.
func (c *categories) when() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.read
}

// slug is the slug of a category, "" when it is not known.
func (c *categories) slug(id int64) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.byID[id]
}

// load reads the list, unless another call has done so since.
func (c *categories) load(ctx context.Context, a *adapter, since time.Time) error {
	select {
	case c.turn <- struct{}{}:
		defer func() { <-c.turn }()
	case <-ctx.Done():
		return ctx.Err()
	}
	c.mu.Lock()
	done := c.read.After(since)
	c.mu.Unlock()
	if done {
		return nil
	}
	err := c.readAll(ctx, a)
	if !errors.Is(err, context.Canceled) {
		c.mu.Lock()
		c.failed, c.why = time.Now(), err
		c.mu.Unlock()
	}
	return err
}

// trouble is why the list could not be read a moment ago, nil where it could.
func (c *categories) trouble() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if time.Since(c.failed) < failedFor {
		return c.why
	}
	return nil
}

// mostCategoryPages bounds the list: twenty thousand categories.
const mostCategoryPages = 200

// readAll reads the list.
func (c *categories) readAll(ctx context.Context, a *adapter) error {
	type node struct {
		ID     number `json:"id"`
		Parent number `json:"parent"`
		Name   text   `json:"name"`
		Slug   text   `json:"slug"`
	}
	var nodes []node
	for page, err := range pages[node](ctx, a, "/products/categories", url.Values{"_fields": {"id,parent,name,slug"}}, mostCategoryPages) {
		if err != nil {
			return err
		}
		nodes = append(nodes, page.items...)
	}
	byID, byPath, byName := map[int64]string{}, map[string]int64{}, map[string]int64{}
	parents, names := map[number]number{}, map[number]string{}
	for _, n := range nodes {
		parents[n.ID], names[n.ID] = n.Parent, foldWords(string(n.Name))
		byID[int64(n.ID)] = string(n.Slug)
	}
	for _, n := range nodes {
		name := names[n.ID]
		if n.ID <= 0 || name == "" {
			continue
		}
		var path []string
		for at := n.ID; at != 0 && len(path) < 20; at = parents[at] {
			path = append(path, names[at])
		}
		slices.Reverse(path)
		if joined := strings.Join(path, "_"); byPath[joined] == 0 {
			byPath[joined] = int64(n.ID)
		}
		if byName[name] != 0 {
			byName[name] = -1
		} else {
			byName[name] = int64(n.ID)
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.read, c.byID, c.byPath, c.byName = time.Now(), byID, byPath, byName
	return nil
}

// foldWords is the words of a name in lower case, joined by underscores as the marketplace joins those of a path.
func foldWords(name string) string {
	name = strings.ToLower(strings.ReplaceAll(html.UnescapeString(name), "&", " and "))
	return strings.Join(strings.FieldsFunc(name, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r)
	}), "_")
}

// foldNames is the names of a branch, folded as the paths of the shop's categories are.
func foldNames(names []string) string {
	parts := make([]string, len(names))
	for i, name := range names {
		parts[i] = foldWords(name)
	}
	return strings.Join(parts, "_")
}

// foldPath is a path such as Garden/Tools, folded in the same way.
func foldPath(path string) string {
	var parts []string
	for part := range strings.SplitSeq(path, "/") {
		if folded := foldWords(part); folded != "" {
			parts = append(parts, folded)
		}
	}
	return strings.Join(parts, "_")
}

// categoryHash tells a set of categories. That of a product without any is empty, also where WordPress calls it uncategorized.
func (a *adapter) categoryHash(held []placement) stamp.Hash {
	var ids []int64
	for _, c := range held {
		if c.Slug == "" {
			c.Slug = text(a.categories.slug(int64(c.ID)))
		}
		if c.Slug != uncategorized && c.ID > 0 {
			ids = append(ids, int64(c.ID))
		}
	}
	slices.Sort(ids)
	var b strings.Builder
	for _, id := range slices.Compact(ids) {
		b.WriteString("," + strconv.FormatInt(id, 10))
	}
	return stamp.Hash{Exact: strings.TrimPrefix(b.String(), ",")}
}
