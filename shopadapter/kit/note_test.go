package kit_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/kit"
)

type note struct {
	kit.Note
	Title kit.Written `json:"title"`
}

// A copy that the merchant makes of a product carries the note along, and is the merchant's. Notes
// of both kinds of shop are read: those whose products have numbers, and those with other ids.
func TestWhoseAProductIs(t *testing.T) {
	for _, tt := range []struct {
		text, product string
		owns          bool
	}{
		{`{"v":1,"id":"pub"}`, "7", true},
		{`{"v":1,"id":"pub","product":7}`, "7", true},
		{`{"v":1,"id":"pub","product":"7"}`, "7", true},
		{`{"v":1,"id":"pub","product":"gid://7"}`, "gid://7", true},
		{`{"v":1,"id":"pub","product":0}`, "7", true},
		{`{"v":1,"id":"pub","product":null}`, "7", true},
		{`{"v":1,"id":"pub","product":7}`, "8", false},
		{`{"v":1,"id":"other"}`, "7", false},
		{`{}`, "7", false},
	} {
		var n note
		if err := json.Unmarshal([]byte(tt.text), &n); err != nil || n.Owns("pub", tt.product) != tt.owns {
			t.Errorf("%s on product %s owns it: %t, %v, want %t", tt.text, tt.product, !tt.owns, err, tt.owns)
		}
	}
}

// Notes that stand in shops are read: a hash alone, the long form, and what is neither.
func TestNotesInShops(t *testing.T) {
	for _, tt := range []struct {
		text string
		want kit.Written
	}{
		{`{"title":"0123456789abcdef"}`, kit.Written{Hash: kit.Hash{Exact: "0123456789abcdef"}}},
		{`{"title":{"h":"a","w":"b","s":"c","b":["d"]}}`, kit.Written{
			Hash: kit.Hash{Exact: "a", Words: "b"}, Sent: "c", Before: []string{"d"},
		}},
		{`{"title":[1]}`, kit.Written{}},
		{`{}`, kit.Written{}},
	} {
		var n note
		if err := json.Unmarshal([]byte(tt.text), &n); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(tt.want, n.Title); diff != "" {
			t.Errorf("%s is read as (-want +got):\n%s", tt.text, diff)
		}
		var again note
		if err := json.Unmarshal([]byte(kit.Encode(n)), &again); err != nil || !cmp.Equal(n, again) {
			t.Errorf("%s is written as %s, which is read as something else", tt.text, kit.Encode(n))
		}
	}
}

func TestKey(t *testing.T) {
	for id, as := range map[string]bool{
		"p-1": true, "a.b_c": true, "A": false, " a": false, "..": false, "a/b": false, "": false,
		"sha256-aa": false, strings.Repeat("a", 101): false,
	} {
		if key := kit.Key(id); (key == id) != as {
			t.Errorf("%q has the key %q, as it is: want %t", id, key, as)
		}
	}
	if kit.Key("a") == kit.Key("A") || kit.Key(" A") == kit.Key("A") {
		t.Error("two ids have one key")
	}
}

// What editors change unasked is no edit.
func TestHashes(t *testing.T) {
	if kit.HashText("a\r\nb ") != kit.HashText("a\nb") || kit.HashText("a") == kit.HashText("b") {
		t.Error("line ends and outer space count, or words do not")
	}
	a, b := kit.HashMarkup("<p>One &amp; two</p>"), kit.HashMarkup("<div>One &#38;<br> two</div>")
	if a.Words != b.Words || a.Exact == b.Exact {
		t.Errorf("%v and %v, want the same words and not the same text", a, b)
	}
	if kit.HashList(nil) != (kit.Hash{}) {
		t.Error("an empty list is not the zero Hash")
	}
}

func TestDecide(t *testing.T) {
	ours, mine, next := kit.HashText("ours"), kit.HashText("mine"), kit.HashText("next")
	altered := kit.Written{Hash: kit.HashText("ours, altered"), Sent: ours.Exact}
	changed := func(*kit.Merge) {}
	for _, tt := range []struct {
		name        string
		held, want  kit.Hash
		last        kit.Written
		set         func(*kit.Merge)
		write, kept bool
		note        kit.Written
	}{
		{"as written last", ours, next, kit.Written{Hash: ours}, changed, true, false, kit.Written{Hash: next}},
		{"not changed", ours, next, kit.Written{Hash: ours}, func(m *kit.Merge) { m.Changed = 0 }, false, false, kit.Written{
			Hash: ours,
		}},
		{"as wanted", next, next, kit.Written{Hash: ours}, changed, false, false, kit.Written{Hash: next}},
		{"edited", mine, next, kit.Written{Hash: ours}, changed, false, true, kit.Written{Hash: ours}},
		{"edited, and given back", mine, next, kit.Written{Hash: ours}, func(m *kit.Merge) {
			m.Reset = shopadapter.FieldTitle
		}, true, false, kit.Written{Hash: next}},
		{"never complete", mine, next, kit.Written{}, func(m *kit.Merge) { m.Own = true }, true, false, kit.Written{
			Hash: next,
		}},
		{"the merchant's before", next, next, kit.Merchants(), changed, false, true, kit.Merchants()},
		{"as the shop altered it", altered.Hash, ours, altered, changed, false, false, altered},
		{"a write has begun, and the old text stands", ours, next, kit.Written{Hash: ours}.Then(mine), func(m *kit.Merge) {
			m.Unsure = true
		}, true, false, kit.Written{Hash: next}},
		{"a write has begun long ago", ours, next, kit.Written{Hash: ours}.Then(mine), changed, false, true, kit.Written{
			Hash: mine, Before: []string{ours.Exact},
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m := kit.NewMerge(shopadapter.Ref{}, shopadapter.FieldTitle)
			tt.set(&m)
			last := tt.last
			write := m.Decide(shopadapter.FieldTitle, tt.held, tt.want, &last)
			if kept := m.Kept().Has(shopadapter.FieldTitle); write != tt.write || kept != tt.kept {
				t.Errorf("written %t, kept %t, want %t and %t", write, kept, tt.write, tt.kept)
			}
			if diff := cmp.Diff(tt.note, last); diff != "" {
				t.Errorf("the note (-want +got):\n%s", diff)
			}
		})
	}
}

// A text that the shop altered as it stored it is read back, and is no edit.
func TestReadBack(t *testing.T) {
	sent, shown := kit.HashText("a [gallery]"), kit.HashText("a")
	w := kit.Written{Hash: sent}
	if !w.ReadBack(shown) || w.ReadBack(shown) {
		t.Error("the first reading makes a difference, the second none")
	}
	m := kit.NewMerge(shopadapter.Ref{}, shopadapter.FieldTitle)
	if m.Decide(shopadapter.FieldTitle, shown, sent, &w) || m.Kept() != 0 {
		t.Error("what the shop made of a text is written again, or taken for an edit")
	}
}

func TestDecideValues(t *testing.T) {
	last := kit.Values{}
	own := kit.NewMerge(shopadapter.Ref{}, shopadapter.AllFields)
	own.Own = true
	_, last = own.DecideValues(shopadapter.FieldDetails, nil, map[string]string{"weight": "1", "width": "2"}, last)
	for _, tt := range []struct {
		name        string
		held, want  map[string]string
		reset       shopadapter.Fields
		write       map[string]string
		kept        bool
		notes, lost string // names that the note has, and has no longer
	}{
		{
			"one was typed, the other follows",
			map[string]string{"weight": "9", "width": "2"},
			map[string]string{"weight": "3", "width": "4"},
			0,
			map[string]string{"width": "4"},
			true, "weight", "",
		},
		{
			"given back",
			map[string]string{"weight": "9", "width": "2"},
			map[string]string{"weight": "3", "width": "2"},
			shopadapter.FieldDetails,
			map[string]string{"weight": "3"},
			false, "weight", "",
		},
		{
			"the supplier gives none any more",
			map[string]string{"weight": "1", "width": "2"},
			map[string]string{"width": "2"},
			0,
			map[string]string{"weight": ""},
			false, "width", "weight",
		},
		{
			"typed where nothing was written",
			map[string]string{"weight": "1", "width": "2", "height": "5"},
			map[string]string{"weight": "1", "width": "2"},
			0,
			map[string]string{},
			true, "width", "height",
		},
		{
			"typed where nothing was written, reset",
			map[string]string{"weight": "1", "width": "2", "height": "5"},
			map[string]string{"weight": "1", "width": "2"},
			shopadapter.FieldDetails,
			map[string]string{},
			false, "", "height",
		},
		{
			"new where the field is empty",
			map[string]string{"weight": "1", "width": "2"},
			map[string]string{"weight": "1", "width": "2", "height": "5"},
			0,
			map[string]string{"height": "5"},
			false,
			"height", "",
		},
	} {
		m := kit.NewMerge(shopadapter.Ref{Reset: tt.reset}, shopadapter.FieldDetails)
		write, next := m.DecideValues(shopadapter.FieldDetails, tt.held, tt.want, last)
		if diff := cmp.Diff(tt.write, write); diff != "" || m.Kept().Has(shopadapter.FieldDetails) != tt.kept {
			t.Errorf("%s: kept %t, written (-want +got):\n%s", tt.name, !tt.kept, diff)
		}
		if tt.notes != "" && next[tt.notes] == "" || tt.lost != "" && next[tt.lost] != "" {
			t.Errorf("%s: the note is %v", tt.name, next)
		}
	}
}

// A note is read leniently, and one of other rules says whose the product is and no more.
func TestReadNote(t *testing.T) {
	type note struct {
		kit.Note
		Title kit.Written
		Many  int
	}
	whole := note{
		Note: kit.Note{Version: 2, ID: "p", Product: "7"}, Title: kit.Written{Hash: kit.HashText("a")}, Many: 3,
	}
	odd := whole
	odd.Many = 0
	for text, want := range map[string]note{
		kit.Encode(whole): whole,
		strings.Replace(kit.Encode(whole), `"Many":3`, `"Many":"three"`, 1): odd,
		strings.Replace(kit.Encode(whole), `"v":2`, `"v":1`, 1):             {Note: kit.Note{Version: 1, ID: "p"}},
		strings.Replace(kit.Encode(whole), `"v":2`, `"v":"2"`, 1):           {}, // a copy of it would pass for the product
		`{"v":2,"product":"7","Many":3}`:                                    {}, "somebody's own": {}, "": {},
	} {
		if diff := cmp.Diff(want, kit.ReadNote[note](text, 2)); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", text, diff)
		}
	}
}
