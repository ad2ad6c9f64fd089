package bolt

import (
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/pubsync/pubsync/store"
)

// writeJournal makes a journal of one record for each name, of which the tree took over the first few when the last was written.
func writeJournal(t testing.TB, path string, names ...string) *journal {
	t.Helper()
	j := &journal{path: path, next: 1}
	for _, name := range names {
		appendTo(t, j, 0, name)
	}
	return j
}

func appendTo(t testing.TB, j *journal, taken uint64, name string) {
	t.Helper()
	_, err := j.write(padRecord(appendJot(beginRecord(nil), hook(name))), taken)
	must(t, err)
}

// reload is the journal as the next process finds it, and what is left in it, when the tree knows it to be in use.
func reload(j *journal, taken uint64) (again *journal, left []store.Mark, err error) {
	again = &journal{path: j.path, store: j.store, used: j.used}
	found, err := again.load(taken)
	return again, found.marks, err
}

func ids(marks []store.Mark) (ids []string) {
	for _, m := range marks {
		ids = append(ids, m.ID)
	}
	return ids
}

func TestJournalOfAKilledProcess(t *testing.T) {
	long := strings.Repeat("l", 3*sector)
	flip := func(at int) func([]byte) { return func(data []byte) { data[at] ^= 4 } }
	for name, tt := range map[string]struct {
		taken uint64
		spoil func(data []byte)
		want  []string
		next  uint64
	}{
		"whole":                        {0, nil, []string{"a", long, "c"}, 4},
		"of which two are in the tree": {2, nil, []string{"c"}, 4},
		"all of it in the tree":        {3, nil, nil, 4},
		"of an older store":            {9, nil, nil, 10},
		"the last is not whole":        {0, flip(6*sector + 30), []string{"a", long}, 3},
		"one in the middle is not":     {0, flip(3 * sector), nil, 0},
		"nor the first":                {0, flip(sector), nil, 0},
		"one that is in the tree":      {1, flip(sector), []string{long, "c"}, 4},
		"nothing but zeros":            {0, func(data []byte) { clear(data) }, nil, 0},
		"emptied, and all in the tree": {3, func(data []byte) { clear(data) }, nil, 0},
		"its head is not whole":        {0, flip(10), nil, 0},
		"an identity of another":       {0, func(data []byte) { _, head := newHead(); copy(data, head) }, nil, 0},
	} {
		path := t.TempDir() + "/store.db.journal"
		j := writeJournal(t, path, "a", long, "c")
		must(t, j.file.Close())
		if tt.spoil != nil {
			data, err := os.ReadFile(path)
			must(t, err)
			tt.spoil(data)
			must(t, os.WriteFile(path, data, 0o600))
		}
		again, marks, err := reload(j, tt.taken)
		if tt.next == 0 {
			if !errors.Is(err, store.ErrCorrupt) || !errors.Is(err, ErrJournal) || !strings.Contains(err.Error(), path) {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		if err != nil || !slices.Equal(ids(marks), tt.want) || again.next != tt.next {
			t.Errorf("%s: %.80q, next %d, %v", name, ids(marks), again.next, err)
			continue
		}
		// The next write overwrites no entry that is still needed.
		appendTo(t, again, tt.taken, "d")
		must(t, again.file.Close())
		_, marks, err = reload(j, tt.taken)
		if err != nil || !slices.Equal(ids(marks), append(slices.Clone(tt.want), "d")) {
			t.Errorf("%s, and one more: %.80q, %v", name, ids(marks), err)
		}
	}
}

// The space of a journal is taken before the first record: one that is shorter has been cut off, unless it never got as far as that.
func TestJournalCutOff(t *testing.T) {
	path := t.TempDir() + "/store.db.journal"
	j := writeJournal(t, path, "a", "b", "c")
	must(t, j.file.Close())
	for _, size := range []int64{journalSize - 1, 2*sector + 100, sector, recordHead, recordHead - 1, 0} {
		must(t, os.Truncate(path, size))
		if _, marks, err := reload(j, 1); !errors.Is(err, store.ErrCorrupt) {
			t.Errorf("%d bytes: %q, %v", size, ids(marks), err)
		}
	}
	// One that the tree does not know of was never finished.
	for _, size := range []int64{0, recordHead - 1, journalSize / 2} {
		must(t, os.Truncate(path, size))
		if found, err := (&journal{path: path}).load(1); len(found.marks) > 0 || found.alien || found.lost || err != nil {
			t.Errorf("%d bytes of zeros: %+v, %v", size, found, err)
		}
	}
}

// A lap leaves records of the lap before behind its own; they are in the tree.
func TestJournalLaps(t *testing.T) {
	path := t.TempDir() + "/store.db.journal"
	j := writeJournal(t, path, "a", strings.Repeat("l", 3*sector), "c")
	appendTo(t, j, 3, "d")
	must(t, j.file.Close())
	for taken, want := range map[uint64][]string{
		3: {"d"},
		0: {"d"}, // beside a store that was put back from a backup
		4: nil,
	} {
		_, marks, err := reload(j, taken)
		if err != nil || !slices.Equal(ids(marks), want) {
			t.Errorf("taken %d: %.80q, %v, want %q", taken, ids(marks), err, want)
		}
	}
	if j.at != 2*sector {
		t.Errorf("the lap is at %d", j.at)
	}
}

// A record whose write was reported to have failed may be there all the same. Its number is given again, and what was promised under it counts.
func TestRecordAfterAFailedOne(t *testing.T) {
	for name, taken := range map[string]uint64{"in its place": 0, "in a new lap": 2} {
		path := t.TempDir() + "/store.db.journal"
		j := writeJournal(t, path, "a", "b")
		at, next := j.at, j.next
		appendTo(t, j, 0, "failed")
		j.at, j.next = at, next
		appendTo(t, j, taken, "promised")
		must(t, j.file.Close())
		_, marks, err := reload(j, taken)
		if got := ids(marks); err != nil || slices.Contains(got, "failed") || !slices.Contains(got, "promised") {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
}

func TestFullJournal(t *testing.T) {
	j := &journal{path: t.TempDir() + "/store.db.journal", next: 1}
	big := padRecord(appendJot(beginRecord(nil), hook(strings.Repeat("x", store.MaxID))))
	n := 0
	for ; n < 1000; n++ {
		if _, err := j.write(big, 0); errors.Is(err, errFull) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
	if n != (journalSize-sector)/len(big) {
		t.Errorf("full after %d records of %d bytes", n, len(big))
	}
	_, err := j.write(big, uint64(n)) //nolint:gosec // counts up
	must(t, errors.Join(err, j.file.Close()))
}

// Whatever lies there, reading it ends, and finds numbers in order.
func FuzzJournal(f *testing.F) {
	path := f.TempDir() + "/store.db.journal"
	must(f, writeJournal(f, path, "a", strings.Repeat("l", 3*sector), "c").file.Close())
	data, err := os.ReadFile(path)
	must(f, err)
	f.Add(data[:6*sector], uint64(0))
	f.Add(data[:6*sector], uint64(2))
	f.Add(data[sector:6*sector], uint64(0))
	f.Add([]byte{24, 0, 0, 0}, uint64(0))
	f.Fuzz(func(t *testing.T, data []byte, taken uint64) {
		found, err := scanJournal(data, taken)
		if err != nil {
			return
		}
		for i, r := range found {
			if r.number <= taken || i > 0 && r.number != found[i-1].number+1 {
				t.Errorf("record %d is numbered %d, after %d", i, r.number, taken)
			}
			for _, m := range r.marks {
				if validMark(m) != nil {
					t.Errorf("found %+v", m)
				}
			}
		}
	})
}
