package sandbox

import (
	"cmp"
	"hash/fnv"
	"image"
	"image/color"
	"image/png"
	"net/http"
	"net/url"
	"strconv"
	"strings"
)

const (
	pictureSide    = 600  // pixels, where the address does not say
	maxPictureSide = 1200 // pixels, whatever the address says
)

// picturePath is where a listing's picture is served.
func picturePath(listing string, i int) string {
	return "/images/" + url.PathEscape(listing) + "-" + strconv.Itoa(i+1) + ".png"
}

// servePicture draws the picture of a listing that is, or once was, on the import list.
func (m *Marketplace) servePicture(w http.ResponseWriter, r *http.Request, name string) {
	p, ok := m.picture(name)
	if !ok || r.Method != http.MethodGet && r.Method != http.MethodHead {
		http.NotFound(w, r)
		return
	}
	side := func(name string) int {
		n, _ := strconv.Atoi(r.URL.Query().Get(name)) //nolint:errcheck // then it does not say
		return min(cmp.Or(max(n, 0), pictureSide), maxPictureSide)
	}
	w.Header().Set("Content-Type", "image/png")
	w.Header().Set("Cache-Control", "public, max-age=86400")
	encoder := png.Encoder{CompressionLevel: png.BestSpeed}
	_ = encoder.Encode(w, draw(p, name, side("width"), side("height"))) // a client that is gone does not read it
}

// picture finds the picture that picturePath named.
func (m *Marketplace) picture(name string) (p Picture, ok bool) {
	name, isPNG := strings.CutSuffix(name, ".png")
	dash := strings.LastIndexByte(name, '-')
	if !isPNG || dash < 0 {
		return Picture{}, false
	}
	n, err := strconv.Atoi(name[dash+1:])
	m.mu.Lock()
	defer m.mu.Unlock()
	r := m.listings[name[:dash]]
	if err != nil || r == nil || r.Listing == nil || n < 1 || n > len(r.Listing.Pictures) {
		return Picture{}, false
	}
	return r.Listing.Pictures[n-1], true
}

// draw paints the product's colour below a lighter one, at a height of each picture's own, so that
// no two are the same.
func draw(p Picture, name string, width, height int) image.Image {
	rgb, err := strconv.ParseUint(p.Colour, 16, 24)
	if err != nil {
		rgb = 0xa09a94
	}
	full := color.RGBA{uint8(rgb >> 16), uint8(rgb >> 8), uint8(rgb), 255}
	light := color.RGBA{255 - (255-full.R)/5, 255 - (255-full.G)/5, 255 - (255-full.B)/5, 255}
	img := image.NewPaletted(image.Rect(0, 0, width, height), color.Palette{light, full})
	h := fnv.New32a()
	_, _ = h.Write([]byte(name)) // never fails
	begin := height * int(100+h.Sum32()%800) / 1000
	for i := begin * img.Stride; i < len(img.Pix); i++ {
		img.Pix[i] = 1
	}
	return img
}
