package marketplace

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strconv"
)

// A Picture is a way to ask for the addresses of pictures. The zero Picture is that of the
// specification's example: FILL, 1,200 pixels.
type Picture struct {
	Method string // Uncropped, Original, or a method of transformedUrl: FIT, FILL, CROP
	Size   int    // pixels, width and height, of a method
}

// The methods that are no methods of the marketplace's.
const (
	Uncropped = "uncropped" // FIT where there is such a method, else Original
	Original  = "original"  // as the supplier gave it
)

// String is a Picture as a record keeps it: "original", "FILL 1200".
func (p Picture) String() string {
	if p.Method == Original {
		return Original
	}
	return p.Method + " " + strconv.Itoa(p.Size)
}

var asKept = regexp.MustCompile(`^([A-Z]+) ([0-9]{1,5})$`)

// parsePicture reads what String wrote. ok is false for anything else.
func parsePicture(text string) (p Picture, ok bool) {
	if text == Original {
		return Picture{Method: Original}, true
	}
	match := asKept.FindStringSubmatch(text)
	if match == nil {
		return p, false
	}
	size, err := strconv.Atoi(match[2])
	return Picture{Method: match[1], Size: size}, err == nil
}

// picture is the way in which pictures that are wanted in a way are asked of this server.
func (d Dialect) picture(want Picture) Picture {
	const usualMethod, usualSize = "FILL", 1200
	if want.Method == "" {
		want.Method = usualMethod
	}
	if want.Size == 0 {
		want.Size = usualSize
	}
	there := func(method string) bool { _, ok := d.words["method "+method]; return ok }
	switch known := d.words["methods"] != ""; {
	case want.Method == Uncropped && there("FIT"):
		want.Method = "FIT"
	case want.Method == Uncropped, known && want.Method != Original && !there(want.Method):
		want.Method = Original
	}
	if want.Method == Original && d.lacks["images.originalUrl"] {
		want.Method = usualMethod
	}
	if want.Method == Original {
		want.Size = 0
	}
	return want
}

// ways is how a request asks for the addresses of pictures: in the way that is wanted now, and,
// where it is another, in the way in which those of the publication were last written.
type ways struct{ now, before Picture }

// picturedAs is the ways of a publication whose pictures were written in the way of a text, "" for
// none.
func (d Dialect) picturedAs(want Picture, before string) (w ways) {
	w.now = d.picture(want)
	w.before = w.now
	if was, ok := parsePicture(before); ok {
		w.before = d.picture(was)
	}
	return w
}

// fields ask for both addresses; an alias is needed only where both have one field.
func (w ways) fields(d Dialect) string {
	field := func(p Picture) string {
		if p.Method == Original {
			return "originalUrl"
		}
		method := d.spelled("method ", p.Method)
		if d.Method == "String" {
			method = literal(method)
		}
		return fmt.Sprintf("transformedUrl(width:%d,height:%d,method:%s)", p.Size, p.Size, method)
	}
	switch {
	case w.before == w.now:
		return field(w.now)
	case (w.before.Method == Original) != (w.now.Method == Original):
		return field(w.now) + " " + field(w.before)
	default:
		return field(w.now) + " before:" + field(w.before)
	}
}

// A readImage is a picture with the addresses that fields asked for.
type readImage struct{ OriginalURL, TransformedURL, Before string }

func (i readImage) addresses(w ways) (now, before string) {
	of := func(p Picture) string {
		if p.Method == Original {
			return i.OriginalURL
		}
		return i.TransformedURL
	}
	now, before = of(w.now), of(w.before)
	if i.Before != "" {
		before = i.Before
	}
	return now, before
}

// addImages adds a page of pictures, and returns the span of the next. One without an address
// leaves them unread where it has the supplier's own alone, so that the shop keeps its pictures.
func (l *Listing) addImages(w *readPublication) (next span, err error) {
	raw, asked := w.Listing.Images, w.asked.images
	var c *pageOf[readImage]
	switch unread := len(raw) > 0 && json.Unmarshal(raw, &c) != nil; {
	case unread:
		l.unread(UnreadImages, true)
		return span{}, nil
	case c == nil && asked.first > 0 && w.asked.goOn():
		return span{}, errors.New("no connection")
	case c == nil:
		return span{}, nil
	}
	items, nulls := c.items()
	l.unread(UnreadImages, nulls > 0 || c.Nodes == nil && c.Edges == nil)
	for _, item := range items {
		now, before := item.addresses(w.ways)
		l.unread(UnreadImages, now == "" && w.ways.now.Method == Original)
		if now == "" {
			continue
		}
		l.Images = append(l.Images, now)
		if w.ways.before != w.ways.now {
			l.ImagesBefore = append(l.ImagesBefore, before)
		}
	}
	return goesOn(c, asked.after)
}
