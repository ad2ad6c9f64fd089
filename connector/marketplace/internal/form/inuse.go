package form

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"

	"github.com/pubsync/pubsync/connector/marketplace/internal/fault"
)

// InUse keeps the forms that all requests are made of, from the first one on until the process
// ends.
type InUse struct {
	Wanted  []string // languages
	Said    Said     // of the setting
	probing chan struct{}

	mu     sync.Mutex
	forms  Forms
	known  bool
	probes int   // finished
	failed error // how the last one ended
	odd    int   // refusals of a probe that could not be understood
}

// New keeps no forms yet. languages are those wanted, in order.
func New(languages []string, said Said) *InUse {
	b := &InUse{Said: said, probing: make(chan struct{}, 1)}
	for _, l := range languages {
		// A language becomes part of a document.
		if l = strings.ToLower(strings.TrimSpace(l)); isName(l) && !slices.Contains(b.Wanted, l) {
			b.Wanted = append(b.Wanted, l)
		}
	}
	return b
}

// Find is the forms in use, found by look where there are none yet. Callers that meet while one
// looks share its outcome, but for the end of its context.
func (b *InUse) Find(
	ctx context.Context, look func(context.Context) (Forms, error),
) (f Forms, news bool, err error) {
	b.mu.Lock()
	f, known, before := b.forms, b.known, b.probes
	b.mu.Unlock()
	if known {
		return f, false, nil
	}
	select {
	case b.probing <- struct{}{}:
		defer func() { <-b.probing }()
	case <-ctx.Done():
		return Forms{}, false, &fault.Error{Op: "probe", Message: ctx.Err().Error(), Err: ctx.Err()}
	}
	b.mu.Lock()
	f, known = b.forms, b.known
	failed, shared := b.failed, b.probes != before
	b.mu.Unlock()
	switch {
	case known:
		return f, false, nil
	case shared && failed != nil && !ctxEnded(failed):
		return Forms{}, false, failed
	}
	f, err = look(ctx)
	b.mu.Lock()
	defer b.mu.Unlock()
	b.probes++
	if b.failed = err; err != nil {
		return Forms{}, false, err
	}
	b.forms, b.known = f, true
	return f, true, nil
}

// ctxEnded reports whether err is the end of some caller's context, which is nothing to others.
func ctxEnded(err error) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}

// Unsorted records that the server refuses to sort publications by UPDATED_AT_ASC.
func (b *InUse) Unsorted() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.forms.UpdatedAtAsc = false
}

// Oddly counts the refusals that were not understood.
func (b *InUse) Oddly() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.odd++
	return b.odd
}
