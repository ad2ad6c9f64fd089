package laws

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"reflect"
	"slices"
	"sync"

	"github.com/pubsync/pubsync/shopadapter"
)

// The field groups that laws speak of most.
const (
	all       = shopadapter.AllFields
	figures   = shopadapter.FieldPrice | shopadapter.FieldStock
	structure = shopadapter.FieldVariants | figures
)

func textGroups() []shopadapter.Fields {
	return []shopadapter.Fields{
		shopadapter.FieldTitle, shopadapter.FieldDescription, shopadapter.FieldImages, shopadapter.FieldCategory,
	}
}

func bothWays() []shopadapter.Removal {
	return []shopadapter.Removal{shopadapter.TakeOffline, shopadapter.Delete}
}

// A bench is where one law is exercised: a harness, the adapter open over it, and the wire between
// them. Its methods end the check where something is not as it should be.
type bench struct {
	Harness
	ctx     context.Context
	law     string
	wire    *wire
	adapter shopadapter.Adapter

	mu       sync.Mutex
	albums   map[shopadapter.PublicationID]int                   // where the numbers of a publication's pictures start
	listings map[shopadapter.PublicationID]shopadapter.ListingID // what the last publish returned
	steps    int                                                 // calls and acts so far
	step     string                                              // the last of them
	part     string                                              // of the check: the row of its table
	kept     shopadapter.Fields                                  // what the last publish kept for the merchant
}

func newBench(ctx context.Context, law string, h Harness) *bench {
	return &bench{
		Harness: h, ctx: ctx, law: law, wire: &wire{},
		albums: map[shopadapter.PublicationID]int{}, listings: map[shopadapter.PublicationID]shopadapter.ListingID{},
	}
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
	b.mu.Lock()
	defer b.mu.Unlock()
	return &Breach{Step: b.step, Kept: b.kept, Err: fmt.Errorf("%s%w", b.part, err)}
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
	b.adapter = nil
	if ok {
		b.must("close", closer.Close())
	}
}

// together runs a part n times at the same time, and fails as the first of them that did.
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

// info is what the shop says of itself.
func (b *bench) info() shopadapter.Info {
	is, err := b.adapter.Check(b.ctx)
	b.must("check", err)
	return is
}

// needsFigures skips a law of figures alone where the shop does not take them.
func (b *bench) needsFigures() {
	if !b.info().Figures {
		b.skip("the shop takes no figures alone: every change is read in full")
	}
}

// withdraw takes a listing out of sale, or deletes it.
func (b *bench) withdraw(ref shopadapter.Ref, how shopadapter.Removal) error {
	b.begin("unpublish of %q (%s)", ref.Publication, how)
	_, err := b.adapter.Unpublish(b.ctx, ref, how)
	return err
}

// A subject is one publication of a law: the product to be published, the ref for the next call, and
// what the last one answered.
type subject struct {
	*bench
	p    shopadapter.Product
	ref  shopadapter.Ref
	l    shopadapter.Listing
	made shopadapter.ListingID // by the first publish; the others are to answer the same
}

// subject is a publication that was not published yet.
func (b *bench) subject(name string, variants int) *subject { return b.subjectOf(b.id(name), variants) }

func (b *bench) subjectOf(id shopadapter.PublicationID, variants int) *subject {
	return &subject{bench: b, p: b.sample(id, variants), ref: shopadapter.Ref{Publication: id}}
}

// published is a publication that is on sale.
func (b *bench) published(name string, variants int) *subject {
	s := b.subject(name, variants)
	s.put(all)
	return s
}

// bare is the ref of a caller that has lost all but the key.
func (s *subject) bare() shopadapter.Ref { return shopadapter.Ref{Publication: s.p.ID} }

// left is the ref of a listing that the caller left on sale.
func (s *subject) left() shopadapter.Ref {
	return shopadapter.Ref{Publication: s.p.ID, Listing: s.ref.Listing, State: s.ref.State, OnSale: true}
}

// try publishes. What the call left behind is kept even when it ended in an error, as the connector
// does.
func (s *subject) try(changed shopadapter.Fields) error {
	s.begin("publish of %q (changed %s)", s.p.ID, changed)
	return s.call(s.ctx, clone(s.p), changed)
}

// tryFigures publishes the figures alone.
func (s *subject) tryFigures(changed shopadapter.Fields) error {
	s.begin("publish of the figures of %q (changed %s)", s.p.ID, changed)
	return s.call(s.ctx, s.p.OnlyFigures(), changed)
}

func (s *subject) call(ctx context.Context, p shopadapter.Product, changed shopadapter.Fields) (err error) {
	s.l, err = s.adapter.Publish(ctx, s.ref, p, changed)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.kept = s.l.Kept
	if err == nil {
		s.listings[s.p.ID] = s.l.ID
	}
	next := shopadapter.Ref{Publication: s.p.ID, Listing: s.ref.Listing, State: s.ref.State}
	if s.l.ID != "" {
		next.Listing = s.l.ID
	}
	if s.l.State != nil {
		next.State = s.l.State
	}
	s.ref = next
	return err
}

// put publishes where nothing stands in the way, and holds the result to its form.
func (s *subject) put(changed shopadapter.Fields) { s.took(s.try(changed), changed) }

// putFigures publishes the figures alone likewise.
func (s *subject) putFigures(changed shopadapter.Fields) { s.took(s.tryFigures(changed), changed) }

func (s *subject) took(err error, changed shopadapter.Fields) {
	switch {
	case errors.Is(err, shopadapter.ErrGone) && s.made != "":
		s.fail("publish of %q: what was made before is not found again: %w", s.p.ID, err)
	case err != nil:
		s.fail("publish of %q: %w", s.p.ID, err)
	}
	s.must("result of publish", sound(s.l, s.p, changed))
	if s.made != "" && s.l.ID != s.made {
		s.fail("the listing of %q: got %s, want %s: what was made first is not found again", s.p.ID, s.l.ID, s.made)
	}
	s.made = s.l.ID
}

// update publishes the supplier's n-th change of the groups, which the shop is then to show.
func (s *subject) update(n int, changed shopadapter.Fields) {
	s.revise(n, changed)
	s.put(changed)
	s.shown()
}

// write publishes the supplier's n-th change of everything by put, of which only the groups are said
// to have changed; no other is to be written.
func (s *subject) write(n int, changed shopadapter.Fields, put func(changed shopadapter.Fields)) {
	before := s.p
	s.p = s.bench.revise(before, n)
	put(changed)
	s.p = merge(before, s.p, changed)
	s.shown()
}

// revise is the supplier's n-th change of the groups.
func (s *subject) revise(n int, changed shopadapter.Fields) {
	s.p = merge(s.p, s.bench.revise(s.p, n), changed)
}

// forget opens a new adapter, which has nothing but the key.
func (s *subject) forget() {
	s.restart()
	s.ref = s.bare()
}

// unpublish takes the listing out of sale, or deletes it.
func (s *subject) unpublish(how shopadapter.Removal) {
	s.must(fmt.Sprintf("unpublish (%s) of %q", how, s.p.ID), s.withdraw(s.ref, how))
	if how == shopadapter.Delete {
		s.made = ""
	}
	s.isGone(how)
}

// isGone ends the check unless the listing has left the shop in the way given.
func (s *subject) isGone(how shopadapter.Removal) {
	if how == shopadapter.Delete {
		s.isNone(s.p.ID)
	}
	s.isOffSale(s.p.ID)
}

// shown ends the check unless the shop holds exactly one listing of the product, on sale, that shows
// what it says.
func (s *subject) shown() { s.shows(s.p, all) }

// seen is the only listing of the publication.
func (s *subject) seen() Seen { return s.one(s.p.ID) }

// stays ends the check where the listing is not as it was seen.
func (s *subject) stays(before Seen) {
	if diff := difference(before, s.seen()); diff != "" {
		s.fail("the shop changed:\n%s", diff)
	}
}

// isOfKind ends the check unless an error is of a kind, and of one product.
func (b *bench) isOfKind(what string, err error, kind shopadapter.Kind) {
	if e := shopadapter.Explain(err); e == nil || e.Kind != kind || e.ShopWide || e.Error() == "" {
		b.fail("%s: got %s, want an error of kind %s that says why and is of one product", what, said(err), kind)
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

// sound holds a successful result to its form.
func sound(l shopadapter.Listing, p shopadapter.Product, changed shopadapter.Fields) error {
	var faults []error
	wrong := func(is bool, format string, args ...any) {
		if is {
			faults = append(faults, fmt.Errorf(format, args...))
		}
	}
	wrong(l.ID == "", "it has no listing id")
	// the address of a draft may be another than that at which it is sold
	u, err := url.Parse(l.URL)
	isWeb := err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != ""
	wrong(!isWeb && !(l.Draft && l.URL == ""), "%q is no absolute http(s) address", l.URL)
	extra := l.Kept &^ (changed & shopadapter.TextFields)
	wrong(extra != 0, "kept names %s, which are not text groups among the changed", extra)
	ids, shopIDs, known := l.ShopIDs(), map[string]bool{}, map[string]bool{}
	for _, v := range p.Variants {
		known[v.ID] = true
		reason, refused := l.Refused[v.ID]
		id := ids[v.ID]
		wrong(refused && reason == "", "variant %s is refused without a reason", v.ID)
		wrong(!refused && id == "", "variant %s has no id of the shop's", v.ID)
		wrong(!refused && id != "" && shopIDs[id], "two variants have the shop's id %s", id)
		shopIDs[id] = !refused
	}
	for _, named := range []map[string]string{l.Refused, ids} {
		for id := range named {
			wrong(!known[id], "variant %s is named and not in the product", id)
		}
	}
	named := map[string]bool{}
	for _, m := range l.Missing {
		wrong(!slices.Contains(p.Images, m.URL), "picture %s is missing and not in the product", m.URL)
		wrong(m.Reason == "", "picture %s is missing without a reason", m.URL)
		wrong(named[m.URL], "picture %s is missing twice", m.URL)
		named[m.URL] = true
	}
	return errors.Join(faults...)
}
