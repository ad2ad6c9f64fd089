package marketplace

import (
	"cmp"
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
	Variants int  // it had last; 0: not known
	Details  bool // what the product itself says is read too, where the Config has it
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
	return r.admit(ctx, p, r.anyContent)
}

// anyContent is the first request for a publication of which nothing is known.
func (r *Reader) anyContent(d Dialect) request {
	of := Expected{Details: true}
	return r.content(d, of, r.firstPages(d, of))
}

// ReadingCost is the points that reading one publication in full is expected to cost.
func (r *Reader) ReadingCost(ctx context.Context) (float64, error) {
	d, err := r.Probe(ctx)
	if err != nil {
		return 0, err
	}
	return cmp.Or(r.costs.average(), r.costs.reserve(r.anyContent(d))), nil
}

// errMoved says that the pages read so far and the next one are of different versions.
var errMoved = errors.New("the publication changed between two pages")

// Publication reads a publication in full, paid from the admission; nil when it is gone.
// How many variants it had last saves a page or a large reservation, and is not trusted.
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
	var read *reading
	plan := func(d Dialect) pages { return r.firstPages(d, of) }
	for range mostPages {
		page, err := r.page(ctx, pr, res, of, plan)
		res = nil
		switch {
		case KindOf(err) == CursorRefused:
			return nil, errMoved
		case err != nil, read == nil && page == nil:
			return nil, err
		case read == nil:
			if read = page.begin(of); read.Listing == nil {
				return &read.Publication, nil
			}
		case page == nil || page.Listing == nil || page.UpdatedAt != read.UpdatedAt:
			return nil, errMoved
		}
		next, err := read.add(page)
		if err != nil {
			return nil, unreadable(op, err)
		}
		if next == (pages{}) {
			return &read.Publication, nil
		}
		have := len(read.Listing.Variants)
		if have+len(read.Listing.Images) >= largeListing {
			pr = max(pr, Refresh)
		}
		left := of.Variants - have
		if left <= 0 {
			left = have // no listing was as long: expect as much again
		}
		plan = func(d Dialect) pages { return r.nextPages(d, of, next, left) }
	}
	return nil, &Error{Op: op, Message: fmt.Sprintf("the publication has more than %d pages", mostPages)}
}

// A span is a page of one connection: its first, 0 for none, and the cursor that it is behind.
type span struct {
	first int
	after string
}

// pages says which page of each connection a request for content asks for.
type pages [3]span

// The connections of pages.
const (
	ofVariants = iota
	ofImages
	ofDetails // of the product's variants
)

// goOn reports whether a page follows another one.
func (s pages) goOn() bool { return s[ofVariants].after+s[ofImages].after+s[ofDetails].after != "" }

// of is the same pages, each with as many entries.
func (s pages) of(n int) pages {
	for i := range s {
		s[i].first = min(s[i].first, 1) * n
	}
	return s
}

// HasDetails reports whether readings have details where they are expected.
func (r *Reader) HasDetails() bool { return r.details }

// detailed reports whether a publication is read with details.
func (r *Reader) detailed(of Expected) bool { return r.details && of.Details }

// firstPages plans the first page: as many variants as are expected, as far as the points allow. A
// product has as many variants as its listing.
func (r *Reader) firstPages(d Dialect, of Expected) (s pages) {
	most := of.Variants
	if most <= 0 {
		most = usualVariants
	}
	plan := func(n int) request {
		s[ofVariants].first = n
		if r.detailed(of) && len(d.variantDetails()) > 0 {
			s[ofDetails].first = n
		}
		return r.content(d, of, s)
	}
	s[ofImages].first = usualImages
	n := r.costs.fit(r.plan(), most, plan)
	if n < min(most, 5) { // pictures leave room for variants
		s[ofImages].first = 1
		n = r.costs.fit(r.plan(), most, plan)
	}
	plan(n)
	return s
}

// nextPages plans a further page of the connections that go on; left is how many variants are still
// expected.
func (r *Reader) nextPages(d Dialect, of Expected, s pages, left int) pages {
	most := min(left+left/8+1, largestPage)
	if s[ofVariants].first+s[ofDetails].first == 0 {
		most = largestPage
	}
	return s.of(r.costs.fit(r.plan(), most, func(n int) request { return r.content(d, of, s.of(n)) }))
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
	if v := s[ofVariants]; v.first > 0 {
		listing = append(listing, d.connection("variants", v.first, after(v.after),
			"id title dropshippingPrice msrp sku ean inventoryQuantity inventoryPolicy options{name value}"))
	}
	if i := s[ofImages]; i.first > 0 {
		listing = append(
			listing, d.connection("images", i.first, after(i.after)+",sort:POSITION_ASC", d.picture(r.pictures)),
		)
	}
	if v := s[ofDetails]; v.first > 0 {
		product = append(product, d.connection("variants", v.first, after(v.after), strings.Join(d.variantDetails(), " ")))
	}
	if len(product) > 0 {
		listing = append(listing, "product{"+strings.Join(product, " ")+"}")
	}
	publication = append(publication, "updatedAt", "listing{"+strings.Join(listing, " ")+"}")
	q := request{
		op: "read publication", name: name,
		text:  "query " + name + "{publication(id:" + literal(of.ID) + "){" + strings.Join(publication, " ") + "}}",
		bytes: productAnswer, cursor: s.goOn(), roots: []string{"publication"},
	}
	if r.detailed(of) && (s[ofDetails].first > 0 || !s.goOn()) {
		q.spare = []string{"publication", "listing", "product"}
	}
	return q
}

// A contentPage is a page of content as it is read.
type contentPage struct {
	Publication
	Listing *readListing `json:"listing"`

	asked    pages
	detailed bool // details were asked for
	spared   bool // the answer lacks the product, in part or at all
	dialect  Dialect
	original bool // pictures were asked for as the supplier gave them
}

// A readListing is a listing as it is read. An essential field whose shape cannot be read fails the
// reading. A soft one is named in Listing.Unread, and the shop keeps what was last written of it.
type readListing struct {
	ID           string
	Translations map[string]*Translation
	Variants     *pageOf[readVariant]

	Category soft[*Category]
	Shipping json.RawMessage `json:"dropshippingShippingDetails"`
	Returns  any             `json:"dropshippingReturns"`
	Images   soft[*pageOf[readImage]]
	Product  soft[*readProduct]
}

// page is one request for content; nil when the publication is gone.
func (r *Reader) page(
	ctx context.Context, p Priority, res *pace.Reservation, of Expected, size func(Dialect) pages,
) (*contentPage, error) {
	const op = "read publication"
	var asked pages
	page, answer, _, err := field[contentPage](ctx, r, p, res, func(d Dialect) request {
		asked = size(d)
		return r.content(d, of, asked)
	})
	release(res) // a further page may wait for points
	switch {
	case IsAbsent(err), err == nil && page == nil:
		return nil, nil //nolint:nilnil // it is gone
	case err != nil:
		return nil, err
	case len(answer.faults) > 0: // about something within: it is not whole
		return nil, &Error{Op: op, Status: 200, Message: r.wire.Clean(answer.faults[0].Message), odd: true}
	case page.UpdatedAt == "":
		return nil, unreadable(op, nil)
	}
	page.asked, page.spared, page.dialect, page.detailed = asked, answer.spared, answer.dialect, r.detailed(of)
	page.original = page.dialect.picture(r.pictures) == originalURL
	return page, nil
}

// A reading puts the pages of a publication together.
type reading struct {
	Publication
	seen map[string]bool // ids of variants
}

// begin reads what a first page says once.
func (w *contentPage) begin(of Expected) *reading {
	read := &reading{w.Publication, map[string]bool{}}
	read.ID, read.Status, read.Listing, read.Languages = of.ID, strings.ToLower(w.Status), nil,
		slices.Clone(w.dialect.Languages)
	if w.Listing == nil {
		return read
	}
	l := &Listing{
		ID: w.Listing.ID, Translations: map[string]Translation{}, Details: w.detailed,
	}
	for language, t := range w.Listing.Translations {
		if t != nil {
			l.Translations[strings.ToLower(language)] = *t
		}
	}
	switch said := w.Listing.Returns.(type) {
	case nil:
	case string, bool:
		l.Returns = fmt.Sprint(said)
	default:
		l.unread(UnreadReturns, true)
	}
	if c := w.Listing.Category; c.value != nil {
		l.Category = *c.value
		l.unread(UnreadCategory, l.Category.Path+l.Category.Name == "") // other fields than those asked for
	} else {
		l.unread(UnreadCategory, c.odd)
	}
	l.readShipping(w.Listing.Shipping)
	l.readProduct(w)
	read.Listing = l
	return read
}

// readShipping reads a list, or one object in its place. Items that cannot be read are left out.
func (l *Listing) readShipping(raw json.RawMessage) {
	if isNull(raw) {
		return
	}
	var list []soft[Shipping]
	if json.Unmarshal(raw, &list) != nil {
		list = make([]soft[Shipping], 1)
		_ = json.Unmarshal(raw, &list[0]) //nolint:errcheck // a soft value is odd instead
		l.OneShipping = raw[0] == '{'
	}
	for _, item := range list {
		l.unread(UnreadShipping, item.value == Shipping{})
		if item.value != (Shipping{}) {
			l.Shipping = append(l.Shipping, item.value)
		}
	}
}

// add adds a page. In next, each connection that goes on has first 1 and its cursor.
func (read *reading) add(w *contentPage) (next pages, err error) {
	l := read.Listing
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
		if next[ofVariants], err = goesOn(c, w.asked[ofVariants]); err != nil {
			return next, fmt.Errorf("variants: %w", err)
		}
	case w.asked.goOn() && w.asked[ofVariants].first > 0: // on the first page there are none then
		return next, errors.New("no variants connection")
	}
	if next[ofImages], err = l.addImages(w); err != nil {
		return next, fmt.Errorf("images: %w", err)
	}
	next[ofDetails] = l.addDetails(w)
	return next, nil
}

// addImages adds a page of pictures, and returns the span of the next. One without an address
// leaves them unread where it has the supplier's own alone, so that the shop keeps its pictures.
func (l *Listing) addImages(w *contentPage) (next span, err error) {
	c := w.Listing.Images.value
	switch l.unread(UnreadImages, w.Listing.Images.odd); {
	case c == nil && !w.Listing.Images.odd && w.asked[ofImages].first > 0 && w.asked.goOn():
		return span{}, errors.New("no connection")
	case c == nil:
		return span{}, nil
	}
	items, nulls := c.items()
	l.unread(UnreadImages, nulls > 0 || c.Nodes == nil && c.Edges == nil)
	for _, item := range items {
		if address := cmp.Or(item.TransformedURL, item.OriginalURL); address != "" {
			l.Images = append(l.Images, address)
		} else {
			l.unread(UnreadImages, w.original)
		}
	}
	return goesOn(c, w.asked[ofImages])
}

// goesOn is the span of the page after one, without a first where there is none.
func goesOn[T any](c *pageOf[T], asked span) (next span, err error) {
	end, more, err := c.next(asked.after)
	if err != nil || !more {
		return span{}, err
	}
	return span{first: 1, after: end}, nil
}
