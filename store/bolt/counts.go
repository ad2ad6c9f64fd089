package bolt

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

// A tally counts records by state, and those that are on sale under the name onSale.
type tally map[store.State]int

// onSale is the name of no state.
const onSale store.State = "on sale"

// count adds n records that are like r.
func (t tally) count(r store.Record, n int) {
	t[r.State] += n
	if r.OnSale {
		t[onSale] += n
	}
}

// Counts is the number of publications in each state.
func (s *Store) Counts(ctx context.Context) (map[store.State]int, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	counts := s.counted(nil)
	delete(counts, onSale)
	return counts, nil
}

// counted is the tally of all records once the transaction under way is durable, which changes it
// by another.
func (s *Store) counted(change tally) tally {
	s.countMu.Lock()
	counts := maps.Clone(s.counts)
	s.countMu.Unlock()
	for state, n := range change {
		if counts[state] += n; counts[state] == 0 {
			delete(counts, state)
		}
	}
	return counts
}

// putCounts writes the tally of all records, where it changes.
func putCounts(tx *tree, counts, change tally) error {
	for _, n := range change {
		if n != 0 {
			return putFact(bucket(tx, bucketMeta), metaCounts, formatCounts(counts))
		}
	}
	return nil
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
