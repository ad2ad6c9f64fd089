// Package directory keeps the marketplace's tree of categories, so that a product's whole branch is
// known. It is one fact of the store, read at the first look, once a day, with another token, and at a
// category that it lacks, every ten minutes at most. Where it cannot be read the last reading counts.
package directory

import (
	"context"
	"log/slog"
	"math"
	"slices"
	"sync/atomic"
	"time"

	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/store"
)

const (
	goodFor   = 24 * time.Hour   // what was read, and a refusal
	seekEvery = 10 * time.Minute // between two readings for categories that the tree lacks, or after trouble
	timeout   = time.Minute      // of one reading
)

const fact store.Fact[tree] = "directory"

// A tree is what was last read.
type tree struct {
	Nodes []marketplace.CategoryNode `json:"categories,omitempty"`
	Asked time.Time                  `json:"sought,omitzero"` // when it was asked for last
	Next  time.Time                  `json:"next,omitzero"`   // when it is read again
	For   string                     `json:"for,omitempty"`   // the language of its names, and Options.Install
}

// Options are what a Keeper is made from.
type Options struct {
	Store  store.Store
	Market interface {
		Categories(ctx context.Context, language string) ([]marketplace.CategoryNode, error)
	}
	Language    string      // of the shop: the first of the languages asked for
	Install     string      // a digest of the marketplace's address and the configured credentials
	StoreFailed func(error) // is called with an error of the store
	// Told is called with the categories that the store had at the first use, and each time that they
	// were read; nil: it is not called
	Told func([]marketplace.CategoryNode)
	Log  *slog.Logger
}

// A Keeper keeps the tree. Its methods may be called from any goroutine: one of them asks the
// marketplace, and the others wait for its answer.
type Keeper struct {
	o       Options
	turn    chan struct{} // of 1: whoever has it uses what follows
	tree    *tree         // nil: not loaded yet
	byPath  map[string]marketplace.CategoryNode
	top     int         // the depth of the categories that have none above them
	renewed atomic.Bool // there is a new token
}

func New(o Options) *Keeper { return &Keeper{o: o, turn: make(chan struct{}, 1)} }

// Forget has the tree read anew, after a change of token.
func (k *Keeper) Forget() { k.renewed.Store(true) }

// Categorize records in a publication the branch of the tree that its category stands in, as far as
// that is known. It may ask the marketplace.
func (k *Keeper) Categorize(ctx context.Context, p *marketplace.Publication) {
	if p == nil || p.Listing == nil || p.Listing.Category.Path == "" {
		return
	}
	select {
	case k.turn <- struct{}{}:
	case <-ctx.Done():
		return
	}
	defer func() { <-k.turn }()
	if k.tree == nil {
		k.load(context.WithoutCancel(ctx))
	}
	if k.renewed.Swap(false) {
		k.tree.Next = time.Time{}
	}
	category := &p.Listing.Category
	if k.due(category.Path) {
		k.read(ctx)
	}
	category.Branch = k.branch(category.Path)
}

// load takes what the store holds. What it cannot read is read again from the marketplace.
func (k *Keeper) load(ctx context.Context) {
	t, _, err := fact.Get(ctx, k.o.Store)
	if err != nil {
		k.o.StoreFailed(err)
		t = tree{}
	}
	// names of another language lead to other branches, and another account may have another tree
	if is := k.o.Language + " " + k.o.Install; t.For != is {
		t = tree{For: is}
	}
	k.tree = &t
	k.grow()
}

// due reports whether the tree is to be read, where a category is looked for.
func (k *Keeper) due(path string) bool {
	now := time.Now()
	wait := k.tree.Next.Sub(now) // a time further ahead is that of a clock which was set back since
	_, has := k.byPath[path]
	return wait <= 0 || wait > goodFor ||
		!has && len(k.tree.Nodes) > 0 && now.Sub(k.tree.Asked).Abs() >= seekEvery
}

func (k *Keeper) read(ctx context.Context) {
	asking, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	now := time.Now()
	nodes, err := k.o.Market.Categories(asking, k.o.Language)
	if ctx.Err() != nil {
		return
	}
	k.tree.Asked, k.tree.Next = now, now.Add(goodFor)
	if err == nil {
		k.tree.Nodes = nodes
		k.grow()
	} else {
		if !marketplace.IsRefusal(err) {
			k.tree.Next = now.Add(seekEvery)
		}
		k.o.Log.Warn("marketplace does not show its categories, to be asked again",
			"after", k.tree.Next.Sub(now).String(), "error", err)
	}
	if err := fact.Set(ctx, k.o.Store, *k.tree); err != nil {
		k.o.StoreFailed(err)
	}
}

// grow readies the tree for branch, and tells of it.
func (k *Keeper) grow() {
	k.byPath, k.top = make(map[string]marketplace.CategoryNode, len(k.tree.Nodes)), math.MaxInt
	for _, n := range k.tree.Nodes {
		k.byPath[n.Path], k.top = n, min(k.top, n.Depth)
	}
	if k.o.Told != nil && len(k.tree.Nodes) > 0 {
		k.o.Told(k.tree.Nodes)
	}
}

// branch is the categories from the root to the one with a path. It is nil where the tree lacks one
// of them or its name, and where the depth of the first says that others are above it.
func (k *Keeper) branch(path string) (branch []marketplace.CategoryNode) {
	const mostLevels = 10 // the specification shows three
	for range mostLevels {
		n := k.byPath[path]
		if n.Name == "" {
			return nil
		}
		branch = append(branch, n)
		if path = n.Parent; path != "" {
			continue
		}
		if n.Depth > k.top {
			return nil
		}
		slices.Reverse(branch)
		return branch
	}
	return nil // it has no root
}
