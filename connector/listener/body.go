package listener

import (
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"sync"
)

const (
	maxSignedBody = 1 << 20  // bytes of a signed body
	maxHintBody   = 64 << 10 // bytes of an unsigned body that is parsed; a longer one is read to its end
	maxDrained    = 32 << 20 // bytes of a longer one that are read at most
	smallBody     = 16 << 10 // bytes; a webhook that names a change is far smaller
	largeBodies   = 16       // larger bodies that are read at a time
	parsedBodies  = 4        // of these, bodies that are hashed and parsed at a time
)

var (
	errTooLarge = errors.New("body too large")             // to be parsed
	errGaveWay  = errors.New("body gave way to another's") // since it is large and its sender slow
)

// A bodyLimiter bounds the memory of bodies whose senders are not authenticated yet: 16 KiB of
// each, and a few larger ones whole. Of these, the one whose sender has been silent for longest
// gives way to the next.
type bodyLimiter struct {
	mu     sync.Mutex
	large  []*largeBody // the one that was read from last is the last
	parsed chan struct{}
}

func newBodyLimiter() *bodyLimiter { return &bodyLimiter{parsed: make(chan struct{}, parsedBodies)} }

// A largeBody is the bytes read of a body beyond 16 KiB.
type largeBody struct {
	bytes   []byte
	gaveWay bool
}

// read calls parse with a whole body. Its error is that of parse, errTooLarge for a body beyond
// most bytes, errGaveWay, or that of reading from the sender.
func (l *bodyLimiter) read(r *http.Request, most int64, parse func(body []byte) error) error {
	src := io.LimitReader(r.Body, most+1)
	body, err := io.ReadAll(io.LimitReader(src, smallBody))
	switch {
	case err != nil:
		return err
	case len(body) < smallBody:
		return parse(body)
	}
	b := &largeBody{bytes: body}
	defer l.drop(b)
	for piece := make([]byte, smallBody/2); err == nil; {
		var n int
		n, err = src.Read(piece)
		if !l.keep(b, piece[:n]) {
			return errGaveWay
		}
	}
	if !errors.Is(err, io.EOF) {
		return err
	}
	return l.parse(r.Context(), b, most, parse)
}

// parse parses a complete large body once fewer than parsedBodies are being parsed.
func (l *bodyLimiter) parse(ctx context.Context, b *largeBody, most int64, parse func(body []byte) error) error {
	select {
	case l.parsed <- struct{}{}:
		defer func() { <-l.parsed }()
	case <-ctx.Done():
		return ctx.Err()
	}
	switch l.drop(b); {
	case b.gaveWay:
		return errGaveWay
	case int64(len(b.bytes)) > most:
		return errTooLarge
	}
	return parse(b.bytes)
}

// keep appends to a body. It returns false for one that has given way.
func (l *bodyLimiter) keep(b *largeBody, piece []byte) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if b.gaveWay {
		return false
	}
	b.bytes = append(b.bytes, piece...)
	l.large = append(slices.DeleteFunc(l.large, b.is), b)
	if len(l.large) > largeBodies {
		l.large[0].bytes, l.large[0].gaveWay = nil, true
		l.large = slices.Delete(l.large, 0, 1)
	}
	return true
}

// drop removes a body from those that may have to give way.
func (l *bodyLimiter) drop(b *largeBody) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.large = slices.DeleteFunc(l.large, b.is)
}

func (b *largeBody) is(other *largeBody) bool { return b == other }

// drain reads a body to its end and drops it. It returns the error of a sender that broke off.
// Reading stops at maxDrained, without an error.
func drain(w http.ResponseWriter, r *http.Request) error {
	_, err := io.Copy(io.Discard, http.MaxBytesReader(w, r.Body, maxDrained))
	if _, endless := errors.AsType[*http.MaxBytesError](err); endless {
		return nil
	}
	return err
}
