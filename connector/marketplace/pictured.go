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
type pictured struct {
	now, before form.Picture
	kept        bool // as the pictures were last written, originals are asked for
}

// pictured is that of a publication whose pictures were written in the way of a text, "" for none.
func (r *Reader) pictured(f Forms, before string) (p pictured) {
	p.now = f.Pictured(r.pictures)
	p.before, p.kept = p.now, before == Original && p.now.Method == Original
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

// originals remembers, for an hour, that a server nulls the originalUrl of its pictures: that of
// several publications in a row, since one may lack them by itself.
type originals struct {
	mu     sync.Mutex
	missed int
	until  time.Time
}

const (
	// missedInARow is how many publications lack originals until others are not asked for them.
	missedInARow = 3
	// originalsMissing is for how long they are not.
	originalsMissing = time.Hour
)

// missing reports whether the server is believed to null originals.
func (o *originals) missing() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return time.Now().Before(o.until)
}

// saw records whether the pictures of a publication had originals.
func (o *originals) saw(there bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.missed++; there {
		o.missed = 0
	}
	if o.missed >= missedInARow {
		o.missed, o.until = 0, time.Now().Add(originalsMissing)
	}
}

// withoutOriginals is the forms for a request that asks for no originals.
func withoutOriginals(f Forms, without bool) Forms {
	f.NoOriginal = f.NoOriginal || without
	return f
}
