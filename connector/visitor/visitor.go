package visitor

import (
	"context"
	"log/slog"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/pubsync/pubsync/connector/breaker"
	"github.com/pubsync/pubsync/connector/health"
	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/store"
)

const (
	between    = 100 * time.Millisecond // two visits: a shop has other visitors
	settles    = 2 * time.Second        // after a look, whose record is written by then
	againFirst = time.Minute            // after a visit that told nothing
	againWrong = time.Hour              // after one that saw something else
	mostTries  = 3                      // visits that tell nothing in a row; the next look begins anew
	mostQueued = 20_000                 // publications that wait for a visit
)

// Options is what a Visitor needs.
type Options struct {
	Store  store.Store
	Client *http.Client // see NewClient; nil: nothing is visited
	Strict bool         // reports wait for the visit
	Health *health.Health
	Log    *slog.Logger
	Owed   func() // called when a report may be made that waited
}

// A Visitor visits the pages of products. Its methods may be called from any goroutine.
type Visitor struct {
	o     Options
	added *breaker.Signal

	mu    sync.Mutex
	due   map[string]wait        // by publication
	seen  map[string]store.Visit // of reports that wait, with Strict
	facts publication.Visits
}

// A wait is when a page is visited.
type wait struct {
	at    time.Time
	tries int // that told nothing
}

// New makes a visitor. It starts nothing.
func New(o Options) *Visitor {
	return &Visitor{o: o, added: breaker.NewSignal(), due: map[string]wait{}, seen: map[string]store.Visit{}}
}

// Sent is nothing to a visitor. See look.Observer.
func (v *Visitor) Sent(publication.Decision) {}

// Settled has the page of a publication visited where the look made or moved it, or a person asked.
func (v *Visitor) Settled(d publication.Decision) { v.add(d.ID(), settles) }

// Reported has the pages of publications visited that the marketplace was told of.
func (v *Visitor) Reported(ids ...string) {
	v.mu.Lock()
	for _, id := range ids {
		delete(v.seen, id)
	}
	v.mu.Unlock()
	for _, id := range ids {
		v.add(id, 0)
	}
}

// May reports whether a report may be made: with Strict, whether a visitor sees the product at its
// address. wrong says that a visitor sees something else.
func (v *Visitor) May(o store.Report) (may, wrong bool) {
	if v.o.Client == nil || !v.o.Strict || o.Status != store.StatusSuccess {
		return true, false
	}
	v.mu.Lock()
	visit, known := v.seen[o.ID]
	v.mu.Unlock()
	if !known || visit.URL != o.URL {
		v.add(o.ID, 0)
		return false, false
	}
	return visit.Saw == "", visit.Saw != ""
}

// add has a publication visited, unless it is waiting already.
func (v *Visitor) add(id string, after time.Duration) {
	if v.o.Client == nil {
		return
	}
	at := time.Now().Add(after)
	v.mu.Lock()
	w, waits := v.due[id]
	if !waits && len(v.due) < mostQueued || waits && w.tries == 0 && at.Before(w.at) {
		v.due[id] = wait{at: at}
	}
	v.mu.Unlock()
	v.added.Raise()
}

// Run visits pages until ctx ends, and remembers what it has left.
func (v *Visitor) Run(ctx context.Context) {
	if v.o.Client == nil {
		return
	}
	defer v.o.Client.CloseIdleConnections()
	if _, err := store.MetaJSON(ctx, v.o.Store, publication.MetaVisits, &v.facts); err != nil {
		v.o.Health.StoreFailed(err)
	}
	for _, id := range v.facts.Owed {
		v.add(id, 0)
	}
	for _, w := range v.facts.Wrong {
		v.add(w.ID, max(0, againWrong-time.Since(w.At)))
	}
	left := len(v.facts.Owed) > 0
	for ctx.Err() == nil {
		added := v.added.Raised()
		id, w, next := v.next(time.Now())
		if id == "" {
			breaker.Sleep(ctx, next, added)
			continue
		}
		if v.visit(ctx, id, w) {
			breaker.Sleep(ctx, between)
		}
	}
	v.mu.Lock()
	ids := make([]string, 0, len(v.due))
	for id, w := range v.due {
		if w.tries == 0 {
			ids = append(ids, id)
		}
	}
	v.mu.Unlock()
	slices.Sort(ids)
	if v.facts.Leave(ids); left || len(ids) > 0 {
		v.save(context.WithoutCancel(ctx))
	}
}

// next takes the publication that has waited longest, or returns how long none is due.
func (v *Visitor) next(now time.Time) (id string, w wait, next time.Duration) {
	v.mu.Lock()
	defer v.mu.Unlock()
	next = breaker.Idle
	for other, o := range v.due {
		if until := o.at.Sub(now); until > 0 {
			next = min(next, until)
		} else if id == "" || o.at.Before(w.at) {
			id, w = other, o
		}
	}
	delete(v.due, id)
	return id, w, next
}

// visit visits the page of one publication, and reports whether it made a request.
func (v *Visitor) visit(ctx context.Context, id string, w wait) (asked bool) {
	e, err := v.o.Store.Get(ctx, id)
	if err != nil {
		return false
	}
	address := publication.ToVisit(e.Record, v.o.Strict && e.Owed != nil)
	again := e.Record.Visit.Saw != "" && time.Since(e.Record.Visit.At.Time()) >= againWrong
	if again && e.Record.OnSale {
		address = e.Record.URL
	}
	if address == "" {
		v.told(e.Record, e.Owed)
		if seen := e.Record.Visit; seen.Saw == "" || !e.Record.OnSale {
			v.record(ctx, publication.WrongPage{ID: id}) // it is mended, or gone
		} else if seen.URL == e.Record.URL {
			v.wait(id, wait{at: seen.At.Time().Add(againWrong)})
		}
		return false
	}
	saw, err := see(ctx, v.o.Client, address)
	switch {
	case ctx.Err() != nil:
		v.wait(id, wait{})
		return true
	case err != nil:
		if w.tries++; w.tries < mostTries || v.o.Strict {
			w.at = time.Now().Add(againFirst << min(2*w.tries, 6))
			v.wait(id, w)
		}
		v.o.Log.Debug("product page not visited", "publication", id, "address", address, "error", err.Error())
		return true
	}
	now := time.Now()
	visit := store.Visit{URL: address, At: store.At(now), Saw: saw}
	if _, err := store.Update(context.WithoutCancel(ctx), v.o.Store, func(_ *store.Report, s *store.Settlement) bool {
		return publication.Visited(s, visit)
	}, id); err != nil {
		v.o.Health.StoreFailed(err)
		return true
	}
	if saw != "" {
		v.wait(id, wait{at: now.Add(againWrong)})
		if e.Record.Visit.Saw != saw {
			v.o.Log.Warn("visitors see something else than the product", "publication", id, "address", address, "seen", saw)
		}
	}
	e.Record.Visit = visit
	v.told(e.Record, e.Owed)
	v.record(ctx, publication.WrongPage{ID: id, URL: address, Saw: saw, At: now.UTC()})
	return true
}

func (v *Visitor) wait(id string, w wait) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.due[id] = w
}

// told keeps what was seen of a page whose report waits for that.
func (v *Visitor) told(r store.Record, owed *store.Report) {
	if !v.o.Strict || owed == nil || r.Visit.URL != owed.URL {
		return
	}
	v.mu.Lock()
	v.seen[r.ID] = r.Visit
	v.mu.Unlock()
	if r.Visit.Saw == "" {
		v.o.Owed()
	}
}

// record keeps what status tells.
func (v *Visitor) record(ctx context.Context, p publication.WrongPage) {
	if v.facts.Record(p) {
		v.save(ctx)
	}
}

func (v *Visitor) save(ctx context.Context) {
	if err := store.SetMetaJSON(ctx, v.o.Store, publication.MetaVisits, v.facts); err != nil && ctx.Err() == nil {
		v.o.Health.StoreFailed(err)
	}
}
