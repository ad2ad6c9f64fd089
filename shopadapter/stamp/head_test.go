package stamp_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/stamp"
)

type note struct {
	stamp.Head
	Done  bool          `json:"done,omitempty"`
	Title stamp.Written `json:"title"`
}

func TestDecode(t *testing.T) {
	whole := note{Head: stamp.Head{Version: 2, ID: "pub-1"}, Done: true, Title: written("lamp")}
	for _, tt := range []struct {
		name, text string
		want       note
	}{
		{"as encoded", stamp.Encode(whole), whole},
		{
			"laid out anew by the shop",
			"{ \"done\": true,\n \"id\": \"pub-1\", \"v\": 2, \"title\": " + stamp.Encode(whole.Title) + " }", whole,
		},
		{
			"of other rules", strings.Replace(stamp.Encode(whole), `"v":2`, `"v":3`, 1),
			note{Head: stamp.Head{Version: 3, ID: "pub-1"}},
		},
		{"without an id", `{"v":2,"done":true}`, note{}},
		{"of another program", `{"id":{"a":1}}`, note{}},
		{"cut", stamp.Encode(whole)[:20], note{}},
		{"none", "", note{}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := stamp.Decode[note](tt.text, 2); stamp.Encode(got) != stamp.Encode(tt.want) {
				t.Errorf("%s, want %s", stamp.Encode(got), stamp.Encode(tt.want))
			}
		})
	}
	if got, ok := stamp.Read[note](stamp.Encode(whole), 3); ok || !got.Done {
		t.Errorf("%s, %t: want the whole stamp, of another version", stamp.Encode(got), ok)
	}
	if got, ok := stamp.Read[note]("", 2); ok || got.ID != "" {
		t.Errorf("%s, %t: want none", stamp.Encode(got), ok)
	}
}

func TestEncodePanicsOnAFault(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("a stamp that cannot be encoded passes")
		}
	}()
	stamp.Encode(func() {})
}

func TestKey(t *testing.T) {
	for _, tt := range []struct {
		id      string
		legible bool
	}{
		{"pub-1", true},
		{"0190f3c4.a_b", true},
		{strings.Repeat("a", 100), true},
		{strings.Repeat("a", 101), false},
		{"PUB-1", false},
		{"pub 1", false},
		{"pub/1", false},
		{" pub-1", false},
		{"pub-1 ", false},
		{"a\x00b", false},
		{"a\xff", false},
		{"../a", false},
		{"püb", false},
		{"", false},
		{"sha256-abc", false},
	} {
		got := stamp.Key(shopadapter.PublicationID(tt.id))
		if tt.legible != (got == tt.id) || !tt.legible && (!strings.HasPrefix(got, "sha256-") || len(got) != 7+64) {
			t.Errorf("%q: %q", tt.id, got)
		}
	}
}

// Decoding any metadata ends well, and two ids never share a key.
func FuzzDecode(f *testing.F) {
	f.Add(`{"v":2,"id":"pub-1","title":"aa"}`, "pub-1", "pub-2")
	f.Add(`{"v":2,"id":"pub-1","title":{"h":"aa","b":["c"]}}`, "PUB-1", "pub-1")
	f.Add(`[]`, "sha256-1", "")
	f.Fuzz(func(t *testing.T, text, a, b string) {
		if s := stamp.Decode[note](text, 2); s.ID != "" {
			if !json.Valid([]byte(text)) {
				t.Errorf("%q is a stamp", text)
			}
			if again := stamp.Decode[note](stamp.Encode(s), 2); stamp.Encode(again) != stamp.Encode(s) {
				t.Errorf("%s becomes %s", stamp.Encode(s), stamp.Encode(again))
			}
		}
		if a != b && stamp.Key(shopadapter.PublicationID(a)) == stamp.Key(shopadapter.PublicationID(b)) {
			t.Errorf("%q and %q share the key %q", a, b, stamp.Key(shopadapter.PublicationID(a)))
		}
	})
}
