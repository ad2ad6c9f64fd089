package listener

import (
	"context"
	"errors"
	"io"
	"net/http"
)

const (
	maxSignedBody = 1 << 20  // bytes of a signed body
	maxHintBody   = 64 << 10 // bytes of an unsigned body that is parsed; a longer one is read to its end
	maxDrained    = 32 << 20 // bytes of it that are read at all
	smallBody     = 16 << 10 // bytes; a webhook that names a change is far smaller
	largeBodies   = 4        // larger bodies that are worked on at a time
)

// errTooLarge says that a body is too long to be parsed.
var errTooLarge = errors.New("body too large")

// A bodyLimiter bounds the memory and the work that bodies cost before their senders are authenticated. A body is never kept: it is hashed and parsed while it arrives, through one
// small buffer. The first 16 KiB of each are worked on as they come, and beyond that few bodies at a time. A body holds a place only while its bytes are
// worked on, never while it waits for more, so that an unfinished body gives way to all others.
type bodyLimiter chan struct{}

func newBodyLimiter() bodyLimiter { return make(bodyLimiter, largeBodies) }

// A limitedBody is a body as it arrives. The bytes that Read returned are worked on until the next Read or leave.
type limitedBody struct {
	ctx    context.Context //nolint:containedctx // of the one request
	from   io.Reader
	most   int64 // errTooLarge beyond
	read   int64
	places bodyLimiter
	placed bool
}

// open is the body of a request, of which most bytes are handed on.
func (l bodyLimiter) open(r *http.Request, most int64) *limitedBody {
	return &limitedBody{ctx: r.Context(), from: r.Body, most: most, places: l}
}

func (b *limitedBody) Read(p []byte) (int, error) {
	b.leave()
	if rest := b.most - b.read + 1; int64(len(p)) > rest {
		p = p[:rest] // one byte more tells that there is more
	}
	n, err := b.from.Read(p)
	if b.read += int64(n); b.read > b.most {
		return 0, errTooLarge
	}
	if n > 0 && b.read > smallBody {
		select {
		case b.places <- struct{}{}:
			b.placed = true
		case <-b.ctx.Done():
			return 0, b.ctx.Err()
		}
	}
	return n, err
}

// leave gives the place back.
func (b *limitedBody) leave() {
	if b.placed {
		b.placed = false
		<-b.places
	}
}

// drain reads the rest of a body and drops it. It returns the error of a sender that broke off. A sender that never ends is cut off without an error.
func drain(w http.ResponseWriter, r *http.Request) error {
	_, err := io.Copy(io.Discard, http.MaxBytesReader(w, r.Body, maxDrained))
	if _, endless := errors.AsType[*http.MaxBytesError](err); endless {
		return nil
	}
	return err
}
