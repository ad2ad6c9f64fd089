package sandbox

import (
	"fmt"
	"hash/fnv"
	"image"
	"image/color"
	"image/png"
	"net/http"
	"net/url"
	"strings"
)

func picturePath(listing string, i int) string {
	return fmt.Sprintf("/images/%s-%d.png", url.PathEscape(listing), i+1)
}

// servePicture draws a flat picture of 600 pixels. Its colour comes from its name, so that two
// pictures differ.
func servePicture(w http.ResponseWriter, r *http.Request, name string) {
	if !strings.HasSuffix(name, ".png") || r.Method != http.MethodGet && r.Method != http.MethodHead {
		http.NotFound(w, r)
		return
	}
	h := fnv.New32a()
	h.Write([]byte(name)) //nolint:errcheck // a hash takes all bytes
	rgb := h.Sum32()
	flat := color.Palette{color.RGBA{uint8(rgb >> 16), uint8(rgb >> 8), uint8(rgb), 255}} //nolint:gosec // three bytes
	w.Header().Set("Content-Type", "image/png")
	_ = png.Encode(w, image.NewPaletted(image.Rect(0, 0, 600, 600), flat)) // a client that is gone does not read it
}
