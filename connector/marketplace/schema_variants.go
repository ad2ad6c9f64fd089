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
	// formsKept is how long assumed forms are kept. Then the server is introspected again, and
	// every form begins as the specification says.
	formsKept = time.Hour
	// formsAgain is the shortest time between two introspections that errors led to, and after one
	// that failed.
	formsAgain = 10 * time.Minute
	// suspicion is for how long the server must object to userErrors, without a success in between,
	// for a report to go without. contentSuspicion is the same for a language: longer than a
	// deployment that goes wrong for a moment. suspicionEnds is how long the first objection
	// counts.
	suspicion        = time.Second
	contentSuspicion = 10 * time.Second
	suspicionEnds    = 10 * time.Minute
)

// The schemaVariants keep the forms that all requests are made of. What introspection said stands
// until a new introspection says otherwise. A form that had to be assumed is in one of three
// states:
//
//	assumed  as the specification says: at a start, in a full run, after `retry --failed`, each hour
//	proven   it took the place of an assumed one, or the other way round
//	trial    one call uses it alone, since the server objected to the form in use: see trial
//
// A single run of a later process begins with what was proven, for formsRemembered at the most: the
// first objection of any kind gives all of it up.
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
	suspects map[string]suspect // by the names of the forms that leave it out
	taken    map[string]bool    // forms in which reports were taken once, see again
	said     map[string]bool    // forms that were proven at some time, so that it is news once
	probes   int                // finished
	failed   error              // how the last one ended
	odd      int                // refusals of a probe that could not be understood
}

// A suspect is what the server says its schema lacks.
type suspect struct {
	at time.Time // of the first objection
	of string    // how a document asks for it
}

func newSchemaVariants(languages []string) *schemaVariants {
	b := &schemaVariants{
		recall: true, probing: make(chan struct{}, 1),
		suspects: make(map[string]suspect), taken: make(map[string]bool), said: make(map[string]bool),
	}
	for _, l := range languages {
		// A language becomes part of a document.
		if l = strings.ToLower(strings.TrimSpace(l)); isName(l) && !slices.Contains(b.wanted, l) {
			b.wanted = append(b.wanted, l)
		}
	}
	return b
}

// succeeded notes that a document was answered: the schema has all that it asks for.
func (b *schemaVariants) succeeded(text string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for what, s := range b.suspects {
		if strings.Contains(text, s.of) {
			delete(b.suspects, what)
		}
	}
}

// put replaces the forms. b.mu is held.
func (b *schemaVariants) put(f Forms) (changed bool) {
	b.since, b.recalled = time.Now(), false
	clear(b.suspects)
	clear(b.taken)
	if b.known && f.equal(b.forms) {
		return false
	}
	b.version++
	f.version = b.version
	b.forms, b.known = f, true
	return true
}

// lasting notes that the server says its schema lacks what a form leaves out, and reports whether
// it has said so for long enough, without a success in between, to find out what becomes of a
// request without.
func (b *schemaVariants) lasting(f form, long time.Duration) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := time.Now()
	first, seen := b.suspects[f.name]
	if !seen || now.Sub(first.at) >= suspicionEnds {
		b.suspects[f.name] = suspect{at: now, of: f.omits}
		return false
	}
	return now.Sub(first.at) >= long
}

// again notes that reports were taken in other forms, and reports whether that has happened before.
func (b *schemaVariants) again(forms []form) (before bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	before = true
	for _, f := range forms {
		before = before && b.taken[f.name]
		b.taken[f.name] = true
	}
	return before
}

// prove has all requests use other forms, and says which of that is news.
func (b *schemaVariants) prove(forms []form) (news map[string]bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	next := b.forms.with(forms)
	if next.tried = false; b.forms.Introspected || next.equal(b.forms) {
		return nil
	}
	b.version++
	next.version = b.version
	b.forms = next
	news = make(map[string]bool)
	for _, f := range forms {
		news[f.name] = !b.said[f.name]
		b.said[f.name] = true
		delete(b.suspects, f.name)
	}
	clear(b.taken)
	return news
}

// due reports whether the forms are to be asked for again, and counts that as done. age: because
// they were assumed long ago; else because of an error.
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

// reread introspects the server again. It reports whether the forms have changed. Forms that were
// introspected are replaced by introspected ones only.
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
		r.log.LogAttrs(
			ctx,
			slog.LevelWarn,
			"marketplace schema lacks languages",
			slog.String("languages", strings.Join(lacks, " ")),
		)
	}
}

// prove has all requests use other forms, and keeps that.
func (r *Reader) prove(ctx context.Context, forms []form) {
	news := r.forms.prove(forms)
	if news == nil {
		return
	}
	r.contents.Clear()
	r.remember(ctx)
	for _, f := range forms {
		level := slog.LevelInfo
		if news[f.name] {
			level = slog.LevelWarn
		}
		r.log.LogAttrs(ctx, level, "marketplace takes another form",
			slog.String("form", f.name), slog.String("for", formsKept.String()))
	}
}

// Afresh has every form that had to be assumed found out anew, as if nothing were known of the
// server; it is for a start and for a person who asks to try everything again. What introspection
// said stands.
func (r *Reader) Afresh(ctx context.Context) {
	b := r.forms
	b.mu.Lock()
	stays := b.known && b.forms.Introspected
	if !stays {
		b.known, b.recall, b.recalled = false, false, false
	}
	b.mu.Unlock()
	if !stays {
		r.contents.Clear()
		r.forget(ctx)
	}
}
