package marketplace

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/pubsync/pubsync/connector/marketplace/internal/client"
	"github.com/pubsync/pubsync/connector/marketplace/internal/fault"
	"github.com/pubsync/pubsync/connector/marketplace/internal/form"
	"github.com/pubsync/pubsync/shopadapter/pace"
)

const (
	mostStarts   = 4   // the first, and three over again
	mostPages    = 500 // of one publication
	largeListing = 100 // variants and images, after which further pages wait for all other requests
)

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
	for range client.MostSizes {
		forms, err := r.conn.Known(ctx)
		if err != nil {
			return nil, err
		}
		forms = withoutOriginals(forms, r.originals.missing())
		doc := r.contentDocument(forms, r.firstPages(forms, Expected{}))
		cost := r.conn.Costs.Reserve(doc, doc.Text())
		res, err := r.conn.Pay(ctx, p, "read publication", cost, nil)
		var large *pace.TooLargeError
		switch {
		case err == nil:
			return &Admission{res: res, priority: p}, nil
		case errors.As(err, &large) && r.conn.Costs.Lower(large.Cost, large.Limit/2):
			continue // the bucket is smaller than was expected
		}
		return nil, err
	}
	return nil, &Error{Op: "read publication", Kind: Invalid, Message: "no query is small enough for this bucket"}
}

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
	// pictures that are written by their originals are asked for by them
	without := of.Pictured != Original && r.originals.missing()
	for range mostStarts {
		p, err := r.content(ctx, a.priority, res, of, without)
		without = without || errors.Is(err, errNoOriginals)
		if !errors.Is(err, errMoved) && !errors.Is(err, errNoOriginals) {
			return p, err
		}
		res = nil
	}
	return nil, &Error{Op: "read publication", Message: "the publication keeps changing while it is read"}
}

// errMoved says that the pages read so far and the next one are of different versions.
var errMoved = errors.New("the publication changed between two pages")

// errNoOriginals says that the server nulls the originalUrl of pictures.
var errNoOriginals = errors.New("the pictures have no original address")

func (r *Reader) content(
	ctx context.Context, pr Priority, res *pace.Reservation, of Expected, without bool,
) (*Publication, error) {
	const op = "read publication"
	id, expect := of.ID, of.Variants
	w, languages, err := r.contentPage(
		ctx, pr, res, id, without, func(f Forms) pages { return r.firstPages(f, of) },
	)
	if err != nil || w == nil {
		return nil, err
	}
	p := w.publication(id)
	p.Languages = slices.Clone(languages)
	if p.Listing == nil {
		return p, nil
	}
	p.Listing.Pictured = w.Listing.pictured.now.String()
	p.Listing.readProduct(w.Listing, r.details)
	var after pages
	seen := make(map[string]bool) // ids of variants
	for range mostPages {
		next, err := p.add(w, after, seen)
		if errors.Is(err, errNoOriginals) {
			r.originals.saw(false)
			return nil, err
		}
		if err != nil {
			return nil, fault.Unreadable(op, err)
		}
		variants, images := len(p.Listing.Variants), len(p.Listing.Images)
		if next.variants+next.images+next.details == 0 {
			r.manyVariants.Saw(variants)
			r.manyImages.Saw(images)
			if p.Listing.Pictured == Original && images > 0 {
				r.originals.saw(true)
			}
			return p, nil
		}
		if variants+images >= largeListing {
			pr = max(pr, Refresh)
		}
		after, after.before = next, of.Pictured
		left := pages{variants: expect - variants, images: r.manyImages.Page(images), details: len(p.Listing.Variants)}
		if left.variants <= 0 {
			left.variants = r.manyVariants.Page(variants)
		}
		w, _, err = r.contentPage(
			ctx, pr, nil, id, without, func(f Forms) pages { return r.nextPages(f, after, left) },
		)
		switch {
		case KindOf(err) == CursorRefused:
			return nil, errMoved
		case err != nil:
			return nil, err
		case w == nil || w.Listing == nil || string(w.UpdatedAt) != p.UpdatedAt:
			return nil, errMoved
		}
	}
	return nil, &Error{Op: op, Message: fmt.Sprintf("the publication has more than %d pages", mostPages)}
}

// add adds the page w to p; after is what was asked for, seen the ids of the variants that p has. In
// next, each connection that goes on has size 1 and its cursor.
func (p *Publication) add(w *wirePublication, after pages, seen map[string]bool) (next pages, err error) {
	first := !after.goOn() // a connection that is null there has nothing in it
	if c := w.Listing.Variants; c != nil {
		for _, item := range c.Items() {
			// A server that pages by offset may repeat one at a page's edge.
			v := item.variant()
			if !seen[v.ID] {
				seen[v.ID] = true
				p.Listing.Variants = append(p.Listing.Variants, v)
				p.Listing.unread(UnreadEAN, item.EAN.Unread)
			}
		}
		cursor, more, err := c.Next(after.afterVariants)
		if err != nil {
			return pages{}, fmt.Errorf("variants: %w", err)
		}
		if more {
			next.variants, next.afterVariants = 1, cursor
		}
	} else if !first && after.variants > 0 {
		return pages{}, errors.New("no variants connection")
	}
	p.Listing.unread(UnreadImages, w.Listing.Images.Unread)
	if c := w.Listing.Images.Value; c != nil {
		items, nulls := c.Split()
		p.Listing.unread(UnreadImages, nulls > 0 || c.Nodes == nil && c.Edges == nil)
		for _, item := range items {
			now, before := item.addresses(w.Listing.pictured)
			lacks := now == "" && w.Listing.pictured.now.Method == Original
			if lacks && !w.Listing.pictured.kept {
				return pages{}, errNoOriginals
			}
			p.Listing.unread(UnreadImages, lacks) // in another way they would be other pictures to the shop
			if now == "" {
				continue
			}
			p.Listing.Images = append(p.Listing.Images, now)
			if shown := w.Listing.pictured; shown.before != shown.now {
				p.Listing.ImagesBefore = append(p.Listing.ImagesBefore, before)
			}
		}
		cursor, more, err := c.Next(after.afterImages)
		if err != nil {
			return pages{}, fmt.Errorf("images: %w", err)
		}
		if more {
			next.images, next.afterImages = 1, cursor
		}
	} else if !first && after.images > 0 && !w.Listing.Images.Unread {
		return pages{}, errors.New("no images connection")
	}
	next.details, next.afterDetails = p.Listing.addDetails(w.Listing, after)
	return next, nil
}

// contentPage is one request for content, in the languages that were asked for, and where it says so
// without originals of pictures; nil when the publication is gone.
func (r *Reader) contentPage(
	ctx context.Context, p Priority, res *pace.Reservation, id string, without bool, size func(Forms) pages,
) (w *wirePublication, languages []string, err error) {
	const op = "read publication"
	var shown pictured
	var details form.Details
	answer, err := r.conn.Run(ctx, p, res, func(f Forms) (client.Request, error) {
		f = withoutOriginals(f, without)
		s := size(f)
		shown, details = r.pictured(f, s.before), r.wantedDetails(f, s)
		q := client.Request{
			Op:    op,
			Doc:   r.contentDocument(f, s),
			Vars:  map[string]any{"id": id},
			First: max(s.variants, s.images),
			Alone: true,
			Bytes: client.ProductAnswer,
		}
		if r.details && (s.details > 0 || !s.goOn()) {
			q.Details = []string{"publication", "listing", "product"}
		}
		if s.afterVariants != "" {
			q.Vars["afterVariants"], q.Cursor = s.afterVariants, true
		}
		if s.afterImages != "" {
			q.Vars["afterImages"], q.Cursor = s.afterImages, true
		}
		if s.afterDetails != "" {
			q.Vars["afterDetails"], q.Cursor = s.afterDetails, true
		}
		return q, nil
	})
	if err != nil {
		return nil, nil, ownDenial(err)
	}
	defer answer.Done()
	if len(answer.Complaints) > 0 { // that there is none
		return nil, nil, nil //nolint:nilnil // as where it is null
	}
	if w, err = decode(answer.Data); err != nil || w != nil && w.UpdatedAt == "" {
		return nil, nil, fault.Unreadable(op, err)
	}
	if w != nil && w.Listing != nil {
		w.Listing.spared, w.Listing.pictured, w.Listing.asked = answer.Spared, shown, details
	}
	return w, answer.Forms.Languages, nil
}
