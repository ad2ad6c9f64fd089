package form

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/pubsync/pubsync/connector/marketplace/internal/fault"
)

const (
	// FormsKept is how long assumed forms are kept. Then the server is introspected again, and
	// every form begins as the specification says.
	FormsKept = time.Hour
	// formsAgain is the shortest time between two introspections that errors led to, and after one
	// that failed.
	formsAgain = 10 * time.Minute
	// Suspicion is for how long the server must object to userErrors, without a success in between,
	// for a report to go without.
	Suspicion = time.Second
	// ContentSuspicion is the same for a language: longer than a deployment that goes wrong for a
	// moment.
	ContentSuspicion = 10 * time.Second
	// suspicionEnds is how long the first objection counts.
	suspicionEnds = 10 * time.Minute
)

// InUse keeps the forms that all requests are made of. What introspection said stands until a new
// introspection says otherwise. A form that had to be assumed is in one of three states:
//
//	assumed  as the specification says: at a start, in a full run, after `retry --failed`, each hour
//	proven   all requests use it, since the server took it and objected to the one before
//	trial    one call alone uses it, since the server objected to the form in use: see client.Trial
//
// A single run of a later process begins with what was proven, for a day at the most. It gives all
// of that up at the first objection of any kind.
type InUse struct {
	Wanted  []string      // languages
	probing chan struct{} // held while probing

	mu       sync.Mutex
	forms    Forms
	known    bool
	recall   bool               // memory has not been asked yet
	recalled bool               // they came from memory, and the server has not objected to anything since
	version  int                // counts the changes of forms
	since    time.Time          // when the forms were found
	asked    time.Time          // when an introspection that an error or age led to was last begun
	suspects map[string]suspect // by the names of the forms that leave it out
	accepted map[string]bool    // forms in which reports were accepted once: see Again
	said     map[string]bool    // forms that were proven at some time, so that it is news once
	probes   int                // finished
	failed   error              // how the last one ended
	spared   time.Time          // until then all documents are without details
	odd      int                // refusals of a probe that could not be understood
}

// A suspect is what the server says its schema lacks.
type suspect struct {
	at time.Time // of the first objection
	of string    // how a document asks for it
}

// New keeps no forms yet. languages are those wanted, in order.
func New(languages []string) *InUse {
	b := &InUse{
		recall: true, probing: make(chan struct{}, 1),
		suspects: make(map[string]suspect), accepted: make(map[string]bool), said: make(map[string]bool),
	}
	for _, l := range languages {
		// A language becomes part of a document.
		if l = strings.ToLower(strings.TrimSpace(l)); isName(l) && !slices.Contains(b.Wanted, l) {
			b.Wanted = append(b.Wanted, l)
		}
	}
	return b
}

// Succeeded records that a document was answered: the schema has all that it asks for.
func (b *InUse) Succeeded(text string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for what, s := range b.suspects {
		if strings.Contains(text, s.of) {
			delete(b.suspects, what)
		}
	}
}

// Now is the forms in use; known is false where none have been found yet.
func (b *InUse) Now() (f Forms, known bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	f = b.forms
	f.Bare = time.Now().Before(b.spared)
	return f, b.known
}

// LackDetails has all requests do without details that the schema lacks.
func (b *InUse) LackDetails(names map[string]bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.forms.Introspected {
		b.version++
		b.forms.NoDetails, b.forms.Version = names, b.version
	}
}

// SpareDetails has all requests do without any details for a while. It reports whether that is
// news.
func (b *InUse) SpareDetails() (news bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := time.Now()
	news = !now.Before(b.spared)
	b.spared = now.Add(FormsKept)
	return news
}

// Find is the forms in use, found by look where there are none yet. Callers that meet while one
// looks share its outcome, but for the end of its context.
func (b *InUse) Find(
	ctx context.Context, look func(context.Context) (f Forms, recalled bool, err error),
) (f Forms, news bool, err error) {
	b.mu.Lock()
	before := b.probes
	b.mu.Unlock()
	select {
	case b.probing <- struct{}{}:
		defer func() { <-b.probing }()
	case <-ctx.Done():
		return Forms{}, false, &fault.Error{Op: "probe", Message: ctx.Err().Error(), Err: ctx.Err()}
	}
	b.mu.Lock()
	known, failed, shared := b.known, b.failed, b.probes != before
	f = b.forms
	b.mu.Unlock()
	switch {
	case known:
		return f, false, nil
	case shared && failed != nil && !ctxEnded(failed):
		return Forms{}, false, failed
	}
	f, recalled, err := look(ctx)
	b.mu.Lock()
	defer b.mu.Unlock()
	if !recalled {
		b.probes++
		b.failed = err
	}
	if err != nil {
		return Forms{}, false, err
	}
	b.put(f)
	b.recalled = recalled
	return b.forms, !recalled, nil
}

// ctxEnded reports whether err is the end of some caller's context, which is nothing to others.
func ctxEnded(err error) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}

// Recalls reports, the first time, whether memory may be asked for forms.
func (b *InUse) Recalls() (first bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	first, b.recall = b.recall, false
	return first
}

// Replace puts newly found forms in the place of those in use, and reports whether they differ.
// Introspected forms are replaced by introspected ones only.
func (b *InUse) Replace(f Forms) (changed bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return (f.Introspected || !b.forms.Introspected) && b.put(f)
}

// GiveUp forgets forms that came from memory. It reports whether there were any.
func (b *InUse) GiveUp() (recalled bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if recalled = b.recalled; recalled {
		b.recalled, b.known = false, false
	}
	return recalled
}

// Afresh forgets forms that had to be assumed. It reports whether there was no introspected form to
// keep.
func (b *InUse) Afresh() (forgotten bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.spared = time.Time{}
	if b.known && b.forms.Introspected {
		return false
	}
	b.known, b.recall, b.recalled = false, false, false
	return true
}

// put replaces the forms. b.mu is held.
func (b *InUse) put(f Forms) (changed bool) {
	b.since, b.recalled = time.Now(), false
	clear(b.suspects)
	clear(b.accepted)
	if b.known && f.Equal(b.forms) {
		return false
	}
	b.version++
	f.Version = b.version
	b.forms, b.known = f, true
	return true
}

// Lasting records an objection: the schema lacks what form f leaves out. It reports whether such
// objections have lasted for long, without a success in between, so that f may be tried.
func (b *InUse) Lasting(f Form, long time.Duration) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := time.Now()
	first, seen := b.suspects[f.Name]
	if !seen || now.Sub(first.at) >= suspicionEnds {
		b.suspects[f.Name] = suspect{at: now, of: f.Omits}
		return false
	}
	return now.Sub(first.at) >= long
}

// Again records that reports were accepted in other forms, and reports whether that has happened
// before.
func (b *InUse) Again(forms []Form) (before bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	before = true
	for _, f := range forms {
		before = before && b.accepted[f.Name]
		b.accepted[f.Name] = true
	}
	return before
}

// Prove has all requests use other forms. news names those that are proven for the first time; nil
// where nothing changes.
func (b *InUse) Prove(forms []Form) (news map[string]bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	next := b.forms.With(forms)
	if next.Tried = false; b.forms.Introspected || next.Equal(b.forms) {
		return nil
	}
	b.version++
	next.Version = b.version
	b.forms = next
	news = make(map[string]bool)
	for _, f := range forms {
		news[f.Name] = !b.said[f.Name]
		b.said[f.Name] = true
		delete(b.suspects, f.Name)
	}
	clear(b.accepted)
	return news
}

// Due reports whether to introspect the server again, and records that as begun. With age it asks
// for forms that were assumed long ago, without for forms that an error contradicts.
func (b *InUse) Due(age bool) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := time.Now()
	switch {
	case !b.known, b.forms.Introspected == age, age && now.Sub(b.since) < FormsKept:
		return false
	case !b.asked.IsZero() && now.Sub(b.asked) < formsAgain:
		return false
	}
	b.asked = now
	return true
}

// Oddly counts the refusals that were not understood.
func (b *InUse) Oddly() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.odd++
	return b.odd
}
