package directory

import (
	"context"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/store"
)

const (
	goodFor = 24 * time.Hour  // what was read, and a refusal
	again   = 5 * time.Minute // before another try where the marketplace was in trouble
	timeout = time.Minute     // of one reading
)

type Options struct {
	Store       store.Facts
	Market      Market
	Language    string      // of the shop: the first of the languages asked for
	Install     string      // a digest of the marketplace's address and the configured credentials; "": not compared
	StoreFailed func(error) // is called with an error of the store
	// Told is called with the categories that the store had at the first use, and each time that they
	// were read; nil: it is not called
	Told func([]marketplace.CategoryNode)
	Log  *slog.Logger
}

// Market is the marketplace as far as a Keeper asks it.
type Market interface {
	Directory(ctx context.Context, language string, parts ...marketplace.Part) (marketplace.Directory, error)
}

// A Keeper keeps the directory. Its methods may be called from any goroutine.
type Keeper struct {
	o       Options
	asking  *semaphore.Weighted // of 1: one goroutine at a time asks the marketplace
	storing *semaphore.Weighted // of 1: one goroutine at a time reads or writes the store
	anew    chan struct{}       // holds one where refusals were forgotten

	mu     sync.Mutex // is not held while the store is called
	loaded bool
	tokens int // how often the token was renewed
	list   List
	tree   Tree
}

func New(o Options) *Keeper {
	return &Keeper{
		o: o, asking: semaphore.NewWeighted(1), storing: semaphore.NewWeighted(1), anew: make(chan struct{}, 1),
	}
}

// Categorize records in a publication the branch of the tree that its category stands in, as far as
// that is known. It may ask the marketplace.
func (k *Keeper) Categorize(ctx context.Context, p *marketplace.Publication) {
	if p == nil || p.Listing == nil || p.Listing.Category.Path == "" {
		return
	}
	path := p.Listing.Category.Path
	k.read(ctx, path)
	k.mu.Lock()
	defer k.mu.Unlock()
	p.Listing.Category.Branch = k.tree.Branch(path)
}

// Refresh reads what is older than a day. At most one request is made, unless the marketplace
// refuses it for one of its parts.
func (k *Keeper) Refresh(ctx context.Context) { k.read(ctx, "") }

// Forget forgets all refusals after a change of token: the parts are asked for as soon as the
// marketplace may be asked.
func (k *Keeper) Forget(ctx context.Context) {
	k.load(ctx)
	k.mu.Lock()
	k.tokens++
	forgotten := k.list.forget(time.Time{})
	k.mu.Unlock()
	if !forgotten {
		return
	}
	k.keep(ctx, false)
	select {
	case k.anew <- struct{}{}:
	default:
	}
}

const (
	refreshEvery = 10 * time.Minute // how often a worker checks whether something is to be refreshed
	refreshSoon  = 2 * time.Second  // the same after refusals were forgotten, until the next refresh
)

func (k *Keeper) Run(ctx context.Context, ready func(context.Context) bool) {
	wait := time.NewTimer(refreshEvery)
	defer wait.Stop()
	for soon := false; ; {
		select {
		case <-ctx.Done():
			return
		case <-k.anew:
			soon = true
		case <-wait.C:
		}
		if ready(ctx) {
			k.Refresh(ctx)
			soon = false
		}
		next := refreshEvery
		if soon {
			next = refreshSoon
		}
		wait.Reset(next)
	}
}

// wanted is the parts to ask for now, in one request: those that are due, and the categories where
// the tree lacks a path. A refused part is asked for alone, when nothing else is due.
func (k *Keeper) wanted(path string, now time.Time) []marketplace.Part {
	k.mu.Lock()
	defer k.mu.Unlock()
	var good, refused []marketplace.Part
	for _, p := range []marketplace.Part{marketplace.PartAccount, marketplace.PartChannels, marketplace.PartCategories} {
		f := k.list.Parts[p]
		switch {
		case within(f.At, now, goodFor), within(f.Tried, now, pauseAfter(f)):
		case f.Refused != "":
			refused = append(refused, p)
		default:
			good = append(good, p)
		}
	}
	refusing := k.list.Parts[marketplace.PartCategories].Refused != ""
	if path != "" && !refusing && !slices.Contains(good, marketplace.PartCategories) && k.tree.lacks(path, now) {
		good = append(good, marketplace.PartCategories)
	}
	if len(good) == 0 && len(refused) > 0 {
		return refused[:1]
	}
	return good
}

// pauseAfter is how long a part is not asked for again.
func pauseAfter(f Freshness) time.Duration {
	switch {
	case f.Tried.IsZero():
		return 0
	case f.Refused != "":
		return goodFor
	default:
		return again
	}
}

// read asks the marketplace for what is wanted; path is a category that the tree must have, "" for
// none. One goroutine asks, and the others wait for its answer.
func (k *Keeper) read(ctx context.Context, path string) {
	k.load(ctx)
	if len(k.wanted(path, time.Now())) == 0 {
		return
	}
	if k.asking.Acquire(ctx, 1) != nil {
		return
	}
	defer k.asking.Release(1)
	parts := k.wanted(path, time.Now()) // another may have asked meanwhile
	if len(parts) == 0 {
		return
	}
	tokens := k.token()
	asking, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	d, err := k.o.Market.Directory(asking, k.o.Language, parts...)
	if err != nil && ctx.Err() != nil {
		return
	}
	categories := slices.Contains(parts, marketplace.PartCategories)
	func() {
		now := time.Now()
		k.mu.Lock()
		defer k.mu.Unlock()
		k.accept(d, err, parts, now)
		if k.tokens != tokens {
			k.list.forget(time.Time{}) // the token was renewed meanwhile
		}
		if _, there := k.tree.byPath[path]; categories && path != "" && !there {
			k.tree.missed(path, now, slices.Contains(d.Read, marketplace.PartCategories))
		}
	}()
	k.keep(ctx, categories)
	if categories {
		k.tell()
	}
}

// tell tells of the categories, where there are any.
func (k *Keeper) tell() {
	k.mu.Lock()
	nodes := k.tree.Nodes
	k.mu.Unlock()
	if k.o.Told != nil && len(nodes) > 0 {
		k.o.Told(nodes)
	}
}

func (k *Keeper) token() int {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.tokens
}

// accept records an answer, or why there is none. k.mu is held.
func (k *Keeper) accept(d marketplace.Directory, err error, parts []marketplace.Part, now time.Time) {
	if err != nil {
		k.o.Log.Debug("directory cannot be read", "error", err)
	}
	if k.list.Parts == nil {
		k.list.Parts = make(map[marketplace.Part]Freshness)
	}
	for _, p := range parts {
		f := k.list.Parts[p]
		before := f.Refused
		f.Tried = now
		switch refusal := d.Refused[p]; {
		case slices.Contains(d.Read, p):
			f.At, f.Refused = now, ""
			k.put(p, d)
		case refusal == nil:
		case lasting(refusal):
			f.Refused = refusal.Error()
			if before == "" {
				k.o.Log.Warn(
					"marketplace refuses a part of the directory, to be asked again",
					"part", string(p), "after", goodFor.String(), "error", refusal,
				)
			}
		}
		if before != "" && f.Refused == "" {
			k.o.Log.Info("marketplace tells again what it refused", "part", string(p))
		}
		k.list.Parts[p] = f
	}
}

func lasting(err error) bool {
	kind := marketplace.KindOf(err)
	return kind == marketplace.Invalid || kind == marketplace.Unauthorized || kind == marketplace.Refused
}

// put replaces a part. k.mu is held.
func (k *Keeper) put(p marketplace.Part, d marketplace.Directory) {
	switch p {
	case marketplace.PartAccount:
		k.list.Account = d.Account
	case marketplace.PartChannels:
		k.list.Channels = d.Channels
	case marketplace.PartCategories:
		k.tree.Language, k.tree.Nodes = k.o.Language, d.Categories
		k.tree.index()
	}
}

// load reads what the store holds, once. What it cannot read is read again from the marketplace.
func (k *Keeper) load(ctx context.Context) {
	if k.isLoaded() || k.storing.Acquire(ctx, 1) != nil {
		return
	}
	defer k.storing.Release(1)
	if k.isLoaded() {
		return
	}
	ctx = context.WithoutCancel(ctx) // it is read once
	var list List
	var tree Tree
	_, err := store.MetaJSON(ctx, k.o.Store, metaList, &list)
	if err == nil {
		_, err = store.MetaJSON(ctx, k.o.Store, metaTree, &tree)
	}
	if err != nil {
		k.o.StoreFailed(err)
		list, tree = List{}, Tree{}
	}
	if tree.Language != k.o.Language { // names of another language lead to other branches
		tree = Tree{}
		if f := list.Parts[marketplace.PartCategories]; f.Refused == "" {
			delete(list.Parts, marketplace.PartCategories)
		}
	}
	tree.index()
	k.renew(ctx, &list)
	k.mu.Lock()
	k.list, k.tree, k.loaded = list, tree, true
	k.mu.Unlock()
	k.tell()
}

func (k *Keeper) isLoaded() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.loaded
}

// renew forgets refusals that an earlier token met. The settings may have another token now, or an
// installation may have been made while no worker ran.
func (k *Keeper) renew(ctx context.Context, list *List) {
	last, _, err := store.InstallationOf(ctx, k.o.Store)
	if err != nil {
		k.o.StoreFailed(err)
	}
	another := k.o.Install != "" && list.Install != k.o.Install
	if another {
		last.At = time.Time{}
		list.Install = k.o.Install
	}
	if another || !last.At.IsZero() {
		list.forget(last.At)
	}
}

func (k *Keeper) keep(ctx context.Context, tree bool) {
	ctx = context.WithoutCancel(ctx) // its points were paid
	if k.storing.Acquire(ctx, 1) != nil {
		return
	}
	defer k.storing.Release(1)
	list, categories := k.copies()
	err := store.SetMetaJSON(ctx, k.o.Store, metaList, list)
	if err == nil && tree {
		err = store.SetMetaJSON(ctx, k.o.Store, metaTree, categories)
	}
	if err != nil {
		k.o.StoreFailed(err)
	}
}

// copies are the list and the tree as they are now. Their slices are replaced, never changed.
func (k *Keeper) copies() (List, Tree) {
	k.mu.Lock()
	defer k.mu.Unlock()
	list, tree := k.list, k.tree
	list.Parts, tree.Missed = maps.Clone(list.Parts), maps.Clone(tree.Missed)
	return list, tree
}
