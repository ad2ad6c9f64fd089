package bolt

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pubsync/pubsync/store"
)

// flagFreelist is the flag of the page that lists the free ones.
const flagFreelist = 0x10

// sampleFile is a store with something in each bucket, pages of several levels, and free ones.
func sampleFile(t testing.TB) []byte {
	t.Helper()
	s := newStore(t)
	const n = 120
	catalogue{rand: rand.New(rand.NewPCG(3, 4))}.fill(t, s, n)
	for i := range 3 {
		r := catalogue{rand: rand.New(rand.NewPCG(3, 4))}.record(n + i)
		r.Title = strings.Repeat("a page and more ", 400)
		change(t, s, r.ID, func(e *store.Entry) {
			e.Record, e.Removed = r, true
			e.Mark, e.Owed = &store.Mark{Class: store.ClassSweep, At: after(0)}, &store.Report{Status: "success"}
		})
		must(t, s.Mark(t.Context(), store.Mark{ID: r.ID, Class: store.ClassHint}))
	}
	must(t, s.PutPage(t.Context(), store.Page{
		Name: "full", Seen: true, IDs: []string{"seen"}, Change: func(int, *store.Entry) bool { return false },
	}))
	must(t, store.ClaimAccount(t.Context(), s.Store, "acme"))
	must(t, s.Close())
	data, err := os.ReadFile(s.path)
	must(t, err)
	return data
}

func TestDamagedFiles(t *testing.T) {
	sound := sampleFile(t)
	page := func(d []byte, i int) []byte { return d[i*os.Getpagesize() : (i+1)*os.Getpagesize()] }
	r := rand.New(rand.NewPCG(5, 6))
	for _, tt := range []struct {
		name   string
		damage func(d []byte) []byte
	}{
		{"empty", func([]byte) []byte { return nil }},
		{"one byte", func(d []byte) []byte { return d[:1] }},
		{"half a page", func(d []byte) []byte { return d[:os.Getpagesize()/2] }},
		{"one page", func(d []byte) []byte { return d[:os.Getpagesize()] }},
		{"three pages", func(d []byte) []byte { return d[:3*os.Getpagesize()] }},
		{"half of it", func(d []byte) []byte { return d[:len(bytes.TrimRight(d, "\x00"))/2] }},
		{"zeroes", func(d []byte) []byte { clear(d); return d }},
		{"text", func([]byte) []byte { return []byte(strings.Repeat("this is no store\n", 5000)) }},
		{"noise", func(d []byte) []byte {
			for i := range d {
				d[i] = byte(r.Uint32())
			}
			return d
		}},
		{"noise behind a good head", func(d []byte) []byte {
			for i := 2 * os.Getpagesize(); i < len(d); i++ {
				d[i] = byte(r.Uint32())
			}
			return d
		}},
		{"zeroes behind a good head", func(d []byte) []byte { clear(d[2*os.Getpagesize():]); return d }},
		{"both heads", func(d []byte) []byte { clear(d[16:64]); clear(page(d, 1)[16:64]); return d }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "store.db")
			damaged := tt.damage(slices.Clone(sound))
			must(t, os.WriteFile(path, damaged, 0o600))
			for name, open := range map[string]func(string) (opened, error){"open": openAt, "view": viewAt} {
				s, err := open(path)
				if err == nil {
					s.Close()
				}
				if !errors.Is(err, store.ErrCorrupt) || !strings.Contains(err.Error(), path) {
					t.Errorf("%s: %v", name, err)
				}
			}
			now, err := os.ReadFile(path)
			must(t, err)
			if !slices.Equal(now, damaged) {
				t.Error("the file was changed: it may be somebody else's, or be mended by hand")
			}
		})
	}
}

// Check finds what nothing has read yet.
func TestCheck(t *testing.T) {
	sound := sampleFile(t)
	for _, tt := range []struct {
		name   string
		damage func(d []byte)
		finds  bool
	}{
		{"nothing", func([]byte) {}, false},
		{"each title", func(d []byte) { copy(d, bytes.ReplaceAll(d, []byte("terracotta"), []byte("terracotxa"))) }, true},
		{"the list of free pages is empty", func(d []byte) {
			for at := 0; at < len(d); at += os.Getpagesize() {
				if binary.NativeEndian.Uint16(d[at+8:]) == flagFreelist {
					binary.NativeEndian.PutUint16(d[at+10:], 0)
				}
			}
		}, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "store.db")
			damaged := slices.Clone(sound)
			tt.damage(damaged)
			must(t, os.WriteFile(path, damaged, 0o600))
			s, err := openAt(path)
			must(t, err)
			if err := s.Check(t.Context()); errors.Is(err, store.ErrCorrupt) != tt.finds {
				t.Errorf("got %v, want ErrCorrupt: %t", err, tt.finds)
			}
			must(t, s.Close())
		})
	}
}

// Damage that comes while the store is open is ErrCorrupt from the method that meets it and from
// all after it, and the file can be let go.
func TestDamageWhileOpen(t *testing.T) {
	for _, tt := range []struct {
		name   string
		damage func(t *testing.T, f *os.File)
		sticks bool
	}{
		{"a value", func(t *testing.T, f *os.File) {
			overwrite(t, f, "Hand-made terracotta", []byte("Hand-made terracotxa"))
		}, false},
		{"pages of zeroes", func(t *testing.T, f *os.File) {
			info, err := f.Stat()
			must(t, err)
			_, err = f.WriteAt(make([]byte, info.Size()-8192), 8192)
			must(t, err)
		}, true},
		{"pages of ones", func(t *testing.T, f *os.File) {
			info, err := f.Stat()
			must(t, err)
			_, err = f.WriteAt([]byte(strings.Repeat("\xff", int(info.Size()-8192))), 8192)
			must(t, err)
		}, true},
		{"cut off", func(t *testing.T, f *os.File) { must(t, f.Truncate(8192)) }, true},
		{"the name of a bucket", func(t *testing.T, f *os.File) {
			overwrite(t, f, "publication", []byte("publicatiox"))
		}, true},
		{"the name of the root", func(t *testing.T, f *os.File) { overwrite(t, f, "v1", []byte("v9")) }, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "store.db")
			must(t, os.WriteFile(path, sampleFile(t), 0o600))
			for _, write := range []bool{false, true} {
				s := reopen(t, path)
				sound, err := os.ReadFile(path)
				must(t, err)
				f, err := os.OpenFile(path, os.O_RDWR, 0)
				must(t, err)
				tt.damage(t, f)
				must(t, f.Close())
				if write {
					_, err = s.Change(t.Context(), allIDs(120), func(*store.Entry) bool { return true })
				} else {
					for _, err = range store.Records(t.Context(), s.Store, store.Query{}) {
						if err != nil {
							break
						}
					}
				}
				if !errors.Is(err, store.ErrCorrupt) {
					t.Errorf("write %t: %v", write, err)
				}
				if err := s.Mark(t.Context(), store.Mark{ID: "x"}); errors.Is(err, store.ErrCorrupt) != tt.sticks {
					t.Errorf("write %t, a mark after it: %v", write, err)
				}
				if _, err := dueLen(t.Context(), s, start); errors.Is(err, store.ErrCorrupt) != tt.sticks {
					t.Errorf("write %t, a reader after it: %v", write, err)
				}
				must(t, s.Close())
				must(t, os.WriteFile(path, sound, 0o600))
				reopened, err := openAt(path) // it was let go
				must(t, err)
				must(t, reopened.Close())
			}
		})
	}
}

// A commit that fails on damage leaves bbolt's lock taken for ever: neither the next writer nor
// Close waits for it.
func TestDamagedListOfFreePages(t *testing.T) {
	path := filepath.Join(t.TempDir(), "store.db")
	must(t, os.WriteFile(path, sampleFile(t), 0o600))
	s := reopen(t, path)
	data, err := os.ReadFile(path)
	must(t, err)
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	must(t, err)
	for at := 0; at < len(data); at += os.Getpagesize() {
		if binary.NativeEndian.Uint16(data[at+8:]) == flagFreelist {
			_, err := f.WriteAt(make([]byte, os.Getpagesize()), int64(at))
			must(t, err)
		}
	}
	must(t, f.Close())
	for range 2 {
		if err := s.Mark(t.Context(), store.Mark{ID: "x"}); !errors.Is(err, store.ErrCorrupt) {
			t.Errorf("mark: %v", err)
		}
	}
	must(t, s.Close())
	must(t, os.WriteFile(path, data, 0o600))
	must(t, reopen(t, path).Close())
}

func allIDs(n int) (ids []string) {
	for i := range n {
		ids = append(ids, catalogue{}.id("pub", i))
	}
	return ids
}

// overwrite replaces each occurrence of some bytes in a file.
func overwrite(t *testing.T, f *os.File, old string, with []byte) {
	t.Helper()
	data, err := os.ReadFile(f.Name())
	must(t, err)
	n := 0
	for at := 0; ; {
		i := strings.Index(string(data[at:]), old)
		if i < 0 {
			break
		}
		at += i
		_, err := f.WriteAt(with, int64(at))
		must(t, err)
		at += len(old)
		n++
	}
	if n == 0 {
		t.Fatalf("%q is not in the file", old)
	}
}
