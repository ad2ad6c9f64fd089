package marketplace

import (
	"sync"
	"time"

	"github.com/pubsync/pubsync/connector/marketplace/internal/document"
	"github.com/pubsync/pubsync/connector/marketplace/internal/form"
	"github.com/pubsync/pubsync/connector/marketplace/internal/wire"
)

// pictured is how a request asks for the addresses of pictures: in the way that is wanted now, and,
// where it is another, in the way in which those of the publication were last written.
type pictured struct{ now, before form.Picture }

// pictured is that of a publication whose pictures were written in the way of a text, "" for none.
func (r *Reader) pictured(f Forms, before string) (p pictured) {
	p.now = f.Pictured(r.pictures)
	p.before = p.now
	if was, ok := form.ParsePicture(before); ok {
		p.before = f.Pictured(was)
	}
	return p
}

// fields ask for both addresses; an alias is needed only where both have one field.
func (p pictured) fields(f Forms) []document.Field {
	now := f.Field(p.now)
	if p.before == p.now {
		return []document.Field{now}
	}
	before := f.Field(p.before)
	if before.Name == now.Name {
		before.Alias = "before"
	}
	return []document.Field{now, before}
}

type wireImage struct {
	OriginalURL    wire.Scalar `json:"originalUrl"`
	TransformedURL wire.Scalar `json:"transformedUrl"`
	Before         wire.Scalar `json:"before"`
}

// addresses are those that fields asked for.
func (w wireImage) addresses(p pictured) (now, before string) {
	of := func(p form.Picture) string {
		if p.Method == Original {
			return string(w.OriginalURL)
		}
		return string(w.TransformedURL)
	}
	now, before = of(p.now), of(p.before)
	if w.Before != "" {
		before = string(w.Before)
	}
	return now, before
}

// originals remembers that a server nulls the originalUrl of its pictures, for an hour.
type originals struct {
	mu    sync.Mutex
	until time.Time
}

// fit is the forms for one request: without originals while the server nulls them. It is asked once
// for each request, so that the document and the reading of its answer agree.
func (o *originals) fit(f Forms) Forms {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !f.NoOriginal && time.Now().Before(o.until) {
		f.NoOriginal, f.Tried = true, true // its document is not kept
	}
	return f
}

func (o *originals) miss() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.until = time.Now().Add(form.FormsKept)
}
