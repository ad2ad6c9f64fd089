package laws_test

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/laws"
)

func law(t *testing.T, id string) laws.Law {
	t.Helper()
	book := laws.Book()
	i := slices.IndexFunc(book, func(l laws.Law) bool { return l.ID == id })
	if i < 0 {
		t.Fatalf("law %q: got none, want one", id)
	}
	return book[i]
}

func TestSentences(t *testing.T) {
	var ids []string
	for _, law := range laws.Book() {
		if !strings.HasSuffix(law.Sentence, ".") {
			t.Errorf("%s: got %q, want a sentence", law.ID, law.Sentence)
		}
		if slices.Contains(ids, law.ID) {
			t.Errorf("laws called %s: got two, want one", law.ID)
		}
		ids = append(ids, law.ID)
	}
}

// A law that is not exercised is either explained or an error, and never a pass.
func TestWhatIsNotExercised(t *testing.T) {
	for _, tt := range []struct {
		name    string
		law     string
		change  func(h *laws.Harness)
		skipped bool
		want    string
	}{
		{
			"an ability is missing and explained", "deleted-by-hand",
			func(h *laws.Harness) {
				h.DeleteByHand, h.Without = nil, map[string]string{"deleted-by-hand": "nobody can delete here"}
			},
			true, "nobody can delete here",
		}, {
			"an ability is missing and not explained", "deleted-by-hand",
			func(h *laws.Harness) { h.DeleteByHand = nil },
			false, "this law needs DeleteByHand",
		}, {
			"requests that avoid the suite's transport", "lost-answer",
			func(h *laws.Harness) {
				open := h.Open
				h.Open = func(func(http.RoundTripper) http.RoundTripper) (shopadapter.Adapter, error) {
					return open(func(rt http.RoundTripper) http.RoundTripper { return rt })
				}
			},
			false, "does every request pass the transport",
		}, {
			"an edit that edits nothing", "merchants-edit",
			func(h *laws.Harness) {
				h.Edit = func(context.Context, shopadapter.ListingID, shopadapter.Fields) error { return nil }
			},
			false, "changed nothing",
		}, {
			"an adapter that does not open", "publish",
			func(h *laws.Harness) {
				h.Open = func(func(http.RoundTripper) http.RoundTripper) (shopadapter.Adapter, error) {
					return nil, errors.New("shut")
				}
			},
			false, "shut",
		}, {
			"an adapter that does not close", "publish",
			func(h *laws.Harness) {
				open := h.Open
				h.Open = func(wrap func(http.RoundTripper) http.RoundTripper) (shopadapter.Adapter, error) {
					a, err := open(wrap)
					return stuck{a}, err
				}
			},
			false, "close: stuck",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := good()
			tt.change(&h)
			err := verdict(t, law(t, tt.law), h)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want an error with %q", err, tt.want)
			}
			var skip *laws.Skip
			if errors.As(err, &skip) != tt.skipped {
				t.Errorf("skipped: got %t (%v), want %t", !tt.skipped, err, tt.skipped)
			}
		})
	}
}

type stuck struct{ shopadapter.Adapter }

func (stuck) Close() error { return errors.New("stuck") }

func TestHiddenGroupsAreNotCompared(t *testing.T) {
	h := good()
	observe := h.Observe
	h.Observe = func(ctx context.Context) ([]laws.Seen, error) {
		products, err := observe(ctx)
		for i := range products {
			products[i].Category = "this shop has no categories"
		}
		return products, err
	}
	if err := verdict(t, law(t, "publish"), h); err == nil {
		t.Error("a shop without categories that are not hidden: got nil, want an error")
	}
	h.Hidden = shopadapter.FieldCategory
	for _, id := range []string{"publish", "only-changed", "merchants-edit"} {
		if err := verdict(t, law(t, id), h); err != nil {
			t.Errorf("%s: got %v, want nil", id, err)
		}
	}
}
