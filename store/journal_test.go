package store

import (
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
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

func ids(marks []Mark) (ids []string) {
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
		"the last is not whole":        {0, flip(5*sector + 30), []string{"a", long}, 3},
		"one in the middle is not":     {0, flip(2 * sector), nil, 0},
		"nor the first":                {0, flip(0), nil, 0},
		"one that is in the tree":      {1, flip(0), []string{long, "c"}, 4},
		"nothing but zeros":            {0, func(data []byte) { clear(data) }, nil, 1},
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
		again := &journal{path: path}
		marks, err := again.load(tt.taken)
		if tt.next == 0 {
			if !errors.Is(err, ErrCorrupt) || !errors.Is(err, ErrJournal) || !strings.Contains(err.Error(), path) {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		if err != nil || !slices.Equal(ids(marks), tt.want) || again.next != tt.next {
			t.Errorf("%s: %.80q, next %d, %v", name, ids(marks), again.next, err)
			continue
		}
		// What is written next takes the place of none that is still needed.
		appendTo(t, again, tt.taken, "d")
		must(t, again.file.Close())
		marks, err = (&journal{path: path}).load(tt.taken)
		if err != nil || !slices.Equal(ids(marks), append(slices.Clone(tt.want), "d")) {
			t.Errorf("%s, and one more: %.80q, %v", name, ids(marks), err)
		}
	}
}

// The space of a journal is taken before the first record: one that is shorter has been cut off, unless it never got as far as that.
func TestJournalCutOff(t *testing.T) {
	path := t.TempDir() + "/store.db.journal"
	must(t, writeJournal(t, path, "a", "b", "c").file.Close())
	for _, size := range []int64{journalSize - 1, 2*sector + 100, sector, recordHead, recordHead - 1, 0} {
		must(t, os.Truncate(path, size))
		marks, err := (&journal{path: path}).load(1)
		if told := errors.Is(err, ErrCorrupt); told != (size >= recordHead) {
			t.Errorf("%d bytes: %q, %v", size, ids(marks), err)
		}
	}
	must(t, os.Truncate(path, journalSize/2))
	if marks, err := (&journal{path: path}).load(1); len(marks) > 0 || err != nil {
		t.Errorf("half a file of zeros: %q, %v", ids(marks), err)
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
		marks, err := (&journal{path: path}).load(taken)
		if err != nil || !slices.Equal(ids(marks), want) {
			t.Errorf("taken %d: %.80q, %v, want %q", taken, ids(marks), err, want)
		}
	}
	if j.at != sector {
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
		marks, err := (&journal{path: path}).load(taken)
		if got := ids(marks); err != nil || slices.Contains(got, "failed") || !slices.Contains(got, "promised") {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
}

func TestFullJournal(t *testing.T) {
	j := &journal{path: t.TempDir() + "/store.db.journal", next: 1}
	big := padRecord(appendJot(beginRecord(nil), hook(strings.Repeat("x", maxID))))
	n := 0
	for ; n < 1000; n++ {
		if _, err := j.write(big, 0); errors.Is(err, errFull) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
	if n != journalSize/len(big) {
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
