package bolt

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pubsync/pubsync/store"
)

// flagFreelist is the flag of the page that lists the free ones.
const flagFreelist = 0x10

// sampleFile is a store with pages of several levels, and free ones.
func sampleFile(t testing.TB) []byte {
	t.Helper()
	s := newStore(t)
	for i := range 120 {
		change(t, s, fmt.Sprintf("pub%020d", i), func(e *store.Entry) {
			e.Record.State, e.Record.Title = store.StateLive, fmt.Sprintf("Hand-made terracotta planter no. %-7d", i)
			e.Record.Claims = []string{fmt.Sprintf("TERRA-%06d", i)}
			e.Note(store.Mark{Class: store.ClassNew, Seen: "2026-11-01T08:00:00.000Z"})
			e.Tell(store.Event{What: "created"})
		})
	}
	for i := range 3 {
		change(t, s, fmt.Sprintf("pub%020d", i), func(e *store.Entry) {
			e.Record.Title, e.Mark = strings.Repeat("a page and more ", 400), nil
		})
	}
	must(t, s.Close())
	data, err := os.ReadFile(s.path)
	must(t, err)
	return data
}

// emptyFreelist empties the lists of free pages.
func emptyFreelist(d []byte) []byte {
	for at := 0; at < len(d); at += os.Getpagesize() {
		if binary.NativeEndian.Uint16(d[at+8:]) == flagFreelist {
			binary.NativeEndian.PutUint16(d[at+10:], 0)
		}
	}
	return d
}

func replaced(old, with string) func(d []byte) []byte {
	return func(d []byte) []byte { return bytes.ReplaceAll(d, []byte(old), []byte(with)) }
}

// A damaged file is ErrCorrupt when it is opened or when it is checked, and is not changed.
func TestDamagedFiles(t *testing.T) {
	sound := sampleFile(t)
	page := os.Getpagesize()
	for _, tt := range []struct {
		name   string
		damage func(d []byte) []byte
		opens  bool
		fine   bool
	}{
		{"none", func(d []byte) []byte { return d }, true, true},
		{"empty", func([]byte) []byte { return nil }, false, false},
		{"half a page", func(d []byte) []byte { return d[:page/2] }, false, false},
		{"one page", func(d []byte) []byte { return d[:page] }, false, false},
		{"half of it", func(d []byte) []byte { return d[:len(bytes.TrimRight(d, "\x00"))/2] }, false, false},
		{"text", func([]byte) []byte { return []byte(strings.Repeat("this is no store\n", 5000)) }, false, false},
		{"zeroes behind a good head", func(d []byte) []byte { clear(d[2*page:]); return d }, false, false},
		{"both heads", func(d []byte) []byte { clear(d[16:64]); clear(d[page+16 : page+64]); return d }, false, false},
		{"each title", replaced("terracotta", "terracotxa"), true, false},
		{"the list of free pages", emptyFreelist, true, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "store.db")
			damaged := tt.damage(slices.Clone(sound))
			must(t, os.WriteFile(path, damaged, 0o600))
			s, err := openAt(path)
			if err == nil != tt.opens || err != nil && !strings.Contains(err.Error(), path) {
				t.Errorf("open: got %v, want it to open: %t", err, tt.opens)
			}
			if err == nil {
				err = s.Check(t.Context())
				must(t, s.Close())
			}
			if errors.Is(err, store.ErrCorrupt) == tt.fine {
				t.Errorf("got %v, want ErrCorrupt: %t", err, !tt.fine)
			}
			now, err := os.ReadFile(path)
			must(t, err)
			if !slices.Equal(now, damaged) {
				t.Error("the file was changed: it may be somebody else's, or be mended by hand")
			}
		})
	}
}

// Damage that comes while the store is open is ErrCorrupt from the method that meets it. Where it is
// bbolt's, it is from all methods after it, and none waits for a lock that bbolt left taken.
func TestDamageWhileOpen(t *testing.T) {
	sound := sampleFile(t)
	for _, tt := range []struct {
		name   string
		damage func(d []byte) []byte
		sticks bool
	}{
		{"a value", replaced("Hand-made terracotta", "Hand-made terracotxa"), false},
		{"pages of zeroes", func(d []byte) []byte { clear(d[8192:]); return d }, true},
		{"cut off", func(d []byte) []byte { return d[:8192] }, true},
		{"the list of free pages", func(d []byte) []byte {
			for at := 0; at < len(d); at += os.Getpagesize() {
				if binary.NativeEndian.Uint16(d[at+8:]) == flagFreelist {
					clear(d[at : at+os.Getpagesize()])
				}
			}
			return d
		}, true},
	} {
		for _, write := range []bool{false, true} {
			path := filepath.Join(t.TempDir(), "store.db")
			must(t, os.WriteFile(path, sound, 0o600))
			s, err := openAt(path)
			must(t, err)
			damaged := tt.damage(slices.Clone(sound))
			must(t, os.Truncate(path, int64(len(damaged))))
			f, err := os.OpenFile(path, os.O_RDWR, 0)
			must(t, err)
			_, err = f.WriteAt(damaged, 0)
			must(t, errors.Join(err, f.Close()))
			if write || tt.name == "the list of free pages" { // which no reader meets
				_, err = store.ChangeAll(t.Context(), s.Store, store.Query{}, func(*store.Entry) bool { return true })
			} else {
				_, _, err = s.List(t.Context(), store.Query{})
			}
			if !errors.Is(err, store.ErrCorrupt) {
				t.Errorf("%s, write %t: got %v, want ErrCorrupt", tt.name, write, err)
			}
			if err := s.Mark(t.Context(), store.Mark{ID: "x"}); errors.Is(err, store.ErrCorrupt) != tt.sticks {
				t.Errorf("%s, write %t: a mark after it: %v", tt.name, write, err)
			}
			if _, err := s.Backlog(t.Context(), 0); errors.Is(err, store.ErrCorrupt) != tt.sticks {
				t.Errorf("%s, write %t: a reader after it: %v", tt.name, write, err)
			}
			must(t, s.Close())
		}
	}
}
