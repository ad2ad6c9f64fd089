package form

import (
	"regexp"
	"strconv"

	"github.com/pubsync/pubsync/connector/marketplace/internal/document"
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

const (
	usualMethod = "FILL"
	usualSize   = 1200
)

// String is a Picture as a record keeps it: "original", "FILL 1200".
func (p Picture) String() string {
	if p.Method == Original {
		return Original
	}
	return p.Method + " " + strconv.Itoa(p.Size)
}

var asKept = regexp.MustCompile(`^([A-Z]+) ([0-9]{1,5})$`)

// ParsePicture reads what String wrote. ok is false for anything else.
func ParsePicture(text string) (p Picture, ok bool) {
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

// Pictured is the way in which pictures that are wanted in a way are asked of this server.
func (f Forms) Pictured(want Picture) Picture {
	if want.Method == "" {
		want.Method = usualMethod
	}
	if want.Size == 0 {
		want.Size = usualSize
	}
	if want.Method == Uncropped {
		want.Method = Original
		if f.methods["FIT"] != "" {
			want.Method = "FIT"
		}
	}
	if known := len(f.methods) > 0; known && want.Method != Original && f.methods[want.Method] == "" {
		want.Method = Original
	}
	if want.Method == Original && f.NoOriginal {
		want.Method = usualMethod
	}
	if want.Method == Original {
		want.Size = 0
	}
	return want
}

// Field asks for a picture's address. p is as Pictured returns it.
func (f Forms) Field(p Picture) document.Field {
	if p.Method == Original {
		return document.Field{Name: "originalUrl"}
	}
	side := strconv.Itoa(p.Size)
	return document.Field{
		Name: "transformedUrl", Args: "width:" + side + ",height:" + side + "," + f.method(p.Method),
	}
}

// method is the argument that asks for a method.
func (f Forms) method(name string) string {
	if spelled := f.methods[name]; spelled != "" {
		name = spelled
	}
	if f.enumMethod {
		return "method:" + name
	}
	return `method:"` + name + `"`
}
