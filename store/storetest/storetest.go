// Package storetest holds an engine to the laws of a store.
//
//	func TestLaws(t *testing.T) {
//		storetest.Run(t, func(place string) (storetest.Store, error) { return bolt.Open(place) })
//	}
//
// Each law is a sentence that is printed where it is broken, and each has a saboteur, a store that
// breaks that law alone. Sabotage sees that each is caught on an engine.
package storetest

import (
	"context"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/pubsync/pubsync/store"
	"pgregory.net/rapid"
)

// A Store is an engine's store.
type Store interface {
	store.Store
	Close() error
}

// Open opens the store at a place, which begins with a folder of the test's own, and makes it where
// there is none. What was written before a store was closed is there when it is opened again.
type Open func(place string) (Store, error)

// A Law is a law of every store.
type Law struct {
	Name  string
	Says  string
	check func(ctx context.Context, t rapid.TB, b *bench)
}

// Run holds an engine to every law.
func Run(t *testing.T, open Open) {
	for _, law := range Laws() {
		t.Run(law.Name, func(t *testing.T) {
			t.Parallel()
			if broken := law.Check(t, t.TempDir(), open); broken != "" {
				t.Errorf("%s\n%s", law.Says, broken)
			}
		})
	}
}

// Check holds an engine to one law, with stores in a folder, and says how it is broken, "" where it
// is kept.
func (l Law) Check(t testing.TB, dir string, open Open) (broken string) {
	r := &recorder{TB: t}
	done := make(chan struct{})
	go func() {
		defer close(done)
		b := &bench{dir: dir, open: open}
		defer b.close()
		l.check(t.Context(), r, b)
	}()
	<-done
	return r.said
}

// A recorder keeps the first failure and does not fail the test: the caller asks whether a law is
// broken.
type recorder struct {
	testing.TB
	said   string
	failed bool
}

func (r *recorder) Errorf(format string, args ...any) {
	r.failed = true
	if r.said == "" {
		r.said = sprintf(format, args...)
	}
}

func (r *recorder) Error(args ...any) { r.Errorf("%s", sprint(args...)) }

func (r *recorder) Fatalf(format string, args ...any) {
	r.Errorf(format, args...)
	runtime.Goexit()
}

func (r *recorder) Fatal(args ...any) { r.Fatalf("%s", sprint(args...)) }
func (r *recorder) FailNow()          { r.Fatalf("failed") }
func (r *recorder) Fail()             { r.Errorf("failed") }
func (r *recorder) Failed() bool      { return r.failed }

// A bench has the stores of one law.
type bench struct {
	dir  string
	open Open
	n    int
	last Store
}

// store opens a new store.
func (b *bench) store(t rapid.TB) Store {
	b.n++
	return b.reopen(t)
}

// reopen opens the store that was opened last once more.
func (b *bench) reopen(t rapid.TB) Store {
	b.close()
	s, err := b.open(filepath.Join(b.dir, sprint("store ", b.n)))
	must(t, err)
	b.last = s
	return s
}

func (b *bench) close() {
	if b.last != nil {
		_ = b.last.Close() //nolint:errcheck // a law that asks for it closes the store itself
		b.last = nil
	}
}

func must(t rapid.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatalf("%v", err)
	}
}
