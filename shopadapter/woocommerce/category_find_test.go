package woocommerce

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/woocommerce/internal/fakeshop"
)

// finder is what an adapter knows of the shop's categories at its start.
func finder(t *testing.T, f *fakeShop, pairs string, makes bool, log io.Writer) *categories {
	t.Helper()
	var mapping mapping
	if err := mapping.EnvDecode(t.Context(), pairs); err != nil {
		t.Fatal(err)
	}
	logger := slog.New(slog.NewTextHandler(log, nil))
	client := newClient(f.Base, fakeshop.Key, fakeshop.Secret, &http.Client{Transport: f}, logger)
	return &categories{
		terms: newTerms(client, "category", "/products/categories"), mapping: mapping, makes: makes,
	}
}

// found finds a category, or makes it.
func found(t *testing.T, c *categories, want shopadapter.Category) (number, error) {
	t.Helper()
	return c.find(t.Context(), want, true, false)
}

// A category of the marketplace is found by what the settings say, by its branch, its path and its
// name.
func TestFind(t *testing.T) {
	twice := []map[string]any{{"id": 30, "name": "Lighting", "slug": "l2", "parent": 20}}
	lamp := shopadapter.Category{Path: "HOME_AND_GARDEN_LIGHTING", Name: "Lighting"}
	for _, tt := range []struct {
		name    string
		mapping string
		add     []map[string]any
		want    shopadapter.Category
		id      number
	}{
		{"by path", "", nil, lamp, 17},
		{"by name", "", nil, shopadapter.Category{Path: "X_LIGHTING", Name: "lighting"}, 17},
		{"by a name that two have", "", twice, shopadapter.Category{Path: "X", Name: "Lighting"}, 0},
		{"by path where two have the name", "", twice, lamp, 17},
		{"mapped", "HOME_AND_GARDEN_LIGHTING=My own", nil, lamp, 20},
		{"mapped to a path", "X = Home & Garden / Furniture", nil, shopadapter.Category{Path: "X"}, 18},
		{"by branch", "", twice, in("X_Y", "Home & Garden", "Lighting"), 17},
		{"by branch, and not by the words of the path", "", twice, in("HOME_AND_GARDEN_FURNITURE", "Home & Garden",
			"Lighting"), 17},
		{"mapped before its branch", "X_Y=My own", nil, in("X_Y", "Home & Garden", "Lighting"), 20},
		{"mapped by what is above it in the tree", "ABOVE_1=My own", nil, in("X_Y", "Toys", "Wooden toys"), 20},
		{"of a branch that the shop lacks, by name", "", nil, in("X_Y", "Toys", "Lighting"), 17},
		{"mapped by what is above", "TOYS=My own", nil, shopadapter.Category{Path: "TOYS_PLAY_WOODEN", Name: "Wooden " +
			"toys"}, 20},
		{"what is above goes before a name", "HOME=My own", nil, shopadapter.Category{Path: "HOME_X", Name: "Textiles"}, 20},
		{"mapped to nothing", "HOME_AND_GARDEN_LIGHTING=Nowhere", nil, lamp, 0},
		{"unknown", "", nil, shopadapter.Category{Path: "TOYS", Name: "Toys"}, 0},
		{"none", "", nil, shopadapter.Category{}, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := newFakeShop(t)
			f.Categories = append(f.Categories, tt.add...)
			var log bytes.Buffer
			a := finder(t, f, tt.mapping, false, &log)
			for range 3 {
				if id, err := found(t, a, tt.want); err != nil || id != tt.id {
					t.Errorf("category %d and error %v, want %d", id, err, tt.id)
				}
			}
			warnings := strings.Count(log.String(), "category has no counterpart")
			if wanted := tt.id == 0 && tt.want.Path != ""; wanted != (warnings == 1) || warnings > 1 {
				t.Errorf("%d warnings, want one: %t\n%s", warnings, wanted, &log)
			}
			if n := len(f.Requests()); n > 1 {
				t.Errorf("%d requests, want 1 at most", n)
			}
		})
	}
}

// A branch is found level by level under its parents, and what is missing of it is made there. A
// category of the same name elsewhere is another one.
func TestBranchesAreMade(t *testing.T) {
	for _, tt := range []struct {
		name    string
		mapping string
		want    shopadapter.Category
		id      number
		made    []string
	}{
		{"all of it", "", in("X_Y", "Toys", "Wooden toys"), 22, []string{"Toys", "Toys > Wooden toys"}},
		{"a level below one that is there", "", in("X_Y", "home &amp; GARDEN", "Lamps"), 21, []string{"Home &amp; " +
			"Garden > Lamps"}},
		{"nothing", "", in("X_Y", "Home & Garden", "Lighting"), 17, nil},
		{"not one of the name below another parent", "", in("X_Y", "Toys", "Lighting"), 22, []string{"Toys", "Toys > " +
			"Lighting"}},
		{
			"not one whose words join to the same path", "", in("X_Y", "Home", "Garden lighting"), 22,
			[]string{"Home", "Home > Garden lighting"},
		},
		{"one of the name below none", "", in("X_Y", "Toys", "My own"), 20, nil},
		{"mapped by what is above", "ABOVE_1=My own", in("X_Y", "Toys", "Wooden toys"), 20, nil},
		{"mapped to nothing", "X_Y=Nowhere", in("X_Y", "Toys", "Wooden toys"), 0, nil},
		{"no branch is known", "", shopadapter.Category{Path: "TOYS", Name: "Toys"}, 0, nil},
		{"a level without a name", "", in("X_Y", "Toys", "…"), 0, nil},
		{"what looks like a tag", "", in("X_Y", "Toys", "<3 years & younger"), 22, []string{"Toys", "Toys > &lt;3 " +
			"years &amp; younger"}},
		{"a name that is too long", "", in("X_Y", strings.Repeat("é", 300)), 21, []string{strings.Repeat("é", 200)}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := newFakeShop(t)
			for range 2 { // the second adapter knows nothing of the first
				a := finder(t, f, tt.mapping, true, io.Discard)
				for range 3 {
					if id, err := found(t, a, tt.want); err != nil || id != tt.id {
						t.Errorf("category %d and error %v, want %d", id, err, tt.id)
					}
				}
				if made := f.Branches(); !slices.Equal(made, tt.made) {
					t.Errorf("made %q, want %q", made, tt.made)
				}
			}
		})
	}
}

// A caller that ends in the middle of a branch leaves a beginning, and the next one goes on from
// there.
func TestABranchThatWasBegunIsFinished(t *testing.T) {
	f := newFakeShop(t)
	ctx, stop := context.WithCancel(t.Context())
	f.Before = func(req *http.Request, number int) error {
		if number == 3 { // the list, the root, and here the level below
			stop()
			return ctx.Err()
		}
		return nil
	}
	a := finder(t, f, "", true, io.Discard)
	want := in("T_W", "Toys", "Wooden toys")
	if _, err := a.find(ctx, want, true, false); err == nil {
		t.Fatal("got no error, want one: it is stopped in the middle")
	}
	f.Before = nil
	a = finder(t, f, "", true, io.Discard)
	if id, err := found(t, a, want); err != nil || id != 22 || len(f.Branches()) != 2 {
		t.Errorf("category %d, %v, made %q, want 22 and two", id, err, f.Branches())
	}
}

// A category that was made stays the one of its branch, whatever it is called and wherever the
// merchant moves it: its slug has a key.
func TestAMadeCategoryIsKnownByItsKey(t *testing.T) {
	f := newFakeShop(t)
	want := in("T_W", "Toys", "Wooden toys")
	id, err := found(t, finder(t, f, "", true, io.Discard), want)
	if err != nil {
		t.Fatal(err)
	}
	f.RenameCategory("Wooden toys", "Toys of wood", "")
	f.RenameCategory("Toys", "For children", "")
	a := finder(t, f, "", true, io.Discard)
	if again, err := found(t, a, want); err != nil || again != id {
		t.Errorf("category %d, %v, want %d", again, err, id)
	}
	_, err = found(t, a, in("T_P", "Toys", "Puzzles"))
	if err != nil || !slices.Contains(f.Branches(), "For children > Puzzles") {
		t.Errorf("%v, made %q, want Puzzles below For children", err, f.Branches())
	}
}
