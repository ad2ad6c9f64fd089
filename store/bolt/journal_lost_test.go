package bolt

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pubsync/pubsync/store"
)

// killed is what a process that was killed left: a store of one settled publication, and a journal with one webhook for another.
func killed(t *testing.T) (path string) {
	t.Helper()
	s := newStore(t)
	settle(t, s, store.Settlement{Record: store.Record{ID: "known", State: "live"}, Next: &store.Mark{Class: store.ClassRefresh, Cause: store.CauseRefresh, At: store.At(time.Now().Add(time.Hour))}})
	release := behind(t, s)
	must(t, s.Accept(hook("acknowledged")))
	path = pull(t, s)
	release()
	return path
}

var ways = map[string]func(string) (*Store, error){"for reading": OpenView, "for writing": Open}

// A journal that was in use and is not as it was is damage, and no journal at all is told of: what was acknowledged is never lost without a word.
func TestJournalThatWasExchanged(t *testing.T) {
	for name, spoil := range map[string]func(journal string) error{
		"zeroed":                func(j string) error { return os.WriteFile(j, make([]byte, journalSize), 0o600) },
		"emptied":               func(j string) error { return os.Truncate(j, 0) },
		"cut off":               func(j string) error { return os.Truncate(j, journalSize/2) },
		"that of another store": func(j string) error { return os.Rename(journalPath(killed(t)), j) },
		"an empty one of its own": func(j string) error {
			_, head := newHead()
			return os.WriteFile(j, append(head, make([]byte, journalSize-sector)...), 0o600)
		},
	} {
		for way, open := range ways {
			path := killed(t)
			must(t, spoil(journalPath(path)))
			s, err := open(path)
			if !errors.Is(err, ErrJournal) || !strings.Contains(err.Error(), journalPath(path)) {
				t.Errorf("%s, %s: %v, %v", name, way, s, err)
			}
			// The way out: it is moved away.
			must(t, os.Rename(journalPath(path), journalPath(path)+".bad"))
			s, err = open(path)
			must(t, err)
			if len(s.Warnings()) != 1 || !strings.Contains(s.Warnings()[0], journalPath(path)) {
				t.Errorf("%s, %s: warned of %q", name, way, s.Warnings())
			}
			must(t, s.Close())
		}
	}
}

// Once the journal that was in use is gone, everything is read again, and that is said once.
func TestLostJournal(t *testing.T) {
	path := killed(t)
	must(t, os.Remove(journalPath(path)))
	s := reopen(t, path)
	if len(s.Warnings()) != 1 {
		t.Errorf("warned of %q", s.Warnings())
	}
	takeOver(t, s)
	if got := order(t, s, time.Now(), every); !slices.Equal(got, []string{"known"}) {
		t.Errorf("due are %q, want what is known", got)
	}
	must(t, s.Accept(hook("next")))
	must(t, s.Close())
	again := reopen(t, path)
	if len(again.Warnings()) != 0 {
		t.Errorf("warned again of %q", again.Warnings())
	}
	if got := order(t, again, time.Now(), every); !slices.Equal(got, []string{"next", "known"}) {
		t.Errorf("due are %q", got)
	}
}

// After a clean end there is no journal, and one that lies there holds nothing that is missing.
func TestNoJournalAfterACleanEnd(t *testing.T) {
	for name, lay := range map[string]func(journal string) error{
		"none":   func(string) error { return nil },
		"zeroed": func(j string) error { return os.WriteFile(j, make([]byte, journalSize), 0o600) },
		"empty":  func(j string) error { return os.WriteFile(j, nil, 0o600) },
	} {
		s := newStore(t)
		must(t, s.Accept(hook("a")))
		must(t, s.Close())
		must(t, lay(journalPath(s.path)))
		again := reopen(t, s.path)
		must(t, again.Accept(hook("b")))
		takeOver(t, again)
		if got := order(t, again, start, every); len(again.Warnings()) != 0 || !slices.Equal(got, []string{"a", "b"}) {
			t.Errorf("%s: due are %q, warned of %q", name, got, again.Warnings())
		}
		must(t, again.Close())
		if hasJournal(s.path) {
			t.Errorf("%s: a journal is left", name)
		}
	}
}

// A backup that is put in the place of a later store opens beside the journal that is left there, says what it holds, and has that looked at.
func TestBackupBesideALaterJournal(t *testing.T) {
	for _, tt := range []struct {
		name   string
		sealed bool // by the one who took the copy, as the command does; else as it came
		anew   bool // the journal is one that was begun after the copy
	}{
		{"the same journal", true, false},
		{"the same journal, a copy as it came", false, false},
		{"a later journal", true, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := newStore(t)
			must(t, s.Accept(hook("before")))
			copied := filepath.Join(t.TempDir(), "copy.db")
			f, err := os.OpenFile(copied, os.O_RDWR|os.O_CREATE, 0o600)
			must(t, err)
			must(t, errors.Join(backup(s, f), f.Close()))
			if tt.sealed {
				c, err := OpenCopy(copied)
				must(t, err)
				if len(c.Warnings()) != 0 {
					t.Errorf("the copy warns of %q", c.Warnings())
				}
				must(t, c.Close())
			}
			if tt.anew {
				must(t, s.Close())
				s = reopen(t, s.path)
			}
			must(t, s.Accept(hook("taken over meanwhile")))
			takeOver(t, s)
			release := behind(t, s)
			must(t, s.Accept(hook("b")))
			must(t, s.Accept(hook("c")))
			path := pull(t, s)
			release()
			must(t, os.Rename(copied, path))
			put := reopen(t, path)
			if w := strings.Join(put.Warnings(), "\n"); !strings.Contains(w, "2 publications") || !strings.Contains(w, journalPath(path)) {
				t.Errorf("warned of %q", w)
			}
			takeOver(t, put)
			due := order(t, put, start, every)
			for _, id := range []string{"before", "b", "c"} {
				if !slices.Contains(due, id) {
					t.Errorf("%s is not due: %q", id, due)
				}
			}
			must(t, put.Accept(hook("after")))
			kill := behind(t, put)
			must(t, put.Accept(hook("at last")))
			path = pull(t, put)
			kill()
			last := reopen(t, path)
			takeOver(t, last)
			if due := order(t, last, start, every); !slices.Contains(due, "after") || !slices.Contains(due, "at last") || len(last.Warnings()) != 0 {
				t.Errorf("after the next kill due are %q, warned of %q", due, last.Warnings())
			}
		})
	}
}

// A journal of the version before, which had no head, is taken over.
func TestJournalWithoutAHead(t *testing.T) {
	s := newStore(t)
	must(t, s.Close())
	var record []byte
	j := &journal{next: 1, lap: 1}
	for i, id := range []string{"a", "b"} {
		r := padRecord(appendJot(beginRecord(nil), hook(id)))
		j.next = uint64(i) + 1 //nolint:gosec // counts up
		j.number(r)
		record = append(record, r...)
	}
	must(t, os.WriteFile(journalPath(s.path), append(record, make([]byte, journalSize-len(record))...), 0o600))
	again := reopen(t, s.path)
	must(t, again.Accept(hook("c")))
	takeOver(t, again)
	if got := order(t, again, start, every); !slices.Equal(got, []string{"a", "b", "c"}) || len(again.Warnings()) != 0 {
		t.Errorf("due are %q, warned of %q", got, again.Warnings())
	}
}

// A file beside the store that somebody else may have laid there is not opened, and nothing is written through it.
func TestUntrustedJournal(t *testing.T) {
	for name, lay := range map[string]func(t *testing.T, journal string) error{
		"a link": func(t *testing.T, j string) error {
			target := filepath.Join(t.TempDir(), "target")
			return errors.Join(os.WriteFile(target, make([]byte, journalSize), 0o600), os.Symlink(target, j))
		},
		"a link to nothing": func(t *testing.T, j string) error { return os.Symlink(filepath.Join(t.TempDir(), "target"), j) },
		"a folder":          func(_ *testing.T, j string) error { return os.Mkdir(j, 0o700) },
		"one that all may write": func(_ *testing.T, j string) error {
			return errors.Join(os.WriteFile(j, make([]byte, journalSize), 0o600), os.Chmod(j, 0o606))
		},
		"one that a group may write": func(_ *testing.T, j string) error {
			return errors.Join(os.WriteFile(j, make([]byte, journalSize), 0o600), os.Chmod(j, 0o660))
		},
	} {
		for way, open := range ways {
			s := newStore(t)
			must(t, s.Close())
			must(t, lay(t, journalPath(s.path)))
			if _, err := open(s.path); !errors.Is(err, ErrBeside) || errors.Is(err, ErrJournal) || !strings.Contains(err.Error(), journalPath(s.path)) {
				t.Errorf("%s, %s: %v", name, way, err)
			}
			if target, err := os.Readlink(journalPath(s.path)); err == nil {
				if data, err := os.ReadFile(target); !errors.Is(err, fs.ErrNotExist) && len(strings.Trim(string(data), "\x00")) > 0 {
					t.Errorf("%s, %s: written through the link", name, way)
				}
			}
		}
	}
}
