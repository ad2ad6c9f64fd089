package category

import (
	"bytes"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/woocommerce/internal/fakeshop"
	"github.com/pubsync/pubsync/shopadapter/woocommerce/internal/rest"
)

// open is what an adapter knows of the shop's categories at its start.
func open(t *testing.T, f *fakeshop.Shop, pairs string, missing Absence, log io.Writer) *Finder {
	t.Helper()
	mapping, err := parseMapping(pairs)
	if err != nil {
		t.Fatal(err)
	}
	client := rest.New(f.Base, fakeshop.Key, fakeshop.Secret, &http.Client{Transport: f})
	return New(client, mapping, missing == Made, time.Millisecond, slog.New(slog.NewTextHandler(log, nil)))
}

// find finds a category, or makes it.
func find(t *testing.T, c *Finder, want shopadapter.Category) (int64, error) {
	t.Helper()
	id, _, err := c.Find(t.Context(), want, nil, true, false)
	return id, err
}

// in is a category in a branch of these names.
func in(path string, names ...string) shopadapter.Category {
	c := shopadapter.Category{Path: path, Name: "of no shop"}
	for i, name := range names[:len(names)-1] {
		c.Branch = append(c.Branch, shopadapter.Level{Path: fmt.Sprint("ABOVE_", i+1), Name: name})
	}
	c.Branch = append(c.Branch, shopadapter.Level{Path: path, Name: names[len(names)-1]})
	return c
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
		id      int64
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
		{"a name goes before what is above", "HOME=My own", nil, shopadapter.Category{Path: "HOME_X", Name: "Textiles"}, 19},
		{"mapped to nothing", "HOME_AND_GARDEN_LIGHTING=Nowhere", nil, lamp, 0},
		{"unknown", "", nil, shopadapter.Category{Path: "TOYS", Name: "Toys"}, 0},
		{"none", "", nil, shopadapter.Category{}, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := fakeshop.New(t)
			f.Categories = append(f.Categories, tt.add...)
			var log bytes.Buffer
			a := open(t, f, tt.mapping, Warned, &log)
			for range 3 {
				if id, err := find(t, a, tt.want); err != nil || id != tt.id {
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
