package outbox

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/store"
)

const (
	// gatherMost is how long a report waits for others.
	gatherMost = 30 * time.Second
	// gatherPause is how long it waits where no other comes.
	gatherPause = 5 * time.Second
	// gatherLeast is how many reports are worth a reading of the list in place of their looks.
	gatherLeast = 4
	// glanceMost is how long a glance may take. The points of the reports are held meanwhile, and a small bucket may never have those of a list beside them.
	glanceMost = 2 * time.Second
)

// A Glance lists what changed since the last sweep, with an idea of how many entries that is, and marks what is to be looked at. latest is the updatedAt of
// the last entry of the list, "" where it is not known.
type Glance func(ctx context.Context, expected int) (latest string, err error)

// A gathering has the reports of a short list made a batch at a time, and what changed listed before each batch. The list then says of each publication
// whether it has changed since its content was read, as a look at each would: whatever changes moves behind the cursor of the last sweep. It shows the
// entries too that the batch before has moved, which a sweep would have to list in any case. So the looks cost nothing.
type gathering struct {
	glance  Glance // nil: reports are made as soon as they are owed
	flushed bool   // no other is to come soon
	moved   int    // reports taken since the last glance
}

// Gather begins a gathering; end ends it.
func (r *Reporter) Gather(glance Glance) (end func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.gathering = gathering{glance: glance}
	return r.endGathering
}

func (r *Reporter) endGathering() {
	r.mu.Lock()
	r.gathering = gathering{}
	r.mu.Unlock()
	r.Notify()
}

// Flush has the reports made that are owed now, however few they are.
func (r *Reporter) Flush() {
	r.mu.Lock()
	flush := r.gathering.glance != nil && !r.gathering.flushed
	r.gathering.flushed = true
	r.mu.Unlock()
	if flush {
		r.Notify()
	}
}

var errNotGathered = errors.New("reports are not gathered")

// Glance lists the entries that reports have moved since the last glance. Where reports are not gathered it lists nothing, and that is an error.
func (r *Reporter) Glance(ctx context.Context) (latest string, err error) {
	r.mu.Lock()
	glance, moved := r.gathering.glance, r.gathering.moved
	r.mu.Unlock()
	if glance == nil {
		return "", errNotGathered
	}
	if latest, err = glance(ctx, moved); err != nil {
		return "", err
	}
	r.mu.Lock()
	r.gathering.moved -= moved
	r.mu.Unlock()
	return latest, nil
}

// gathered is when reports may be made, zero for now.
func (r *Reporter) gathered(owed []store.Report) time.Time {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.gathering.glance == nil || r.gathering.flushed || len(owed) == 0 || len(owed) == batchSize {
		return time.Time{}
	}
	first, last := owed[0].Since, owed[0].Since
	for _, o := range owed {
		first, last = min(first, o.Since), max(last, o.Since)
	}
	if at := last.Time().Add(gatherPause); at.Before(first.Time().Add(gatherMost)) {
		return at
	}
	return first.Time().Add(gatherMost)
}

// unflush ends what Flush began.
func (r *Reporter) unflush() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.gathering.flushed = false
}

// tell makes a batch of reports after a glance, or reports false where each needs a look of its own.
func (r *Reporter) tell(ctx context.Context, reports []marketplace.Report, looked map[string]*marketplace.Entry) (results []marketplace.Result, told bool, err error) {
	r.mu.Lock()
	gathers := r.gathering.glance != nil && len(reports) >= gatherLeast
	for _, report := range reports {
		if _, again := r.attempts[report.ID]; again {
			gathers = false
		}
	}
	r.mu.Unlock()
	if !gathers || !r.precise(reports) {
		return nil, false, nil
	}
	latest := ""
	results, err = r.market.Tell(ctx, marketplace.Urgent, reports, func(ctx context.Context) ([]marketplace.Report, error) {
		told = false // of a try that was refused
		clear(looked)
		var err error
		limited, cancel := context.WithTimeout(ctx, glanceMost)
		defer cancel()
		if latest, err = r.Glance(limited); err != nil {
			if limited.Err() != nil {
				r.endGathering()
			}
			return nil, nil //nolint:nilerr // each is looked at
		}
		for _, report := range reports {
			e, err := r.store.Get(report.ID)
			if err != nil {
				clear(looked)
				return nil, nil //nolint:nilerr // as above
			}
			looked[report.ID] = &marketplace.Entry{ID: report.ID, UpdatedAt: moment(e)}
		}
		told = true
		return reports, nil
	})
	for _, res := range results {
		if res.Err == nil && !follows(res.UpdatedAt, latest) {
			looked[res.ID].UpdatedAt = "" // it is no echo that is known: the content is read again
		}
	}
	return results, told && (results != nil || err != nil), err
}

// follows reports whether a report moved its entry to the end of the list. Where the marketplace's clock was set back it did not, and a change before it may
// stand before the cursor.
func follows(updatedAt, latest string) bool {
	if latest == "" {
		return true
	}
	at, err := time.Parse(time.RFC3339Nano, updatedAt)
	last, bad := time.Parse(time.RFC3339Nano, latest)
	return err == nil && bad == nil && at.After(last)
}

// moment is the updatedAt that the list shows of a publication: that of its content, unless a sweep saw another since.
func moment(e store.Entry) string {
	if m := e.Mark; m != nil && m.Cause&store.CauseSeen != 0 && m.Seen != "" && m.SeenAt >= e.Record.ReadAt {
		return m.Seen
	}
	return e.Record.UpdatedAt
}

// precise reports whether the updatedAt of some of them tells parts of a second, as all do then. Where none does, a change may share its updatedAt with the
// last entry of the page before, and stand before that.
func (r *Reporter) precise(reports []marketplace.Report) bool {
	for _, report := range reports {
		if e, err := r.store.Get(report.ID); err == nil && partsOfSeconds(e.Record.UpdatedAt) {
			return true
		}
	}
	return false
}

// partsOfSeconds reports whether a time tells hundredths of a second or less.
func partsOfSeconds(updatedAt string) bool {
	_, fraction, _ := strings.Cut(updatedAt, ".")
	return strings.ContainsAny(fraction[min(1, len(fraction)):], "123456789")
}

// gone is those among refused reports whose publication the marketplace does not know any more. A list does not tell, and the look before a report is older.
func (r *Reporter) gone(ctx context.Context, refused map[string]refusal) (gone []store.Report) {
	if len(refused) == 0 {
		return nil
	}
	ids := make([]string, 0, len(refused))
	for id := range refused {
		ids = append(ids, id)
	}
	looks, err := r.market.Look(ctx, marketplace.Urgent, ids, false)
	if err != nil {
		return nil
	}
	for id, e := range looks {
		if e == nil {
			gone = append(gone, refused[id].sent)
			delete(refused, id)
		}
	}
	return gone
}
