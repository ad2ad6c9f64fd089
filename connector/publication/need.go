package publication

import (
	"slices"
	"strings"
	"time"

	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

// Repriceable reports whether the record alone can answer for its figures: nothing else of it is due.
func Repriceable(r store.Record) bool {
	if !isListed(r) || len(r.Hashes) == 0 || r.Removal != (store.Removal{}) || r.UntitledSince != 0 ||
		r.Problem.Kind != "" || r.Open() || r.Dirty&^figures != 0 || r.Reset != 0 {
		return false
	}
	priced := false
	for _, v := range r.Variants {
		if !v.Supply.Known || v.ID == "" || v.Refused != "" && !v.Unpriced || v.Written.Price == "" && v.Refused == "" {
			return false
		}
		priced = priced || !v.Unpriced
	}
	return priced
}

// supplied returns the supplier's variants by the record, with the figures that were read alone. ok is false where
// the content must be read.
func (in Input) supplied() (list []marketplace.Variant, ok bool) {
	for _, v := range in.Rec.Variants {
		quantity := v.Supply.Quantity
		one := marketplace.Variant{ID: v.ID, Cost: v.Supply.Cost, MSRP: v.Supply.MSRP, Quantity: &quantity}
		if v.Supply.Backorders {
			one.Policy = "CONTINUE"
		}
		list = append(list, one)
	}
	if read := in.Figures; read != nil {
		at := placesOf(read.Variants, func(v marketplace.Variant) string { return v.ID })
		if !Repriceable(in.Rec) || !read.Whole || len(at) != len(list) || len(read.Variants) != len(list) {
			return nil, false
		}
		for n, v := range list {
			i, found := at[v.ID]
			if !found {
				return nil, false
			}
			list[n] = read.Variants[i]
		}
	}
	for i, v := range in.Rec.Variants {
		list[i].Title = v.Title
	}
	return list, true
}

// seenBefore reports whether the content read last, and written, answers a mark.
func seenBefore(r store.Record, m store.Mark, now time.Time) bool {
	return m.Class == store.ClassSweep && m.Seen != "" && (m.Seen == r.UpdatedAt || m.Seen == r.Echo) &&
		r.ReadAt >= m.Since && r.ReadAt <= store.At(now) && !r.Open() && r.Dirty == 0
}

// RecordAnswers reports whether a look at a mark needs no reading.
func RecordAnswers(r store.Record, m store.Mark, now time.Time) bool {
	return seenBefore(r, m, now) || m.Class == store.ClassRules &&
		(Repriceable(r) || r.Problem.Kind == store.ProblemRejected && len(r.Variants) > 0)
}

// FiguresAnswer reports whether a reading of figures alone may answer a mark: a refresh, or, in a backlog, a change,
// of which the remainder is read later.
func (s *Settings) FiguresAnswer(r store.Record, m store.Mark, now time.Time) bool {
	switch m.Class {
	case store.ClassRefresh:
		return Repriceable(r) && !s.wholeTurn(r, now) && r.ReadAt <= store.At(now)
	case store.ClassHook, store.ClassSweep:
		return Repriceable(r) && m.Tries == 0
	default:
		return false
	}
}

// ReadsDetails reports whether a look reads the product's own data too, which makes a reading up to twice as dear.
func (s *Settings) ReadsDetails(r store.Record, m store.Mark, now time.Time) bool {
	return r.WrittenAt == 0 || r.Removal.Done || m.Class == store.ClassAsked ||
		m.Class == store.ClassFull && !remainder(m) || (r.Dirty|r.Reset)&detailGroups != 0 || s.wholeTurn(r, now)
}

// remainder reports whether a mark is for the rest of a change.
func remainder(m store.Mark) bool { return m.Class == store.ClassFull && m.Seen != "" }

// wholeEvery is how many refreshes of figures come to one of the content.
const wholeEvery = 30

func (s *Settings) wholeTurn(r store.Record, now time.Time) bool {
	return now.Sub(r.ReadAt.Time()) >= wholeEvery*s.RefreshAfter
}

// WantsDetails reports whether a reading without details calls for one with them: a variant is new, or nothing has
// changed though updatedAt has moved, so the details have.
func (st Step) WantsDetails() bool {
	pub, r := st.in.Read, st.in.Rec
	if pub == nil || pub.Listing == nil || pub.Listing.Details {
		return false
	}
	known := placesOf(r.Variants, variantID)
	return slices.ContainsFunc(pub.Listing.Variants, func(v marketplace.Variant) bool {
		_, had := known[v.ID]
		return !had
	}) || st.Unchanged() && r.UpdatedAt != pub.UpdatedAt && r.Echo != pub.UpdatedAt &&
		!remainder(st.in.Mark) && st.Changed == shopadapter.NoFields &&
		!slices.ContainsFunc(st.Rows, func(row Row) bool { return row.Supply != row.was.Supply })
}

func due(e *store.Entry, class store.Class, now time.Time) {
	e.Note(store.Mark{Class: class, At: store.At(now)})
}

// again sets the next mark, merged with one that came during the look.
func again(e *store.Entry, st Step, m store.Mark) {
	gen := st.in.Mark.Gen
	if e.Mark != nil && e.Mark.Gen != gen {
		*e.Mark = e.Mark.Merge(m)
		return
	}
	m.Gen = gen + 1
	e.Mark = &m
}

// soon replaces the mark by one that a look under way does not end.
func soon(e *store.Entry, class store.Class, tries int, at time.Time) {
	m := store.Mark{At: store.At(at), Class: class, Tries: tries}
	if e.Mark != nil {
		m.Gen = e.Mark.Gen + 1
	}
	e.Mark = &m
}

// refresh returns the next refresh. A reading in the future counts as now: a wrong clock must not put off the next
// one for years.
func (s *Settings) refresh(r store.Record, now time.Time) store.Mark {
	read := min(max(r.ReadAt, r.FiguresAt), store.At(now))
	return store.Mark{Class: store.ClassRefresh, At: store.At(read.Time().Add(s.RefreshAfter))}
}

func (s *Settings) idle(r store.Record, now time.Time) store.Mark {
	m := s.refresh(r, now)
	if s.wholeTurn(r, now) {
		m.At = store.At(now)
	}
	if late := r.Pictures.LateAt; late != 0 && late <= m.At {
		return store.Mark{Class: store.ClassFull, At: late}
	}
	return m
}

// MaxRetryAfter bounds a Retry-After: a wrong date must not pause a shop for years.
const MaxRetryAfter = 24 * time.Hour

func (s *Settings) retry(r store.Record, why *shopadapter.Error, tries int, st Step, now time.Time) store.Mark {
	m := store.Mark{Class: store.ClassSweep, Tries: tries}
	wait := s.Backoff(r.ID, tries)
	switch kind := r.Problem.Kind; {
	case isRefusal(kind):
		m = s.refresh(r, now)
		m.Tries = tries
		return m
	case kind == store.ProblemWaiting && !st.until.IsZero():
		wait = min(5*time.Minute<<min(tries-1, 10), 6*time.Hour, st.until.Sub(now))
	case kind == store.ProblemWaiting: // each look costs points, and a sweep finds changes
		wait = min(time.Minute<<min(tries-1, 8), 4*time.Hour)
	default:
		if why.RetryAfter > 0 && !why.ShopWide { // else the shop's pause holds all
			wait = min(why.RetryAfter, MaxRetryAfter)
		}
		if st.Ref.Asked && r.ShopID == "" {
			m.Class = store.ClassAsked // else what was deleted by hand would not be made anew
		} else if tries == 1 {
			m.Class = store.ClassHook
		} else if r.ShopID == "" {
			m.Class = store.ClassNew
		}
	}
	m.At = store.At(now.Add(wait))
	return m
}

const (
	lagTries = 6
	lagWait  = 10 * time.Second
)

// lag repeats a look where a webhook was ahead of the API.
func lag(e *store.Entry, st Step, now time.Time) {
	m := st.in.Mark
	behind := st.in.Gone && m.Class <= store.ClassHook || st.in.Read != nil && older(st.in.Read.UpdatedAt, m.Seen)
	if m.Seen == "" || !behind || m.Tries >= lagTries || e.Mark == nil || e.Mark.Gen != m.Gen+1 {
		return
	}
	soon(e, m.Class, m.Tries+1, now.Add(lagWait))
	e.Mark.Seen = m.Seen
}

// coarseFor is how long a change may hide behind an updatedAt of whole seconds.
const coarseFor = 2 * time.Second

// Coarse reports whether something that was asked for at asked may change and keep its updatedAt.
func Coarse(updatedAt string, asked time.Time) bool {
	at, err := time.Parse(time.RFC3339, updatedAt)
	return err == nil && at.Nanosecond() == 0 && asked.Sub(at).Abs() < coarseFor
}

// coarse has content read again that was read in the second of its updatedAt.
func coarse(e *store.Entry, st Step) {
	if st.in.Read != nil && !Tombstone(e.Record) && Coarse(st.in.Read.UpdatedAt, st.in.Now) {
		e.Note(store.Mark{Class: store.ClassSweep, At: store.At(st.in.Now.Add(coarseFor))})
	}
}

// older compares in whole seconds, since the two may differ in precision.
func older(a, b string) bool {
	one, err := time.Parse(time.RFC3339, a)
	other, wrong := time.Parse(time.RFC3339, b)
	return err == nil && wrong == nil && one.Truncate(time.Second).Before(other.Truncate(time.Second))
}

// A Webhook is only a reason to look, and is never believed.
type Webhook struct {
	Signed bool
	Event  string
	Named  []string // that its body names
	// the publication's, "" for none; a look that shows an older one is repeated
	UpdatedAt string
}

// The least time between two looks by such webhooks.
const (
	SignedGap   = 10 * time.Second
	UnsignedGap = time.Minute
)

// Publications returns known, which are in the store, and those that a signed webhook names.
func (w Webhook) Publications(known []string) []string {
	if !w.Signed {
		return known
	}
	ids := slices.Concat(known, w.Named)
	slices.Sort(ids)
	return slices.Compact(ids)
}

// Mark returns the mark for one of its publications. A signed webhook that does not name it has the class of a sweep:
// suppliers change far more than retailers pick.
func (w Webhook) Mark(id string, at, now time.Time) store.Mark {
	m := store.Mark{ID: id, Class: store.ClassHint, At: store.At(at)}
	switch {
	case !w.Signed:
	case slices.Contains(w.Named, id):
		m.Class, m.Seen = store.ClassHook, w.UpdatedAt
	default:
		m.Class, m.Since = store.ClassSweep, store.At(now.Add(clocksApart))
	}
	return m
}

// clocksApart bounds how replicas' clocks differ: one stores the webhook, another has read.
const clocksApart = time.Minute

// Sweeps reports whether a webhook that names nothing leads to a light sweep.
func (w Webhook) Sweeps() bool {
	return !w.Signed || w.IsOurs()
}

// IsOurs reports whether the event is about products or publications.
func (w Webhook) IsOurs() bool {
	return strings.HasPrefix(w.Event, "PRODUCT") || strings.HasPrefix(w.Event, "PUBLICATION")
}
