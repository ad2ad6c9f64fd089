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
	cachedPictures = 128
)

// Shape is what a picture shows, roughly.
type Shape int

// The shapes.
const (
	Disc  Shape = iota // plates, balls, clocks
	Box                // boxes, books, furniture
	Vase               // vases, bottles, pots
	Drop               // lamps, candles, leaves
	Shirt              // clothes
	Ring               // jewellery, wreaths, wheels
)

// picturePath is where a listing's picture is served.
func picturePath(listing string, i int) string {
	return "/images/" + url.PathEscape(listing) + "-" + strconv.Itoa(i+1) + ".png"
}

// servePicture draws the picture of a listing that is, or once was, on the import list.
func (m *Marketplace) servePicture(w http.ResponseWriter, r *http.Request, name string) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "method not allowed", http.StatusMethodNotAllowed)
		return
	}
	p, n, ok := m.picture(name)
	if !ok {
		http.NotFound(w, r)
		return
	}
	width, height := side(r.URL.Query().Get("width")), side(r.URL.Query().Get("height"))
	key := fmt.Sprintf("%s %dx%d", name, width, height)
	data, ok := m.pictures.get(key)
	if !ok {
		var buf bytes.Buffer
		encoder := png.Encoder{CompressionLevel: png.BestSpeed}
		if err := encoder.Encode(&buf, drawPicture(p, mood(name), n, width, height)); err != nil {
			http.Error(w, "picture could not be drawn", http.StatusInternalServerError)
			return
		}
		data = buf.Bytes()
		m.pictures.put(key, data)
	}
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
	m.mu.RLock()
	defer m.mu.RUnlock()
	record := m.listings[name[:dash]]
	if err != nil || record == nil || record.Listing == nil || n < 1 || n > len(record.Listing.Pictures) {
		return Picture{}, 0, false
	}
	return record.Listing.Pictures[n-1], n - 1, true
}

func side(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil || n < 1 {
		return pictureSide
	}
	return min(n, maxPictureSide)
}

// mood is a number from 0 to 1 by which pictures of the same product in different publications
// differ.
func mood(name string) float64 {
	h := fnv.New32a()
	_, _ = h.Write([]byte(name)) // never fails
	return float64(h.Sum32()) / math.MaxUint32
}

// drawPicture paints a soft gradient with the shape in the product's colour on it. Each of a
// product's pictures sees the shape from another distance and in another light, and each
// publication's a little to one side, so that no two are the same.
func drawPicture(p Picture, mood float64, n, width, height int) image.Image {
	img := image.NewRGBA(image.Rect(0, 0, width, height))
	hue, saturation, value := hsv(p.Colour)
	hue += 0.03 * (mood - 0.5)
	aside := 0.16 * (mood - 0.5)
	background := [2]color.RGBA{
		rgb(hue+0.02*float64(n), saturation*0.12, 0.98),
		rgb(hue+0.06+0.02*float64(n), saturation*0.28, 0.88),
	}
	scale := 0.72 + 0.16*math.Abs(math.Sin(float64(n)*1.9))
	light := 0.35 + 0.3*math.Cos(float64(n)*2.3)
	extent := float64(min(width, height)) / 2
	soft := 2.5 / extent
	for y := range height {
		for x := range width {
			// Down and to the right, from -1 to 1 within the larger square that fits.
			u := (float64(x) + 0.5 - float64(width)/2) / extent
			v := (float64(y) + 0.5 - float64(height)/2) / extent
			c := mix(background[0], background[1], (float64(x)/float64(width)+float64(y)/float64(height))/2)
			su, sv := (u-aside)/scale, (v+0.02)/scale
			if shadow := p.Shape.distance(su, sv-0.06); shadow < 0.2 {
				c = mix(c, color.RGBA{60, 55, 70, 255}, 0.18*(1-max(shadow, 0)/0.2))
			}
			if d := p.Shape.distance(su, sv); d < soft {
				shade := 0.5 + 0.5*(u*light-v*0.6)
				body := rgb(hue+0.03*shade, saturation*(1.05-0.25*shade), value*(0.62+0.45*shade))
				if glare := math.Hypot(u+0.22, v+0.3); glare < 0.5 {
					body = mix(body, color.RGBA{255, 255, 255, 255}, 0.35*(1-glare/0.5))
				}
				c = mix(body, c, min(max((d+soft)/(2*soft), 0), 1))
			}
			img.SetRGBA(x, y, c)
		}
	}
	return img
}

// distance is about how far a point is outside of the shape, in units of half the picture; negative
// within.
func (s Shape) distance(u, v float64) float64 {
	switch s {
	case Box:
		return math.Max(math.Abs(u)-0.56, math.Abs(v)-0.46)
	case Vase:
		waist := 0.34 + 0.17*math.Sin((v+0.25)*3.4)
		return math.Max(math.Abs(u)-waist, math.Abs(v)-0.7)
	case Drop:
		if v > 0.1 {
			return math.Hypot(u, v-0.1) - 0.46
		}
		return math.Max(math.Abs(u)-0.46*math.Sqrt(max(0, (v+0.72)/0.82)), -0.72-v)
	case Shirt:
		body := math.Max(math.Abs(u)-0.36, math.Abs(v-0.06)-0.6)
		sleeves := math.Max(math.Abs(math.Abs(u)-0.5)-0.2, math.Abs(v+0.3+0.5*(0.36-math.Abs(u)))-0.2)
		neck := 0.17 - math.Hypot(u, (v+0.56)*1.2)
		return math.Max(math.Min(body, sleeves), neck)
	case Ring:
		return math.Abs(math.Hypot(u, v)-0.48) - 0.14
	default:
		return math.Hypot(u, v) - 0.6
	}
}

func mix(a, b color.RGBA, t float64) color.RGBA {
	part := func(x, y uint8) uint8 { return uint8(float64(x) + (float64(y)-float64(x))*t + 0.5) }
	return color.RGBA{part(a.R, b.R), part(a.G, b.G), part(a.B, b.B), 255}
}

// hsv is the colour of six hexadecimal digits, a warm grey for anything else.
func hsv(hex string) (hue, saturation, value float64) {
	n, err := strconv.ParseUint(hex, 16, 24)
	if err != nil || len(hex) != 6 {
		n = 0xa09a94
	}
	r, g, b := float64(n>>16)/255, float64(n>>8&255)/255, float64(n&255)/255
	value = max(r, g, b)
	spread := value - min(r, g, b)
	if spread == 0 {
		return 0, 0, value
	}
	switch value {
	case r:
		hue = (g - b) / spread
	case g:
		hue = 2 + (b-r)/spread
	default:
		hue = 4 + (r-g)/spread
	}
	return hue / 6, spread / value, value
}

func rgb(hue, saturation, value float64) color.RGBA {
	saturation, value = min(max(saturation, 0), 1), min(max(value, 0), 1)
	_, part := math.Modf(hue + 2)
	channel := func(n float64) uint8 {
		k := math.Mod(n+part*6, 6)
		return uint8(255*(value-value*saturation*max(0, min(k, 4-k, 1))) + 0.5)
	}
	return color.RGBA{channel(5), channel(3), channel(1), 255}
}
