package laws

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"slices"
	"sync"

	"github.com/pubsync/pubsync/shopadapter"
)

// A bench is where one law is exercised: a harness, the adapter open over it, and the wire between
// them.
type bench struct {
	Harness
	law     string
	wire    *wire
	adapter shopadapter.Adapter

	mu     sync.Mutex
	albums map[shopadapter.PublicationID]int // where the numbers of a publication's pictures start
	// listings are what the last publish returned, while it stands.
	listings map[shopadapter.PublicationID]shopadapter.ListingID
	steps    int                // calls and acts so far
	step     string             // the last of them
	kept     shopadapter.Fields // what the last publish kept for the merchant
}

func newBench(law string, h Harness) *bench {
	return &bench{
		Harness: h, law: law, wire: &wire{},
		albums: map[shopadapter.PublicationID]int{}, listings: map[shopadapter.PublicationID]shopadapter.ListingID{},
	}
}

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
	b.mu.Lock()
	defer b.mu.Unlock()
	return &Breach{Step: b.step, Kept: b.kept, Err: err}
}

// restart opens a new adapter in the place of the present one, as a new process would.
func (b *bench) restart() error {
	b.begin("open the adapter")
	if err := b.close(); err != nil {
		return err
	}
	adapter, err := b.Open(b.wire.wrap)
	if err != nil {
		return fmt.Errorf("open: %w", err)
	}
	b.adapter = adapter
	return nil
}

func (b *bench) close() error {
	closer, ok := b.adapter.(io.Closer)
	b.adapter = nil
	if !ok {
		return nil
	}
	if err := closer.Close(); err != nil {
		return fmt.Errorf("close: %w", err)
	}
	return nil
}

func (b *bench) id(name string) shopadapter.PublicationID {
	return shopadapter.PublicationID(b.Prefix + b.law + "-" + name)
}

func (b *bench) ref(id shopadapter.PublicationID) shopadapter.Ref {
	return shopadapter.Ref{Publication: id}
}

// sample is a Sample whose pictures are the harness's.
func (b *bench) sample(id shopadapter.PublicationID, variants int) shopadapter.Product {
	p := Sample(id, variants)
	p.Images = b.images(id, 1, 2)
	if b.Prefix != "" { // a shop that holds others' publications may have seen these numbers
		for i := range p.Variants {
			p.Variants[i].EAN = ""
		}
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
// one: a call that found the pictures of an earlier one in the shop would make fewer requests than
// that one did. A search through the requests of a call would then step over some.
func (b *bench) images(id shopadapter.PublicationID, numbers ...int) []string {
	if b.NoPictures {
		return []string{}
	}
	b.mu.Lock()
	start, known := b.albums[id]
	if !known {
		start = len(b.albums) * mostImages
		b.albums[id] = start
	}
	b.mu.Unlock()
	image := b.Image
	if image == nil {
		image = Image
	}
	addresses := make([]string, len(numbers))
	for i, n := range numbers {
		addresses[i] = image(start + n)
	}
	return addresses
}

// try publishes and hands back the result as it is, with the ref for the next call as the connector
// would make it: what a call left behind is kept even when the call ended in an error.
func (b *bench) try(ctx context.Context, ref shopadapter.Ref, p shopadapter.Product, changed shopadapter.Fields) (
	shopadapter.Ref, shopadapter.Listing, error,
) {
	b.begin("publish of %q (changed %s)", ref.Publication, changed)
	listing, err := b.adapter.Publish(ctx, ref, clone(p), changed)
	b.mu.Lock()
	b.kept = listing.Kept
	if err == nil {
		b.listings[ref.Publication] = listing.ID
	}
	b.mu.Unlock()
	next := shopadapter.Ref{Publication: ref.Publication, Listing: ref.Listing, State: ref.State}
	if listing.ID != "" {
		next.Listing = listing.ID
	}
	if listing.State != nil {
		next.State = listing.State
	}
	return next, listing, err
}

// put publishes where nothing stands in the way, and holds the result to its form.
func (b *bench) put(ctx context.Context, ref shopadapter.Ref, p shopadapter.Product, changed shopadapter.Fields) (
	shopadapter.Ref, shopadapter.Listing, error,
) {
	next, listing, err := b.try(ctx, ref, p, changed)
	if err != nil {
		return next, listing, fmt.Errorf("publish of %q: %w", ref.Publication, err)
	}
	return next, listing, sound(listing, p, changed)
}

// made publishes p for the first time.
func (b *bench) made(ctx context.Context, p shopadapter.Product) (shopadapter.Ref, error) {
	ref, _, err := b.put(ctx, b.ref(p.ID), p, shopadapter.AllFields)
	return ref, err
}

func (b *bench) unpublish(ctx context.Context, ref shopadapter.Ref, how shopadapter.Removal) error {
	b.begin("unpublish of %q (%s)", ref.Publication, how)
	if err := b.withdraw(ctx, ref, how); err != nil {
		return fmt.Errorf("unpublish (%s) of %q: %w", how, ref.Publication, err)
	}
	return nil
}

// withdraw is Unpublish without its note.
func (b *bench) withdraw(ctx context.Context, ref shopadapter.Ref, how shopadapter.Removal) error {
	_, err := b.adapter.Unpublish(ctx, ref, how)
	return err
}

// takesFigures reports whether the shop says that it accepts figures alone.
func (b *bench) takesFigures(ctx context.Context) bool {
	is, err := b.adapter.Check(ctx)
	return err == nil && is.Figures
}

// sound holds a successful result to its form.
func sound(l shopadapter.Listing, p shopadapter.Product, changed shopadapter.Fields) error {
	var faults []error
	wrong := func(format string, args ...any) {
		faults = append(faults, fmt.Errorf("result of publish: "+format, args...))
	}
	if l.ID == "" {
		wrong("it has no listing id")
	}
	// the address of a draft may be another than that at which it is sold
	u, err := url.Parse(l.URL)
	isWeb := err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != ""
	if !isWeb && !(l.Draft && l.URL == "") {
		wrong("%q is no absolute http(s) address", l.URL)
	}
	if extra := l.Kept &^ (changed & shopadapter.TextFields); extra != 0 {
		wrong("kept names %s, which are not text groups among the changed", extra)
	}
	ids, shopIDs := l.ShopIDs(), map[string]bool{}
	for _, v := range p.Variants {
		reason, refused := l.Refused[v.ID]
		id := ids[v.ID]
		switch {
		case refused && reason == "":
			wrong("variant %s is refused without a reason", v.ID)
		case !refused && id == "":
			wrong("variant %s has no id of the shop's", v.ID)
		case !refused && shopIDs[id]:
			wrong("two variants have the shop's id %s", id)
		}
		shopIDs[id] = !refused
	}
	for id := range l.Refused {
		if !slices.ContainsFunc(p.Variants, func(v shopadapter.Variant) bool { return v.ID == id }) {
			wrong("variant %s is refused and not in the product", id)
		}
	}
	for i, m := range l.Missing {
		switch {
		case !slices.Contains(p.Images, m.URL):
			wrong("picture %s is missing and not in the product", m.URL)
		case m.Reason == "":
			wrong("picture %s is missing without a reason", m.URL)
		case slices.ContainsFunc(l.Missing[:i], func(other shopadapter.Picture) bool { return other.URL == m.URL }):
			wrong("picture %s is missing twice", m.URL)
		}
	}
	return errors.Join(faults...)
}
