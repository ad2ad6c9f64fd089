package sandbox

import (
	"fmt"
	"hash/fnv"
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
// product's colour below a lighter one, at a height of each picture's own, so that no two are the
// same.
func (m *Marketplace) servePicture(w http.ResponseWriter, r *http.Request, name string) {
	colour, ok := m.colour("/images/" + url.PathEscape(name))
	if !ok || r.Method != http.MethodGet && r.Method != http.MethodHead {
		http.NotFound(w, r)
		return
	}
	rgb, err := strconv.ParseUint(colour, 16, 24)
	if err != nil {
		rgb = 0xa09a94
	}
	full := color.RGBA{uint8(rgb >> 16), uint8(rgb >> 8), uint8(rgb), 255}
	light := color.RGBA{255 - (255-full.R)/5, 255 - (255-full.G)/5, 255 - (255-full.B)/5, 255}
	img := image.NewPaletted(image.Rect(0, 0, pictureSide, pictureSide), color.Palette{light, full})
	h := fnv.New32a()
	_, _ = h.Write([]byte(name)) // never fails
	for i := pictureSide * int(60+h.Sum32()%480); i < len(img.Pix); i++ {
		img.Pix[i] = 1
	}
	w.Header().Set("Content-Type", "image/png")
	encoder := png.Encoder{CompressionLevel: png.BestSpeed}
	_ = encoder.Encode(w, img) // a client that is gone does not read it
}

// colour finds the colour of the picture that picturePath named.
func (m *Marketplace) colour(path string) (string, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, r := range m.records {
		for i := range r.pictures() {
			if picturePath(r.Listing.ID, i) == path {
				return r.Listing.Pictures[i].Colour, true
			}
		}
	}
	return "", false
}
