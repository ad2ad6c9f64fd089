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

// metaCounts is the fact that holds the number of publications in each state: with it a large store
// is opened without reading its records.
const metaCounts = "counts"

// Counts is the number of publications in each state.
func (s *Store) Counts(ctx context.Context) (map[store.State]int, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	s.countMu.Lock()
	defer s.countMu.Unlock()
	return maps.Clone(s.counts), nil
}

// counted is the counts once the transaction under way is durable.
func (s *Store) counted(tally map[store.State]int) map[store.State]int {
	s.countMu.Lock()
	counts := maps.Clone(s.counts)
	s.countMu.Unlock()
	for state, n := range tally {
		if counts[state] += n; counts[state] == 0 {
			delete(counts, state)
		}
	}
	return counts
}

// putCounts notes the counts, where they change.
func putCounts(tx *tree, counts, tally map[store.State]int) error {
	for _, n := range tally {
		if n != 0 {
			return putFact(bucket(tx, bucketMeta), metaCounts, formatCounts(counts))
		}
	}
	return nil
}

func formatCounts(counts map[store.State]int) string {
	var b strings.Builder
	for _, state := range slices.Sorted(maps.Keys(counts)) {
		fmt.Fprintf(&b, "%d %s\n", counts[state], state)
	}
	return b.String()
}

func parseCounts(fact string) (map[store.State]int, error) {
	counts := map[store.State]int{}
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
