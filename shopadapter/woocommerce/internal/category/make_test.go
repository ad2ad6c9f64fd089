package category

import (
	"context"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/woocommerce/internal/fakeshop"
)

// A branch is found level by level under its parents, and what is missing of it is made there. A
// category of the same name elsewhere is another one.
func TestBranchesAreMade(t *testing.T) {
	for _, tt := range []struct {
		name    string
		mapping string
		want    shopadapter.Category
		id      int64
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
			f := fakeshop.New(t)
			for range 2 { // the second adapter knows nothing of the first
				a := open(t, f, tt.mapping, Made, io.Discard)
				for range 3 {
					if id, err := find(t, a, tt.want); err != nil || id != tt.id {
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
	f := fakeshop.New(t)
	ctx, stop := context.WithCancel(t.Context())
	f.Before = func(req *http.Request, number int) error {
		if number == 3 { // the list, the root, and here the level below
			stop()
			return ctx.Err()
		}
		return nil
	}
	a := open(t, f, "", Made, io.Discard)
	want := in("T_W", "Toys", "Wooden toys")
	if _, _, err := a.Find(ctx, want, nil, true, false); err == nil {
		t.Fatal("got no error, want one: it is stopped in the middle")
	}
	f.Before = nil
	a = open(t, f, "", Made, io.Discard)
	if id, err := find(t, a, want); err != nil || id != 22 || len(f.Branches()) != 2 {
		t.Errorf("category %d, %v, made %q, want 22 and two", id, err, f.Branches())
	}
}

// What a product remembers of its branch tells the category for others, whatever it is called now.
func TestAProductTellsTheCategoryOfItsBranch(t *testing.T) {
	f := fakeshop.New(t)
	a := open(t, f, "", Made, io.Discard)
	want := in("T_W", "Toys", "Wooden toys")
	last, err := a.Choose(t.Context(), want, nil, true, false)
	if err != nil {
		t.Fatal(err)
	}
	f.RenameCategory("Wooden toys", "Toys of wood", "of-wood")
	f.RenameCategory("Toys", "For children", "children")
	a = open(t, f, "", Made, io.Discard)
	if moves, err := a.Review(t.Context(), last, false); moves || err != nil {
		t.Errorf("the product moves: %t, %v, want false", moves, err)
	}
	if id, err := find(t, a, want); err != nil || id != last.ID {
		t.Errorf("another product: category %d, %v, want %d", id, err, last.ID)
	}
	beside := in("T_P", "Toys", "Puzzles")
	if _, err := find(t, a, beside); err != nil {
		t.Error(err)
	}
	if made := f.Branches(); !slices.Contains(made, "For children > Puzzles") {
		t.Errorf("made %q, want Puzzles below For children", made)
	}
}

// The shop's own state counts: a name that a plugin rewrites, a category that the merchant makes or
// deletes meanwhile.
func TestTheShopsWordOnCategories(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := fakeshop.New(t)
		f.Rewrite = func(name string) string { return "*" + name + " (new)" }
		a := open(t, f, "", Made, io.Discard)
		want := in("T_W", "Toys", "Wooden toys")
		first, err := find(t, a, want)
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			a = open(t, f, "", Made, io.Discard)
			if id, err := find(t, a, want); err != nil || id != first ||
				len(f.Branches()) != 2 {
				t.Errorf("category %d, %v, made %q, want %d and two", id, err, f.Branches(), first)
			}
		}

		f.Rewrite = nil
		// the list is young
		f.Categories = append(f.Categories, map[string]any{"id": 40, "name": "Games", "slug": "games", "parent": 0})
		if id, err := find(t, a, in("G", "Games")); err != nil || id != 40 {
			t.Errorf("category %d, %v, want 40, which the merchant has just made", id, err)
		}
		time.Sleep(time.Minute)
		f.Categories = f.Categories[:6] // and deletes all
		if id, err := find(t, a, in("G_B", "Games", "Board games")); err != nil || id == 0 {
			t.Errorf("category %d, %v, want one: its parent can be made anew", id, err)
		}
		if made := f.Branches(); !slices.Equal(made, []string{"Games", "Games > Board games"}) {
			t.Errorf("made %q, want Games and Games > Board games", made)
		}
	})
}
