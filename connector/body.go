package connector

import (
	"errors"
	"io"
	"net/http"
)

const (
	maxWebhookBody = 1 << 20  // bytes
	smallBody      = 16 << 10 // bytes; a webhook that names what changed is far smaller
	largeBodies    = 16       // read at a time
)

var errTooLarge = errors.New("body over 1 MiB")

// A readingRoom bounds the memory that bodies take whose senders have proved nothing yet. Small ones are read as they come; a large one waits for
// one of few places, and gives it back when it was read.
type readingRoom chan struct{}

func newReadingRoom() readingRoom { return make(readingRoom, largeBodies) }

// read is the body of a request. The error is errTooLarge for one that is over the limit, else the sender has broken off.
func (room readingRoom) read(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	if r.ContentLength > maxWebhookBody {
		return nil, errTooLarge
	}
	from := http.MaxBytesReader(w, r.Body, maxWebhookBody)
	body, err := io.ReadAll(io.LimitReader(from, smallBody))
	if err != nil || len(body) < smallBody {
		return body, err
	}
	select {
	case room <- struct{}{}:
		defer func() { <-room }()
	case <-r.Context().Done():
		return nil, r.Context().Err()
	}
	rest, err := io.ReadAll(from)
	if _, tooLarge := errors.AsType[*http.MaxBytesError](err); tooLarge {
		return nil, errTooLarge
	}
	return append(body, rest...), err
}
