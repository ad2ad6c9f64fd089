package place_test

import (
	"strings"
	"testing"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/internal/place"
)

func TestChoose(t *testing.T) {
	type shed struct{ id, name string }
	kind := place.Kind[shed]{
		Name: "shed", Setting: "SHED", None: "there is no shed: build one",
		Names: func(s shed) []string { return []string{s.name, s.id} },
		Clean: strings.ToUpper,
	}
	red, blue := shed{"1", "Red"}, shed{"2", "Blue"}
	for _, tt := range []struct {
		name   string
		list   []shed
		wanted string
		want   shed
		says   string // "": a choice
	}{
		{"the only one", []shed{red}, "", red, ""},
		{"by name", []shed{red, blue}, "blue", blue, ""},
		{"by id", []shed{red, blue}, "1", red, ""},
		{"none", nil, "", shed{}, "there is no shed: build one"},
		{"none of the wanted name", nil, "Red", shed{}, "there is no shed: build one"},
		{"another name", []shed{red, blue}, "Green", shed{}, "the shop has no such shed: set SHED to the name or the " +
			"id of one (RED, BLUE)"},
		{"several", []shed{red, blue}, "", shed{}, "the shop has 2 sheds: choose one with SHED (RED, BLUE)"},
	} {
		got, err := kind.Choose(tt.list, tt.wanted)
		e := shopadapter.Explain(err)
		if got != tt.want || tt.says == "" && err != nil ||
			tt.says != "" && (e == nil || e.Kind != shopadapter.Blocked || !e.ShopWide || e.Error() != tt.says) {
			t.Errorf("%s: %v, %v", tt.name, got, err)
		}
	}
}
