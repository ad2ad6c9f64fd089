package shopify

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/internal/step"
	"github.com/pubsync/pubsync/shopadapter/skeleton"
)

// The states of a media object (MediaStatus) that matter here.
const (
	mediaFailed = "FAILED"
	mediaReady  = "READY"
)

// A media object is a picture as the shop has it.
type media struct {
	ID     string       `json:"id"`
	Status string       `json:"status"`
	Errors []mediaError `json:"mediaErrors"`

	explained bool // Errors were asked for
}

type mediaError struct {
	Code string `json:"code"` // MediaErrorCode
}

// refusals are the errors that the picture itself causes.
var refusals = map[string]string{
	"IMAGE_PROCESSING_FAILURE":    "the shop cannot read it as an image",
	"INVALID_IMAGE_ASPECT_RATIO":  "the shop does not take an image of its proportions",
	"INVALID_IMAGE_FILE_SIZE":     "its file is larger than the shop takes",
	"GENERIC_FILE_INVALID_SIZE":   "its file is larger than the shop takes",
	"INVALID_IMAGE_RESOLUTION":    "it has more pixels than the shop takes",
	"UNSUPPORTED_IMAGE_FILE_TYPE": "the shop does not take files of its type",
}

// delays are the errors that another attempt may not meet.
var delays = map[string]string{
	"FILE_STORAGE_LIMIT_EXCEEDED":   "the store has no room for more files: make some under Content, Files in Shopify",
	"GENERIC_FILE_DOWNLOAD_FAILURE": "the shop could not download it",
	"IMAGE_DOWNLOAD_FAILURE":        "the shop could not download it",
	"INVALID_SIGNED_URL":            "the shop could not download it",
	"MEDIA_TIMEOUT_ERROR":           "the shop took too long to process it",
}

// fault says why the shop failed on a picture, and whether it refuses the picture itself. An
// unknown error counts as one that passes, as everywhere in shopadapter.
func (m media) fault() (why string, refused bool) {
	for _, e := range m.Errors {
		if why := refusals[e.Code]; why != "" {
			return why, true
		}
	}
	for _, e := range m.Errors {
		if why := delays[e.Code]; why != "" {
			return why, false
		}
	}
	return "the shop failed to process it", false
}

// mediaWaits are the pauses between looks at pictures that the shop is still fetching. When they
// are over the call goes on without them.
func mediaWaits() []time.Duration {
	return []time.Duration{2 * time.Second, 2 * time.Second, 3 * time.Second, 3 * time.Second}
}

// Pictures reads the pictures until the shop has processed them, or the waits are over, and finds
// out which of them the listing does not show. For a product that is on sale already it does so only
// if the result of the call names missing pictures.
func (w *write) Pictures(ctx context.Context) error {
	if w.have.onSale() && !w.tellsPictures() {
		return nil
	}
	for _, wait := range w.a.waits {
		if len(w.have.Media.Nodes) >= len(w.sent) && !w.processing() {
			break
		}
		if err := step.Pause(ctx, wait); err != nil {
			return err
		}
		if err := w.a.readMedia(ctx, w.have); err != nil {
			return err
		}
		if w.uploads {
			w.confirmImages()
		}
	}
	if !w.tellsPictures() {
		return nil
	}
	return w.findMissing(ctx)
}

// processing tells whether the shop still works on a picture of ours.
func (w *write) processing() bool {
	return slices.ContainsFunc(w.stamp.Images, func(p picture) bool {
		m := w.have.shown(p.ID)
		return m != nil && m.Status != mediaReady && m.Status != mediaFailed
	})
}

// readMedia reads the pictures of a product anew, with what is wrong with them.
func (a *Adapter) readMedia(ctx context.Context, p *product) error {
	var answer struct {
		Product *product `json:"product"`
	}
	err := a.call(
		ctx,
		request{document: mediaDocument, estimate: 5 + 2*mostImages, variables: input{"id": p.ID}},
		&answer,
	)
	switch {
	case err != nil:
		return step.Within("read pictures", err)
	case answer.Product == nil:
		return shopadapter.Retry("the product was deleted while it was written")
	}
	p.Media = answer.Product.Media
	for i := range p.Media.Nodes {
		p.Media.Nodes[i].explained = true
	}
	return nil
}

// tellsPictures tells whether the call's result names the missing pictures.
func (w *write) tellsPictures() bool {
	return w.Changed.Has(shopadapter.FieldImages) && !w.Keeps(shopadapter.FieldImages)
}

// findMissing finds out which pictures the listing does not show, and brings the stamp up to date
// with it.
func (w *write) findMissing(ctx context.Context) error {
	if err := w.explainFailures(ctx); err != nil {
		return err
	}
	for _, address := range w.Product.Pictures() {
		if why, later := w.missingFor(address); why != "" {
			w.Missing = append(w.Missing, shopadapter.Picture{URL: address, Reason: why, Later: later})
		}
	}
	return nil
}

// missingFor says why the listing does not show the picture of an address, "" where it does. later:
// another call may show it.
func (w *write) missingFor(address string) (why string, later bool) {
	if err := w.leftOut[address]; err != nil {
		return err.Error(), errors.As(err, new(*skeleton.LeftOut))
	}
	m := mark(address)
	if why := w.stamp.refusal(m); why != "" {
		return why, false
	}
	i := slices.IndexFunc(w.stamp.Images, func(p picture) bool { return p.Mark == m })
	if i < 0 {
		return "the shop does not show it yet", true
	}
	p := &w.stamp.Images[i]
	shown := w.have.shown(p.ID)
	p.Late = shown == nil || shown.Status != mediaReady
	switch {
	case !p.Late:
		return "", false
	case shown != nil && shown.Status == mediaFailed:
		why, refused := shown.fault()
		if refused {
			w.stamp.refuse(m, why)
		}
		return why, !refused
	}
	return "the shop is still fetching it", true
}
