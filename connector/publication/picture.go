package publication

import (
	"bytes"
	"cmp"
	"net/url"
	"time"

	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

// A picture that the shop could not fetch is late. It is asked for again while the supplier offers
// it, first soon and then after spans that double: its server may be away for seconds or for days.
// Each try reads the content again, since the adapter gets the whole product. A picture that the
// shop refuses is asked for again only when a person asks or the supplier changes the pictures. A
// write of the images without a missing one ends both.
const (
	lateLeast = 5 * time.Second
	lateMost  = 4 * time.Hour
	// lateWoken is how soon a try must be due for a sweep that a person or a single run asks for to
	// make it at once. So each run from cron retries pictures that have been late for less than an
	// hour, and does not keep reading for a server that is away for days.
	lateWoken = time.Hour
	// mostMissing bounds the pictures that a record names.
	mostMissing = 50
)

// pictured records which pictures the listing lacks after a write of its images. It is pure.
func pictured(r *store.Record, missing []store.Picture, now time.Time) {
	r.Missing = missing
	late := false
	for _, p := range missing {
		late = late || p.Later
	}
	switch {
	case !late:
		r.LateSince, r.LateAt = 0, 0
		return
	case r.LateSince == 0 || r.LateSince > store.At(now):
		r.LateSince = store.At(now)
	}
	span := min(max(now.Sub(r.LateSince.Time()), lateLeast), lateMost)
	r.LateAt = store.At(now.Add(span))
}

// firstWay is how the pictures of a record were asked for that does not say it.
const firstWay = "FILL 1200"

// Pictured is how the pictures that a record's listing shows were asked for, "" where it shows
// none: what was written stays as it is until the supplier changes a picture.
func Pictured(r store.Record) string {
	if r.WrittenAt == 0 || !ruled(r) {
		return ""
	}
	return cmp.Or(r.Pictured, firstWay)
}

// imagesOf are the addresses of a listing's pictures, each once: those that were written last,
// where the pictures are the same, and else as they are asked for now. way is the one that they
// were asked for in.
func imagesOf(l *marketplace.Listing, r store.Record) (addresses []string, way string) {
	if was := Pictured(r); was != "" && was != l.Pictured {
		before := usable(l.ImagesBefore)
		if sum := new(hasher).add(before...).sum(); bytes.Equal(sum[:], r.Hashes[2*hashSize:3*hashSize]) {
			return before, was
		}
	}
	return usable(l.Images), l.Pictured
}

// usable are the absolute web addresses of a list, each once.
func usable(list []string) []string {
	seen, out := set{}, []string{}
	for _, image := range list {
		if u, err := url.Parse(image); err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" &&
			seen.add(image) {
			out = append(out, image)
		}
	}
	return out
}

// mostThumbnail bounds the address of a picture that a record keeps to be shown, in bytes.
const mostThumbnail = 1 << 10

// thumbnail is the address of the picture that lists show of a product, "" where it has none that
// is short enough.
func thumbnail(images []string) string {
	if len(images) == 0 || len(images[0]) > mostThumbnail {
		return ""
	}
	return images[0]
}

// forgetPictures records that no picture of a listing is asked for again.
func forgetPictures(r *store.Record) { r.Missing, r.LateSince, r.LateAt = nil, 0, 0 }

// wantsPictures reports whether a look for these causes asks the shop again for missing pictures. A
// webhook alone brings no try forward: webhooks may come every ten seconds, and a try may hang as
// long as the server of the pictures does. It is pure.
func wantsPictures(r store.Record, cause store.Cause, now time.Time) bool {
	const webhook = store.CauseSigned | store.CauseUnsigned
	switch {
	case len(r.Missing) == 0:
		return false
	case cause&store.CauseAsked != 0:
		return true
	case r.LateAt == 0: // all were refused
		return false
	case r.LateAt <= store.At(now), r.LateAt > store.At(now.Add(lateMost)): // by a clock that has been set back since
		return true
	default:
		return cause&store.CauseRead != 0 || cause&store.CausePictures != 0 && cause&webhook == 0
	}
}

// wakesPictures reports whether a sweep that somebody asks for makes a mark for late pictures due
// at once. It is pure.
func wakesPictures(m store.Mark, now store.Instant) bool {
	ahead := m.At.Time().Sub(now.Time())
	return ahead <= lateWoken || ahead > lateMost // by a clock that has been set back since
}

// missingOf is what a record keeps of the pictures that an adapter could not show.
func missingOf(pictures []shopadapter.Picture) (missing []store.Picture) {
	for _, later := range []bool{true, false} { // where there are too many, late ones come first
		for _, p := range pictures {
			if p.Later == later && len(missing) < mostMissing {
				missing = append(missing, store.Picture{URL: p.URL, Reason: p.Reason, Later: p.Later})
			}
		}
	}
	return missing
}

// keepsPictures records that a supplier changed pictures that are the merchant's: missing ones are
// not asked for any more.
func (r Rules) keepsPictures(rec *store.Record, differing shopadapter.Fields) {
	if r.Keep.Has(shopadapter.FieldImages) && differing.Has(shopadapter.FieldImages) {
		forgetPictures(rec)
	}
}
