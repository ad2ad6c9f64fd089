package laws

import (
	"context"
	"fmt"
	"slices"

	"github.com/pubsync/pubsync/shopadapter"
)

func pictureLaws() []Law {
	return []Law{{
		ID: "late-picture", needs: needs(losePicture()), check: checkLatePicture,
		Sentence: "A picture that came late is shown: while it cannot be fetched the product is on sale without it " +
			"and the result names it.",
	}, {
		ID: "refused-picture", needs: needs(spoilPicture()), check: checkRefusedPicture,
		Sentence: "A picture that is none is said to be refused for good, and the product is on sale with the others.",
	}}
}

func checkLatePicture(ctx context.Context, b *bench) error {
	for _, c := range []struct {
		name   string
		before []int // pictures that the listing has already; none: it is made now
		wanted []int
		late   int
		forget bool // every hint is lost before the picture is back
	}{
		{"creation", nil, []int{1, 2, 3}, 2, false},
		{"creation, restart without hints", nil, []int{1, 2, 3}, 3, true},
		{"the main picture", nil, []int{1, 2}, 1, false},
		{"the only picture", nil, []int{1}, 1, false},
		{"one more", []int{1, 2}, []int{1, 3, 2}, 3, false},
		{"another, restart without hints", []int{1, 2}, []int{3, 1}, 3, true},
	} {
		if err := latePicture(ctx, b, c.name, c.before, c.wanted, c.late, c.forget); err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
	}
	return nil
}

func latePicture(ctx context.Context, b *bench, name string, before, wanted []int, late int, forget bool) error {
	a := newAlbum(b, name)
	fetched := len(wanted) - 1
	if before != nil {
		a.p.Images = b.images(a.p.ID, before...)
		if err := a.put(ctx, shopadapter.AllFields, len(before), nil); err != nil {
			return fmt.Errorf("before: %w", err)
		}
		fetched += len(slices.DeleteFunc(slices.Clone(before), func(n int) bool { return slices.Contains(wanted, n) }))
	}
	a.p.Images = b.images(a.p.ID, wanted...)
	address := b.images(a.p.ID, late)[0]
	back := b.LosePicture(address)
	defer back()
	later := []shopadapter.Picture{{URL: address, Later: true}}
	for _, step := range []string{"while it cannot be fetched", "while it still cannot be fetched"} {
		if err := a.put(ctx, shopadapter.FieldImages, fetched, later); err != nil {
			return fmt.Errorf("%s: %w", step, err)
		}
	}
	if forget {
		if err := b.restart(); err != nil {
			return err
		}
		a.ref = b.ref(a.p.ID)
	}
	back()
	for _, step := range []string{"once it can be fetched", "asked again"} {
		if err := a.put(ctx, shopadapter.FieldImages, fetched+1, nil); err != nil {
			return fmt.Errorf("%s: %w", step, err)
		}
	}
	return nil
}

func checkRefusedPicture(ctx context.Context, b *bench) error {
	a := newAlbum(b, "album")
	a.p.Images = b.images(a.p.ID, 1, 2, 3)
	b.SpoilPicture(a.p.Images[1])
	refused := []shopadapter.Picture{{URL: a.p.Images[1]}}
	for _, step := range []string{"creation", "asked again"} {
		if err := a.put(ctx, shopadapter.FieldImages, 2, refused); err != nil {
			return fmt.Errorf("%s: %w", step, err)
		}
	}
	a.p.Images = b.images(a.p.ID, 1, 4, 3)
	if err := a.put(ctx, shopadapter.FieldImages, 3, nil); err != nil {
		return fmt.Errorf("with another in its place: %w", err)
	}
	a.p.Images = b.images(a.p.ID, 1, 4, 5, 3)
	b.SpoilPicture(a.p.Images[2])
	if err := a.put(ctx, shopadapter.FieldImages, 3, []shopadapter.Picture{{URL: a.p.Images[2]}}); err != nil {
		return fmt.Errorf("added to a listing that has pictures: %w", err)
	}
	return nil
}

// An album is a product whose pictures a law watches.
type album struct {
	*bench
	p    shopadapter.Product
	ref  shopadapter.Ref
	from int // uploads before the law began
}

func newAlbum(b *bench, name string) *album {
	a := &album{bench: b, p: b.sample(b.id(name), 2)}
	a.ref = b.ref(a.p.ID)
	if b.Uploads != nil {
		a.from = b.Uploads()
	}
	return a
}

// put publishes. The product shall be on sale with its pictures but for the missing ones, which the
// result names, after so many uploads in all.
func (a *album) put(ctx context.Context, changed shopadapter.Fields, uploads int, missing []shopadapter.Picture) error {
	ref, listing, err := a.bench.put(ctx, a.ref, a.p, changed)
	if err != nil {
		return err
	}
	a.ref = ref
	if listing.Kept != 0 {
		return fmt.Errorf("the result says that the merchant edited %s", listing.Kept)
	}
	var said []shopadapter.Picture
	for _, m := range listing.Missing {
		said = append(said, shopadapter.Picture{URL: m.URL, Later: m.Later})
	}
	if !slices.Equal(said, missing) {
		return fmt.Errorf("missing pictures: got %+v, want %+v", said, missing)
	}
	shown := a.p
	shown.Images = slices.DeleteFunc(slices.Clone(a.p.Images), func(address string) bool {
		return slices.ContainsFunc(missing, func(m shopadapter.Picture) bool { return m.URL == address })
	})
	if err := a.expect(ctx, shown); err != nil {
		return err
	}
	if a.Uploads == nil {
		return nil
	}
	if now := a.Uploads() - a.from; now != uploads {
		return fmt.Errorf("uploads in all: got %d, want %d", now, uploads)
	}
	return nil
}
