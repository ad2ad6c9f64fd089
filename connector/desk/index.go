package desk

import (
	"cmp"
	"context"
	"slices"
	"sort"
	"strings"
	"sync"
	"time"

	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/store"
)

const (
	// indexFresh is how old an index is at least before it is made anew, and indexShare how many
	// times as long as its making took: so making it costs a twentieth of one processor at most.
	indexFresh = 10 * time.Second
	indexShare = 20
	// indexUnused is how long an index is kept without a question.
	indexUnused = time.Minute
)

// An index holds the import list in memory for lists that are sorted or searched. It is made by one
// scan of the store while somebody asks, and dropped when nobody does. What it tells may be as old
// as indexFresh. The zero index is ready for use.
type index struct {
	mu     sync.Mutex
	now    *snapshot
	making chan struct{} // is closed when a scan ends; nil: none is under way
	unused *time.Timer
}

type snapshot struct {
	rows   []row    // in the order of the ids
	causes []string // of trouble, each once; the first is none
	events []FeedEvent

	made time.Time
	took time.Duration

	mu     sync.Mutex
	orders map[Order][]int32 // the places of rows in an order, once it was asked for
}

// snapshot is the import list as it was lately. Where another caller is making it anew, it is the
// one before.
func (x *index) snapshot(ctx context.Context, scan func(context.Context) (*snapshot, error)) (*snapshot, error) {
	for {
		x.mu.Lock()
		now, making := x.now, x.making
		switch {
		case now != nil && (making != nil || now.fresh()):
			x.keep()
			x.mu.Unlock()
			return now, nil
		case making == nil:
			x.making = make(chan struct{})
			x.mu.Unlock()
			return x.make(ctx, scan)
		}
		x.mu.Unlock()
		select {
		case <-making:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// make scans the store.
func (x *index) make(ctx context.Context, scan func(context.Context) (*snapshot, error)) (*snapshot, error) {
	begun := time.Now()
	made, err := scan(ctx)
	x.mu.Lock()
	defer x.mu.Unlock()
	close(x.making)
	x.making = nil
	if err != nil {
		return nil, err
	}
	made.made = time.Now()
	made.took = made.made.Sub(begun)
	x.now = made
	x.keep()
	return made, nil
}

func scan(ctx context.Context, s store.Reader, rules publication.PriceRule) (*snapshot, error) {
	made := &snapshot{causes: []string{"", otherCauses}, orders: map[Order][]int32{}}
	known := map[string]int32{"": 0, otherCauses: 1}
	var feed feeder
	for r, err := range store.Records(ctx, s, store.Query{}) {
		if err != nil {
			return nil, err
		}
		line, cause := rowOf(r, rules), causeOf(r)
		at, ok := known[cause]
		if !ok && len(known) == mostCauses {
			at = known[otherCauses]
		} else if !ok {
			at = int32(len(known)) //nolint:gosec // bounded
			known[cause], made.causes = at, append(made.causes, cause)
		}
		line.cause = at
		made.rows = append(made.rows, line)
		feed.add(r)
	}
	feed.cut()
	made.events = feed.events
	return made, nil
}

// mostCauses bounds the causes of trouble that are told apart: they are made from messages of
// shops, which may all differ. The others are otherCauses.
const (
	mostCauses  = 1000
	otherCauses = "other causes"
)

// keep puts off the moment at which the snapshot is dropped. x.mu is held.
func (x *index) keep() {
	if x.unused == nil {
		x.unused = time.AfterFunc(indexUnused, x.drop)
		return
	}
	x.unused.Reset(indexUnused)
}

func (x *index) drop() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.now = nil
}

func (s *snapshot) fresh() bool { return time.Since(s.made) < max(indexFresh, indexShare*s.took) }

// order is the places of the rows in an order. It sorts them once.
func (s *snapshot) order(o Order) []int32 {
	s.mu.Lock()
	defer s.mu.Unlock()
	places, ok := s.orders[o]
	if !ok {
		places = o.sorted(s.rows)
		s.orders[o] = places
	}
	return places
}

// find is the ids of the publications that a query asks for, from the place `from` on and at most
// q.Limit of them, and how many there are in all.
func (s *snapshot) find(q Query, from int) (ids []string, total int) {
	text := folded(strings.TrimSpace(q.Find))
	cause := int32(slices.Index(s.causes, q.Cause)) //nolint:gosec // bounded
	for _, place := range s.order(q.Order) {
		r := &s.rows[place]
		if q.State != "" && r.state != q.State || q.Cause != "" && r.cause != cause || !strings.Contains(r.text, text) {
			continue
		}
		if total >= from && len(ids) < q.Limit {
			ids = append(ids, r.id)
		}
		total++
	}
	return ids, total
}

func (s *snapshot) failures() Failures {
	type group struct {
		state store.State
		cause int32
	}
	of := map[group]*Failure{}
	for i := range s.rows {
		r := &s.rows[i]
		if r.cause == 0 {
			continue
		}
		f := of[group{r.state, r.cause}]
		if f == nil {
			f = &Failure{
				FailureName: FailureName{State: r.state, Cause: s.causes[r.cause]}, ID: r.id, Tried: retried(r.state),
			}
			of[group{r.state, r.cause}] = f
		}
		f.Publications++
	}
	all := Failures{Groups: []Failure{}}
	for _, f := range of {
		all.Groups = append(all.Groups, *f)
	}
	sort.Slice(all.Groups, func(i, j int) bool {
		a, b := all.Groups[i], all.Groups[j]
		return cmp.Or(
			cmp.Compare(b.Publications, a.Publications),
			cmp.Compare(a.Cause, b.Cause),
			cmp.Compare(a.State, b.State),
		) < 0
	})
	if n := len(all.Groups); n > mostFailures {
		all.Groups, all.More = all.Groups[:mostFailures], n-mostFailures
	}
	return all
}

// all is the number of publications in a state, in any where it is empty, as the store counts them.
func all(ctx context.Context, s store.Reader, state store.State) (n int, err error) {
	counts, err := s.Counts(ctx)
	for of, many := range counts {
		if state == "" || of == state {
			n += many
		}
	}
	return n, err
}
