package directory_test

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pubsync/pubsync/connector/directory"
	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/store"
)

// A market answers with what it holds, and writes down what it was asked for.
type market struct {
	mu    sync.Mutex
	nodes []marketplace.CategoryNode
	err   error
	asked []string // the languages
}

func (m *market) Categories(_ context.Context, language string) ([]marketplace.CategoryNode, error) {
	time.Sleep(time.Second) // callers meet
	m.mu.Lock()
	defer m.mu.Unlock()
	m.asked = append(m.asked, language)
	return slices.Clone(m.nodes), m.err
}

// since is what was asked for since the last call.
func (m *market) since() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	asked := m.asked
	m.asked = nil
	return asked
}

func tree() []marketplace.CategoryNode {
	return []marketplace.CategoryNode{
		{Path: "HOME_GARDEN", Name: "Huis en tuin"},
		{Path: "HOME_GARDEN_LIGHT", Parent: "HOME_GARDEN", Name: "Licht"},
		{Path: "CIRCLE", Parent: "CIRCLE", Name: "Kring"},
		{Path: "ORPHAN", Parent: "GONE", Name: "Wees"},
		{Path: "NAMELESS"},
		{Path: "BELOW", Parent: "NAMELESS", Name: "Eronder"},
	}
}

func keeper(f store.Store, m *market, language string) *directory.Keeper {
	return directory.New(directory.Options{
		Store: f, Market: m, Language: language, StoreFailed: func(err error) { panic(err) },
		Log: slog.New(slog.DiscardHandler),
	})
}

// branch is the names of the branch that k finds for a path.
func branch(t *testing.T, k *directory.Keeper, path string) string {
	t.Helper()
	p := &marketplace.Publication{Listing: &marketplace.Listing{Category: marketplace.Category{Path: path}}}
	k.Categorize(t.Context(), p)
	var names []string
	for _, n := range p.Listing.Category.Branch {
		names = append(names, n.Name)
	}
	return strings.Join(names, "/")
}

func expect(t *testing.T, m *market, when string, want ...string) {
	t.Helper()
	if got, all := strings.Join(m.since(), " "), strings.Join(want, " "); got != all {
		t.Errorf("%s: asked for %q, want %q", when, got, all)
	}
}

// A category that stands below others, which the marketplace does not tell, has no branch: it is
// none of the first level.
func TestBranch(t *testing.T) {
	deep := func(top int) []marketplace.CategoryNode {
		return []marketplace.CategoryNode{
			{Path: "HOME", Name: "Huis", Depth: top},
			{Path: "HOME_LIGHT", Name: "Licht", Parent: "HOME", Depth: top + 1},
			{Path: "TOYS_WOODEN", Name: "Van hout", Depth: top + 1},
			{Path: "TOYS_WOODEN_BLOCKS", Name: "Blokken", Parent: "TOYS_WOODEN", Depth: top + 2},
		}
	}
	cut := map[string]string{"HOME_LIGHT": "Huis/Licht", "HOME": "Huis", "TOYS_WOODEN": "", "TOYS_WOODEN_BLOCKS": ""}
	for name, tt := range map[string]struct {
		nodes []marketplace.CategoryNode
		want  map[string]string
	}{
		"without depths": {tree(), map[string]string{
			"HOME_GARDEN_LIGHT": "Huis en tuin/Licht", "HOME_GARDEN": "Huis en tuin", "CIRCLE": "", "ORPHAN": "",
			"NAMELESS": "", "BELOW": "", "OTHER": "", "": "",
		}},
		"depths from 0": {deep(0), cut},
		"depths from 1": {deep(1), cut},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				k := keeper(store.InMemory(), &market{nodes: tt.nodes}, "nl")
				for path, want := range tt.want {
					if got := branch(t, k, path); got != want {
						t.Errorf("%q stands in %q, want %q", path, got, want)
					}
				}
				k.Categorize(t.Context(), nil)
				k.Categorize(t.Context(), &marketplace.Publication{})
			})
		})
	}
}

// One request a day, however many looks there are, over restarts, and none where nothing is looked
// at.
func TestReadOnceADay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, m := store.InMemory(), &market{nodes: tree()}
		k := keeper(f, m, "nl")
		var looks sync.WaitGroup
		for range 8 {
			looks.Go(func() {
				if got := branch(t, k, "HOME_GARDEN_LIGHT"); got != "Huis en tuin/Licht" {
					t.Errorf("got %q, want Huis en tuin/Licht", got)
				}
			})
		}
		looks.Wait()
		expect(t, m, "eight looks at once", "nl")
		k = keeper(f, m, "nl")
		branch(t, k, "HOME_GARDEN")
		expect(t, m, "after a restart")
		time.Sleep(23 * time.Hour)
		branch(t, k, "HOME_GARDEN")
		expect(t, m, "within the day")
		m.nodes[0].Name = "Wonen"
		time.Sleep(time.Hour)
		if got := branch(t, k, "HOME_GARDEN_LIGHT"); got != "Wonen/Licht" {
			t.Errorf("after a day: got %q, want Wonen/Licht", got)
		}
		expect(t, m, "after a day", "nl")
		k = keeper(f, m, "en")
		branch(t, k, "HOME_GARDEN")
		expect(t, m, "in another language", "en")
	})
}

// A path that the tree lacks has it read, ten minutes after the last reading, also while that fails.
func TestUnknownPath(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, m := store.InMemory(), &market{nodes: tree()}
		k := keeper(f, m, "nl")
		branch(t, k, "HOME_GARDEN")
		expect(t, m, "at first", "nl")
		time.Sleep(10 * time.Minute)
		m.nodes = append(m.nodes, marketplace.CategoryNode{Path: "TOYS", Name: "Speelgoed"})
		if got := branch(t, k, "TOYS"); got != "Speelgoed" {
			t.Errorf("a new category: got %q, want Speelgoed", got)
		}
		expect(t, m, "a new category", "nl")
		for n := range 50 {
			branch(t, k, "NO_SUCH")
			branch(t, k, "NOR_SUCH_"+strings.Repeat("X", n))
		}
		k = keeper(f, m, "nl")
		branch(t, k, "NO_SUCH")
		expect(t, m, "many unknown ones within ten minutes, and a restart")
		m.err = errors.New("away")
		time.Sleep(10 * time.Minute)
		for range 5 {
			branch(t, k, "NO_SUCH")
			if got := branch(t, k, "HOME_GARDEN"); got != "Huis en tuin" {
				t.Errorf("while the marketplace is away: got %q, want Huis en tuin", got)
			}
		}
		expect(t, m, "while the marketplace is away", "nl")
	})
}

// A marketplace that refuses its categories is asked a day later. What was read before counts on.
func TestRefusedCategories(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := store.InMemory()
		m := &market{nodes: tree(), err: &marketplace.Error{Kind: marketplace.Invalid, Message: "no such field"}}
		k := keeper(f, m, "nl")
		for range 5 {
			if got := branch(t, k, "HOME_GARDEN"); got != "" {
				t.Errorf("while it is refused: got %q, want none", got)
			}
		}
		expect(t, m, "at first", "nl")
		time.Sleep(24 * time.Hour)
		k = keeper(f, m, "nl")
		branch(t, k, "HOME_GARDEN")
		expect(t, m, "a day later", "nl")
		m.err = nil
		branch(t, k, "HOME_GARDEN")
		expect(t, m, "within the day")
		time.Sleep(24 * time.Hour)
		if got := branch(t, k, "HOME_GARDEN"); got != "Huis en tuin" {
			t.Errorf("once it is accepted: got %q, want Huis en tuin", got)
		}
		expect(t, m, "the next day", "nl")
		m.err = &marketplace.Error{Kind: marketplace.Unauthorized, Message: "no such scope"}
		time.Sleep(25 * time.Hour)
		for range 3 {
			if got := branch(t, k, "HOME_GARDEN"); got != "Huis en tuin" {
				t.Errorf("refused again: got %q, want Huis en tuin", got)
			}
		}
		expect(t, m, "refused again", "nl")
	})
}
