package marketplace

import (
	"cmp"
	"context"
	"errors"
	"strings"

	"github.com/pubsync/pubsync/shopadapter/pace"
)

const (
	mostStarts   = 4   // of one reading: the first, and three over again
	mostPages    = 500 // of one publication
	largeListing = 100 // variants and images, after which further pages wait for all other requests

	usualVariants = 20 // of a publication of which it is not known how many it has
	usualImages   = 12

	opRead = "read publication"
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
	r.mu.Lock()
	known := r.costs.reading
	r.mu.Unlock()
	return cmp.Or(known, r.reserve(r.anyContent(d))), nil
}

// HasDetails reports whether readings have details where they are expected.
func (r *Reader) HasDetails() bool { return r.o.Details }

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
	var spent Meter
	outer, res := meterOf(ctx), a.res
	defer func() { outer.spend(spent.Points()) }()
	ctx = Metered(ctx, &spent)
	for range mostStarts {
		p, err := r.whole(ctx, a.priority, res, of)
		if err == nil && p != nil {
			r.mu.Lock()
			last := cmp.Or(r.costs.reading, spent.Points())
			r.costs.reading = last + (spent.Points()-last)/8
			r.mu.Unlock()
		}
		if !errors.Is(err, errMoved) {
			return p, err
		}
		res = nil
	}
	return nil, &Error{Op: opRead, Message: "the publication keeps changing while it is read"}
}

func (r *Reader) whole(ctx context.Context, pr Priority, res *pace.Reservation, of Expected) (*Publication, error) {
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
			return nil, unreadable(opRead, err)
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
	return nil, &Error{Op: opRead, Message: "the publication has too many pages"}
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

// sized is the largest pages that the plan allows, of those that build makes for so many entries.
func (r *Reader) sized(d Dialect, of Expected, most int, build func(n int) pages) pages {
	return build(r.fit(r.plan(), most, func(n int) request { return r.content(d, of, build(n)) }))
}

// firstPages plans the first page: as many variants as are expected, as far as the points allow, and
// pictures as many in proportion. A product has as many variants as its listing.
func (r *Reader) firstPages(d Dialect, of Expected) pages {
	most := of.Variants
	if most <= 0 {
		most = usualVariants
	}
	return r.sized(d, of, most, func(n int) (s pages) {
		s.variants.first, s.images.first = n, max(1, usualImages*n/most)
		if r.o.Details && of.Details && len(d.variantDetails()) > 0 {
			s.details.first = n
		}
		return s
	})
}

// nextPages plans a further page of the connections that go on; left is how many variants are still
// expected.
func (r *Reader) nextPages(d Dialect, of Expected, s pages, left int) pages {
	most := largestPage
	if s.variants.first+s.details.first > 0 {
		most = left + left/8 + 1
	}
	return r.sized(d, of, most, func(n int) pages {
		next := s
		for _, c := range []*span{&next.variants, &next.images, &next.details} {
			c.first = min(c.first, 1) * n
		}
		return next
	})
}

// content is the request for the pages given, and on the first also for everything else.
func (r *Reader) content(d Dialect, of Expected, s pages) request {
	name, about, listing, product := "MoreContent", part{}, part{}, part{}
	if !s.goOn() {
		name, about, product = "Content", scalars("status productUrl"), scalars("id")
		listing = join(scalars("id dropshippingReturns"), scalars("path name").in("category"),
			scalars("countryGroup fixedCosts variableCosts estimatedShippingDays").in("dropshippingShippingDetails"))
		var texts part
		for _, language := range d.Languages {
			texts = join(texts, scalars("title description").in(language))
		}
		if texts.text != "" {
			listing = join(listing, texts.in("translations"))
		}
		if r.o.Details && of.Details {
			product = join(product, scalars(strings.Join(d.has("product", productDetails()...), " ")))
		}
	}
	if v := s.variants; v.first > 0 {
		listing = join(listing, d.connection("variants", v.first, v.after, "", join(
			scalars("id title dropshippingPrice msrp sku ean inventoryQuantity inventoryPolicy"),
			scalars("name value").in("options"))))
	}
	if i := s.images; i.first > 0 {
		picture := part{d.picture(r.o.Pictures), 1}
		listing = join(listing, d.connection("images", i.first, i.after, ",sort:POSITION_ASC", picture))
	}
	if v := s.details; v.first > 0 {
		fields := scalars(strings.Join(d.variantDetails(), " "))
		product = join(product, d.connection("variants", v.first, v.after, "", fields))
	}
	if product.text != "" {
		listing = join(listing, product.in("product"))
	}
	q := query(opRead, name, publication(of.ID, join(scalars("updatedAt"), about, listing.in("listing"))))
	q.cursor, q.one, q.bytes = s.goOn(), "publication", productAnswer
	q.spare = []string{"publication", "listing", "product"}
	return q
}

func (r *Reader) page(
	ctx context.Context, p Priority, res *pace.Reservation, of Expected, size func(Dialect) pages,
) (*contentPage, error) {
	var asked pages
	answer, err := r.ask(ctx, p, res, func(d Dialect) request {
		asked = size(d)
		return r.content(d, of, asked)
	})
	if res != nil {
		res.Return() // a further page may wait for points
	}
	if IsAbsent(err) {
		return nil, nil //nolint:nilnil // it is gone
	} else if err != nil {
		return nil, err
	}
	page, err := read[contentPage](answer, opRead, "publication")
	switch {
	case err != nil || page == nil: // it is gone where there is none
		return nil, err
	case page.UpdatedAt == "":
		return nil, unreadable(opRead, nil)
	}
	page.asked, page.spared, page.languages = asked, answer.spared, answer.dialect.Languages
	page.detailed = r.o.Details && of.Details
	page.original = answer.dialect.picture(r.o.Pictures) == originalURL
	return page, nil
}
