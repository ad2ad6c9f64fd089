package marketplace_test

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
)

// Pictures whose originals the server nulls are read in another way, and once it is known that it
// nulls them all, at once.
func TestNoOriginals(t *testing.T) {
	for name, hidden := range map[string]bool{"introspected": false, "assumed": true} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				nulls := true
				o := sandbox.Options{NoIntrospection: hidden, NullOriginals: func(string) bool { return nulls }}
				read, m, _ := detailed(t, o, marketplace.Config{
					Pictures: marketplace.Picture{Method: marketplace.Uncropped},
				}, "planter")
				for n, want := range []int{2, 2, 2, 1} {
					before := len(m.Requests())
					l := read(marketplace.Expected{})
					if l.Pictured != "FILL 1200" {
						t.Errorf("reading %d: way: got %q, want FILL 1200", n+1, l.Pictured)
					}
					if len(l.Images) != 3 || !strings.Contains(l.Images[0], "method=fill") {
						t.Errorf("reading %d: addresses: got %v, want three of FILL", n+1, l.Images)
					}
					got := slices.DeleteFunc(slices.Clone(m.Requests()[before:]), func(r sandbox.Request) bool {
						return r.Operation != "Content"
					})
					if len(got) != want {
						t.Errorf("reading %d: requests: got %d, want %d", n+1, len(got), want)
					}
				}
				nulls = false
				time.Sleep(2 * time.Hour)
				if l := read(marketplace.Expected{}); l.Pictured != "original" {
					t.Errorf("way once they are there: got %q, want original", l.Pictured)
				}
			})
		})
	}
}

// One publication that lacks an original does not decide how the pictures of others are read.
func TestOneMissingOriginal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		odd := ""
		o := sandbox.Options{NullOriginals: func(address string) bool { return odd != "" && strings.Contains(address, odd) }}
		read, _, _ := detailed(t, o, marketplace.Config{
			Pictures: marketplace.Picture{Method: marketplace.Uncropped},
		}, "planter")
		odd = "-2.png"
		for range 2 {
			if l := read(marketplace.Expected{}); len(l.Images) != 3 || l.Pictured != "FILL 1200" {
				t.Errorf("got %d pictures by %s, want three by FILL 1200", len(l.Images), l.Pictured)
			}
		}
		odd = ""
		for range 5 {
			if l := read(marketplace.Expected{}); l.Pictured != "original" {
				t.Errorf("way: got %q, want original", l.Pictured)
			}
		}
	})
}

// Pictures that were written by their originals stay as they are while the server nulls these, and
// are not written in another way.
func TestOriginalsThatWereWritten(t *testing.T) {
	for name, nulls := range map[string]func(string) bool{
		"all":  func(string) bool { return true },
		"some": func(address string) bool { return strings.HasSuffix(address, "-2.png") },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				read, _, _ := detailed(t, sandbox.Options{NullOriginals: nulls}, marketplace.Config{
					Pictures: marketplace.Picture{Method: marketplace.Uncropped},
				}, "planter")
				for range 4 {
					l := read(marketplace.Expected{Pictured: "original"})
					if l.Pictured != "original" {
						t.Errorf("way: got %q, want original", l.Pictured)
					}
					if !slices.Contains(l.Unread, marketplace.UnreadImages) {
						t.Errorf("unread: got %v, want the pictures among them", l.Unread)
					}
					read(marketplace.Expected{}) // a new one
				}
			})
		})
	}
}

// A trial of a reading, as doctor makes one, does without originals too.
func TestATrialWithoutOriginals(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := sandbox.New(sandbox.Options{
			BaseURL: "https://market.test", NullOriginals: func(string) bool { return true },
		})
		t.Cleanup(m.Close)
		id := m.Add(sandbox.Publication{Listing: sandbox.Named("planter").Listing})[0]
		client := marketplace.New(marketplace.Config{
			URL: "https://market.test", Token: sandbox.DefaultToken, Languages: []string{"en"}, Transport: m.Transport(),
			Pictures: marketplace.Picture{Method: marketplace.Uncropped},
		})
		t.Cleanup(func() { client.Close() })
		p, err := client.TryContent(t.Context(), id)
		if err != nil {
			t.Fatalf("got %v, want nil", err)
		}
		if len(p.Listing.Images) != 1 {
			t.Errorf("pictures: got %v, want one", p.Listing.Images)
		}
	})
}
