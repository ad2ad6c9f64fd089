package marketplace

import (
	"cmp"
	"fmt"
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

const originalURL = "originalUrl"

// picture is the field of an image in which this server has the address that is wanted.
func (d Dialect) picture(want Picture) string {
	const usualMethod, usualSize = "FILL", 1200
	method := cmp.Or(want.Method, usualMethod)
	there := func(method string) bool { _, ok := d.words["method "+method]; return ok }
	switch known := d.words["methods"] != ""; {
	case method == Uncropped && there("FIT"):
		method = "FIT"
	case method == Uncropped, known && method != Original && !there(method):
		method = Original
	}
	if method == Original {
		if !d.lacks["images."+originalURL] {
			return originalURL
		}
		method = usualMethod
	}
	if method = d.spelled("method ", method); d.Method == "String" {
		method = literal(method)
	}
	size := cmp.Or(want.Size, usualSize)
	return fmt.Sprintf("transformedUrl(width:%d,height:%d,method:%s)", size, size, method)
}

type readImage struct{ OriginalURL, TransformedURL string }
