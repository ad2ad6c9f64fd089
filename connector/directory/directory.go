// Package directory keeps the marketplace's tree of categories as a fact of the store. It is read at the first
// look, daily, and for a missing category every ten minutes at most. If that fails the last reading counts.
package directory

import (
	"context"
	"log/slog"
	"math"
	"slices"
	"time"

	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/store"
)

const (
	goodFor   = 24 * time.Hour   // how long a reading or a refusal counts
	seekEvery = 10 * time.Minute // for missing categories, or after trouble
	timeout   = time.Minute      // of one reading
)

const fact store.Fact[tree] = "directory"

type tree struct {
	Nodes []marketplace.CategoryNode `json:"categories,omitempty"`
	Asked time.Time                  `json:"sought,omitzero"`
	Next  time.Time                  `json:"next,omitzero"` // when it is read again
	For   string                     `json:"for,omitempty"` // language and Options.Install
}

// Options are what a Keeper is made from.
type Options struct {
	Store  store.Store
	Market interface {
		Categories(ctx context.Context, language string) ([]marketplace.CategoryNode, error)
	}
	Language    string // the shop's: the first asked for
	Install     string // digest of the address and the configured credentials
	StoreFailed func(error)
	// Told is called with the categories at the first use and after each reading; it may be nil
	Told func([]marketplace.CategoryNode)
	Log  *slog.Logger
}

// A Keeper keeps the tree. Of several goroutines one asks the marketplace, and the others wait.
type Keeper struct {
	o      Options
	turn   chan struct{} // of 1: its holder uses what follows
	tree   *tree         // nil: not loaded
	byPath map[string]marketplace.CategoryNode
	top    int // depth of the roots
}

func New(o Options) *Keeper { return &Keeper{o: o, turn: make(chan struct{}, 1)} }

// Categorize sets the branch of a publication's category, as far as it is known. It may ask the marketplace.
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
	category := &p.Listing.Category
	if k.due(category.Path) {
		k.read(ctx)
	}
	category.Branch = k.branch(category.Path)
}

func (k *Keeper) load(ctx context.Context) {
	t, _, err := fact.Get(ctx, k.o.Store)
	if err != nil {
		k.o.StoreFailed(err)
		t = tree{}
	}
	// another language has other names, another account perhaps another tree
	if is := k.o.Language + " " + k.o.Install; t.For != is {
		t = tree{For: is}
	}
	k.tree = &t
	k.grow()
}

func (k *Keeper) due(path string) bool {
	now := time.Now()
	wait := k.tree.Next.Sub(now) // long, if the clock was set back since
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

func (k *Keeper) grow() {
	k.byPath, k.top = make(map[string]marketplace.CategoryNode, len(k.tree.Nodes)), math.MaxInt
	for _, n := range k.tree.Nodes {
		k.byPath[n.Path], k.top = n, min(k.top, n.Depth)
	}
	if k.o.Told != nil && len(k.tree.Nodes) > 0 {
		k.o.Told(k.tree.Nodes)
	}
}

// branch returns the categories from the root to a path, or nil if one or its name is missing. Depth tells whether
// a root is missing.
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
