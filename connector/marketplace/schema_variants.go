package marketplace

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"
)

const (
	// formsKept is how long assumed forms are kept. Then the server is introspected again, and every form that was given up is tried again.
	formsKept = time.Hour
	// formsAgain is the shortest time between two introspections that errors led to, and after one that failed.
	formsAgain = 10 * time.Minute
	// suspicion is how far apart two errors must be at least for a form to be given up. suspicionEnds is how long the first of them counts.
	suspicion     = time.Second
	suspicionEnds = 10 * time.Minute
)

// The schemaVariants keep the forms. What introspection said stands until a new introspection says otherwise. Assumed forms are given up one by one, for as
// long as formsKept, when the server objects to the same form twice. What was given up is kept over restarts, for formsRemembered at the most: a process that
// begins with it gives it up for good at the first objection of any kind, and after formsKept like any other.
type schemaVariants struct {
	wanted  []string      // languages
	probing chan struct{} // held while probing

	mu       sync.Mutex
	forms    Forms
	known    bool
	recall   bool               // memory has not been asked yet
	recalled bool               // they came from memory, and the server has not objected to anything since
	version  int                // counts the changes of forms
	since    time.Time          // when the forms were found
	asked    time.Time          // when an introspection that an error or age led to was last begun
	tried    map[string]bool    // forms that were given up; none is taken up again before the next introspection
	suspects map[string]suspect // forms that the server objected to once
	said     map[string]bool    // forms that were given up at some time, so that it is news once
	good     time.Time          // when a request last succeeded
	probes   int                // finished
	failed   error              // how the last one ended
	odd      int                // refusals of a probe that could not be understood
}

// A suspect is a form that the server objected to.
type suspect struct {
	at   time.Time
	text string // the document
}

func newSchemaVariants(languages []string) *schemaVariants {
	b := &schemaVariants{recall: true, probing: make(chan struct{}, 1), tried: make(map[string]bool), suspects: make(map[string]suspect), said: make(map[string]bool)}
	for _, l := range languages {
		// A language becomes part of a document.
		if l = strings.ToLower(strings.TrimSpace(l)); isName(l) && !slices.Contains(b.wanted, l) {
			b.wanted = append(b.wanted, l)
		}
	}
	return b
}

// succeeded notes that a document was answered: nothing is held against its form.
func (b *schemaVariants) succeeded(text string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.good = time.Now()
	for what, s := range b.suspects {
		if s.text == text {
			delete(b.suspects, what)
		}
	}
}

// put replaces the forms. b.mu is held.
func (b *schemaVariants) put(f Forms) (changed bool) {
	b.since, b.recalled = time.Now(), false
	clear(b.tried)
	clear(b.suspects)
	if b.known && f.equal(b.forms) {
		return false
	}
	b.version++
	f.version = b.version
	b.forms, b.known = f, true
	return true
}

// object takes in that the server objects to a document made of the forms of a version, in the words of complaint. what is the form that the
// complaint is about, "" for none that is known. again says that the request may be sent anew: the forms have changed. wait is how long to wait before the
// objection is put to the test, 0 when it has been long enough.
func (b *schemaVariants) object(version int, mutation bool, text, complaint string) (what string, again bool, wait time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if version != b.version {
		return "", true, 0
	}
	if b.forms.Introspected {
		return "", false, 0
	}
	next, names := b.forms.mend(mutation, complaint, b.tried)
	if len(names) == 0 {
		return "", false, 0
	}
	now := time.Now()
	what = strings.Join(names, ", ")
	first, seen := b.suspects[what]
	switch {
	case !seen || now.Sub(first.at) >= suspicionEnds:
		b.suspects[what] = suspect{at: now, text: text}
		return what, false, suspicion
	case now.Sub(first.at) < suspicion:
		return what, false, suspicion - now.Sub(first.at)
	case !b.good.After(first.at) && first.text == text:
		return what, false, 0 // nothing has shown yet that the server answers anything at all
	}
	for _, name := range names {
		b.tried[name] = true
	}
	delete(b.suspects, what)
	b.version++
	next.version = b.version
	b.forms = next
	return what, true, 0
}

// answered reports whether a request has succeeded since the server first objected to the form.
func (b *schemaVariants) answered(what string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	s, ok := b.suspects[what]
	return !ok || b.good.After(s.at)
}

// news reports whether a form is given up for the first time.
func (b *schemaVariants) news(what string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	was := b.said[what]
	b.said[what] = true
	return !was
}

// due reports whether the forms are to be asked for again, and counts that as done. age: because they were assumed long ago; else because of an error.
func (b *schemaVariants) due(age bool) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := time.Now()
	switch {
	case !b.known, b.forms.Introspected == age, age && now.Sub(b.since) < formsKept:
		return false
	case !b.asked.IsZero() && now.Sub(b.asked) < formsAgain:
		return false
	}
	b.asked = now
	return true
}

// reread introspects the server again. It reports whether the forms have changed. Forms that were introspected are replaced by introspected ones only.
func (r *Reader) reread(ctx context.Context) (changed bool) {
	b := r.forms
	forms, err := r.probe(ctx)
	b.mu.Lock()
	defer b.mu.Unlock()
	before := b.forms
	if err != nil || before.Introspected && !forms.Introspected {
		return false
	}
	if changed = b.put(forms); !changed {
		return false
	}
	r.contents.Clear()
	r.log.LogAttrs(ctx, slog.LevelWarn, "marketplace schema changed", slog.String("forms", forms.String()))
	r.warnLanguages(ctx, forms)
	return true
}

// warnLanguages says which of the wanted languages are not asked for.
func (r *Reader) warnLanguages(ctx context.Context, f Forms) {
	if lacks := f.lacks(r.forms.wanted); len(lacks) > 0 {
		r.log.LogAttrs(ctx, slog.LevelWarn, "marketplace schema lacks languages", slog.String("languages", strings.Join(lacks, " ")))
	}
}

// mend deals with an objection to q's document. again says that the same call may be sent again: with forms that have changed, or with the same ones to
// find out whether the server means it. form says that the objection is about a form. A mutation is not put to the test here, since its caller looks before
// each attempt: the next one is the test.
func (r *Reader) mend(ctx context.Context, q request, text string, version int, complaint string) (again, form bool) {
	mutation := q.doc.kind == "mutation"
	if r.unlearn(ctx, version) {
		return !mutation, true
	}
	what, again, wait := r.forms.object(version, mutation, text, complaint)
	switch {
	case again && what != "":
		r.contents.Clear()
		r.remember(ctx)
		level := slog.LevelInfo
		if r.forms.news(what) {
			level = slog.LevelWarn
		}
		r.log.LogAttrs(ctx, level, "marketplace schema form given up, to be tried again", slog.String("form", what), slog.String("after", formsKept.String()))
		return true, true
	case again:
		return true, true
	case what == "":
		return r.forms.due(false) && r.reread(ctx), false
	case mutation:
		return false, true
	}
	select {
	case <-time.After(wait):
	case <-ctx.Done():
		return false, true
	}
	return r.forms.answered(what) || r.listable(ctx), true
}
