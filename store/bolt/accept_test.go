package bolt

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pubsync/pubsync/store"
)

// behind keeps the tree from taking over what is accepted, until release.
func behind(t testing.TB, s *Store) (release func()) {
	t.Helper()
	s.intake.taking.Lock()
	release = sync.OnceFunc(s.intake.taking.Unlock)
	t.Cleanup(release)
	return release
}

// pull copies the files of an open store, of which nothing is being written, as a kill would leave them.
func pull(t testing.TB, s *Store) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "store.db")
	for _, ending := range []string{"", ".journal"} {
		data, err := os.ReadFile(s.path + ending)
		must(t, err)
		must(t, os.WriteFile(path+ending, data, 0o600))
	}
	return path
}

func hasJournal(store string) bool {
	_, err := os.Stat(journalPath(store))
	return err == nil
}

func takeOver(t testing.TB, s *Store) {
	t.Helper()
	_, err := s.intake.takeOver()
	must(t, err)
}

func hook(id string) store.Mark {
	return store.Mark{ID: id, Class: store.ClassHook, Cause: store.CauseSigned, At: store.At(start)}
}

func backlog(t testing.TB, s *Store) int {
	t.Helper()
	n, err := dueLen(s, start)
	must(t, err)
	return n
}

func TestWhatIsAcceptedSurvivesAKill(t *testing.T) {
	s := newStore(t)
	must(t, s.Mark(hook("a"), store.Mark{ID: "later", Class: store.ClassHook, At: after(time.Hour)}))
	must(t, s.Accept(hook("before")))
	takeOver(t, s)
	release := behind(t, s)
	must(t, s.Accept(hook("b"), hook("a")))
	must(t, s.Accept(hook("later")))
	if n := backlog(t, s); n != 4 {
		t.Errorf("%d are due, want a, b, before and later", n)
	}
	path := pull(t, s)
	release()

	view, err := OpenView(path)
	must(t, err)
	if n := backlog(t, view); n != 4 {
		t.Errorf("%d are due in the view of what is left, want 4", n)
	}
	if ids := order(t, view, start, every); !slices.Equal(ids, []string{"a", "b", "before", "later"}) {
		t.Errorf("the view's marks are %q", ids)
	}
	if m, ok, err := markOf(view, "later"); !ok || err != nil || m.At != store.At(start) || m.Cause != store.CauseSigned {
		t.Errorf("the view has %+v, %t, %v", m, ok, err)
	}
	if lacks, err := view.Backup(io.Discard); len(lacks) != 3 || err != nil {
		t.Errorf("a copy lacks %v, want a, b and later: %v", lacks, err)
	}
	must(t, view.Close())
	if !hasJournal(path) {
		t.Error("a view took the journal away")
	}

	again := reopen(t, path)
	takeOver(t, again)
	if got := order(t, again, start, every); !slices.Equal(got, []string{"a", "b", "before", "later"}) {
		t.Errorf("due are %q", got)
	}
	must(t, again.Close())
	if hasJournal(path) {
		t.Error("a journal is left that holds nothing")
	}
}

// A webhook that arrives during a look leads to another look, even where the tree learns of it after the look has ended.
func TestAcceptedDuringALook(t *testing.T) {
	s := newStore(t)
	must(t, s.Mark(hook("a")))
	m, _, err := markOf(s, "a")
	must(t, err)
	release := behind(t, s)
	must(t, s.Accept(hook("a")))
	settle(t, s, store.Settlement{Record: store.Record{ID: "a", State: "live"}, Gen: m.Gen})
	release()
	takeOver(t, s)
	if got := order(t, s, start, every); !slices.Equal(got, []string{"a"}) {
		t.Errorf("due are %q, want a", got)
	}
}

func TestAfterAccept(t *testing.T) {
	s := newStore(t)
	told := make(chan int, 1)
	s.AfterAccept(func() { told <- len(order(t, s, start, every)) })
	must(t, s.Accept(hook("a")))
	select {
	case n := <-told:
		if n != 1 {
			t.Errorf("%d were due when it was told, want 1", n)
		}
	case <-time.After(10 * time.Second):
		t.Fatal("was never told")
	}
	s.AfterAccept(func() {})
}

// The marks of many laps, by many writers, are all in the tree in the end, those of another lap are not taken over twice, and no lap makes the file grow.
func TestAcceptInLaps(t *testing.T) {
	s := newStore(t)
	const writers, each = 16, 60
	name := func(w, i int) string { return fmt.Sprint(w, " ", i, strings.Repeat("x", 3000)) }
	var failed atomic.Int32
	var writing sync.WaitGroup
	for w := range writers {
		writing.Go(func() {
			for i := range each {
				if s.Accept(hook(name(w, i))) != nil {
					failed.Add(1)
				}
			}
		})
	}
	writing.Wait()
	if failed.Load() > 0 {
		t.Errorf("%d were not accepted", failed.Load())
	}
	if n := backlog(t, s); n != writers*each {
		t.Errorf("%d are due, want %d", n, writers*each)
	}
	if s.intake.journal.lap == 1 {
		t.Error("the journal never came round")
	}
	if info, err := os.Stat(journalPath(s.path)); err != nil || info.Size() != journalSize || info.Mode().Perm() != 0o600 {
		t.Errorf("journal: %v, %v", info, err)
	}
	must(t, s.Close())
	s = reopen(t, s.path)
	if n := backlog(t, s); n != writers*each {
		t.Errorf("reopened: %d are due, want %d", n, writers*each)
	}
	must(t, s.Accept(hook("a"))) // goes on counting where it ended
	takeOver(t, s)
	if n := backlog(t, s); n != writers*each+1 {
		t.Errorf("and one more: %d are due", n)
	}
}

func TestAcceptWithoutAJournal(t *testing.T) {
	s := newStore(t)
	told := 0
	s.AfterAccept(func() { told++ })
	must(t, os.Mkdir(journalPath(s.path), 0o700))
	must(t, s.Accept(hook("a")))
	if got := order(t, s, start, every); !slices.Equal(got, []string{"a"}) {
		t.Errorf("due are %q", got)
	}
	must(t, os.Remove(journalPath(s.path)))
	huge := make([]store.Mark, 9)
	for i := range huge {
		huge[i] = hook(fmt.Sprint(i, strings.Repeat("x", store.MaxID-1)))
	}
	must(t, s.Accept(huge...)) // more than a record holds
	if n := len(order(t, s, start, every)); n != 10 {
		t.Errorf("%d are due, want 10", n)
	}
	if told != 2 {
		t.Errorf("told %d times that something is due, want 2", told)
	}
}

// A folder that lets nothing be removed is no reason to say that the store did not close.
func TestCloseWhereTheJournalMustStay(t *testing.T) {
	s := newStore(t)
	must(t, os.MkdirAll(filepath.Join(journalPath(s.path), "in the way"), 0o700))
	must(t, s.Accept(hook("a")))
	must(t, s.Close())
}

// A journal that cannot be read keeps the store from being opened, and nothing of it stays open.
func TestDamagedJournal(t *testing.T) {
	s := newStore(t)
	release := behind(t, s)
	must(t, s.Accept(hook("a")))
	must(t, s.Accept(hook("b")))
	path := pull(t, s)
	release()
	data, err := os.ReadFile(path + ".journal")
	must(t, err)
	data[recordHead]++
	must(t, os.WriteFile(path+".journal", data, 0o600))
	for name, open := range map[string]func(string) (*Store, error){"for reading": OpenView, "for writing": Open} {
		if _, err := open(path); !errors.Is(err, store.ErrCorrupt) || !strings.Contains(err.Error(), path+".journal") {
			t.Errorf("%s: %v", name, err)
		}
	}
	must(t, os.Remove(path+".journal"))
	reopen(t, path)
}

func TestAcceptRefuses(t *testing.T) {
	s := newStore(t)
	must(t, s.Accept())
	for name, m := range map[string]store.Mark{
		"no id":     {},
		"long id":   {ID: strings.Repeat("x", store.MaxID+1)},
		"no class":  {ID: "a", Class: store.Classes},
		"with good": {ID: "", Class: store.ClassHook},
	} {
		if err := s.Accept(hook("good"), m); err == nil {
			t.Errorf("%s was accepted", name)
		}
	}
	if n := backlog(t, s); n != 0 {
		t.Errorf("%d are due of what was refused", n)
	}
	view, err := OpenView(filepath.Join(t.TempDir(), "none"))
	must(t, err)
	if err := view.Accept(hook("a")); !errors.Is(err, store.ErrReadOnly) {
		t.Errorf("a view accepted: %v", err)
	}
	must(t, s.Close())
	if err := s.Accept(hook("a")); !errors.Is(err, store.ErrClosed) {
		t.Errorf("a closed store: %v", err)
	}
}

func TestCloseWhileAccepting(t *testing.T) {
	s := newStore(t)
	var accepted atomic.Int64
	var writing sync.WaitGroup
	for w := range 8 {
		writing.Go(func() {
			for i := 0; ; i++ {
				switch err := s.Accept(hook(fmt.Sprint(w, " ", i))); {
				case errors.Is(err, store.ErrClosed):
					return
				case err != nil:
					t.Error(err)
					return
				}
				accepted.Add(1)
			}
		})
	}
	for accepted.Load() < 50 {
		time.Sleep(time.Millisecond)
	}
	must(t, s.Close())
	writing.Wait()
	s = reopen(t, s.path)
	if n := backlog(t, s); int64(n) != accepted.Load() {
		t.Errorf("%d are due, %d were accepted", n, accepted.Load())
	}
}

// While the tree cannot be written no more is promised; what was promised is in the tree as soon as it can be.
func TestAcceptWhileTheTreeIsStuck(t *testing.T) {
	s := newStore(t)
	release := behind(t, s)
	must(t, s.Accept(hook("a")))
	s.intake.mu.Lock()
	s.intake.stuck = true // as takeOver leaves it
	s.intake.mu.Unlock()
	real := s.intake.s
	s.intake.s = &Store{readOnly: true}
	release()
	if err := s.Accept(hook("b")); !errors.Is(err, store.ErrReadOnly) {
		t.Errorf("accepted while the tree is stuck: %v", err)
	}
	s.intake.taking.Lock()
	s.intake.s = real
	s.intake.taking.Unlock()
	must(t, s.Accept(hook("c")))
	takeOver(t, s)
	if got := order(t, s, start, every); !slices.Equal(got, []string{"a", "c"}) {
		t.Errorf("due are %q, want a and c", got)
	}
}

func TestBackupHoldsWhatWasAccepted(t *testing.T) {
	s := newStore(t)
	must(t, s.Accept(hook("a")))
	path := filepath.Join(t.TempDir(), "copy.db")
	f, err := os.Create(path)
	must(t, err)
	must(t, backup(s, f))
	must(t, f.Close())
	if n := backlog(t, reopen(t, path)); n != 1 {
		t.Errorf("%d are due in the backup, want 1", n)
	}
}

// The tree never says that it has taken over a record of which some marks are still to come: a kill in between would lose them.
func TestARecordIsTakenOverWhole(t *testing.T) {
	s := newStore(t)
	in := s.intake
	batch, record := make([]jot, 2000), beginRecord(nil)
	for i := range batch {
		batch[i].marks = []store.Mark{hook(fmt.Sprint(i))}
		record = appendJot(record, batch[i].marks[0])
	}
	record = padRecord(record)
	look := func() (left int, taken, written uint64) {
		in.mu.Lock()
		defer in.mu.Unlock()
		return len(in.pending), in.taken, in.written
	}
	for range 10 {
		_, _, before := look()
		var taking sync.WaitGroup
		taking.Go(func() {
			for _, _, written := look(); written == before; _, _, written = look() {
				runtime.Gosched()
			}
			if _, err := in.takeOver(); err != nil {
				t.Error(err)
			}
			if left, taken, written := look(); left > 0 && taken == written {
				t.Errorf("record %d counts as taken over, and %d marks of it are not", written, left)
			}
		})
		must(t, in.makeDurable(batch, record))
		taking.Wait()
	}
}

// A file that was moved away, or that a backup was put in the place of, takes nothing more: it would be lost with the process.
func TestReplacedStore(t *testing.T) {
	for name, replace := range map[string]func(path string) error{
		"removed": os.Remove,
		"replaced": func(path string) error {
			return errors.Join(os.Rename(path, path+".old"), os.WriteFile(path, []byte("x"), 0o600))
		},
	} {
		s := newStore(t)
		must(t, s.Accept(hook("a")))
		takeOver(t, s)
		must(t, replace(s.path))
		if err := s.Accept(hook("b")); !errors.Is(err, store.ErrReplaced) || !store.Hopeless(err) {
			t.Errorf("%s: accepted, %v", name, err)
		}
		if err := s.Mark(hook("b")); !errors.Is(err, store.ErrReplaced) {
			t.Errorf("%s: marked, %v", name, err)
		}
		if err := store.Writable(s); !errors.Is(err, store.ErrReplaced) {
			t.Errorf("%s: writable, %v", name, err)
		}
		must(t, s.Close())
		if !hasJournal(s.path) {
			t.Errorf("%s: the journal is gone, which may be another's by now", name)
		}
	}
}
