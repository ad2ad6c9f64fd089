package sandbox

import (
	"fmt"
	"image"
	"image/color"
	"image/png"
	"net/http"
	"net/url"
	"strconv"
)

const pictureSide = 600 // pixels

// picturePath is where a listing's picture is served.
func picturePath(listing string, i int) string {
	return fmt.Sprintf("/images/%s-%d.png", url.PathEscape(listing), i+1)
}

// servePicture draws the picture of a listing that is, or once was, on the import list: the
// product's colour, a little darker with each picture, so that no two are the same.
func (m *Marketplace) servePicture(w http.ResponseWriter, r *http.Request, name string) {
	colour, shade, ok := m.colour("/images/" + url.PathEscape(name))
	if !ok || r.Method != http.MethodGet && r.Method != http.MethodHead {
		http.NotFound(w, r)
		return
	}
	rgb, err := strconv.ParseUint(colour, 16, 24)
	if err != nil {
		rgb = 0xa09a94
	}
	part := func(shift int) uint8 { return uint8(max(int(rgb>>shift&255)-shade, 0)) } //nolint:gosec // a byte
	flat := color.Palette{color.RGBA{part(16), part(8), part(0), 255}}
	w.Header().Set("Content-Type", "image/png")
	// a client that is gone does not read it
	_ = png.Encode(w, image.NewPaletted(image.Rect(0, 0, pictureSide, pictureSide), flat))
}

// colour finds the colour and the place of the picture that picturePath named.
func (m *Marketplace) colour(path string) (colour string, i int, ok bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, r := range m.records {
		for i := range r.pictures() {
			if picturePath(r.Listing.ID, i) == path {
				return r.Listing.Pictures[i].Colour, i, true
			}
		}
	}
	return "", 0, false
}
