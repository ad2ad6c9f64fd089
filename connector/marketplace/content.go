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
	r.costs.mu.Lock()
	known := r.costs.reading
	r.costs.mu.Unlock()
	return cmp.Or(known, r.reserve(r.anyContent(d))), nil
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
	var whole *reading
	plan := func(d Dialect) pages { return r.firstPages(d, of) }
	for range mostPages {
		page, err := r.page(ctx, pr, res, of, plan)
		res = nil
		switch {
		case KindOf(err) == CursorRefused:
			return nil, errMoved
		case err != nil, whole == nil && page == nil:
			return nil, err
		case whole == nil:
			whole = page.begin(of)
		case page == nil || page.Listing == nil || page.UpdatedAt != whole.UpdatedAt:
			return nil, errMoved
		}
		next, err := whole.add(page)
		if err != nil {
			return nil, unreadable(op, err)
		}
		if next == (pages{}) {
			return &whole.Publication, nil
		}
		have := len(whole.Listing.Variants)
		if have+len(whole.Listing.Images) >= largeListing {
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
type pages struct{ variants, images, details span } // details are those of the product's variants

// goOn reports whether a page follows another one.
func (s pages) goOn() bool { return s.variants.after+s.images.after+s.details.after != "" }

// HasDetails reports whether readings have details where they are expected.
func (r *Reader) HasDetails() bool { return r.details }

// detailed reports whether a publication is read with details.
func (r *Reader) detailed(of Expected) bool { return r.details && of.Details }

// firstPages plans the first page: as many variants as are expected, as far as the points allow, and
// pictures as many in proportion. A product has as many variants as its listing.
func (r *Reader) firstPages(d Dialect, of Expected) pages {
	most := of.Variants
	if most <= 0 {
		most = usualVariants
	}
	plan := func(n int) (s pages) {
		s.variants.first, s.images.first = n, max(1, usualImages*n/most)
		if r.detailed(of) && len(d.variantDetails()) > 0 {
			s.details.first = n
		}
		return s
	}
	return plan(r.fit(r.plan(), most, func(n int) request { return r.content(d, of, plan(n)) }))
}

// nextPages plans a further page of the connections that go on; left is how many variants are still
// expected.
func (r *Reader) nextPages(d Dialect, of Expected, s pages, left int) pages {
	most := largestPage
	if s.variants.first+s.details.first > 0 {
		most = left + left/8 + 1
	}
	plan := func(n int) pages {
		next := s
		for _, c := range []*span{&next.variants, &next.images, &next.details} {
			c.first = min(c.first, 1) * n
		}
		return next
	}
	return plan(r.fit(r.plan(), most, func(n int) request { return r.content(d, of, plan(n)) }))
}

// content is the request for the pages given, and on the first also for everything else, each thing
// once.
func (r *Reader) content(d Dialect, of Expected, s pages) request {
	name, about, listing, product := "MoreContent", part{}, part{}, part{}
	if !s.goOn() {
		name, about = "Content", scalars("status productUrl")
		listing = join(scalars("id dropshippingReturns"), scalars("path name").in("category"),
			scalars("countryGroup fixedCosts variableCosts estimatedShippingDays").in("dropshippingShippingDetails"))
		var texts part
		for _, language := range d.Languages {
			texts = join(texts, scalars("title description").in(language))
		}
		if texts.text != "" {
			listing = join(listing, texts.in("translations"))
		}
		product = scalars("id")
		if r.detailed(of) {
			product = join(product, scalars(strings.Join(d.has("product", productDetails()...), " ")))
		}
	}
	if v := s.variants; v.first > 0 {
		listing = join(listing, d.connection("variants", v.first, v.after, "", join(
			scalars("id title dropshippingPrice msrp sku ean inventoryQuantity inventoryPolicy"),
			scalars("name value").in("options"))))
	}
	if i := s.images; i.first > 0 {
		picture := part{d.picture(r.pictures), 1}
		listing = join(listing, d.connection("images", i.first, i.after, ",sort:POSITION_ASC", picture))
	}
	if v := s.details; v.first > 0 {
		fields := scalars(strings.Join(d.variantDetails(), " "))
		product = join(product, d.connection("variants", v.first, v.after, "", fields))
	}
	if product.text != "" {
		listing = join(listing, product.in("product"))
	}
	q := query("read publication", name, publication(of.ID, join(scalars("updatedAt"), about, listing.in("listing"))))
	q.cursor, q.one, q.bytes = s.goOn(), "publication", productAnswer
	q.spare = []string{"publication", "listing", "product"}
	return q
}

// A contentPage is one page of a publication as it is read, with what was asked for.
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

type readImage struct{ OriginalURL, TransformedURL string }

// page is one request for content; nil when the publication is gone.
func (r *Reader) page(
	ctx context.Context, p Priority, res *pace.Reservation, of Expected, size func(Dialect) pages,
) (*contentPage, error) {
	const op = "read publication"
	var asked pages
	answer, err := r.ask(ctx, p, res, func(d Dialect) request {
		asked = size(d)
		return r.content(d, of, asked)
	})
	if res != nil {
		res.Return() // a further page may wait for points
	}
	if err != nil {
		return nil, orGone(err)
	}
	page, err := read[contentPage](answer, op, "publication")
	switch {
	case err != nil || page == nil: // it is gone where there is none
		return nil, err
	case page.UpdatedAt == "":
		return nil, unreadable(op, nil)
	}
	page.asked, page.spared, page.dialect, page.detailed = asked, answer.spared, answer.dialect, r.detailed(of)
	page.original = page.dialect.picture(r.pictures) == originalURL
	return page, nil
}

// orGone is nil for the server's word that the publication does not exist.
func orGone(err error) error {
	if IsAbsent(err) {
		return nil
	}
	return err
}

// A reading puts the pages of a publication together.
type reading struct {
	Publication
	seen map[string]bool // ids of variants
}

// begin reads what a first page says once.
func (w *contentPage) begin(of Expected) *reading {
	whole := &reading{w.Publication, map[string]bool{}}
	whole.ID, whole.Status, whole.Listing = of.ID, strings.ToLower(w.Status), nil
	whole.Languages = slices.Clone(w.dialect.Languages)
	if w.Listing == nil {
		return whole
	}
	l := &Listing{ID: w.Listing.ID, Translations: map[string]Translation{}, Details: w.detailed}
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
	l.unread(UnreadCategory, w.Listing.Category.odd)
	if c := w.Listing.Category.value; c != nil {
		l.Category = *c
		l.unread(UnreadCategory, c.Path+c.Name == "") // other fields than those asked for
	}
	l.readShipping(w.Listing.Shipping)
	l.readProduct(w)
	whole.Listing = l
	return whole
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
	}
	for _, item := range list {
		l.unread(UnreadShipping, item.value == Shipping{})
		if item.value != (Shipping{}) {
			l.Shipping = append(l.Shipping, item.value)
		}
	}
}

// add adds a page. In next, each connection that goes on has first 1 and its cursor.
func (whole *reading) add(w *contentPage) (next pages, err error) {
	l := whole.Listing
	if l == nil {
		return next, nil
	}
	variants, images := w.Listing.Variants, w.Listing.Images
	if missing := w.asked.goOn(); missing && (w.asked.variants.first > 0 && variants == nil ||
		w.asked.images.first > 0 && images.value == nil && !images.odd) {
		return next, errors.New("a page that was asked for is not there") // on the first page there are none then
	}
	items, _ := variants.items()
	for _, v := range items {
		if !whole.seen[v.ID] { // a server that pages by offset may repeat one at a page's edge
			whole.seen[v.ID] = true
			l.Variants = append(l.Variants, v.Variant)
			l.unread(UnreadEAN, v.oddEAN)
		}
	}
	l.addImages(w)
	next.details = l.addDetails(w)
	if next.variants, err = variants.goesOn(w.asked.variants); err == nil {
		next.images, err = images.value.goesOn(w.asked.images)
	}
	return next, err
}

// addImages adds a page of pictures. One without an address leaves them unread where it has the
// supplier's own alone, so that the shop keeps its pictures.
func (l *Listing) addImages(w *contentPage) {
	page := w.Listing.Images.value
	l.unread(UnreadImages, w.Listing.Images.odd || page.broken())
	items, _ := page.items()
	for _, item := range items {
		if address := cmp.Or(item.TransformedURL, item.OriginalURL); address != "" {
			l.Images = append(l.Images, address)
		} else {
			l.unread(UnreadImages, w.original)
		}
	}
}
