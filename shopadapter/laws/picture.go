package laws

import (
	"slices"

	"github.com/pubsync/pubsync/shopadapter"
)

// An album is a product whose pictures a law watches.
type album struct {
	*subject
	from int // uploads before the law began
}

func (b *bench) album(name string) *album {
	a := &album{subject: b.subject(name, 2)}
	if b.Uploads != nil {
		a.from = b.Uploads()
	}
	return a
}

// expect publishes these pictures. The product shall be on sale with them but for the missing ones,
// which the result names, after so many uploads in all.
func (a *album) expect(changed shopadapter.Fields, numbers []int, uploads int, missing ...shopadapter.Picture) {
	a.p.Images = a.images(a.p.ID, numbers...)
	a.publish(changed)
	var said []shopadapter.Picture
	for _, m := range a.l.Missing {
		said = append(said, shopadapter.Picture{URL: m.URL, Later: m.Later})
		a.p.Images = slices.DeleteFunc(a.p.Images, func(address string) bool { return address == m.URL })
	}
	a.equal("missing pictures", said, missing)
	a.shown()
	a.uploaded(uploads)
}

func (a *album) uploaded(want int) {
	if a.Uploads != nil {
		a.equal("uploads in all", a.Uploads()-a.from, want)
	}
}

func checkImageOnce(b *bench) {
	a := b.album("album")
	for _, step := range []struct {
		name    string
		images  []int
		forget  bool // every hint is lost before
		uploads int  // in all so far
	}{
		{"two pictures", []int{1, 2}, false, 2},
		{"the same", []int{1, 2}, false, 2},
		{"one more", []int{1, 2, 3}, false, 3},
		{"in another order", []int{3, 1, 2}, false, 3},
		{"in another order, after a restart without hints", []int{2, 3, 1}, true, 3},
		{"one less and one more, after a restart without hints", []int{4, 2, 3}, true, 4},
	} {
		b.in("%s", step.name)
		if step.forget {
			a.forget()
		}
		a.expect(all, step.images, step.uploads)
	}
	b.everyCut(func(c *cut) {
		a := b.album(c.name)
		a.converge(c)
		a.uploaded(len(a.p.Images))
	})
}

func checkLatePicture(b *bench) {
	for _, c := range []struct {
		name           string
		before, wanted []int // before: pictures that the listing has already; none: it is made now
		late           int
		forget         bool // every hint is lost before the picture is back
		fetched        int  // pictures in all while it is away
	}{
		{"creation", nil, []int{1, 2, 3}, 2, false, 2},
		{"creation, restart without hints", nil, []int{1, 2, 3}, 3, true, 2},
		{"the main picture", nil, []int{1, 2}, 1, false, 1},
		{"the only picture", nil, []int{1}, 1, false, 0},
		{"one more", []int{1, 2}, []int{1, 3, 2}, 3, false, 2},
		{"another, restart without hints", []int{1, 2}, []int{3, 1}, 3, true, 2},
	} {
		b.in("%s", c.name)
		a := b.album(c.name)
		if c.before != nil {
			a.expect(all, c.before, len(c.before))
		}
		late := shopadapter.Picture{URL: b.images(a.p.ID, c.late)[0], Later: true}
		back := b.LosePicture(late.URL)
		for range 2 {
			b.in("%s, while it cannot be fetched", c.name)
			a.expect(shopadapter.FieldImages, c.wanted, c.fetched, late)
		}
		if c.forget {
			a.forget()
		}
		back()
		for range 2 {
			b.in("%s, once it can be fetched", c.name)
			a.expect(shopadapter.FieldImages, c.wanted, c.fetched+1)
		}
	}
}

func checkRefusedPicture(b *bench) {
	a := b.album("album")
	spoil := func(n int) shopadapter.Picture {
		address := b.images(a.p.ID, n)[0]
		b.SpoilPicture(address)
		return shopadapter.Picture{URL: address}
	}
	refused := spoil(2)
	for range 2 {
		a.expect(shopadapter.FieldImages, []int{1, 2, 3}, 2, refused)
	}
	b.in("with another in its place")
	a.expect(shopadapter.FieldImages, []int{1, 4, 3}, 3)
	b.in("added to a listing that has pictures")
	a.expect(shopadapter.FieldImages, []int{1, 4, 5, 3}, 3, spoil(5))
}
