package listener

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"slices"
	"sync"
	"time"
)

const (
	maxSigned = 1 << 20  // bytes of a signed body
	maxHint   = 64 << 10 // bytes of an unsigned body that is parsed; a longer one is read to its end
	small     = 16 << 10 // bytes of a body that needs no place
	places    = 16       // of larger bodies
)

// bodies bounds the memory of bodies of one kind.
type bodies struct {
	mu   sync.Mutex
	open []*http.ResponseController // of unfinished large bodies, the oldest first
}

// read reads a whole body. A body that is longer than most bytes is an *http.MaxBytesError.
func (b *bodies) read(w http.ResponseWriter, r *http.Request, most int64) ([]byte, error) {
	var body bytes.Buffer
	src := http.MaxBytesReader(w, r.Body, most)
	if _, err := io.CopyN(&body, src, small); errors.Is(err, io.EOF) {
		return body.Bytes(), nil
	} else if err != nil {
		return nil, err
	}
	control := http.NewResponseController(w)
	b.enter(control)
	defer b.leave(control)
	length := r.ContentLength
	if length < 0 || length > most { // not told, or more than is read
		length = most
	}
	body.Grow(int(max(0, length-small)) + bytes.MinRead) // at once: growing by doubling leaves three times as much behind
	_, err := body.ReadFrom(src)
	return body.Bytes(), err
}

func (b *bodies) enter(control *http.ResponseController) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.open = append(b.open, control); len(b.open) > places {
		_ = b.open[0].SetReadDeadline(time.Unix(1, 0)) //nolint:errcheck // a connection has deadlines
		b.open = slices.Delete(b.open, 0, 1)
	}
}

func (b *bodies) leave(control *http.ResponseController) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.open = slices.DeleteFunc(b.open, func(other *http.ResponseController) bool { return other == control })
}

func tooLarge(err error) bool {
	_, is := errors.AsType[*http.MaxBytesError](err)
	return is
}
