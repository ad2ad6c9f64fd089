package marketplace

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
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
	switch {
	case method == Uncropped && hasWord(d.methods, "FIT"):
		method = "FIT"
	case method == Uncropped, d.methods != nil && method != Original && !hasWord(d.methods, method):
		method = Original
	}
	if method == Original {
		if !d.lacks["images."+originalURL] {
			return originalURL
		}
		method = usualMethod
	}
	if i := slices.IndexFunc(d.methods, func(m string) bool { return strings.EqualFold(m, method) }); i >= 0 {
		method = d.methods[i]
	}
	if d.Method == "String" {
		method = literal(method)
	}
	size := cmp.Or(want.Size, usualSize)
	return fmt.Sprintf("transformedUrl(width:%d,height:%d,method:%s)", size, size, method)
}

type readImage struct{ OriginalURL, TransformedURL string }
