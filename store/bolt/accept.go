package bolt

import (
	"errors"
	"fmt"
	"iter"
	"runtime"
	"sync"

	"github.com/pubsync/pubsync/store"
)

// An intake makes marks durable in a journal and has the tree take them over behind that.
type intake struct {
	s       *Store
	journal journal
	jots    chan jot
	due     chan struct{} // something is to be taken over
	stop    chan struct{}
	running sync.WaitGroup

	closing sync.RWMutex
	closed  bool

	taking sync.Mutex // held by the one that has the tree take over

	mu      sync.Mutex
	pending map[string]store.Mark // in the journal alone
	flying  map[string]store.Mark // of these, what the tree is taking over just now
	written uint64                // the last record in the journal
	taken   uint64                // the last record that the tree has taken over
	stuck   bool                  // the tree could not, last time
	lost    bool                  // the journal that was in use is gone: everything is to be read again
	gone    string                // the identity of that
	after   func()
}

// A jot is a caller that waits until its marks are durable.
type jot struct {
	marks   []store.Mark
	encoded []byte
	done    chan error
}

// Accept makes marks durable as Mark does, for the price of one small write in place: they wait in a journal and reach the due set a moment later,
// which the function given to AfterAccept is told. Where the journal cannot be written it does what Mark does. It fails while the tree cannot be
// written, so that no more is promised than a full disk may hold.
func (s *Store) Accept(marks ...store.Mark) error {
	if s.readOnly {
		return store.ErrReadOnly
	}
	j := jot{marks: marks, done: make(chan error, 1)}
	for _, m := range marks {
		if err := validMark(m); err != nil {
			return err
		}
		j.encoded = appendJot(j.encoded, m)
	}
	switch {
	case len(marks) == 0:
		return nil
	case len(j.encoded) > maxRecord:
		return s.intake.pass(marks)
	}
	if err := s.intake.ready(); err != nil {
		return err
	}
	if err := s.intake.hand(j); err == nil || errors.Is(err, store.ErrClosed) {
		return err
	}
	return s.intake.pass(marks)
}

// newIntake reads the journal beside the store, of which the tree has taken over the records up to the one numbered taken. copied is a copy that Backup
// made: no journal belongs to it.
func newIntake(s *Store, taken uint64, used journalUse, copied bool) (*intake, error) {
	in := &intake{
		s: s, journal: journal{path: journalPath(s.path), store: s.path, used: used}, pending: map[string]store.Mark{}, taken: taken, after: func() {},
	}
	found, err := in.journal.load(taken)
	if err != nil {
		return nil, err
	}
	in.lost, in.gone = found.lost && !copied, used.id
	switch {
	case in.lost:
		s.warnings = append(s.warnings, fmt.Sprintf("the journal %s is gone, which was in use when the store was last written: webhooks acknowledged then may be lost, "+
			"so everything is read again, in the time that the budget allows; pubsync run --once --full does it at once", in.journal.path))
	case found.alien:
		s.warnings = append(s.warnings, fmt.Sprintf("the journal %s is of a later time than the store, or of another: the store is a copy that was put in its place; "+
			"the %d publications that the journal names are looked at", in.journal.path, len(found.marks)))
	}
	in.keep(found.marks, in.journal.next-1)
	return in, nil
}

// Warnings is what was found when the store was opened, and a person should know.
func (s *Store) Warnings() []string { return s.warnings }

// noteUse has the tree know which journal is in use.
func (in *intake) noteUse(u journalUse) error {
	return in.s.write(func(tx *tree) error { return putSealed(bucket(tx, bucketMeta), metaJournalUse, []byte(u.String())) })
}

// start lets it take marks in.
func (in *intake) start() {
	in.jots, in.due, in.stop = make(chan jot, maxCommit), make(chan struct{}, 1), make(chan struct{})
	in.journal.note = in.noteUse
	in.running.Go(in.write)
	in.running.Go(in.follow)
	if len(in.pending) > 0 || in.lost {
		in.due <- struct{}{}
	}
}

// close has the tree take over what is pending. What it cannot take stays in the journal, and so does the journal of whoever put another store in the
// place of this one.
func (in *intake) close() error {
	in.closing.Lock()
	if in.closed || in.jots == nil {
		in.closing.Unlock()
		return nil
	}
	in.closed = true
	close(in.jots)
	close(in.stop)
	in.closing.Unlock()
	in.running.Wait()
	_, err := in.takeOver()
	return in.journal.close(err != nil || in.s.inPlace() != nil)
}

// ready is nil when the tree can be written as far as is known; where it could not be it is tried again.
func (in *intake) ready() error {
	if d := in.s.damaged.Load(); d != nil {
		return d
	}
	in.mu.Lock()
	stuck := in.stuck
	in.mu.Unlock()
	if !stuck {
		return nil
	}
	_, err := in.takeOver()
	return err
}

// pass puts marks into the tree past the journal.
func (in *intake) pass(marks []store.Mark) error {
	if err := in.s.Mark(marks...); err != nil {
		return err
	}
	in.mu.Lock()
	after := in.after
	in.mu.Unlock()
	after()
	return nil
}

func (in *intake) hand(j jot) error {
	in.closing.RLock()
	if in.closed {
		in.closing.RUnlock()
		return store.ErrClosed
	}
	in.jots <- j
	in.closing.RUnlock()
	return <-j.done
}

// write makes durable what is handed in until no more can come. Like a commit it gives way to whoever is about to hand something in, until nobody does
// any more: sixty-four then wait for the disk once and not one after the other.
func (in *intake) write() {
	var record []byte
	var batch []jot
	for j := range in.jots {
		batch, record = append(batch[:0], j), append(beginRecord(record[:0]), j.encoded...)
		for joined := true; joined && len(record) < maxRecord; {
			runtime.Gosched()
			joined = false
			for next := range handedIn(in.jots) {
				joined = true
				if batch, record = append(batch, next), append(record, next.encoded...); len(record) >= maxRecord {
					break
				}
			}
		}
		record = padRecord(record)
		err := in.makeDurable(batch, record)
		for _, j := range batch {
			j.done <- err
		}
	}
}

// handedIn ranges over what waits in a channel just now.
func handedIn[T any](waiting <-chan T) iter.Seq[T] {
	return func(yield func(T) bool) {
		for {
			select {
			case v, open := <-waiting:
				if !open || !yield(v) {
					return
				}
			default:
				return
			}
		}
	}
}

// makeDurable writes one record and waits for the disk. A journal that is full is emptied first.
func (in *intake) makeDurable(batch []jot, record []byte) error {
	if err := in.s.inPlace(); err != nil {
		return err
	}
	number, err := in.journal.write(record, in.lastTaken())
	if errors.Is(err, errFull) {
		if _, err := in.takeOver(); err != nil {
			return err
		}
		number, err = in.journal.write(record, in.lastTaken())
	}
	if err != nil {
		return err
	}
	var marks []store.Mark
	for _, j := range batch {
		marks = append(marks, j.marks...)
	}
	in.keep(marks, number)
	in.wake()
	return nil
}

func (in *intake) lastTaken() uint64 {
	in.mu.Lock()
	defer in.mu.Unlock()
	return in.taken
}

// keep remembers the marks of a record until the tree has taken them over. They come all at once: with what takeOver finds of a record it notes that it
// has the whole.
func (in *intake) keep(marks []store.Mark, number uint64) {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.written = number
	for _, m := range marks {
		if old, ok := in.pending[m.ID]; ok {
			m = old.Merge(m)
		}
		in.pending[m.ID] = m
	}
}
