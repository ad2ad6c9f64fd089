package publication

import (
	"time"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

// A picture that the shop could not fetch is late: it is asked for again for as long as the
// supplier offers it, first soon and then at spans that double, since the server of the pictures
// may be away for seconds or for days. Each try reads the content once more, as the whole product
// goes to the adapter. A picture that the shop refuses is not asked for again before a person asks
// or the supplier changes the pictures. A write of the images that misses none ends both.
const (
	lateLeast = 5 * time.Second
	lateMost  = 4 * time.Hour
	// lateWoken is how close a try may lie to be made at once by a sweep that a person or a single
	// run asks for. So runs from cron ask at each run for what has been late for less than an hour,
	// and do not read everything again and again for a server that is away for days.
	lateWoken = time.Hour
	// mostMissing bounds the pictures that a record names.
	mostMissing = 50
)

// pictured records which pictures the listing does not show after a write of its images. It is
// pure.
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

// forgetPictures records that nothing is wanted of a listing's pictures.
func forgetPictures(r *store.Record) { r.Missing, r.LateSince, r.LateAt = nil, 0, 0 }

// wantsPictures tells whether a look for these causes asks the shop again for pictures that the
// listing does not show. A webhook alone brings no try forward: they may come every ten seconds,
// and each try may take as long as the server of the pictures hangs. It is pure.
func wantsPictures(r store.Record, cause store.Cause, now time.Time) bool {
	const webhook = store.CauseSigned | store.CauseUnsigned
	switch {
	case len(r.Missing) == 0:
		return false
	case cause&store.CauseAsked != 0:
		return true
	case r.LateAt == 0: // refused, all of them
		return false
	case r.LateAt <= store.At(now), r.LateAt > store.At(now.Add(lateMost)): // by a clock that has been set back since
		return true
	default:
		return cause&store.CauseRead != 0 || cause&store.CausePictures != 0 && cause&webhook == 0
	}
}

// wakesPictures tells whether a sweep that somebody asks for makes a mark for late pictures due at
// once. It is pure.
func wakesPictures(m store.Mark, now store.Instant) bool {
	ahead := m.At.Time().Sub(now.Time())
	return ahead <= lateWoken || ahead > lateMost // by a clock that has been set back since
}

// missingOf is what a record remembers of the pictures that an adapter could not show.
func missingOf(pictures []shopadapter.Picture) (missing []store.Picture) {
	for _, later := range []bool{true, false} { // where there are too many, those that are asked for again are named
		for _, p := range pictures {
			if p.Later == later && len(missing) < mostMissing {
				missing = append(missing, store.Picture{URL: p.URL, Reason: p.Reason, Later: p.Later})
			}
		}
	}
	return missing
}

// keepsPictures records that a supplier changed pictures that are the merchant's since the
// creation: those that it lacked are not wanted any longer.
func (r Rules) keepsPictures(rec *store.Record, differing shopadapter.Fields) {
	if r.Keep.Has(shopadapter.FieldImages) && differing.Has(shopadapter.FieldImages) {
		forgetPictures(rec)
	}
}
