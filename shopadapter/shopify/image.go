package shopify

import (
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/kit"
)

// A picture is one image of a product. Shopify fetches it in the background and does not tell its address later. So
// the note keeps a hash of the address with each id, and the order of pictures on their way.
type picture struct {
	Mark string `json:"m,omitempty"`  // hash of its address
	ID   string `json:"id,omitempty"` // the shop's, "" until it is made
	Late bool   `json:"l,omitempty"`  // not fetched at the last look
}

func mark(address string) string { return kit.Digest(address, 8) }

// MediaStatus values.
const (
	mediaFailed = "FAILED"
	mediaReady  = "READY"
)

type media struct {
	ID     string `json:"id"`
	Status string `json:"status"`
	Errors []struct {
		Code string `json:"code"` // MediaErrorCode
	} `json:"mediaErrors"`
}

// refusals are errors that the picture itself causes.
var refusals = map[string]string{
	"IMAGE_PROCESSING_FAILURE":    "the shop cannot read it as an image",
	"INVALID_IMAGE_ASPECT_RATIO":  "the shop does not take an image of its proportions",
	"INVALID_IMAGE_FILE_SIZE":     "its file is larger than the shop takes",
	"GENERIC_FILE_INVALID_SIZE":   "its file is larger than the shop takes",
	"INVALID_IMAGE_RESOLUTION":    "it has more pixels than the shop takes",
	"UNSUPPORTED_IMAGE_FILE_TYPE": "the shop does not take files of its type",
}

// delays are errors that another attempt may not meet.
var delays = map[string]string{
	"FILE_STORAGE_LIMIT_EXCEEDED":   "the store has no room for more files: make some under Content, Files in Shopify",
	"GENERIC_FILE_DOWNLOAD_FAILURE": "the shop could not download it",
	"IMAGE_DOWNLOAD_FAILURE":        "the shop could not download it",
	"INVALID_SIGNED_URL":            "the shop could not download it",
	"MEDIA_TIMEOUT_ERROR":           "the shop took too long to process it",
}

// fault says why the shop failed on a picture, and whether it refuses the picture itself. Unknown errors count as
// passing.
func (m media) fault() (why string, refused bool) {
	why = "the shop failed to process it"
	for _, e := range slices.Backward(m.Errors) {
		if refusal := refusals[e.Code]; refusal != "" {
			return refusal, true
		}
		if delay := delays[e.Code]; delay != "" {
			why = delay
		}
	}
	return why, false
}

func (p *product) shown(id string) *media {
	if p != nil && id != "" {
		for i := range p.Media.Nodes {
			if p.Media.Nodes[i].ID == id {
				return &p.Media.Nodes[i]
			}
		}
	}
	return nil
}

// settled returns the pictures that the note knows, and whether the merchant changed the pictures. If a write went
// through but its answer was lost, the pictures being written have the ids at their positions. This does not hold
// if a known picture stands elsewhere, or an old one stands in a new one's place. Deleting a failed picture is no
// edit: the shop never showed it.
func (n note) settled(held nodes[media]) (known []picture, foreign bool) {
	written := n.Writing && len(n.Next) == len(held.Nodes)
	for i, m := range held.Nodes {
		if !written {
			break
		}
		p := n.Next[i]
		old := slices.ContainsFunc(n.Images, func(b picture) bool { return b.ID == m.ID })
		written = p.ID == m.ID || p.ID == "" && !old
		p.ID = m.ID
		known = append(known, p)
	}
	if written && !held.Page.More {
		return known, false
	}
	known = slices.DeleteFunc(slices.Clone(n.Images), func(p picture) bool {
		return p.Late && !slices.ContainsFunc(held.Nodes, func(m media) bool { return m.ID == p.ID })
	})
	same := slices.EqualFunc(known, held.Nodes, func(p picture, m media) bool { return p.ID == m.ID })
	return known, held.Page.More || !same
}

// planImages sends a picture again that the shop failed to fetch, but not a refused one.
func (w *write) planImages(ctx context.Context) error {
	if !w.Changed.Has(shopadapter.FieldImages) {
		return nil
	}
	if w.foreignImages && w.Keep(shopadapter.FieldImages) {
		return nil
	}
	addresses := w.p.Pictures()
	for _, address := range addresses[min(len(addresses), mostImages):] {
		w.leftOut[address] = errors.New("the product has more pictures than the shop takes")
	}
	addresses = addresses[:min(len(addresses), mostImages)]
	again := w.ref.Asked || w.Reset.Has(shopadapter.FieldImages)
	// A refusal is forgotten when the supplier drops the picture, on a reset, and when a person asks.
	maps.DeleteFunc(w.note.Refused, func(refused, _ string) bool {
		return again || !slices.ContainsFunc(addresses, func(address string) bool { return mark(address) == refused })
	})
	var next []picture
	var fresh []string
	for _, address := range addresses {
		p := picture{Mark: mark(address)}
		for _, old := range w.note.Images {
			if m := w.have.shown(old.ID); m != nil && old.Mark == p.Mark {
				why, refused := m.fault()
				switch {
				case m.Status != mediaFailed:
					p = old
				case refused && !again:
					w.note.refuse(p.Mark, why)
				}
			}
		}
		if w.note.Refused[p.Mark] != "" {
			continue
		}
		if next = append(next, p); p.ID == "" {
			fresh = append(fresh, address)
		}
	}
	// A picture whose server does not answer here is left out: the product would wait for it.
	limited, cancel := context.WithTimeout(ctx, kit.PicturesTime)
	defer cancel()
	for address, err := range w.a.try(limited, fresh) {
		if w.leftOut[address] = err; !kit.RefusesPicture(err) {
			w.leftOut[address] = &kit.LeftOut{Err: err}
		}
		next = slices.DeleteFunc(next, func(p picture) bool { return p.Mark == mark(address) })
	}
	same := func(a, b picture) bool { return a.ID == b.ID && a.Mark == b.Mark }
	if w.have != nil && !w.foreignImages && slices.EqualFunc(next, w.note.Images, same) {
		return ctx.Err()
	}
	w.images, w.uploads = true, slices.ContainsFunc(next, func(p picture) bool { return p.ID == "" })
	w.note.Next, w.note.Writing = next, true
	return ctx.Err()
}

func (a *Adapter) readMedia(ctx context.Context, p *product) error {
	got, err := a.call(ctx, request{
		doing: "read pictures", document: mediaDocument, estimate: 5 + 2*mostImages,
		variables: input{"id": p.ID, "images": mostImages},
	})
	switch {
	case err != nil:
		return err
	case got.Product == nil:
		return shopadapter.Retry("the product was deleted while it was written")
	}
	p.Media = got.Product.Media
	return nil
}

func (w *write) files() []input {
	list := []input{}
	for _, p := range w.note.Next {
		if p.ID != "" {
			list = append(list, input{"id": p.ID})
			continue
		}
		i := slices.IndexFunc(w.p.Images, func(address string) bool { return mark(address) == p.Mark })
		list = append(list, input{"originalSource": w.p.Images[i], "contentType": "IMAGE", "alt": w.rows[0].Title})
	}
	return list
}

// dropFile leaves out a refused file. It returns false for one that the shop has already.
func (w *write) dropFile(i int, why string) bool {
	if !w.images || i >= len(w.note.Next) || w.note.Next[i].ID != "" {
		return false
	}
	p := w.note.Next[i]
	w.note.Next = slices.Delete(slices.Clone(w.note.Next), i, i+1)
	w.note.refuse(p.Mark, why)
	return true
}

// confirmImages takes over the ids after a confirmed write.
func (w *write) confirmImages() {
	if w.note.Writing {
		w.sent = w.note.Next
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
	w.note.Images, w.note.Next, w.note.Writing = now, nil, false
}

// awaitPictures waits a bounded time for the shop to process the pictures, and collects the missing ones. For a
// product on sale it does so only if the caller learns of missing pictures.
func (w *write) awaitPictures(ctx context.Context) error {
	tells := w.Changed.Has(shopadapter.FieldImages) && !w.Keeps(shopadapter.FieldImages)
	if w.have.onSale() && !tells {
		return nil
	}
	for _, wait := range w.a.waits {
		if len(w.have.Media.Nodes) >= len(w.sent) && !w.processing() {
			break
		}
		if err := kit.Pause(ctx, wait); err != nil {
			return err
		}
		if err := w.a.readMedia(ctx, w.have); err != nil {
			return err
		}
		if w.uploads {
			w.confirmImages()
		}
	}
	if !tells {
		return nil
	}
	for _, address := range w.p.Pictures() {
		if why, later := w.missingFor(address); why != "" {
			w.missing = append(w.missing, shopadapter.Picture{URL: address, Reason: why, Later: later})
		}
	}
	return nil
}

func (w *write) processing() bool {
	return slices.ContainsFunc(w.note.Images, func(p picture) bool {
		m := w.have.shown(p.ID)
		return m != nil && m.Status != mediaReady && m.Status != mediaFailed
	})
}

// missingFor returns why the listing lacks a picture, or "", and whether a later call may show it. It also updates
// the note.
func (w *write) missingFor(address string) (why string, later bool) {
	if err := w.leftOut[address]; err != nil {
		return err.Error(), errors.As(err, new(*kit.LeftOut))
	}
	m := mark(address)
	if why := w.note.Refused[m]; why != "" {
		return why, false
	}
	i := slices.IndexFunc(w.note.Images, func(p picture) bool { return p.Mark == m })
	if i < 0 {
		return "the shop does not show it yet", true
	}
	p := &w.note.Images[i]
	shown := w.have.shown(p.ID)
	p.Late = shown == nil || shown.Status != mediaReady
	switch {
	case !p.Late:
		return "", false
	case shown != nil && shown.Status == mediaFailed:
		why, refused := shown.fault()
		if refused {
			w.note.refuse(m, why)
		}
		return why, !refused
	}
	return "the shop is still fetching it", true
}
