package shopify

import (
	"context"
	"errors"
	"maps"
	"net/url"
	"slices"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/internal/each"
	"github.com/pubsync/pubsync/shopadapter/internal/step"
	"github.com/pubsync/pubsync/shopadapter/skeleton"
	"github.com/pubsync/pubsync/shopadapter/stamp"
)

// A picture is one image of a product. Its mark is the hash of the address it came from: Shopify
// fetches it once and does not say from where.
type picture struct {
	Mark string `json:"m,omitempty"`
	ID   string `json:"id,omitempty"` // the shop's, "" while it is being made
	Late bool   `json:"l,omitempty"`  // the shop had not fetched it when it was last looked at
}

// A refusedPicture is one that the shop does not take as it is.
type refusedPicture struct {
	Mark string `json:"m"`
	Why  string `json:"w"` // for the merchant to read
}

func mark(address string) string { return stamp.Digest(address, 8) }

// shown is the media object with this id, nil when the product has none.
func (p *product) shown(id string) *media {
	if p == nil || id == "" {
		return nil
	}
	i := slices.IndexFunc(p.Media.Nodes, func(m media) bool { return m.ID == id })
	if i < 0 {
		return nil
	}
	return &p.Media.Nodes[i]
}

// adoptImages compares the pictures in the shop with those that the stamp knows of. Where a write
// went through and its answer was lost, it brings the stamp up to date. foreign tells that the
// merchant has changed them.
func (w *write) adoptImages() (foreign bool) {
	if w.have == nil {
		return false
	}
	if w.stamp.Writing && !w.have.Media.Page.More {
		if now, ok := written(w.stamp.Next, w.stamp.Images, w.have.Media.Nodes); ok {
			w.stamp.Images, w.stamp.Next, w.stamp.Writing = now, nil, false
			return false
		}
	}
	w.stamp.Next, w.stamp.Writing = nil, false
	w.stamp.Images = w.stamp.kept(w.have.Media.Nodes)
	return !w.stamp.shows(w.have.Media)
}

// kept is the pictures that the shop has taken. A merchant who deletes a failed picture has not
// edited the pictures: the shop has never shown it.
func (s productStamp) kept(shown []media) []picture {
	return slices.DeleteFunc(slices.Clone(s.Images), func(p picture) bool {
		return p.Late && !slices.ContainsFunc(shown, func(m media) bool { return m.ID == p.ID })
	})
}

// shows reports whether the shop shows the pictures that the stamp knows of, and no others.
func (s productStamp) shows(held nodes[media]) bool {
	if s.Writing && !held.Page.More {
		if _, ok := written(s.Next, s.Images, held.Nodes); ok {
			return true
		}
	}
	return !held.Page.More &&
		slices.EqualFunc(s.kept(held.Nodes), held.Nodes, func(p picture, m media) bool { return p.ID == m.ID })
}

// gone is the pictures that the product no longer shows, where it shows the others as they were
// written.
func (s productStamp) gone(held nodes[media]) []string {
	wrote := each.Of(s.kept(held.Nodes), func(p picture) string { return p.ID })
	gone, ok := stamp.Without(wrote, each.Of(held.Nodes, func(m media) string { return m.ID }))
	if held.Page.More || !ok {
		return nil
	}
	return gone
}

// filed is those of the pictures that the shop still has among its files.
func (a *Adapter) filed(ctx context.Context, ids []string) (map[string]bool, error) {
	filed := map[string]bool{}
	for some := range slices.Chunk(ids, mostImages) {
		var answer struct {
			Nodes []*media `json:"nodes"`
		}
		err := a.call(ctx, request{
			document: filesDocument, estimate: float64(1 + len(some)), variables: input{"ids": some},
		}, &answer)
		if err != nil {
			return nil, step.Within("find pictures", err)
		}
		for _, m := range answer.Nodes {
			if m != nil && m.ID != "" {
				filed[m.ID] = true
			}
		}
	}
	return filed, nil
}

// forgetLost takes pictures out of the stamp that the shop has lost, so that they are sent again. A
// picture that was taken off the product alone is not.
func (w *write) forgetLost(ctx context.Context) error {
	if !w.foreignImages {
		return nil
	}
	gone := w.stamp.gone(w.have.Media)
	filed, err := w.a.filed(ctx, gone)
	if err == nil && len(gone) > 0 && len(filed) == 0 {
		w.foreignImages = false
		w.stamp.Images = slices.DeleteFunc(w.stamp.Images, func(p picture) bool { return w.have.shown(p.ID) == nil })
	}
	return err
}

// written gives the pictures of next the ids that the shop shows at their positions. ok is false
// when the shop shows something else: a known picture at another position, or an old one at the
// position of a new one.
func written(next, before []picture, shown []media) (now []picture, ok bool) {
	if len(next) != len(shown) {
		return nil, false
	}
	for i, p := range next {
		id := shown[i].ID
		old := slices.ContainsFunc(before, func(b picture) bool { return b.ID == id })
		if p.ID != "" && p.ID != id || p.ID == "" && old {
			return nil, false
		}
		p.ID = id
		now = append(now, p)
	}
	return now, true
}

// planImages says which pictures to show. One that the shop could not fetch is sent again; one that
// it refused is not.
func (w *write) planImages(ctx context.Context) error {
	if !w.Changed.Has(shopadapter.FieldImages) {
		return nil
	}
	if err := w.forgetLost(ctx); err != nil {
		return err
	}
	if w.foreignImages && w.Keep(shopadapter.FieldImages) {
		return nil
	}
	addresses := w.addresses()
	if err := w.explainFailures(ctx); err != nil {
		return err
	}
	w.forgive(addresses)
	if err := w.trySilent(ctx, addresses); err != nil {
		return err
	}
	var next []picture
	for _, address := range addresses {
		if w.leftOut[address] != nil {
			continue
		}
		p := w.shownAs(mark(address))
		m := w.have.shown(p.ID)
		if m != nil && m.Status == mediaFailed && w.stamp.refusal(p.Mark) == "" {
			if why, refused := m.fault(); refused && !w.askedAgain {
				w.stamp.refuse(p.Mark, why)
			} else {
				p, m = picture{Mark: p.Mark}, nil
			}
		}
		if w.stamp.refusal(p.Mark) != "" {
			continue
		}
		w.uploads = w.uploads || m == nil
		next = append(next, p)
	}
	if w.have != nil && !w.foreignImages &&
		slices.EqualFunc(next, w.stamp.Images, func(a, b picture) bool { return a.ID == b.ID && a.Mark == b.Mark }) {
		w.uploads = false
		return nil
	}
	w.images = true
	w.stamp.Next, w.stamp.Writing = next, true
	return nil
}

// trySilent asks for each picture that the shop is to fetch, and notes those whose servers do not
// answer here: the shop is not given them.
func (w *write) trySilent(ctx context.Context, addresses []string) error {
	var fresh []string
	for _, address := range addresses {
		m := w.have.shown(w.shownAs(mark(address)).ID)
		if w.stamp.refusal(mark(address)) == "" && (m == nil || m.Status == mediaFailed) {
			fresh = append(fresh, address)
		}
	}
	maps.Copy(w.leftOut, skeleton.Reachable(ctx, w.a.try, fresh))
	return ctx.Err()
}

// explainFailures reads the errors of our pictures that the shop failed on, where they are not
// known yet.
func (w *write) explainFailures(ctx context.Context) error {
	if w.have == nil || !slices.ContainsFunc(w.stamp.Images, func(p picture) bool {
		m := w.have.shown(p.ID)
		return m != nil && m.Status == mediaFailed && !m.explained && w.stamp.refusal(p.Mark) == ""
	}) {
		return nil
	}
	return w.a.readMedia(ctx, w.have)
}

// shownAs is the picture with this mark, with the id under which the product shows it now.
func (w *write) shownAs(mark string) picture {
	for _, p := range w.stamp.Images {
		if p.Mark == mark && w.have.shown(p.ID) != nil {
			return p
		}
	}
	return picture{Mark: mark}
}

// addresses are the product's pictures as they can be asked of the shop: each once, and no more
// than a product may have.
func (w *write) addresses() []string {
	var list []string
	for _, address := range w.Product.Images {
		u, err := url.Parse(address)
		switch {
		case slices.Contains(list, address) || w.leftOut[address] != nil:
		case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "":
			w.leftOut[address] = errors.New("its address is not an absolute http address")
		case len(list) == mostImages:
			w.leftOut[address] = errors.New("the product has more pictures than the shop takes")
		default:
			list = append(list, address)
		}
	}
	return list
}

// forgive drops refused pictures from the stamp: those that the supplier took away, and all of them
// on a reset or when a person asks.
func (w *write) forgive(addresses []string) {
	w.askedAgain = w.Ref.Asked || w.Reset.Has(shopadapter.FieldImages)
	w.stamp.Refused = slices.DeleteFunc(slices.Clone(w.stamp.Refused), func(r refusedPicture) bool {
		return w.askedAgain ||
			!slices.ContainsFunc(addresses, func(address string) bool { return mark(address) == r.Mark })
	})
}

// files are the pictures as productSet takes them: those it has by their ids, the others by their
// addresses.
func (w *write) files() []input {
	list := []input{}
	for _, p := range w.stamp.Next {
		if p.ID != "" {
			list = append(list, input{"id": p.ID})
			continue
		}
		i := slices.IndexFunc(w.Product.Images, func(address string) bool { return mark(address) == p.Mark })
		list = append(list, input{"originalSource": w.Product.Images[i], "contentType": "IMAGE", "alt": w.base().title})
	}
	return list
}

// dropFile leaves one of the files out that the shop refuses. It reports false for one that the
// shop has already.
func (w *write) dropFile(i int, why string) bool {
	if !w.images || i < 0 || i >= len(w.stamp.Next) || w.stamp.Next[i].ID != "" {
		return false
	}
	p := w.stamp.Next[i]
	w.stamp.Next = slices.Delete(slices.Clone(w.stamp.Next), i, i+1)
	w.stamp.refuse(p.Mark, why)
	return true
}

// confirmImages takes over the ids of what the shop shows after a write that it has confirmed.
func (w *write) confirmImages() {
	if w.stamp.Writing {
		w.sent = w.stamp.Next
	}
	waiting := slices.DeleteFunc(slices.Clone(w.sent), func(p picture) bool { return p.ID != "" })
	var now []picture
	for _, m := range w.have.Media.Nodes {
		i := slices.IndexFunc(w.sent, func(p picture) bool { return p.ID == m.ID })
		switch {
		case i >= 0:
			now = append(now, w.sent[i])
		case len(waiting) > 0:
			waiting[0].ID = m.ID
			now, waiting = append(now, waiting[0]), waiting[1:]
		default:
			now = append(now, picture{ID: m.ID})
		}
	}
	w.stamp.Images, w.stamp.Next, w.stamp.Writing = now, nil, false
}
