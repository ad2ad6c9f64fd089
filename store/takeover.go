package store

import (
	"maps"
	"strconv"
	"time"

	bolt "go.etcd.io/bbolt"
)

const (
	// crowd is how many marks taken over at once make a burst, and crowdRest how long the next gather before they are taken over too: a transaction
	// of many costs little more than one of few.
	crowd     = 4
	crowdRest = 25 * time.Millisecond
	// stuckRest is the wait between two tries while the tree cannot be written.
	stuckRest = time.Second
	// metaJournal is the fact that holds the number of the last record taken over.
	metaJournal = "journal"
)

// AfterAccept has f called whenever accepted marks have reached the due set.
func (s *Store) AfterAccept(f func()) {
	s.intake.mu.Lock()
	defer s.intake.mu.Unlock()
	s.intake.after = f
}

// follow has the tree take over what is pending: at once while little comes, in a burst what has gathered.
func (in *intake) follow() {
	for {
		select {
		case <-in.stop:
			return
		case <-in.due:
		}
		var rest time.Duration
		switch n, err := in.takeOver(); {
		case err != nil:
			rest = stuckRest
			in.wake()
		case n >= crowd:
			rest = crowdRest
		default:
			continue
		}
		select {
		case <-in.stop:
			return
		case <-time.After(rest):
		}
	}
}

// wake has follow look whether there is something.
func (in *intake) wake() {
	select {
	case in.due <- struct{}{}:
	default:
	}
}

// takeOver moves what is pending into the tree, and returns how many marks that was.
func (in *intake) takeOver() (n int, err error) {
	in.taking.Lock()
	defer in.taking.Unlock()
	in.mu.Lock()
	marks, number := in.pending, in.written
	in.pending, in.flying = map[string]Mark{}, marks
	in.mu.Unlock()
	if len(marks) == 0 {
		return 0, nil
	}
	err = in.s.write(func(tx *bolt.Tx) error {
		for _, m := range marks {
			if err := putMark(tx, m); err != nil {
				return err
			}
		}
		return putSealed(bucket(tx, bucketMeta), metaJournal, strconv.AppendUint(nil, number, 10))
	})
	in.mu.Lock()
	in.flying, in.stuck = nil, err != nil
	if err == nil {
		in.taken = number
	} else {
		in.pending = mergeMarks(maps.Clone(marks), in.pending) // a commit that was given up on may read marks still
	}
	after := in.after
	in.mu.Unlock()
	if err == nil {
		after()
	}
	return len(marks), err
}

// waiting is the marks that the tree does not have yet.
func (in *intake) waiting() map[string]Mark {
	if in == nil {
		return nil
	}
	in.mu.Lock()
	defer in.mu.Unlock()
	return mergeMarks(maps.Clone(in.flying), in.pending)
}

// mergeMarks adds later marks to earlier ones.
func mergeMarks(earlier, later map[string]Mark) map[string]Mark {
	if earlier == nil {
		return maps.Clone(later)
	}
	for id, m := range later {
		if old, ok := earlier[id]; ok {
			m = old.merge(m)
		}
		earlier[id] = m
	}
	return earlier
}
