package skeleton_test

import (
	"context"
	"errors"
	"iter"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/jsonlimit"
	"github.com/pubsync/pubsync/shopadapter/skeleton"
)

func observed(id string) shopadapter.Listed {
	ref := shopadapter.Ref{Publication: shopadapter.PublicationID(id), Listing: shopadapter.ListingID(id)}
	return shopadapter.Listed{Ref: ref}
}

// A market holds listings by id, and accepts requests for most of them at a time.
type market struct {
	ids      []string
	most     int
	requests []string
	broken   error // of the second request
}

func (m *market) answer(ids []string) (list []shopadapter.Listed, err error) {
	m.requests = append(m.requests, strings.Join(ids, " "))
	switch {
	case m.broken != nil && len(m.requests) == 2:
		return nil, m.broken
	case m.most > 0 && len(ids) > m.most:
		return nil, shopadapter.Retry("the answer cannot be used: %w", &jsonlimit.Error{Limit: "bytes"})
	}
	for _, id := range ids {
		if slices.Contains(m.ids, id) {
			list = append(list, observed(id))
		}
	}
	return list, nil
}

func (m *market) reader() skeleton.Reader {
	return skeleton.Reader{
		Size: 4,
		All: func(context.Context) iter.Seq2[shopadapter.Listed, error] {
			return skeleton.Pages(4, func(skip, size int) ([]shopadapter.Listed, int, error) {
				rest := m.ids[min(skip, len(m.ids)):]
				page, err := m.answer(rest[:min(size, len(rest))])
				return page, len(page), err
			})
		},
		Some: func(_ context.Context, refs []shopadapter.Ref) ([]shopadapter.Listed, error) {
			var ids []string
			for _, ref := range refs {
				ids = append(ids, string(ref.Listing))
			}
			return m.answer(ids)
		},
	}
}

func TestObserve(t *testing.T) {
	refs := func(ids string) (list []shopadapter.Ref) {
		for _, id := range strings.Fields(ids) {
			list = append(list, observed(id).Ref)
		}
		return list
	}
	broken := errors.New("no answer")
	for _, row := range []struct {
		name     string
		market   market
		refs     []shopadapter.Ref
		seen     string
		requests string
		err      error
	}{
		{"all, in pages", market{ids: strings.Fields("a b c d e f")}, nil, "a b c d e f", "a b c d,d e f", nil},
		{
			"pages that are too large are halved",
			market{ids: strings.Fields("a b c d e"), most: 2},
			nil,
			"a b c d e", "a b c d,a b,c d,e", nil,
		},
		{"some, in runs", market{ids: strings.Fields("a b c d e f")}, refs("f e d c b"), "f e d c b", "f e d c,b", nil},
		{"some that are gone", market{ids: strings.Fields("a")}, refs("a x"), "a", "a x", nil},
		{
			"runs that are too large are halved",
			market{ids: strings.Fields("a b c d"), most: 1},
			refs("a b c"),
			"a b c", "a b c,a,b,c", nil,
		},
		{"none are asked for", market{ids: strings.Fields("a")}, []shopadapter.Ref{}, "", "", nil},
		{"one that is asked for twice", market{ids: strings.Fields("a")}, refs("a a"), "a", "a a", nil},
		{
			"an error ends it",
			market{ids: strings.Fields("a b c d e f"), broken: broken},
			nil,
			"a b c d", "a b c d,d e f", broken,
		},
	} {
		t.Run(row.name, func(t *testing.T) {
			var seen []string
			var last error
			for one, err := range row.market.reader().List(t.Context(), shopadapter.Query{Refs: row.refs}) {
				if last = err; err == nil {
					seen = append(seen, string(one.Ref.Listing))
				}
			}
			if !errors.Is(last, row.err) {
				t.Errorf("the error is %v, want %v", last, row.err)
			}
			if diff := cmp.Diff(row.seen, strings.Join(seen, " ")); diff != "" {
				t.Errorf("seen (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(row.requests, strings.Join(row.market.requests, ",")); diff != "" {
				t.Errorf("requests (-want +got):\n%s", diff)
			}
		})
	}
}

// A caller that has seen enough costs the shop no further request.
func TestObserveStops(t *testing.T) {
	m := &market{ids: strings.Fields("a b c d e f")}
	for range m.reader().List(t.Context(), shopadapter.Query{}) {
		break
	}
	if diff := cmp.Diff([]string{"a b c d"}, m.requests); diff != "" {
		t.Errorf("requests (-want +got):\n%s", diff)
	}
}

// Pictures that the library has lost are no edit, where nothing else was done to them.
func TestForgiveLost(t *testing.T) {
	edited := func(id string) shopadapter.Listed {
		o := observed(id)
		o.Edited = shopadapter.FieldTitle | shopadapter.FieldImages
		return o
	}
	list := []shopadapter.Listed{edited("lost"), edited("taken off"), edited("both"), edited("added")}
	gone := map[shopadapter.ListingID][]string{"lost": {"1", "2"}, "taken off": {"3"}, "both": {"4", "5"}}
	asked := 0
	err := skeleton.ForgiveLost(
		t.Context(),
		list,
		gone,
		func(_ context.Context, ids []string) (map[string]bool, error) {
			asked = len(ids)
			return map[string]bool{"3": true, "5": true}, nil
		},
	)
	if err != nil {
		t.Fatal(err)
	}
	if asked != 5 {
		t.Errorf("it asked for %d pictures, want 5", asked)
	}
	for _, o := range list {
		want := shopadapter.FieldTitle | shopadapter.FieldImages
		if o.Ref.Listing == "lost" {
			want = shopadapter.FieldTitle
		}
		if o.Edited != want {
			t.Errorf("of %s is edited %s, want %s", o.Ref.Listing, o.Edited, want)
		}
	}
	broken := errors.New("no answer")
	err = skeleton.ForgiveLost(t.Context(), list, gone, func(context.Context, []string) (map[string]bool, error) {
		return nil, broken
	})
	if !errors.Is(err, broken) {
		t.Errorf("the error is %v, want %v", err, broken)
	}
}
