package dashboard_test

import (
	"bufio"
	"bytes"
	"cmp"
	"flag"
	"image"
	"image/color"
	"image/png"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/pubsync/pubsync/connector/internal/chromium"
)

var pictures = flag.Bool("pictures", false, "make the README's pictures of the page anew")

// mostPicture bounds a picture of the README, in bytes.
const mostPicture = 150 << 10

// TestPictures makes the README's two pictures of the page anew, from the demo as it is after some
// changes:
//
//	PUBSYNC_TEST_CHROMIUM=$(command -v chromium) go test ./connector/dashboard -run TestPictures -pictures
//
// Without the flag it looks at those that are there.
func TestPictures(t *testing.T) {
	for _, scheme := range []string{"light", "dark"} {
		file := filepath.Join("picture", scheme+".png")
		if *pictures {
			if err := os.WriteFile(file, pictureOf(t, scheme), 0o644); err != nil { //nolint:gosec // anybody may read it
				t.Fatal(err)
			}
		}
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if len(data) > mostPicture {
			t.Errorf("%s has %d bytes, want at most %d", file, len(data), mostPicture)
		}
		if _, err := png.Decode(bytes.NewReader(data)); err != nil {
			t.Errorf("%s: %v", file, err)
		}
	}
}

// pictureOf is the page of a demo in which something is held.
func pictureOf(t *testing.T, scheme string) []byte {
	t.Helper()
	p := chromium.Start(t).Open(t, demo(t), 1280)
	p.Prefer(scheme)
	p.Until(`document.querySelectorAll("#rows img").length > 0`)
	for try := 0; p.Eval(`document.querySelector('#groups [data-state="held"]') !== null`) != true; try++ {
		if try == 20 {
			t.Fatal("nothing is held in the demo, want a change that is")
		}
		p.Eval(`new Promise((done) => setTimeout(done, 3000))`)
	}
	p.Until(`[...document.querySelectorAll("#rows img")].slice(0, 4).every((i) => i.complete)`)
	return fewColours(t, p.Picture())
}

// demo runs the demo until the test ends, and returns the address of its page.
func demo(t *testing.T) string {
	t.Helper()
	binary := filepath.Join(t.TempDir(), "pubsync")
	build := exec.CommandContext(t.Context(), "go", "build", "-o", binary, "../../cmd/pubsync")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	run := exec.CommandContext(t.Context(), binary, "demo")
	run.Cancel = func() error { return run.Process.Signal(os.Interrupt) }
	run.Dir = t.TempDir()
	ours := func(s string) bool { return strings.HasPrefix(s, "PUBSYNC_") } // a test's are unknown to it
	run.Env = slices.DeleteFunc(os.Environ(), ours)
	out, err := run.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := run.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	page := regexp.MustCompile(`^the status page +(http://\S+)`)
	for lines.Scan() {
		if found := page.FindStringSubmatch(lines.Text()); found != nil {
			go func() { // else it would wait for a reader
				for lines.Scan() {
				}
			}()
			return found[1]
		}
	}
	t.Fatal("the demo printed no address of its page")
	return ""
}

// fewColours is a picture with 256 colours, which has half the bytes: the most frequent ones, and of
// the others those of the most frequent of coarse steps.
func fewColours(t *testing.T, data []byte) []byte {
	t.Helper()
	full, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	bounds := full.Bounds()
	count := map[color.Color]int{}
	for y := bounds.Min.Y; y < bounds.Max.Y; y++ {
		for x := bounds.Min.X; x < bounds.Max.X; x++ {
			count[full.At(x, y)]++
		}
	}
	palette := mostOf(count, 160)
	coarse := map[color.Color]int{}
	for c, n := range count {
		if !slices.Contains(palette, c) {
			r, g, b, _ := c.RGBA()
			step := func(v uint32) uint8 { return uint8(v>>8)&^15 | 8 }
			coarse[color.RGBA{step(r), step(g), step(b), 255}] += n
		}
	}
	palette = append(palette, mostOf(coarse, 256-len(palette))...)
	few := image.NewPaletted(bounds, color.Palette(palette))
	for y := bounds.Min.Y; y < bounds.Max.Y; y++ {
		for x := bounds.Min.X; x < bounds.Max.X; x++ {
			few.Set(x, y, full.At(x, y))
		}
	}
	var out bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&out, few); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// mostOf is the most frequent colours, at most n.
func mostOf(count map[color.Color]int, n int) []color.Color {
	colours := slices.Collect(maps.Keys(count))
	slices.SortFunc(colours, func(a, b color.Color) int {
		r1, g1, b1, _ := a.RGBA()
		r2, g2, b2, _ := b.RGBA()
		return cmp.Or(count[b]-count[a], cmp.Compare(r1, r2), cmp.Compare(g1, g2), cmp.Compare(b1, b2))
	})
	return colours[:min(len(colours), n)]
}
