package publication

import (
	"slices"
	"testing"
	"time"

	"github.com/pubsync/pubsync/store"
)

// Late pictures are asked for at spans that double, up to four hours, and the span begins anew once
// none is late.
func TestLatePicturesAreAskedForAtSpansThatDouble(t *testing.T) {
	var r store.Record
	now, late := tableNow, []store.Picture{{URL: "https://i/1", Later: true}}
	var spans []time.Duration
	for range 15 {
		pictured(&r, late, now)
		span := r.LateAt.Time().Sub(now)
		spans = append(spans, span)
		now = now.Add(span)
	}
	want := []time.Duration{
		5 * time.Second,
		5 * time.Second,
		10 * time.Second,
		20 * time.Second,
		40 * time.Second,
		80 * time.Second,
	}
	if !slices.Equal(spans[:len(want)], want) || spans[len(spans)-1] != lateMost {
		t.Errorf("got tries after %v, want %v at first, %s at last", spans, want, lateMost)
	}
	pictured(&r, []store.Picture{{URL: "https://i/2"}}, now)
	if r.LateSince != 0 || r.LateAt != 0 || len(r.Missing) != 1 {
		t.Errorf("a refused picture: got %+v, want it missing and not late", r)
	}
	pictured(&r, late, now)
	if got := r.LateAt.Time().Sub(now); got != lateLeast {
		t.Errorf("after all was well: got the first try in %s, want %s", got, lateLeast)
	}
	r.LateSince = store.At(now.Add(24 * time.Hour)) // by a clock that has been set back since
	pictured(&r, late, now)
	if got := r.LateAt.Time().Sub(now); got != lateLeast {
		t.Errorf("after the clock was set back: got the next try in %s, want %s", got, lateLeast)
	}
}

func TestWhichLooksAskForPictures(t *testing.T) {
	at := func(d time.Duration) store.Instant { return store.At(tableNow.Add(d)) }
	late := func(d time.Duration) store.Record {
		return store.Record{
			Missing:   []store.Picture{{URL: "https://i/1", Later: true}},
			LateSince: at(-time.Hour),
			LateAt:    at(d),
		}
	}
	refused := store.Record{Missing: []store.Picture{{URL: "https://i/1"}}}
	for _, tt := range []struct {
		name  string
		r     store.Record
		cause store.Cause
		want  bool
	}{
		{"nothing missing", store.Record{}, store.CauseAsked | store.CauseRead, false},
		{"due", late(0), store.CausePictures, true},
		{"due, met by a webhook", late(-time.Second), store.CauseSigned, true},
		{"not due, met by a webhook", late(time.Minute), store.CauseSigned | store.CausePictures, false},
		{"not due, met by a sweep", late(time.Minute), store.CauseSeen, false},
		{"woken", late(time.Minute), store.CausePictures, true},
		{"woken, and changed", late(time.Minute), store.CausePictures | store.CauseSeen, true},
		{"not due, a full run", late(time.Minute), store.CauseRead, true},
		{"not due, asked", late(time.Minute), store.CauseAsked, true},
		{"further ahead than it was put", late(lateMost + time.Minute), store.CauseSigned, true},
		{"refused, a full run", refused, store.CauseRead, false},
		{"refused, asked", refused, store.CauseAsked, true},
	} {
		if got := wantsPictures(tt.r, tt.cause, tableNow); got != tt.want {
			t.Errorf("%s: got %t, want %t", tt.name, got, tt.want)
		}
	}
	for d, want := range map[time.Duration]bool{
		time.Minute: true, lateWoken: true, lateWoken + time.Minute: false,
		lateMost: false, lateMost + time.Minute: true,
	} {
		if got := Wakes(store.Mark{Class: store.ClassFull, Cause: store.CausePictures, At: at(d)}, at(0)); got != want {
			t.Errorf("a try %s ahead: got woken %t, want %t", d, got, want)
		}
	}
}

// A refresh is woken where it has failed, and stays as it is where only its time has not come.
func TestWakesRefreshesThatFailed(t *testing.T) {
	for cause, want := range map[store.Cause]bool{
		store.CauseRefresh:                                    false,
		store.CauseRefresh | store.CauseRetry:                 true,
		store.CauseRules | store.CauseRead:                    false,
		store.CauseRules | store.CauseRead | store.CauseRetry: true,
	} {
		m := store.Mark{Class: store.ClassRefresh, Cause: cause, At: store.At(tableNow.Add(time.Minute))}
		if got := Wakes(m, store.At(tableNow)); got != want {
			t.Errorf("a refresh for %b: got woken %t, want %t", cause, got, want)
		}
	}
}
