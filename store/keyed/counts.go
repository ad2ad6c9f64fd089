package keyed

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/pubsync/pubsync/store"
)

// metaCounts is the fact that holds the tally of all records: with it a large store is opened
// without reading them.
const metaCounts = "counts"

var countsKey = Key{BucketMeta, metaCounts}

// A tally counts records by state, and those that are on sale under the name onSale.
type tally map[store.State]int

// onSale is the name of no state.
const onSale store.State = "on sale"

// count adds n records that are like r.
func (t tally) count(r store.Record, n int) {
	t.add(r.State, n)
	if r.Sale == store.OnSale {
		t.add(onSale, n)
	}
}

func (t tally) add(state store.State, n int) {
	if t[state] += n; t[state] == 0 {
		delete(t, state)
	}
}

// Counts is the number of publications in each state.
func (s *Store) Counts(ctx context.Context) (counts map[store.State]int, err error) {
	err = s.View(ctx, func(tx *Tx) error {
		counts, err = getCounts(tx)
		return err
	})
	delete(counts, onSale)
	return counts, err
}

// getCounts is the tally of all records.
func getCounts(tx *Tx) (tally, error) {
	fact, err := getMeta(tx, metaCounts)
	if err != nil {
		return nil, err
	}
	return parseCounts(fact)
}

// putCounts changes the tally of all records by another.
func putCounts(tx *Tx, change tally) error {
	if len(change) == 0 {
		return nil
	}
	counts, err := getCounts(tx)
	if err != nil {
		return err
	}
	for state, n := range change {
		counts.add(state, n)
	}
	return putFact(tx, BucketMeta, metaCounts, formatCounts(counts))
}

func formatCounts(counts tally) string {
	var b strings.Builder
	for _, state := range slices.Sorted(maps.Keys(counts)) {
		fmt.Fprintf(&b, "%d %s\n", counts[state], state)
	}
	return b.String()
}

func parseCounts(fact string) (tally, error) {
	counts := tally{}
	for line := range strings.Lines(fact) {
		number, state, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		n, err := strconv.Atoi(number)
		if err != nil {
			return nil, fmt.Errorf("%w: counts: %w", store.ErrCorrupt, err)
		}
		counts[store.State(state)] = n
	}
	return counts, nil
}
