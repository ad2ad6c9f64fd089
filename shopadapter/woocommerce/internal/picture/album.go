package picture

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/stamp"
	"github.com/pubsync/pubsync/shopadapter/woocommerce/internal/rest"
)

// A Product is the listing that shows the pictures.
type Product interface {
	ID() int64
	OnSale() bool // as the shop answered last, as is Shown
	Shown() []rest.Image
	// Put writes fields of the product, with the stamp that says that it shows the pictures of
	// these marks. until is when the request is given up; zero: the shop is to load none.
	Put(ctx context.Context, fields map[string]any, marks []string, until time.Time) error
	// Holds reports whether product and stamp say already that these pictures are shown.
	Holds(marks []string) bool
}

// An Offer is the pictures of the supplier.
type Offer struct {
	Title    string   // of the product, for those who do not see the pictures
	Images   []string // the addresses, in order
	Pictures []Picture
	Unusable []string // addresses of pictures that the shop would not accept
}

// A Call is the call of Publish that writes the pictures.
type Call struct {
	Product Product
	Client  *rest.Client
	Try     func(ctx context.Context, addresses []string) map[string]error // asks for each from here
	// the last call ended with a request for pictures that got no answer
	Repeated bool
	// when the time is over that all pictures have together
	Until time.Time
}

// An Album is the pictures that one call of Publish writes.
type Album struct {
	*Memory
	offer Offer
	Call

	wanted  []Picture                      // to be shown, in order: those that the shop may still accept
	missing map[string]shopadapter.Picture // by address: those that are left out, and why
	down    map[string]int                 // by host: how many of its pictures the shop could not load in this call
	later   []Picture                      // to be added one by one, by a look at a product that is on sale
	// the shop accepted a write in this call: a death after it is the picture's fault
	accepted     bool
	mayBeLoading bool // the shop may still be loading a picture; the product is on sale without it
}

// Open is the album of an offer, without what the shop has refused. asked: a person waits.
func Open(m *Memory, offer Offer, asked bool, call Call) *Album {
	m.recall(stamp.HashList(slices.Concat(MarksOf(offer.Pictures), offer.Unusable)).Exact, asked)
	a := &Album{Memory: m, offer: offer, Call: call, missing: map[string]shopadapter.Picture{}, down: map[string]int{}}
	for _, address := range offer.Unusable {
		a.missing[address] = shopadapter.Picture{URL: address, Reason: unusableReason}
	}
	for _, p := range offer.Pictures {
		if why, no := m.Refused[p.mark]; no {
			a.missing[p.address] = shopadapter.Picture{URL: p.address, Reason: why}
		} else {
			a.wanted = append(a.wanted, p)
		}
	}
	return a
}

// Wanted are the marks of the pictures that are to be shown.
func (a *Album) Wanted() []string { return MarksOf(a.wanted) }

// MayBeLoading reports whether the shop may still be loading a picture.
func (a *Album) MayBeLoading() bool { return a.mayBeLoading }

// MarksOf are the marks of pictures, in their order.
func MarksOf(pictures []Picture) []string {
	marks := make([]string, 0, len(pictures))
	for _, p := range pictures {
		marks = append(marks, p.mark)
	}
	return marks
}

// Missing is what the product does not show, in the order of the product's pictures.
func (a *Album) Missing() []shopadapter.Picture {
	shown := Marks(a.Product.Shown(), a.Pictures)
	seen := map[string]bool{}
	var list []shopadapter.Picture
	for _, address := range a.offer.Images {
		m, left := a.missing[address]
		if !left && !slices.Contains(shown, stamp.Digest(address, markSize)) {
			m, left = shopadapter.Picture{
				URL: address, Reason: "the shop does not show it and does not say why", Later: true,
			}, true
		}
		if left && !seen[address] {
			seen[address] = true
			list = append(list, m)
		}
	}
	return list
}

// items is a list of pictures for one request, of which at most size are new to the shop. Where it
// cannot hold all, what the product shows already stays at its end for the time being.
func (a *Album) items(pictures []Picture, size int) (items []upload, marks []string, loading []Picture) {
	items = []upload{} // an empty list clears the pictures, null is no list
	for _, p := range pictures {
		id := a.Pictures[p.mark]
		switch {
		case id > 0:
			items = append(items, upload{ID: id})
		case len(loading) < size:
			loading = append(loading, p)
			items = append(items, upload{Src: p.address, Name: p.name, Alt: a.offer.Title})
		default:
			continue
		}
		marks = append(marks, p.mark)
	}
	if len(loading) < a.lacking(pictures) {
		held := Marks(a.Product.Shown(), a.Pictures)
		for i, mark := range held {
			if !slices.Contains(marks, mark) {
				items, marks = append(items, upload{ID: int64(a.Product.Shown()[i].ID)}), append(marks, mark)
			}
		}
	}
	return items, marks, loading
}

// itemsOf is the pictures that a product shows, as a request that changes nothing.
func itemsOf(shown []rest.Image) []upload {
	items := make([]upload, 0, len(shown))
	for _, i := range shown {
		items = append(items, upload{ID: int64(i.ID)})
	}
	return items
}

// lacking is how many of the pictures the shop does not have yet.
func (a *Album) lacking(pictures []Picture) int {
	n := 0
	for _, p := range pictures {
		if a.Pictures[p.mark] == 0 {
			n++
		}
	}
	return n
}

// learn records the ids of the pictures that were just written, which the shop answers in the order
// of the request.
func (a *Album) learn(marks []string) {
	if len(marks) != len(a.Product.Shown()) {
		return
	}
	for i, mark := range marks {
		if !strings.HasPrefix(mark, "#") {
			a.Pictures[mark] = int64(a.Product.Shown()[i].ID)
		}
	}
}
