package publication

import (
	"slices"
	"strings"
	"time"

	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

// Repriceable reports whether a record tells all that its figures need, and nothing else of it is to
// be done.
func Repriceable(r store.Record) bool {
	if !isListed(r) || len(r.Hashes) == 0 || r.Removal != (store.Removal{}) || r.UntitledSince != 0 ||
		r.Problem.Kind != "" || r.Open() || r.Unsure()&^figures != 0 || r.Reset != 0 {
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

// WithFigures is a record with the supplier's figures as read alone; ok is false where the variants
// are others than those of the record, so that the content must be read.
func WithFigures(r store.Record, seen marketplace.Figures) (out store.Record, ok bool) {
	if !Repriceable(r) || !seen.Whole || len(seen.Variants) != len(r.Variants) || len(seen.UpdatedAt) > MaxUpdatedAt {
		return r, false
	}
	read := make(map[string]store.Supply, len(seen.Variants))
	for _, v := range seen.Variants {
		read[v.ID] = supplyOf(v)
	}
	r.Variants = slices.Clone(r.Variants)
	for i, v := range r.Variants {
		supply, found := read[v.ID]
		if !found {
			return r, false
		}
		r.Variants[i].Supply = supply
	}
	return r, len(read) == len(r.Variants)
}

// Need is what a look at a mark has to read.
type Need int

// The needs.
const (
	NeedNothing Need = iota // the record answers
	NeedFigures             // prices and stock
	NeedContent
)

// seenBefore reports whether a mark is for content that was read already, and written.
func seenBefore(r store.Record, m store.Mark) bool {
	return m.Class == store.ClassSweep && m.Seen != "" && (m.Seen == r.UpdatedAt || m.Seen == r.Echo) &&
		r.ReadAt >= m.Since && !r.Open() && r.Unsure() == 0
}

// Needs is what a look has to read. backlog says that more is due than the points allow: then figures
// come first, and the rest of a change later.
func (s *Settings) Needs(r store.Record, m store.Mark, backlog bool, now time.Time) Need {
	content := s.wholeTurn(r, now) || r.ReadAt > store.At(now)
	switch {
	case seenBefore(r, m) && r.ReadAt <= store.At(now):
		return NeedNothing
	case m.Class == store.ClassRules &&
		(Repriceable(r) || r.Problem.Kind == store.ProblemRejected && len(r.Variants) > 0):
		return NeedNothing
	case !Repriceable(r):
		return NeedContent
	case m.Class == store.ClassRefresh && !content,
		(m.Class == store.ClassHook || m.Class == store.ClassSweep) && backlog && m.Tries == 0:
		return NeedFigures
	default:
		return NeedContent
	}
}

// ReadsDetails reports whether a look reads what the product itself says too, which makes a reading
// up to twice as dear: a new product or one that is listed again, what a person or another setting asks
// for, what is to be written anyway, and each reading of what was not read whole for long.
func (s *Settings) ReadsDetails(r store.Record, m store.Mark, now time.Time) bool {
	return r.WrittenAt == 0 || r.Removal.Done || m.Class == store.ClassAsked ||
		m.Class == store.ClassFull && !remainder(m) || (r.Dirty|r.Reset)&detailGroups != 0 || s.wholeTurn(r, now)
}

// remainder reports whether a mark is for the rest of a change whose figures are written.
func remainder(m store.Mark) bool { return m.Class == store.ClassFull && m.Seen != "" }

// wholeEvery is how many refreshes of figures there are to one of the content.
const wholeEvery = 30

func (s *Settings) wholeTurn(r store.Record, now time.Time) bool {
	return now.Sub(r.ReadAt.Time()) >= wholeEvery*s.RefreshAfter
}

// WantsDetails reports whether a publication that was read without details is to be read with them:
// a variant is new.
func WantsDetails(r store.Record, pub *marketplace.Publication) bool {
	if pub == nil || pub.Listing == nil || pub.Listing.Details {
		return false
	}
	known := placesOf(r.Variants, variantID)
	return slices.ContainsFunc(pub.Listing.Variants, func(v marketplace.Variant) bool {
		_, had := known[v.ID]
		return !had
	})
}

// MovedUnseen reports whether a step ends a reading without details that found nothing changed though
// updatedAt has moved: then the details are what moved. The rest of a change whose figures are written
// is none.
func (st Step) MovedUnseen() bool {
	pub, r := st.in.Read, st.in.Rec
	return pub != nil && pub.Listing != nil && !pub.Listing.Details && st.Unchanged() &&
		r.UpdatedAt != pub.UpdatedAt && r.Echo != pub.UpdatedAt &&
		!remainder(st.in.Mark) && st.Changed == shopadapter.NoFields &&
		!slices.ContainsFunc(st.Rows, func(row Row) bool { return row.Supply != row.was.Supply })
}

func due(e *store.Entry, class store.Class, now time.Time) {
	e.Note(store.Mark{Class: class, At: store.At(now)})
}

// again sets the next mark. One that came during the look stays, with the earlier time.
func again(e *store.Entry, st Step, m store.Mark) {
	gen := st.in.Mark.Gen
	if e.Mark != nil && e.Mark.Gen != gen {
		*e.Mark = e.Mark.Merge(m)
		return
	}
	m.Gen = gen + 1
	e.Mark = &m
}

// soon sets the next mark, whatever there is. A look that is under way does not end it.
func soon(e *store.Entry, class store.Class, tries int, at time.Time) {
	m := store.Mark{At: store.At(at), Class: class, Tries: tries}
	if e.Mark != nil {
		m.Gen = e.Mark.Gen + 1
	}
	e.Mark = &m
}

// refresh is the mark for what was not read for long. A reading in the future counts as one of now: a
// wrong clock must not put off the next reading for years.
func (s *Settings) refresh(r store.Record, now time.Time) store.Mark {
	read := min(max(r.ReadAt, r.FiguresAt), store.At(now))
	return store.Mark{Class: store.ClassRefresh, At: store.At(read.Time().Add(s.RefreshAfter))}
}

// idle is the mark of a publication without a problem: for its late pictures, or a refresh.
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

// MaxRetryAfter is the longest Retry-After that is obeyed: a wrong date must not pause a shop for
// years.
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
		if tries == 1 { // the first retry comes soon
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

// lag repeats a look that was shown less than was announced: a webhook may be ahead of the API.
func lag(e *store.Entry, st Step, now time.Time) {
	m := st.in.Mark
	behind := st.in.Gone && m.Class <= store.ClassHook || st.in.Read != nil && older(st.in.Read.UpdatedAt, m.Seen)
	if m.Seen == "" || !behind || m.Tries >= lagTries || e.Mark == nil || e.Mark.Gen != m.Gen+1 {
		return
	}
	soon(e, m.Class, m.Tries+1, now.Add(lagWait))
	e.Mark.Seen = m.Seen
}

// coarseFor is how long a change may hide behind an updatedAt of whole seconds, by clocks that hardly differ.
const coarseFor = 2 * time.Second

// coarse has content read again that was read in the second of its updatedAt, where that is of whole seconds:
// a later change of that second does not move it.
func coarse(e *store.Entry, st Step) {
	if st.in.Read == nil || Tombstone(e.Record) || strings.Contains(st.in.Read.UpdatedAt, ".") {
		return
	}
	at, err := time.Parse(time.RFC3339, st.in.Read.UpdatedAt)
	if err == nil && st.in.Now.Sub(at).Abs() < coarseFor {
		e.Note(store.Mark{Class: store.ClassSweep, At: store.At(at.Add(coarseFor))})
	}
}

// older reports whether one updatedAt is before another, in whole seconds: both may be given to
// another precision. A text that is no time is not older than anything.
func older(a, b string) bool {
	one, err := time.Parse(time.RFC3339, a)
	other, wrong := time.Parse(time.RFC3339, b)
	return err == nil && wrong == nil && one.Truncate(time.Second).Before(other.Truncate(time.Second))
}

// A Webhook is what a webhook says. It is only a reason to look, and never believed.
type Webhook struct {
	Signed bool
	Event  string   // as its header names it
	Named  []string // publications that its body names by their ids
	// the updatedAt that it gives the publication, "" for none: a look that is shown less is repeated
	UpdatedAt string
}

// How soon after the last look that such webhooks led to another may lead to one.
const (
	SignedGap   = 10 * time.Second
	UnsignedGap = time.Minute
)

// Publications are those that a webhook leads to. known are the publications in the store of its
// ids, products and listings. A signed webhook may name a publication that is not known yet.
func (w Webhook) Publications(known []string) []string {
	if !w.Signed {
		return known
	}
	ids := slices.Concat(known, w.Named)
	slices.Sort(ids)
	return slices.Compact(ids)
}

// Mark is the mark for a look at one of its publications at a time, made now. Every event that names a
// publication leads to the same, be it new or known. A signed webhook that does not
// name the publication itself has the class of what a sweep finds: suppliers change far more than
// retailers pick.
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

// clocksApart is how far the clocks of replicas may be apart: one stores the webhook, another has read.
const clocksApart = time.Minute

// Sweeps reports whether a webhook whose body names nothing leads to a light sweep. It does not
// where it is signed and of an event that has nothing to do with the list.
func (w Webhook) Sweeps() bool {
	return !w.Signed || strings.HasPrefix(w.Event, "PRODUCT") || strings.HasPrefix(w.Event, "PUBLICATION")
}
