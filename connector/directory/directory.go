// Package directory keeps what the marketplace has beside the import list: the account that the list
// belongs to, the channels, which are the stores that the account feeds, and the tree of categories.
//
// It is one fact of the store, read once a day, with another token, and at a category that the tree
// lacks, every ten minutes at most. Of a part that the marketplace refuses the last reading counts.
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
	checked   = 5 * time.Second  // how often a worker checks whether a reading is due
	timeout   = time.Minute      // of one reading
)

// fact is the directory in the store.
const fact store.Fact[List] = "directory"

// A List is what was last read of the directory.
type List struct {
	Account  marketplace.Holder         `json:"account"`
	Channels []marketplace.Channel      `json:"channels,omitempty"`
	Nodes    []marketplace.CategoryNode `json:"categories,omitempty"`
	// why a part was not read the last time: account, channels or categories
	Refused map[string]string `json:"refused,omitempty"`

	At     time.Time `json:"at,omitzero"`     // when some part was read last
	Sought time.Time `json:"sought,omitzero"` // when it was asked for last for a category that it lacks
	Next   time.Time `json:"next,omitzero"`   // when it is read again
	For    string    `json:"for,omitempty"`   // the language of the categories' names, and Options.Install
}

// ListOf is what a store holds of the list.
func ListOf(ctx context.Context, s store.Store) (List, error) {
	l, _, err := fact.Get(ctx, s)
	return l, err
}

type Options struct {
	Store       store.Store
	Market      Market
	Language    string      // of the shop: the first of the languages asked for
	Install     string      // a digest of the marketplace's address and the configured credentials
	StoreFailed func(error) // is called with an error of the store
	// Told is called with the categories that the store had at the first use, and each time that they
	// were read; nil: it is not called
	Told func([]marketplace.CategoryNode)
	Log  *slog.Logger
}

// Market is the marketplace as far as a Keeper asks it.
type Market interface {
	Holder(context.Context) (marketplace.Holder, error)
	Channels(context.Context) ([]marketplace.Channel, error)
	Categories(ctx context.Context, language string) ([]marketplace.CategoryNode, error)
}

// A Keeper keeps the directory. Its methods may be called from any goroutine: one of them asks the
// marketplace, and the others wait for its answer.
type Keeper struct {
	o       Options
	turn    chan struct{} // of 1: whoever has it uses list
	list    *List         // nil: not loaded yet
	byPath  map[string]marketplace.CategoryNode
	top     int         // the depth of the categories that have none above them
	renewed atomic.Bool // there is a new token
}

func New(o Options) *Keeper { return &Keeper{o: o, turn: make(chan struct{}, 1)} }

// Categorize records in a publication the branch of the tree that its category stands in, as far as
// that is known. It may ask the marketplace.
func (k *Keeper) Categorize(ctx context.Context, p *marketplace.Publication) {
	if p == nil || p.Listing == nil || p.Listing.Category.Path == "" {
		return
	}
	category := &p.Listing.Category
	k.use(ctx, category.Path, func() { category.Branch = k.branch(category.Path) })
}

// Refresh reads the directory where that is due.
func (k *Keeper) Refresh(ctx context.Context) { k.use(ctx, "", func() {}) }

// Forget has the directory read anew, after a change of token.
func (k *Keeper) Forget() { k.renewed.Store(true) }

// Run keeps the directory fresh until ctx ends, whenever the marketplace may be asked.
func (k *Keeper) Run(ctx context.Context, ready func(context.Context) bool) {
	every := time.NewTicker(checked)
	defer every.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-every.C:
		}
		if ready(ctx) {
			k.Refresh(ctx)
		}
	}
}

// use calls f once the list is fresh; path is a category that the tree must have, "" for none.
func (k *Keeper) use(ctx context.Context, path string, f func()) {
	select {
	case k.turn <- struct{}{}:
	case <-ctx.Done():
		return
	}
	defer func() { <-k.turn }()
	if k.list == nil {
		k.load(context.WithoutCancel(ctx))
	}
	if k.renewed.Swap(false) {
		k.list.Next = time.Time{}
	}
	k.refresh(ctx, path)
	f()
}

// load reads what the store holds. What it cannot read is read again from the marketplace.
func (k *Keeper) load(ctx context.Context) {
	l, err := ListOf(ctx, k.o.Store)
	if err != nil {
		k.o.StoreFailed(err)
		l = List{}
	}
	// names of another language lead to other branches, and another account has other parts
	if is := k.o.Language + " " + k.o.Install; l.For != is {
		l = List{For: is}
	}
	k.list = &l
	k.grow()
}

// refresh asks the marketplace where that is due.
func (k *Keeper) refresh(ctx context.Context, path string) {
	l, now := k.list, time.Now()
	_, has := k.byPath[path]
	seeks := path != "" && !has && len(l.Nodes) > 0
	switch wait := l.Next.Sub(now); { // a time further ahead is that of a clock which was set back since
	case wait <= 0 || wait > goodFor:
	case seeks && now.Sub(l.Sought).Abs() >= seekEvery:
	default:
		return
	}
	asking, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	if k.read(asking, now); ctx.Err() != nil {
		return
	}
	if _, has = k.byPath[path]; path != "" && !has {
		l.Sought = now
	}
	if err := fact.Set(ctx, k.o.Store, *l); err != nil {
		k.o.StoreFailed(err)
	}
}

// read asks for each part.
func (k *Keeper) read(ctx context.Context, now time.Time) {
	l, was := k.list, k.list.Refused
	l.Next, l.Refused = now.Add(goodFor), map[string]string{}
	accept := func(part string, err error, take func()) {
		if err == nil {
			l.At = now
			take()
			return
		}
		l.Refused[part] = err.Error()
		if !marketplace.IsRefusal(err) {
			l.Next = now.Add(seekEvery)
		}
		if was[part] == "" {
			k.o.Log.Warn("marketplace does not show a part of the directory, to be asked again",
				"part", part, "after", l.Next.Sub(now).String(), "error", err)
		}
	}
	account, err := k.o.Market.Holder(ctx)
	accept("account", err, func() { l.Account = account })
	channels, err := k.o.Market.Channels(ctx)
	accept("channels", err, func() { l.Channels = channels })
	nodes, err := k.o.Market.Categories(ctx, k.o.Language)
	accept("categories", err, func() {
		l.Nodes = nodes
		k.grow()
	})
}

// grow readies the tree for branch, and tells of it.
func (k *Keeper) grow() {
	k.byPath, k.top = make(map[string]marketplace.CategoryNode, len(k.list.Nodes)), math.MaxInt
	for _, n := range k.list.Nodes {
		k.byPath[n.Path], k.top = n, min(k.top, n.Depth)
	}
	if k.o.Told != nil && len(k.list.Nodes) > 0 {
		k.o.Told(k.list.Nodes)
	}
}

// mostLevels bounds a branch. The specification shows three levels.
const mostLevels = 10

// branch is the categories from the root to the one with a path. It is nil where the tree lacks one
// of them or its name, and where the depth of the first says that others are above it.
func (k *Keeper) branch(path string) (branch []marketplace.CategoryNode) {
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
