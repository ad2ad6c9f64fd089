package marketplace

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/pubsync/pubsync/shopadapter/pace"
)

const (
	mostStarts   = 4   // of one reading: the first, and three over again
	mostPages    = 500 // of one publication
	largeListing = 100 // variants and images, after which further pages wait for all other requests

	usualVariants = 20 // of a publication of which it is not known how many it has
	usualImages   = 12
)

// An Expected is a publication that is to be read, and what is known of it.
type Expected struct {
	ID       string
	Variants int    // it had last; 0: not known
	Pictured string // Listing.Pictured of the pictures that its listing shows; "": it shows none
	Details  bool   // what the product itself says is read too, where the Config has it
}

// An Admission is the points for reading one publication. End it with [Reader.Publication] or
// Release.
type Admission struct {
	res      *pace.Reservation
	priority Priority
}

// Release gives the points back. After the Admission was used it does nothing.
func (a *Admission) Release() { a.res.Return() }

// Admit waits for the points of reading one publication in full. After that the caller chooses
// which one to read: the most urgent by then.
func (r *Reader) Admit(ctx context.Context, p Priority) (*Admission, error) {
	d, err := r.Probe(ctx)
	if err != nil {
		return nil, err
	}
	for range mostSizes {
		of := Expected{Details: true}
		points := r.costs.reserve(r.content(d, of, r.firstPages(d, of)))
		res, err := r.pay(ctx, p, "read publication", points, nil)
		if err == nil {
			return &Admission{res: res, priority: p}, nil
		}
		large, ok := errors.AsType[*pace.TooLargeError](err)
		if !ok || !r.costs.lower(large.Cost, 0, large.Limit/2) {
			return nil, err
		}
		// the bucket is smaller than was expected
	}
	return nil, &Error{Op: "read publication", Kind: Invalid, Message: "no query is small enough for this bucket"}
}

// ReadingCost is the points that reading one publication in full is expected to cost.
func (r *Reader) ReadingCost(ctx context.Context) (float64, error) {
	d, err := r.Probe(ctx)
	if err != nil {
		return 0, err
	}
	r.costs.mu.Lock()
	average := r.costs.reading
	r.costs.mu.Unlock()
	if average > 0 {
		return average, nil
	}
	of := Expected{Details: true}
	return r.costs.reserve(r.content(d, of, r.firstPages(d, of))), nil
}

// errMoved says that the pages read so far and the next one are of different versions.
var errMoved = errors.New("the publication changed between two pages")

// Publication reads a publication in full, paid from the admission; nil when it is gone.
// How many variants it had last saves a page or a large reservation, and is not trusted. Where its
// pictures were written in another way than is wanted now, they are read in both.
//
// Variants and images are read page by page to the end, those of a large listing while no other
// request waits for points: it may cost as much as a hundred others. When updatedAt moves meanwhile
// the reading starts over, at most three times.
func (r *Reader) Publication(ctx context.Context, a *Admission, of Expected) (*Publication, error) {
	defer a.Release()
	res := a.res
	var spent Meter
	outer := meterOf(ctx)
	defer func() { outer.spend(spent.Points()) }()
	ctx = Metered(ctx, &spent)
	for range mostStarts {
		p, err := r.whole(ctx, a.priority, res, of)
		if err == nil && p != nil {
			r.costs.charged(spent.Points())
		}
		if !errors.Is(err, errMoved) {
			return p, err
		}
		res = nil
	}
	return nil, &Error{Op: "read publication", Message: "the publication keeps changing while it is read"}
}

// whole reads all pages of a publication once.
func (r *Reader) whole(ctx context.Context, pr Priority, res *pace.Reservation, of Expected) (*Publication, error) {
	const op = "read publication"
	var read reading
	w, d, err := r.page(ctx, pr, res, of, func(d Dialect) pages { return r.firstPages(d, of) })
	if err != nil || w == nil {
		return nil, err
	}
	read.begin(r, of, w, d)
	p := &read.p
	if p.Listing == nil {
		return p, nil
	}
	for range mostPages {
		next, err := read.add(w)
		if err != nil {
			return nil, unreadable(op, err)
		}
		if next.variants.first+next.images.first+next.details.first == 0 {
			return p, nil
		}
		have := len(p.Listing.Variants)
		if have+len(p.Listing.Images) >= largeListing {
			pr = max(pr, Refresh)
		}
		left := of.Variants - have
		if left <= 0 {
			left = have // no listing was as long: expect as much again
		}
		w, _, err = r.page(ctx, pr, nil, of, func(d Dialect) pages { return r.nextPages(d, of, next, left) })
		switch {
		case KindOf(err) == CursorRefused:
			return nil, errMoved
		case err != nil:
			return nil, err
		case w == nil || w.Listing == nil || w.UpdatedAt != p.UpdatedAt:
			return nil, errMoved
		}
	}
	return nil, &Error{Op: op, Message: fmt.Sprintf("the publication has more than %d pages", mostPages)}
}

// A span is a page of one connection: its first, 0 for none, and the cursor that it is behind.
type span struct {
	first int
	after string
}

// pages says which pages a request for content asks for; details are of the product's variants.
type pages struct{ variants, images, details span }

// goOn reports whether a page follows another one.
func (s pages) goOn() bool { return s.variants.after+s.images.after+s.details.after != "" }

// HasDetails reports whether readings have details where they are expected.
func (r *Reader) HasDetails() bool { return r.details }

// detailed reports whether a publication is read with details.
func (r *Reader) detailed(of Expected) bool { return r.details && of.Details }

// firstPages plans the first page: as many variants as are expected, as far as the points allow. A
// product has as many variants as its listing.
func (r *Reader) firstPages(d Dialect, of Expected) pages {
	most := of.Variants
	if most <= 0 {
		most = usualVariants
	}
	details := r.detailed(of) && len(d.variantDetails()) > 0
	build := func(images int) func(n int) request {
		return func(n int) request {
			s := pages{variants: span{first: n}, images: span{first: images}}
			if details {
				s.details.first = n
			}
			return r.content(d, of, s)
		}
	}
	_, page := r.costs.limits()
	images := min(usualImages, page)
	n := r.costs.fit(r.plan(), most, build(images))
	if n < min(most, 5) { // pictures leave room for variants
		images = 1
		n = r.costs.fit(r.plan(), most, build(images))
	}
	s := pages{variants: span{first: n}, images: span{first: images}}
	if details {
		s.details.first = n
	}
	return s
}

// nextPages plans a further page of the connections that go on; left is how many variants are still
// expected.
func (r *Reader) nextPages(d Dialect, of Expected, s pages, left int) pages {
	build := func(n int) request {
		t := s
		for _, c := range []*span{&t.variants, &t.images, &t.details} {
			c.first = min(c.first, 1) * n
		}
		return r.content(d, of, t)
	}
	most := min(left+left/8+1, largestPage)
	if s.variants.first+s.details.first == 0 {
		most = largestPage
	}
	n := r.costs.fit(r.plan(), most, build)
	for _, c := range []*span{&s.variants, &s.images, &s.details} {
		c.first = min(c.first, 1) * n
	}
	return s
}

// content is the request for the pages given, and on the first also for everything else, each thing
// once.
func (r *Reader) content(d Dialect, of Expected, s pages) request {
	var publication, listing, product []string
	name := "MoreContent"
	if !s.goOn() {
		name = "Content"
		publication = []string{"status", "productUrl"}
		listing = []string{"id", "dropshippingReturns", "category{path name}"}
		if len(d.Languages) > 0 {
			fields := strings.Join(d.Languages, "{title description} ") + "{title description}"
			listing = append(listing, "translations{"+fields+"}")
		}
		listing = append(
			listing, "dropshippingShippingDetails{countryGroup fixedCosts variableCosts estimatedShippingDays}",
		)
		product = []string{"id"}
		if r.detailed(of) {
			product = append(product, d.has("product", productDetails()...)...)
		}
	}
	if v := s.variants; v.first > 0 {
		listing = append(listing, d.connection("variants", v.first, after(v.after),
			"id title dropshippingPrice msrp sku ean inventoryQuantity inventoryPolicy options{name value}"))
	}
	if i := s.images; i.first > 0 {
		fields := d.picturedAs(r.pictures, of.Pictured).fields(d)
		listing = append(listing, d.connection("images", i.first, after(i.after)+",sort:POSITION_ASC", fields))
	}
	if v := s.details; v.first > 0 {
		product = append(product, d.connection("variants", v.first, after(v.after), strings.Join(d.variantDetails(), " ")))
	}
	if len(product) > 0 {
		listing = append(listing, "product{"+strings.Join(product, " ")+"}")
	}
	publication = append(publication, "updatedAt", "listing{"+strings.Join(listing, " ")+"}")
	q := request{
		op: "read publication", name: name, first: max(s.variants.first, s.images.first, s.details.first),
		text:  "query " + name + "{publication(id:" + literal(of.ID) + "){" + strings.Join(publication, " ") + "}}",
		bytes: productAnswer, cursor: s.goOn(), roots: []string{"publication"},
	}
	if r.detailed(of) && (s.details.first > 0 || !s.goOn()) {
		q.spare = []string{"publication", "listing", "product"}
	}
	return q
}

// A readPublication is a page of content as it is read.
type readPublication struct {
	Publication
	Listing *readListing `json:"listing"`

	asked  pages
	fields DetailFields // that details were asked of
	spared bool         // the answer lacks the product, in part or at all
	ways   ways
}

// A readListing is a listing as it is read. An essential field whose shape cannot be read fails the
// reading. Another one is named in Listing.Unread, and the shop keeps what was last written of it.
//
//	essential      the listing's id, its translations; its variants, with id, title, options, sku,
//	               prices, quantity, policy
//	not essential  category, shipping, returns, ean, images, product
type readListing struct {
	ID           string
	Translations map[string]*Translation
	Variants     *pageOf[readVariant]

	Category json.RawMessage
	Shipping json.RawMessage `json:"dropshippingShippingDetails"`
	Returns  json.RawMessage `json:"dropshippingReturns"`
	Images   json.RawMessage
	Product  json.RawMessage
}

// page is one request for content, and the dialect that it was made of; nil when the publication is
// gone.
func (r *Reader) page(
	ctx context.Context, p Priority, res *pace.Reservation, of Expected, size func(Dialect) pages,
) (*readPublication, Dialect, error) {
	var data map[string]*readPublication
	var asked pages
	var q request
	answer, err := r.ask(ctx, p, res, &data, func(d Dialect) (request, error) {
		asked = size(d)
		q = r.content(d, of, asked)
		return q, nil
	})
	release(res) // a further page may wait for points
	var w *readPublication
	if err = ownDenial(err); err == nil {
		w, err = root(r, q.op, data, "publication", 1, answer.faults)
	}
	switch {
	case IsAbsent(err), err == nil && w == nil:
		return nil, Dialect{}, nil
	case err != nil:
		return nil, Dialect{}, err
	case len(answer.faults) > 0: // about something within: it is not whole
		return nil, Dialect{}, &Error{Op: q.op, Status: 200, Message: r.wire.Clean(answer.faults[0].Message), odd: true}
	case w.UpdatedAt == "":
		return nil, Dialect{}, unreadable(q.op, nil)
	}
	w.asked, w.spared, w.ways = asked, answer.spared, answer.dialect.picturedAs(r.pictures, of.Pictured)
	if r.detailed(of) {
		w.fields = fieldsNamed(answer.dialect.has("product", productDetails()...))
		if asked.details.first > 0 {
			w.fields |= fieldsNamed(answer.dialect.variantDetails()) << ofVariant
		}
	}
	return w, answer.dialect, nil
}

// A reading puts the pages of a publication together.
type reading struct {
	p    Publication
	seen map[string]bool // ids of variants
}

// begin reads the first page, but for what comes in pages.
func (read *reading) begin(r *Reader, of Expected, w *readPublication, d Dialect) {
	read.seen = map[string]bool{}
	read.p = w.Publication
	p := &read.p
	p.ID, p.Status, p.Listing, p.Languages = of.ID, strings.ToLower(w.Status), nil, slices.Clone(d.Languages)
	if w.Listing == nil {
		return
	}
	l := &Listing{
		ID: w.Listing.ID, Translations: map[string]Translation{}, Pictured: w.ways.now.String(), Details: r.detailed(of),
	}
	p.Listing = l
	for language, t := range w.Listing.Translations {
		if t != nil {
			l.Translations[strings.ToLower(language)] = *t
		}
	}
	soft := func(raw json.RawMessage, into any) (unread bool) {
		return len(raw) > 0 && json.Unmarshal(raw, into) != nil
	}
	if soft(w.Listing.Returns, &l.Returns) {
		var yes bool
		if l.Returns = ""; soft(w.Listing.Returns, &yes) {
			l.unread(UnreadReturns, true)
		} else {
			l.Returns = fmt.Sprint(yes)
		}
	}
	category := !isNull(w.Listing.Category)
	if soft(w.Listing.Category, &l.Category) || category && l.Category.Path+l.Category.Name == "" {
		l.Category = Category{}
		l.unread(UnreadCategory, true) // another shape, or other fields than those asked for
	}
	l.readShipping(w.Listing.Shipping)
	l.readProduct(w)
}

// readShipping reads a list, or one object in its place. Items that cannot be read are left out.
func (l *Listing) readShipping(raw json.RawMessage) {
	if isNull(raw) {
		return
	}
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) != nil {
		list = []json.RawMessage{raw}
		l.OneShipping = raw[0] == '{'
	}
	for _, item := range list {
		var s Shipping
		if json.Unmarshal(item, &s) != nil || s == (Shipping{}) {
			l.unread(UnreadShipping, true)
			continue
		}
		l.Shipping = append(l.Shipping, s)
	}
}

// add adds a page. In next, each connection that goes on has first 1 and its cursor.
func (read *reading) add(w *readPublication) (next pages, err error) {
	l, asked := read.p.Listing, w.asked
	switch c := w.Listing.Variants; {
	case c != nil:
		items, _ := c.items()
		for _, v := range items {
			// A server that pages by offset may repeat one at a page's edge.
			if !read.seen[v.ID] {
				read.seen[v.ID] = true
				l.Variants = append(l.Variants, v.Variant)
				l.unread(UnreadEAN, v.oddEAN)
			}
		}
		if next.variants, err = goesOn(c, asked.variants.after); err != nil {
			return next, fmt.Errorf("variants: %w", err)
		}
	case asked.goOn() && asked.variants.first > 0: // on the first page there are none then
		return next, errors.New("no variants connection")
	}
	if next.images, err = l.addImages(w); err != nil {
		return next, fmt.Errorf("images: %w", err)
	}
	next.details = l.addDetails(w)
	return next, nil
}

// goesOn is the span of the page after one, without a first where there is none.
func goesOn[T any](c *pageOf[T], cursor string) (next span, err error) {
	end, more, err := c.next(cursor)
	if err != nil || !more {
		return span{}, err
	}
	return span{first: 1, after: end}, nil
}

// TryContent reads a publication as the worker does, but for one variant and one picture. It is nil
// where there is no such publication.
func (r *Reader) TryContent(ctx context.Context, id string) (*Publication, error) {
	of := Expected{ID: id, Details: true}
	w, d, err := r.page(ctx, Urgent, nil, of, func(Dialect) pages {
		return pages{variants: span{first: 1}, images: span{first: 1}}
	})
	if err != nil || w == nil {
		return nil, err
	}
	var read reading
	read.begin(r, of, w, d)
	if read.p.Listing != nil {
		_, err = read.add(w)
	}
	return &read.p, err
}
