// Package listener serves the sockets of a worker and accepts the marketplace's webhooks.
//
// Anybody may reach the public socket, so requests are bounded in time and memory. A body is authenticated before
// it is parsed, and acknowledged once its marks are durable.
package listener

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"sync"
	"time"

	"golang.org/x/net/netutil"

	"github.com/pubsync/pubsync/connector/publication"
)

type Servers struct {
	all  []*http.Server
	done sync.WaitGroup
}

// ReadTimeout is of a whole request.
const ReadTimeout = 5 * time.Second

// Serve bounds the connections by most, so that store and shop have files left. Others wait in the system's queue.
func (s *Servers) Serve(log *slog.Logger, l net.Listener, h http.Handler, most int, answer time.Duration) {
	srv := &http.Server{
		Handler: h, MaxHeaderBytes: 32 << 10, ReadHeaderTimeout: 2 * time.Second, ReadTimeout: ReadTimeout,
		WriteTimeout: answer, IdleTimeout: 30 * time.Second,
		ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelDebug),
	}
	s.all = append(s.all, srv)
	s.done.Go(func() {
		err := srv.Serve(netutil.LimitListener(l, most))
		if !errors.Is(err, http.ErrServerClosed) {
			log.Error("listener failed", "address", l.Addr().String(), "error", err)
		}
	})
}

// Shutdown stops accepting, and cuts off requests that do not end within the span.
func (s *Servers) Shutdown(within time.Duration) {
	ctx, cancel := context.WithTimeout(context.Background(), within)
	defer cancel()
	for _, srv := range s.all {
		s.done.Go(func() {
			if srv.Shutdown(ctx) != nil {
				_ = srv.Close() //nolint:errcheck // it is being thrown away
			}
		})
	}
	s.done.Wait()
}

const (
	maxSigned = 1 << 20  // bytes of a signed body
	maxHint   = 64 << 10 // of an unsigned body; a longer one is not parsed
	small     = 16 << 10 // of a body that needs no place
	places    = 16       // of larger bodies
)

// bodies bounds the memory of bodies of one kind.
type bodies struct {
	mu   sync.Mutex
	open []*http.ResponseController // of unfinished large bodies, oldest first
}

// read returns an *http.MaxBytesError for a body of more than most bytes.
func (b *bodies) read(w http.ResponseWriter, r *http.Request, most int64) ([]byte, error) {
	var body bytes.Buffer
	src := http.MaxBytesReader(w, r.Body, most)
	if _, err := io.CopyN(&body, src, small); errors.Is(err, io.EOF) {
		return body.Bytes(), nil
	} else if err != nil {
		return nil, err
	}
	defer b.enter(http.NewResponseController(w))()
	length := r.ContentLength
	if length < 0 || length > most { // not told, or too long
		length = most
	}
	body.Grow(int(max(0, length-small)) + bytes.MinRead) // doubling would take three times the memory
	_, err := body.ReadFrom(src)
	return body.Bytes(), err
}

// enter takes a place until leave is called. If none is free it cuts off the oldest unfinished body.
func (b *bodies) enter(body *http.ResponseController) (leave func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.open = append(b.open, body); len(b.open) > places {
		_ = b.open[0].SetReadDeadline(time.Unix(1, 0)) //nolint:errcheck // a connection has deadlines
		b.open = slices.Delete(b.open, 0, 1)
	}
	return func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.open = slices.DeleteFunc(b.open, func(other *http.ResponseController) bool { return other == body })
	}
}

type pointers struct {
	publications, products, listings []string
	updatedAt                        string // of the publication, "" where it has none
	none                             string // why there are none, or ""
}

// pointsAt reads only identifiers from a JSON object with an object named data. It skips parts of another shape.
func pointsAt(body []byte) (p pointers) {
	type object struct{ ID json.RawMessage }
	type within struct{ Product object }
	var read struct {
		Data struct {
			Publication struct {
				ID, UpdatedAt json.RawMessage
				Listing       within
			}
			Product, Listing object
			ProductVariant   within
		}
	}
	err := json.Unmarshal(body, &read)
	if odd, ok := errors.AsType[*json.UnmarshalTypeError](err); err != nil &&
		(!ok || odd.Field == "" || odd.Field == "Data") {
		return pointers{none: "unreadable"}
	}
	d := &read.Data
	p.publications, p.listings = known(d.Publication.ID), known(d.Listing.ID)
	p.products = known(d.Product.ID, d.Publication.Listing.Product.ID, d.ProductVariant.Product.ID)
	p.updatedAt = text(d.Publication.UpdatedAt, publication.MaxUpdatedAt)
	if len(p.publications)+len(p.products)+len(p.listings) == 0 {
		p.none = "names_nothing"
	}
	return p
}

func known(values ...json.RawMessage) (ids []string) {
	for _, value := range values {
		if id := text(value, publication.MaxIdent); id != "" && !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return ids
}

// text returns a string, or a number as written: marketplaces have ids of both kinds. Other and longer ones are "".
func text(value json.RawMessage, most int) (s string) {
	if len(value) > 6*most+2 { // too long even if each byte is escaped
		return ""
	}
	if json.Unmarshal(value, &s) != nil && json.Unmarshal(value, new(json.Number)) == nil {
		s = string(value)
	}
	if len(s) > most {
		return ""
	}
	return s
}
