package httpshop

import (
	"bytes"
	"compress/flate"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/pubsync/pubsync/shopadapter"
)

// aBody is the body of a PUT of a product with a text in two languages.
func aBody(t *testing.T) []byte {
	t.Helper()
	p := twoVariants()
	p.ID = "p1"
	p.Language, p.Title, p.Description = "en", "Watering can", "<p>The long spout reaches the back of the border. The rose is of brass &amp; comes off for cleaning.</p>"
	p.Translations = map[string]shopadapter.Translation{
		"en": {Title: p.Title, Description: p.Description},
		"nl": {Title: "Gieter", Description: "<p>De lange tuit komt tot achter in de border. De broes is van messing &amp; gaat eraf om schoon te maken.</p>"},
	}
	body, err := Encode(p, shopadapter.AllFields)
	if err != nil {
		t.Fatal(err)
	}
	return body
}

// byFlate is a body as compress/flate packs it.
func byFlate(t *testing.T, body []byte) []byte {
	t.Helper()
	b := bytes.NewBuffer([]byte{ruleFlate})
	w, err := flate.NewWriterDict(b, flate.DefaultCompression, []byte(usual))
	if err == nil {
		_, err = w.Write(body)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// A packed body takes no more room than compress/flate's best code for it.
func TestPackedSize(t *testing.T) {
	body := aBody(t)
	if ours, theirs := len(pack(body)), len(byFlate(t, body)); ours == 0 || ours > theirs {
		t.Errorf("%d bytes of %d, and %d by compress/flate", ours, len(body), theirs)
	}
}

// What a version before has packed is known.
func TestUnpackOfAnEarlierVersion(t *testing.T) {
	body := aBody(t)
	p, ok := unpack(byFlate(t, body))
	q, also := unpack(pack(body))
	if !ok || !also || p.ID != "p1" || p.Description != q.Description {
		t.Errorf("%+v, %t", p, ok)
	}
}

// A state that is too long is not kept.
func TestStateOfALongProduct(t *testing.T) {
	noise := make([]byte, 60<<10)
	_, _ = rand.NewChaCha8([32]byte{1}).Read(noise) // never fails
	for i, b := range noise {
		noise[i] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_"[b%64]
	}
	if state := pack(noise); state != nil {
		t.Errorf("a state of %d bytes", len(state))
	}
	if state := pack(make([]byte, mostBody+1)); state != nil {
		t.Errorf("a state of %d bytes for a body that is too long", len(state))
	}
	if n := len(pack(noise[:1<<10])); n == 0 || n > 3<<9 {
		t.Errorf("a state of %d bytes", n)
	}
}

// FuzzPack holds that what is unpacked is what was packed.
func FuzzPack(f *testing.F) {
	f.Add([]byte(nil), 1)
	f.Add([]byte(usual), 3)
	f.Add([]byte("a"), mostCopy+1)
	f.Add([]byte("abcde"), mostReach)
	f.Add(bytes.Repeat([]byte{0, 255, 128, 'e'}, 20), 100)
	f.Add([]byte(strings.Repeat("Ein Gießkännchen, 光. ", 5)), 2)
	noise := make([]byte, 9<<10)
	_, _ = rand.NewChaCha8([32]byte{2}).Read(noise) // never fails
	for _, size := range []int{1, 3, 4, 5, 257, 258, 259, 260, 4 << 10, 9 << 10} {
		f.Add(noise[:size], 4)
	}
	f.Fuzz(func(t *testing.T, text []byte, times int) {
		if times < 0 || times > mostReach+1 || len(text)*times > 1<<18 {
			t.Skip("too long")
		}
		body := bytes.Repeat(text, times)
		state := pack(body)
		if state == nil && len(text) <= 1<<10 && times == 1 {
			t.Fatalf("%d bytes are not packed", len(body))
		}
		if got, ok := unpackBody(state); state != nil && (!ok || !bytes.Equal(got, body)) {
			t.Fatalf("%q, %t, want %q", got, ok, body)
		}
	})
}

// BenchmarkPack packs the body of a product.
func BenchmarkPack(b *testing.B) {
	body := bytes.Repeat([]byte(usual), 3)
	b.SetBytes(int64(len(body)))
	for b.Loop() {
		pack(body)
	}
}
