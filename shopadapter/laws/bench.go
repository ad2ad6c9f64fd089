package laws

import (
	"context"
	"errors"
	"fmt"
	"io"
	"reflect"
	"sync"
	"sync/atomic"

	"github.com/google/go-cmp/cmp"

	"github.com/pubsync/pubsync/shopadapter"
)

const (
	all       = shopadapter.AllFields
	figures   = shopadapter.FieldPrice | shopadapter.FieldStock
	structure = shopadapter.FieldVariants | figures
)

var textGroups = []shopadapter.Fields{
	shopadapter.FieldTitle, shopadapter.FieldDescription, shopadapter.FieldImages, shopadapter.FieldCategory,
}

// A bench exercises one law: a harness, the adapter over it, and the tap between. Its methods panic with a failure.
type bench struct {
	Harness
	ctx     context.Context
	law     string
	wire    *tap
	adapter shopadapter.Adapter
	abroad  atomic.Bool // a secret was sent to another host
	lift    func()      // mends what a step spoiled
	albums  int         // subjects so far, each with its own pictures
	done    []string    // steps so far
	place   string      // where a call is struck
}

type failure struct{ err error }

func caught(part func()) (err error) {
	defer func() {
		switch end := recover().(type) {
		case nil:
		case failure:
			err = end.err
		default:
			panic(end)
		}
	}()
	part()
	return nil
}

func (b *bench) fail(format string, args ...any) { panic(failure{fmt.Errorf(format, args...)}) }

func (b *bench) that(good bool, format string, args ...any) {
	if !good {
		b.fail(format, args...)
	}
}

// unless skips the law if nothing would be learned.
func (b *bench) unless(learned bool, reason string) {
	if !learned {
		panic(failure{&Skip{reason}})
	}
}

func (b *bench) must(what string, err error) {
	if err != nil {
		b.fail("%s: %w", what, err)
	}
}

func (b *bench) equal(what string, got, want any) {
	b.that(reflect.DeepEqual(got, want), "%s: got %v, want %v", what, got, want)
}

func (b *bench) same(what string, before, after any) {
	if !reflect.DeepEqual(before, after) {
		b.fail("%s changed:\n%s", what, cmp.Diff(before, after))
	}
}

func (b *bench) at(format string, args ...any) {
	b.done = []string{fmt.Sprintf(format, args...)}
}

// restart opens a new adapter, as a new process would.
func (b *bench) restart() {
	if b.done == nil {
		b.at("open the adapter")
	}
	b.close()
	adapter, err := b.Open(b.wire.wrap)
	b.must("open", err)
	b.adapter = adapter
}

func (b *bench) close() {
	closer, ok := b.adapter.(io.Closer)
	if b.adapter = nil; ok {
		b.must("close", closer.Close())
	}
}

func (b *bench) spoil(lift func()) { b.lift = lift }

func (b *bench) repair() {
	if lift := b.lift; lift != nil {
		b.lift = nil
		lift()
	}
}

func (b *bench) together(n int, part func(i int)) {
	ends := make([]error, n)
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() { ends[i] = caught(func() { part(i) }) })
	}
	wg.Wait()
	if err := errors.Join(ends...); err != nil {
		panic(failure{err})
	}
}

func (b *bench) id(name string) shopadapter.PublicationID {
	return shopadapter.PublicationID(b.Prefix + b.law + "-" + name)
}

func (b *bench) info() shopadapter.Info {
	is, err := b.adapter.Check(b.ctx)
	b.must("check", err)
	return is
}
