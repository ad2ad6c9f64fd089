package category

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/internal/step"
	"github.com/pubsync/pubsync/shopadapter/woocommerce/internal/rest"
	"github.com/pubsync/pubsync/shopadapter/woocommerce/internal/words"
)

const (
	// RefusedFor is how long a shop that refused to make a category is not asked to make another
	// one.
	RefusedFor = 10 * time.Minute

	// MostBranchDeaths is how often PHP may die of a branch before its products are sold without
	// it.
	MostBranchDeaths = 3

	// CodeTermExists refuses a second category of a name below one parent.
	CodeTermExists = "term_exists"
	mostName       = 200 // runes of a category's name that WordPress keeps
)

// whole reports whether a branch can be made: each of its levels has a name.
func whole(want shopadapter.Category) bool {
	for _, level := range want.Branch {
		if words.Fold(level.Name) == "" {
			return false
		}
	}
	return len(want.Branch) > 0
}

// makable reports whether a branch that was not found may be made. A category that the settings map
// is the merchant's to make: the name may be misspelt.
func (c *Finder) makable(want shopadapter.Category, got match, asked bool) bool {
	if !c.makes || got.mapped || !whole(want) {
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return asked ||
		time.Since(c.refused[""]) >= RefusedFor && time.Since(c.refused[words.FoldNames(want.Names())]) >= RefusedFor
}

// makeBranch makes what is missing of a branch, from the root, and returns the category at its end.
// One goroutine does so at a time. Each level is looked for below its parent before it is made, so
// a second call finds what a first one made, also after a crash. Where the shop refuses, the
// product is sold without the category.
func (c *Finder) makeBranch(ctx context.Context, want shopadapter.Category) (int64, error) {
	select {
	case c.turn <- struct{}{}:
		defer func() { <-c.turn }()
	case <-ctx.Done():
		return 0, ctx.Err()
	}
	id, err := c.grow(ctx, want)
	// a category of the branch may have been deleted meanwhile
	if err != nil && lastingly(err) && time.Since(c.When()) >= askedFor {
		if err = c.readAll(ctx); err == nil {
			id, err = c.grow(ctx, want)
		}
	}
	if err == nil || !lastingly(err) && !c.diesOf(want, err) {
		return id, err
	}
	c.refuse(want, err)
	return 0, nil
}

// diesOf counts the times that PHP died of a branch, and reports whether they are too many to go
// on.
func (c *Finder) diesOf(want shopadapter.Category, err error) bool {
	if !rest.Died(err) {
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	key := words.FoldNames(want.Names())
	c.deaths[key]++
	if c.deaths[key] < MostBranchDeaths {
		return false
	}
	delete(c.deaths, key)
	return true
}

// grow makes the levels that are missing, from the root.
func (c *Finder) grow(ctx context.Context, want shopadapter.Category) (id int64, err error) {
	for i, level := range want.Branch {
		parent := id
		if id = cmp.Or(c.at(parent, level.Name), c.before(want.Names()[:i+1])); id > 0 {
			continue
		}
		if id, err = c.makeOne(ctx, parent, level.Name); err != nil {
			return 0, err
		}
	}
	return id, nil
}

// lastingly reports whether the shop will not make a category until somebody does something about
// it.
func lastingly(err error) bool {
	return rest.Refused(err) != nil && shopadapter.Explain(err).Kind != shopadapter.Transient
}

// refuse records that the shop refuses to make a branch, and says so. A key that may make none is
// not tried with others.
func (c *Finder) refuse(want shopadapter.Category, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	key := words.FoldNames(want.Names())
	if status := rest.Refused(err).Status; status == http.StatusUnauthorized || status == http.StatusForbidden {
		key = ""
	}
	first := c.refused[key].IsZero()
	c.refused[key] = time.Now()
	if first {
		c.logger.Warn(
			"shop refuses to make a category: make it there, or map it with PUBSYNC_WOOCOMMERCE_CATEGORIES; then a "+
				"run with --full moves what is there",
			"branch",
			want.Trail(" / "),
			"error",
			err,
		)
	}
}

// at is the category of a name below a parent, 0 for none.
func (c *Finder) at(parent int64, name string) int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.tree.at(parent, name)
}

// makeOne makes one category below a parent. Where it may be there all the same, since the
// shop says so or its answer was lost, it is looked for.
func (c *Finder) makeOne(ctx context.Context, parent int64, name string) (int64, error) {
	body := map[string]any{"name": cleanName(name)}
	if parent > 0 {
		body["parent"] = parent
	}
	var made node
	_, err := c.client.Call(ctx, rest.Request{
		Method: http.MethodPost, Path: "/products/categories", Query: url.Values{"_fields": {fields}}, Body: body,
		Kind: rest.KindWrite,
	}, &made)
	if err == nil && made.ID > 0 {
		c.enter(int64(made.ID), parent, name, string(made.Slug))
		c.logger.Info("category made", "category", name, "id", int64(made.ID), "parent", parent)
		return int64(made.ID), nil
	}
	if err == nil {
		err = shopadapter.Retry("the shop did not say which category it made")
	}
	exists := rest.HasCode(err, CodeTermExists)
	if !exists && !rest.Uncertain(err) {
		return 0, err
	}
	for range lookAgain {
		if again := c.readAll(ctx); again != nil {
			return 0, again
		}
		if id := c.at(parent, name); id > 0 {
			return id, nil
		}
		if exists { // under a name that the shop has changed
			if id := rest.Refused(err).Resource; id > 0 && c.learn(id, parent, name) {
				return id, nil
			}
			return 0, err
		}
		if err := step.Pause(ctx, c.pause); err != nil {
			return 0, err
		}
	}
	return 0, err
}

// lookAgain is how often a category is looked for whose making was not answered: the shop may still
// be at it.
const lookAgain = 3

// learn has a category of the list count under a name that it is not listed by. It is false for one
// that is not listed below the parent.
func (c *Finder) learn(id, parent int64, name string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if above, listed := c.tree.parent[id]; !listed || above != parent {
		return false
	}
	c.tree.below[spot{parent, words.Fold(name)}] = id
	return true
}

// enter takes a new category into the tree.
func (c *Finder) enter(id, parent int64, name, slug string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.tree.slug[id], c.tree.parent[id] = slug, parent
	c.tree.stand(id, spot{parent, words.Fold(name)})
}

// cleanName is a name as WordPress keeps it whole: it strips what looks like a tag.
func cleanName(name string) string {
	if utf8.RuneCountInString(name) > mostName {
		name = string([]rune(name)[:mostName])
	}
	return strings.ReplaceAll(name, "<", "&lt;")
}
