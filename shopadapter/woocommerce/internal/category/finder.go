// Package category finds the shop's category for one of the marketplace's, and makes the branch of
// it that the shop lacks.
//
// A category has no place for a mark, so it is known by where it stands: its name below its parent.
// WooCommerce refuses a second one of the name there, with the id of the first. A branch is made
// from the root, one level after the other, by one goroutine at a time. Each level is looked for
// before it is made, so a second call finds what a first one made, also after a crash. Products
// whose category the shop refuses to make are sold without one.
//
// A category that the merchant renamed stays the one of its branch. It is known by its slug, which
// WordPress keeps, and by what the States of products remember.
//
// The list is read again after a while, since a category of it may have been deleted.
package category

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/stamp"
	"github.com/pubsync/pubsync/shopadapter/woocommerce/internal/rest"
	"github.com/pubsync/pubsync/shopadapter/woocommerce/internal/words"
)

const (
	// listedFor is how long the list of the shop's categories is good for.
	listedFor = 5 * time.Minute
	// askedFor is the same where a person asks, who has just made or deleted a category as a rule.
	askedFor = 10 * time.Second
	// failedFor is how long a list that could not be read is not asked for again by reviews, of
	// which there may be thousands.
	failedFor = 10 * time.Second
)

// uncategorized is the slug of the category that WordPress gives to a product without one.
const uncategorized = "uncategorized"

// A Finder knows the shop's categories, read when they are first needed.
type Finder struct {
	mapping map[string]string // folded path of the marketplace -> path in the shop
	makes   bool              // a branch that the shop lacks is made
	client  *rest.Client
	logger  *slog.Logger
	pause   time.Duration // between two looks for a category whose making was not answered

	turn chan struct{} // held by the goroutine that reads the list, or makes a branch

	mu      sync.Mutex
	read    time.Time
	failed  time.Time // when the list could last not be read
	why     error
	refused map[string]time.Time // when the shop last refused to make a branch, "" for every branch
	deaths  map[string]int       // how often PHP died of a branch
	tree    tree
	known   map[string]int64 // by folded branch: the category that it was, whatever it is called now
	warned  map[string]bool
}

// New is what a shop has, with the settings of the merchant.
func New(client *rest.Client, m Mapping, makes bool, pause time.Duration, logger *slog.Logger) *Finder {
	return &Finder{
		mapping: m, makes: makes, client: client, pause: pause, logger: logger, turn: make(chan struct{}, 1),
		refused: map[string]time.Time{}, deaths: map[string]int{}, known: map[string]int64{}, warned: map[string]bool{},
	}
}

// A match is what the shop holds for a category of the marketplace's.
type match struct {
	id     int64 // 0: nothing
	mapped bool  // the settings say where it belongs
	branch bool  // it is the branch itself
	read   time.Time
}

// Find is the shop's category for one of the marketplace's, as lookUp has it. One that the
// shop lacks is made with its branch where the settings let that be done and makes says so. 0:
// there is none, and the merchant is told once. asked: a person waits, who may have changed the
// categories just now. last is what was found for the product before; nil: nothing is known.
func (c *Finder) Find(
	ctx context.Context, want shopadapter.Category, last *Chosen, makes, asked bool,
) (id int64, branch bool, err error) {
	got, err := c.recent(ctx, want, last, asked)
	switch {
	case err != nil || got.id > 0 || want.Path == "" && want.Name == "":
		return got.id, got.branch, err
	case makes && c.makable(want, got, asked):
		id, err = c.makeBranch(ctx, want)
		return id, id > 0, err
	}
	c.warn(want)
	return 0, false, nil
}

// recent is what lookUp finds in a list that is young enough.
func (c *Finder) recent(
	ctx context.Context, want shopadapter.Category, last *Chosen, asked bool,
) (match, error) {
	if want.Path == "" && want.Name == "" {
		return match{}, nil
	}
	for {
		got := c.lookUp(want, last)
		if age := time.Since(got.read); !got.read.IsZero() && (age < askedFor || !asked && age < listedFor) {
			return got, nil
		}
		if err := c.Load(ctx, got.read); err != nil {
			return match{}, err
		}
	}
}

// lookUp is the category that the settings name. Where they name none, it is the one that the
// branch was before, the one of the same branch, of the same path, or of the same name. The last
// resort is the one that the settings name for the nearest path above. Where branches are made, a
// category of the same name counts only outside of any branch: below another category it is another
// one.
func (c *Finder) lookUp(want shopadapter.Category, last *Chosen) match {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.remember(last)
	path := words.Fold(want.Path)
	if target, ok := c.mapping[path]; ok {
		return match{id: c.tree.target(target), mapped: true, read: c.read}
	}
	makes := c.makes && whole(want)
	if last.of(want) && c.tree.has(last.ID) {
		return match{id: last.ID, branch: true, read: c.read}
	}
	if id := cmp.Or(c.tree.branch(want.Names()), c.was(want.Names())); id > 0 {
		return match{id: id, branch: true, read: c.read}
	}
	for _, branch := range []string{words.FoldNames(want.Names()), path} {
		if id := c.tree.byPath[branch]; id > 0 && branch != "" {
			return match{id: id, read: c.read}
		}
	}
	for _, name := range []string{want.Label(), want.Name} {
		if id := c.tree.byName[words.Fold(name)]; id > 0 && name != want.Path && (!makes || c.tree.parent[id] == 0) {
			return match{id: id, read: c.read}
		}
	}
	for i := len(want.Branch) - 2; i >= 0; i-- {
		if target, ok := c.mapping[words.Fold(want.Branch[i].Path)]; ok {
			return match{id: c.tree.target(target), mapped: true, read: c.read}
		}
	}
	for above := path; above != ""; {
		above = above[:max(strings.LastIndexByte(above, '_'), 0)]
		if target, ok := c.mapping[above]; ok {
			return match{id: c.tree.target(target), mapped: true, read: c.read}
		}
	}
	return match{read: c.read}
}

func (c *Finder) warn(want shopadapter.Category) {
	c.mu.Lock()
	key := want.Path + "\n" + want.Name + "\n" + words.FoldNames(want.Names())
	first := !c.warned[key]
	c.warned[key] = true
	c.mu.Unlock()
	if first {
		c.logger.Warn(
			"category has no counterpart in the shop: make one of this name, or map it with PUBSYNC_WOOCOMMERCE_CATEGORIES; "+
				"then a run with --full moves what is there",
			"path",
			want.Path,
			"name",
			want.Label(),
			"branch",
			want.Trail(" / "),
		)
	}
}

// Forget has the list read again when it is next needed.
func (c *Finder) Forget() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.read, c.tree = time.Time{}, tree{}
}

// When is when the list was last read.
func (c *Finder) When() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.read
}

// slug is the slug of a category, "" when it is not known.
func (c *Finder) slug(id int64) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.tree.slug[id]
}

// Load reads the list, unless another call has done so since.
func (c *Finder) Load(ctx context.Context, since time.Time) error {
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
	err := c.readAll(ctx)
	if !errors.Is(err, context.Canceled) {
		c.mu.Lock()
		c.failed, c.why = time.Now(), err
		c.mu.Unlock()
	}
	return err
}

// trouble is why the list could not be read a moment ago, nil where it could.
func (c *Finder) trouble() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if time.Since(c.failed) < failedFor {
		return c.why
	}
	return nil
}

// Hash tells a set of categories. That of a product without any is empty, also where
// WordPress calls it uncategorized.
func (c *Finder) Hash(held []rest.Placement) stamp.Hash {
	var ids []int64
	for _, p := range held {
		if p.Slug == "" {
			p.Slug = rest.Text(c.slug(int64(p.ID)))
		}
		if p.Slug != uncategorized && p.ID > 0 {
			ids = append(ids, int64(p.ID))
		}
	}
	slices.Sort(ids)
	var b strings.Builder
	for _, id := range slices.Compact(ids) {
		b.WriteString("," + strconv.FormatInt(id, 10))
	}
	return stamp.Hash{Exact: strings.TrimPrefix(b.String(), ",")}
}
