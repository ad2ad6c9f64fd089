package laws

import (
	"context"
	"errors"
	"fmt"
	"io"
	"reflect"
	"sync"

	"github.com/pubsync/pubsync/shopadapter"
)

// The field groups that laws speak of most.
const (
	all       = shopadapter.AllFields
	figures   = shopadapter.FieldPrice | shopadapter.FieldStock
	structure = shopadapter.FieldVariants | figures
)

var (
	textGroups = []shopadapter.Fields{
		shopadapter.FieldTitle, shopadapter.FieldDescription, shopadapter.FieldImages, shopadapter.FieldCategory,
	}
	bothWays = []shopadapter.Removal{shopadapter.TakeOffline, shopadapter.Delete}
)

// A bench is where one law is exercised: a harness, the adapter open over it, and the wire between
// them. Its methods end the check where something is not as it should be.
type bench struct {
	Harness
	ctx     context.Context
	law     string
	wire    *wire
	adapter shopadapter.Adapter

	mu     sync.Mutex
	albums map[shopadapter.PublicationID]int // where the numbers of a publication's pictures start
	steps  int                               // calls and acts so far
	step   string                            // the last of them
	place  string                            // of the check: where a call is struck
	part   string                            // of the check: the row of its table
	kept   shopadapter.Fields                // what the last publish kept for the merchant
}

func newBench(ctx context.Context, law string, h Harness) *bench {
	return &bench{Harness: h, ctx: ctx, law: law, wire: &wire{}, albums: map[shopadapter.PublicationID]int{}}
}

// A failure is what a check panics with.
type failure struct{ err error }

// caught runs a part of a check, and returns the failure that ended it.
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

// fail ends the check.
func (b *bench) fail(format string, args ...any) { panic(failure{fmt.Errorf(format, args...)}) }

// skip ends the check as not exercised.
func (b *bench) skip(reason string) { panic(failure{&Skip{reason}}) }

// must ends the check where something that has to work did not.
func (b *bench) must(what string, err error) {
	if err != nil {
		b.fail("%s: %w", what, err)
	}
}

// equal ends the check where two values differ.
func (b *bench) equal(what string, got, want any) {
	if !reflect.DeepEqual(got, want) {
		b.fail("%s: got %v, want %v", what, got, want)
	}
}

// same ends the check where something changed.
func (b *bench) same(what string, before, after any) {
	if diff := difference(before, after); diff != "" {
		b.fail("%s changed:\n%s", what, diff)
	}
}

// passes ends the check where an error is one that time does not mend.
func (b *bench) passes(err error) {
	if e := shopadapter.Explain(err); e != nil && e.Kind != shopadapter.Transient {
		b.fail("kind of the error: got %s, want transient: %w", e.Kind, err)
	}
}

// said is an error in words.
func said(err error) string {
	if err == nil {
		return "no error: it was accepted"
	}
	return err.Error()
}

// in says in which part of the check what follows is; a failure tells it.
func (b *bench) in(format string, args ...any) { b.part = fmt.Sprintf(format, args...) + ": " }

// begin counts a step of the law, and says what it is.
func (b *bench) begin(format string, args ...any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.steps++
	b.step = fmt.Sprintf("step %d, ", b.steps) + fmt.Sprintf(format, args...)
}

// breach says of an error at which step it was met. A skip is none.
func (b *bench) breach(err error) error {
	var skip *Skip
	if err == nil || errors.As(err, &skip) {
		return err
	}
	if b.kept != shopadapter.NoFields {
		err = fmt.Errorf("%w; kept for the merchant: %s", err, b.kept)
	}
	return fmt.Errorf("%s: %s%s%w", b.step, b.place, b.part, err)
}

// restart opens a new adapter in the place of the present one, as a new process would.
func (b *bench) restart() {
	b.begin("open the adapter")
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

// together runs a part n times at the same time, and fails as those of them that did.
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

// sample is a Sample whose pictures are the harness's.
func (b *bench) sample(id shopadapter.PublicationID, variants int) shopadapter.Product {
	p := Sample(id, variants)
	p.Images = b.images(id, 1, 2)
	if b.Prefix != "" { // a shop that holds others' publications may have seen these numbers
		p = withoutEANs(p)
	}
	return p
}

func (b *bench) revise(p shopadapter.Product, n int) shopadapter.Product {
	p = Revise(p, n)
	p.Images = b.images(p.ID, n+2, 1)
	return p
}

// mostImages is how many pictures a publication may have over its life.
const mostImages = 10

// images are addresses of a publication's own pictures, numbered from 1. No two publications share
// one: a call that found another's pictures in the shop would make fewer requests, and a search
// through the requests of a call would step over some.
func (b *bench) images(id shopadapter.PublicationID, numbers ...int) []string {
	addresses := []string{}
	if b.NoPictures {
		return addresses
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if _, known := b.albums[id]; !known {
		b.albums[id] = len(b.albums) * mostImages
	}
	image := b.Image
	if image == nil {
		image = Image
	}
	for _, n := range numbers {
		addresses = append(addresses, image(b.albums[id]+n))
	}
	return addresses
}

// info is what the shop says of itself.
func (b *bench) info() shopadapter.Info {
	is, err := b.adapter.Check(b.ctx)
	b.must("check", err)
	return is
}
