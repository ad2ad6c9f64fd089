package shopify

import (
	"context"
	"log/slog"
	"net/url"
	"slices"

	"github.com/pubsync/pubsync/shopadapter"
)

// A picture is one image of a product. Its mark is the hash of the address it came from: Shopify fetches it once and does not say from where.
type picture struct {
	Mark  string `json:"m,omitempty"`
	ID    string `json:"id,omitempty"` // the shop's, "" while it is being made
	Tries int    `json:"n,omitempty"`  // how often it was sent again after the shop had failed to process it
}

func mark(address string) string { return digest(address, 8) }

// The states of a media object (MediaStatus) that matter here.
const (
	mediaFailed = "FAILED"
	mediaReady  = "READY"
)

// failed tells whether the shop gave up on a picture.
func (p *product) failed(id string) bool {
	return slices.ContainsFunc(p.Media.Nodes, func(m media) bool { return m.ID == id && m.Status == mediaFailed })
}

// adoptImages compares the pictures in the shop with those that the stamp knows of, and brings the stamp up to date where a write went through
// whose answer was lost. foreign tells that the merchant has changed them.
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
	return w.have.Media.Page.More || !slices.EqualFunc(w.stamp.Images, w.have.Media.Nodes, func(p picture, m media) bool { return p.ID == m.ID })
}

// written gives the pictures of next the ids that the shop shows in their places. ok is false when what it shows is not next: a known picture is
// elsewhere, or in the place of a new one stands an old one.
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

// planImages says which pictures to show.
func (w *write) planImages(ctx context.Context, foreign bool) {
	again := !foreign && slices.ContainsFunc(w.stamp.Images, func(p picture) bool { return w.have != nil && w.have.failed(p.ID) })
	switch {
	case !w.changed.Has(shopadapter.FieldImages) && !again:
		return
	case foreign && !w.reset.Has(shopadapter.FieldImages):
		w.kept |= shopadapter.FieldImages
		return
	}
	addresses := w.addresses(ctx)
	w.forgive(addresses)
	var next []picture
	for _, address := range addresses {
		p := w.shownAs(mark(address))
		switch {
		case slices.Contains(w.stamp.Bad, p.Mark):
			continue
		case p.ID == "":
			w.uploads = true
		case w.have.failed(p.ID) && p.Tries > 0:
			w.stamp.Bad = append(w.stamp.Bad, p.Mark)
			w.leaveOut(ctx, address, "the shop cannot process it")
			continue
		case w.have.failed(p.ID):
			p.ID, p.Tries = "", p.Tries+1
			w.uploads = true
		}
		next = append(next, p)
	}
	if w.have != nil && !foreign && slices.Equal(next, w.stamp.Images) {
		w.uploads = false
		return
	}
	w.images = true
	w.stamp.Next, w.stamp.Writing = next, true
}

// shownAs is the picture with this mark, with the id under which the product shows it now.
func (w *write) shownAs(mark string) picture {
	for _, p := range w.stamp.Images {
		if p.Mark == mark && slices.ContainsFunc(w.have.Media.Nodes, func(m media) bool { return m.ID == p.ID }) {
			return p
		}
	}
	return picture{Mark: mark}
}

// addresses are the product's pictures as they can be asked of the shop: each once, and no more than a product may have.
func (w *write) addresses(ctx context.Context) []string {
	var list []string
	for _, address := range w.product.Images {
		u, err := url.Parse(address)
		switch {
		case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "":
			w.leaveOut(ctx, address, "its address is not an absolute http address")
		case slices.Contains(list, address):
		case len(list) == mostImages:
			w.leaveOut(ctx, address, "the product has too many")
		default:
			list = append(list, address)
		}
	}
	return list
}

// forgive forgets the bad pictures that the supplier took away, and all of them when the merchant gives the pictures back.
func (w *write) forgive(addresses []string) {
	if w.reset.Has(shopadapter.FieldImages) {
		w.stamp.Bad = nil
		return
	}
	var still []string
	for _, address := range addresses {
		if m := mark(address); slices.Contains(w.stamp.Bad, m) {
			still = append(still, m)
		}
	}
	w.stamp.Bad = still
}

func (w *write) leaveOut(ctx context.Context, address, why string) {
	w.a.logger.WarnContext(ctx, "image left out", slog.String("publication", string(w.publication)), slog.String("image", bare(address)),
		slog.String("reason", why))
}

// bare is an address without its query, which may hold a signature.
func bare(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Scheme + "://" + u.Host + u.EscapedPath()
}

// files are the pictures as productSet takes them: those it has by their ids, the others by their addresses.
func (w *write) files() []input {
	list := []input{}
	for _, p := range w.stamp.Next {
		if p.ID != "" {
			list = append(list, input{"id": p.ID})
			continue
		}
		i := slices.IndexFunc(w.product.Images, func(address string) bool { return mark(address) == p.Mark })
		list = append(list, input{"originalSource": w.product.Images[i], "contentType": "IMAGE", "alt": w.base().title})
	}
	return list
}

// dropFile leaves one of the files out that the shop refuses. It reports false for one that the shop has already.
func (w *write) dropFile(ctx context.Context, i int, why string) bool {
	if !w.images || i < 0 || i >= len(w.stamp.Next) || w.stamp.Next[i].ID != "" {
		return false
	}
	p := w.stamp.Next[i]
	w.stamp.Next = slices.Delete(slices.Clone(w.stamp.Next), i, i+1)
	w.stamp.Bad = append(w.stamp.Bad, p.Mark)
	if j := slices.IndexFunc(w.product.Images, func(address string) bool { return mark(address) == p.Mark }); j >= 0 {
		w.leaveOut(ctx, w.product.Images[j], why)
	}
	return true
}

// settleImages takes over the ids of what the shop shows after a write that it has confirmed.
func (w *write) settleImages() {
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
