package sandbox

import (
	"bytes"
	"fmt"
	"hash/fnv"
	"image"
	"image/color"
	"image/png"
	"math"
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
	p, n, ok := m.picture(name)
	if !ok || r.Method != http.MethodGet && r.Method != http.MethodHead {
		http.NotFound(w, r)
		return
	}
	side := func(name string) int {
		if n, err := strconv.Atoi(r.URL.Query().Get(name)); err == nil && n > 0 {
			return min(n, maxPictureSide)
		}
		return pictureSide
	}
	width, height := side("width"), side("height")
	data := m.pictures.get(fmt.Sprintf("%s %dx%d", name, width, height), func() []byte {
		var buf bytes.Buffer
		encoder := png.Encoder{CompressionLevel: png.BestSpeed}
		if err := encoder.Encode(&buf, draw(p, name, n, width, height)); err != nil {
			panic(err) // neither side is zero
		}
		return buf.Bytes()
	})
	w.Header().Set("Content-Type", "image/png")
	w.Header().Set("Content-Length", strconv.Itoa(len(data)))
	w.Header().Set("Cache-Control", "public, max-age=86400")
	_, _ = w.Write(data) // a client that is gone does not read it
}

// picture finds the picture that picturePath named.
func (m *Marketplace) picture(name string) (p Picture, n int, ok bool) {
	name, isPNG := strings.CutSuffix(name, ".png")
	dash := strings.LastIndexByte(name, '-')
	if !isPNG || dash < 0 {
		return Picture{}, 0, false
	}
	n, err := strconv.Atoi(name[dash+1:])
	m.mu.Lock()
	defer m.mu.Unlock()
	r := m.listings[name[:dash]]
	if err != nil || r == nil || r.Listing == nil || n < 1 || n > len(r.Listing.Pictures) {
		return Picture{}, 0, false
	}
	return r.Listing.Pictures[n-1], n, true
}

// draw paints the shape in the product's colour on a lighter ground. Each of a product's pictures
// shows it in another size, and each publication's a little to one side, so that no two are the
// same.
func draw(p Picture, name string, n, width, height int) image.Image {
	h := fnv.New32a()
	_, _ = h.Write([]byte(name)) // never fails
	aside := 0.3 * (float64(h.Sum32())/math.MaxUint32 - 0.5)
	rgb, err := strconv.ParseUint(p.Colour, 16, 24)
	if err != nil {
		rgb = 0xa09a94
	}
	palette := make(color.Palette, 64) // from the ground to the shape
	for i := range palette {
		paint := 0.15 + 0.85*float64(i)/63
		part := func(shift int) uint8 { return uint8(255 - paint*float64(255-rgb>>shift&255)) }
		palette[i] = color.RGBA{part(16), part(8), part(0), 255}
	}
	img := image.NewPaletted(image.Rect(0, 0, width, height), palette)
	scale := 0.95 - 0.13*float64(n%4)
	half := float64(min(width, height)) / 2 * scale
	for y := range height {
		for x := range width {
			u := (float64(x)+0.5-float64(width)/2)/half - aside
			v := (float64(y) + 0.5 - float64(height)/2) / half
			img.Pix[y*img.Stride+x] = uint8(63 * min(max(0.5-outside(p.Shape, u, v)*half/2, 0), 1))
		}
	}
	return img
}

// outside is about how far a point is outside of a shape, in units of half the picture; negative
// within.
func outside(shape string, u, v float64) float64 {
	switch shape {
	case "box":
		return max(math.Abs(u)-0.56, math.Abs(v)-0.46)
	case "vase":
		return max(math.Abs(u)-0.34-0.17*math.Sin((v+0.25)*3.4), math.Abs(v)-0.7)
	case "drop":
		if v > 0.1 {
			return math.Hypot(u, v-0.1) - 0.46
		}
		return max(math.Abs(u)-0.46*math.Sqrt(max(0, (v+0.72)/0.82)), -0.72-v)
	case "shirt":
		body := max(math.Abs(u)-0.36, math.Abs(v-0.06)-0.6)
		sleeves := max(math.Abs(math.Abs(u)-0.5)-0.2, math.Abs(v+0.3+0.5*(0.36-math.Abs(u)))-0.2)
		return max(min(body, sleeves), 0.17-math.Hypot(u, (v+0.56)*1.2))
	case "ring":
		return math.Abs(math.Hypot(u, v)-0.48) - 0.14
	default:
		return math.Hypot(u, v) - 0.6
	}
}
