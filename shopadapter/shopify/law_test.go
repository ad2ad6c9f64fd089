package shopify_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/internal/race"
	"github.com/pubsync/pubsync/shopadapter/shopadaptertest"
)

// TestLaws holds the adapter to them in three stores: a plain one, one that tidies descriptions, and one in another language than the supplier's.
func TestLaws(t *testing.T) {
	for name, set := range map[string]func(*fakeShop){
		"plain":  func(*fakeShop) {},
		"tidies": func(f *fakeShop) { f.rewrite = tidy },
		"abroad": func(f *fakeShop) {
			f.locales = []object{{"locale": "nl-BE", "primary": true}, {"locale": "en", "primary": false}}
		},
	} {
		t.Run(name, func(t *testing.T) {
			shopadaptertest.Run(t, func(t *testing.T) shopadaptertest.Harness {
				t.Parallel()
				fake := newFakeShop(t)
				set(fake)
				h := fake.harness()
				if name != "plain" { // texts that read back otherwise change what is compared, and not where a call may fail
					h.Stride = max(h.Stride, 4)
				}
				return h
			})
		})
	}
}

// tidy rewrites markup and leaves the words alone.
func tidy(description string) string {
	return strings.NewReplacer("<em>", "<i>", "</em>", "</i>", "<strong>", "<b>", "</strong>", "</b>", "</p>", "</p>\n").Replace(description)
}

func (f *fakeShop) harness() shopadaptertest.Harness {
	return shopadaptertest.Harness{
		Open: func(wrap func(http.RoundTripper) http.RoundTripper) (shopadapter.Adapter, error) {
			return f.openOver(wrap(f))
		},
		Stride:  race.Stride,
		Observe: f.observe, Secrets: []string{token}, Edit: f.edit, DeleteByHand: f.deleteByHand, HideByHand: f.hideByHand, AddForeign: f.addForeign,
		Without:          map[string]string{"choice": "Visit is not written yet", "renamed-choice": "Visit is not written yet"},
		BreakCredentials: f.breakCredentials,
		Uploads: func() int {
			f.mu.Lock()
			defer f.mu.Unlock()
			return f.uploads
		},
		LosePicture: func(address string) (back func()) {
			f.put(address, "IMAGE_DOWNLOAD_FAILURE")
			return func() { f.put(address, "") }
		},
		SpoilPicture: func(address string) { f.put(address, "UNSUPPORTED_IMAGE_FILE_TYPE") },
		RefuseVariant: func(p shopadapter.Product, i int) shopadapter.Product {
			p.Variants[i].SKU = strings.Repeat("A", 256)
			return p
		},
		RefuseProduct: func(p shopadapter.Product) shopadapter.Product {
			p.Title = forbidden + " " + p.Title
			return p
		},
	}
}
