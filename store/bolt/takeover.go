package bolt

import (
	"maps"
	"strconv"
	"time"

	"github.com/pubsync/pubsync/store"
)

const (
	// burst is how many marks taken over at once make a burst. The next marks then gather for burstRest before they are taken over too: a transaction
	// of many costs little more than one of few.
	burst     = 4
	burstRest = 25 * time.Millisecond
	// stuckRest is the wait between two tries while the tree cannot be written.
	stuckRest = time.Second
	// metaJournal is the fact that holds the number of the last record taken over.
	metaJournal = "journal"
	// metaJournalUse is the fact that holds the identity of the last journal, and whether it is in use.
	metaJournalUse = "journal.use"
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
		case n >= burst:
			rest = burstRest
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
	marks, number, lost := in.pending, in.written, in.lost
	in.pending, in.flying = map[string]store.Mark{}, marks
	in.mu.Unlock()
	if len(marks) == 0 && !lost {
		return 0, nil
	}
	err = in.s.write(func(tx *tree) error {
		if lost {
			if err := readAllAgain(tx, in.gone); err != nil {
				return err
			}
		}
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
		in.taken, in.lost = number, in.lost && !lost
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

// readAllAgain has everything that is not due for another reason read again, and notes that the journal that is gone is not in use any more.
func readAllAgain(tx *tree, gone string) error {
	var ahead []store.Mark
	now := store.At(time.Now())
	if _, _, err := dueIn(tx, bucket(tx, bucketDue).Cursor(), store.ClassRefresh, store.DueQuery{From: now + 1, To: store.Latest}, nil, &ahead); err != nil {
		return err
	}
	for _, m := range ahead {
		if err := moveMark(tx, m, store.ClassRefresh, now); err != nil {
			return err
		}
	}
	fact, err := getMeta(tx, metaJournalUse)
	if err != nil || parseUse(fact).id != gone {
		return err
	}
	return putSealed(bucket(tx, bucketMeta), metaJournalUse, []byte(journalUse{id: gone}.String()))
}

// waiting is the marks that the tree does not have yet.
func (in *intake) waiting() map[string]store.Mark {
	if in == nil {
		return nil
	}
	in.mu.Lock()
	defer in.mu.Unlock()
	return mergeMarks(maps.Clone(in.flying), in.pending)
}

// waitingFor is what waits of one publication.
func (in *intake) waitingFor(id string) (m store.Mark, ok bool) {
	if in == nil {
		return m, false
	}
	in.mu.Lock()
	defer in.mu.Unlock()
	m, ok = in.flying[id]
	later, more := in.pending[id]
	switch {
	case ok && more:
		return m.Merge(later), true
	case more:
		return later, true
	}
	return m, ok
}

// mergeMarks adds later marks to earlier ones.
func mergeMarks(earlier, later map[string]store.Mark) map[string]store.Mark {
	if earlier == nil {
		return maps.Clone(later)
	}
	for id, m := range later {
		if old, ok := earlier[id]; ok {
			m = old.Merge(m)
		}
		earlier[id] = m
	}
	return earlier
}
