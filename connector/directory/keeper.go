package directory

import (
	"context"
	"log/slog"
	"slices"
	"sync/atomic"
	"time"

	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/store"
)

const (
	goodFor   = 24 * time.Hour   // what was read, and a refusal
	seekEvery = 10 * time.Minute // between two readings for categories that the tree lacks
	again     = 5 * time.Minute  // before another try where the marketplace was in trouble
	timeout   = time.Minute      // of one reading
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

// A Keeper keeps the directory. Its methods may be called from any goroutine: one of them asks the
// marketplace, and the others wait for its answer.
type Keeper struct {
	o       Options
	turn    chan struct{} // of 1: whoever has it uses list
	list    *List         // nil: not loaded yet
	renewed atomic.Bool   // there is a new token
	anew    chan struct{} // holds one after that
}

func New(o Options) *Keeper {
	return &Keeper{o: o, turn: make(chan struct{}, 1), anew: make(chan struct{}, 1)}
}

// Categorize records in a publication the branch of the tree that its category stands in, as far as
// that is known. It may ask the marketplace.
func (k *Keeper) Categorize(ctx context.Context, p *marketplace.Publication) {
	if p == nil || p.Listing == nil || p.Listing.Category.Path == "" {
		return
	}
	category := &p.Listing.Category
	k.use(ctx, category.Path, func(l *List) { category.Branch = l.branch(category.Path) })
}

// Refresh reads what is older than a day. At most one request is made, unless the marketplace
// refuses it for one of its parts.
func (k *Keeper) Refresh(ctx context.Context) { k.use(ctx, "", func(*List) {}) }

// Forget has everything asked for anew, after a change of token.
func (k *Keeper) Forget() {
	k.renewed.Store(true)
	select {
	case k.anew <- struct{}{}:
	default:
	}
}

const (
	refreshEvery = 10 * time.Minute // how often a worker checks whether something is to be refreshed
	readyAgain   = 2 * time.Second  // how often, after a change of token, whether it may ask
)

func (k *Keeper) Run(ctx context.Context, ready func(context.Context) bool) {
	wait := time.NewTimer(refreshEvery)
	defer wait.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-k.anew:
		case <-wait.C:
		}
		next := refreshEvery
		if ready(ctx) {
			k.Refresh(ctx)
		} else if k.renewed.Load() {
			next = readyAgain
		}
		wait.Reset(next)
	}
}

// use hands the list to f once it is fresh; path is a category that the tree must have, "" for none.
func (k *Keeper) use(ctx context.Context, path string, f func(*List)) {
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
		k.list.Tried = time.Time{}
	}
	k.refresh(ctx, path)
	f(k.list)
}

// load reads what the store holds. What it cannot read is read again from the marketplace.
func (k *Keeper) load(ctx context.Context) {
	l, err := ListOf(ctx, k.o.Store)
	if err != nil {
		k.o.StoreFailed(err)
		l = List{}
	}
	if l.Language != k.o.Language { // names of another language lead to other branches
		l.Language, l.Nodes, l.Tried = k.o.Language, nil, time.Time{}
	}
	// the settings may have another token now, or an installation was made while no worker ran
	last, _, err := store.InstallationOf(ctx, k.o.Store)
	if err != nil {
		k.o.StoreFailed(err)
	}
	if last.At.After(l.Tried) || k.o.Install != "" && k.o.Install != l.Install {
		l.Install, l.Tried = k.o.Install, time.Time{}
	}
	l.index()
	k.list = &l
	k.tell()
}

// refresh asks the marketplace for what is due: all parts once a day, and the categories where the
// tree lacks a path.
func (k *Keeper) refresh(ctx context.Context, path string) {
	now := time.Now()
	var parts []marketplace.Part
	switch {
	case !within(k.list.Tried, now, goodFor):
		parts = []marketplace.Part{marketplace.PartAccount, marketplace.PartChannels, marketplace.PartCategories}
	case len(k.list.Nodes) > 0 && k.list.lacks(path) && !within(k.list.Sought, now, seekEvery):
		parts = []marketplace.Part{marketplace.PartCategories}
	default:
		return
	}
	asking, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	d, err := k.o.Market.Directory(asking, k.o.Language, parts...)
	if err != nil && ctx.Err() != nil {
		return
	}
	k.accept(d, err, parts, now)
	if k.list.lacks(path) {
		k.list.Sought = now
	}
	// its points were paid
	if err := store.SetMetaJSON(context.WithoutCancel(ctx), k.o.Store, metaList, k.list); err != nil {
		k.o.StoreFailed(err)
	}
}

// accept records an answer, or that there is none.
func (k *Keeper) accept(d marketplace.Directory, err error, parts []marketplace.Part, now time.Time) {
	l, answered := k.list, true
	if err != nil {
		k.o.Log.Debug("directory cannot be read", "error", err)
		d = marketplace.Directory{} // no part was read
	}
	if l.Refused == nil {
		l.Refused = map[string]string{}
	}
	for _, p := range parts {
		part, refusal := string(p), d.Refused[p]
		switch {
		case slices.Contains(d.Read, p):
			if l.Refused[part] != "" {
				k.o.Log.Info("marketplace tells again what it refused", "part", part)
			}
			l.At = now
			delete(l.Refused, part)
			k.put(p, d)
		case refusal != nil && lasting(refusal):
			if l.Refused[part] == "" {
				k.o.Log.Warn("marketplace refuses a part of the directory, to be asked again",
					"part", part, "after", goodFor.String(), "error", refusal)
			}
			l.Refused[part] = refusal.Error()
		default:
			answered = false
		}
	}
	switch {
	case len(parts) == 1: // the categories, between two readings of all
	case answered:
		l.Tried = now
	default:
		l.Tried = now.Add(again - goodFor)
	}
}

func lasting(err error) bool {
	kind := marketplace.KindOf(err)
	return kind == marketplace.Invalid || kind == marketplace.Unauthorized || kind == marketplace.Refused
}

// put replaces a part.
func (k *Keeper) put(p marketplace.Part, d marketplace.Directory) {
	switch p {
	case marketplace.PartAccount:
		k.list.Account = d.Account
	case marketplace.PartChannels:
		k.list.Channels = d.Channels
	case marketplace.PartCategories:
		k.list.Nodes = d.Categories
		k.list.index()
		k.tell()
	}
}

// tell tells of the categories, where there are any.
func (k *Keeper) tell() {
	if k.o.Told != nil && len(k.list.Nodes) > 0 {
		k.o.Told(k.list.Nodes)
	}
}

// within reports whether now is less than d after at. It is false where at lies ahead: the clock
// was set back since.
func within(at, now time.Time, d time.Duration) bool {
	age := now.Sub(at)
	return age >= 0 && age < d
}
