package stamp_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pubsync/pubsync/shopadapter/stamp"
)

func TestIsOwn(t *testing.T) {
	markup := stamp.Written{Hash: stamp.HashMarkup("<p>Warm <b>light</b> &amp; shade</p>")}
	stepped := stamp.Written{Hash: stamp.HashMarkup("second")}
	stepped.Instead(stamp.HashMarkup("first"), stamp.HashMarkup("second"), stamp.HashMarkup("first"))
	for _, tt := range []struct {
		name         string
		last         stamp.Written
		held         string
		sure, unsure bool // what is expected
	}{
		{"the same", markup, "<p>Warm <b>light</b> &amp; shade</p>", true, true},
		{"line ends and edges", markup, "\r\n<p>Warm <b>light</b> &amp; shade</p> \n", true, true},
		{"tidied", markup, "<div>Warm <strong>light</strong>\n& shade</div>", false, true},
		{"another word", markup, "<p>Cold <b>light</b> &amp; shade</p>", false, false},
		{"the text of the step before", stepped, "first", false, true},
		{"nothing written, nothing held", stamp.Written{}, "", false, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			held := stamp.HashMarkup(tt.held)
			if got := tt.last.IsOwn(held, false); got != tt.sure {
				t.Errorf("with a known outcome: %t", got)
			}
			if got := tt.last.IsOwn(held, true); got != tt.unsure {
				t.Errorf("with an unknown outcome: %t", got)
			}
		})
	}
	if len(stepped.Before) != 1 {
		t.Errorf("before: %v: the text itself and a second mention do not count", stepped.Before)
	}
	if none := (stamp.Written{}); !none.IsOwn(stamp.HashList(nil), false) {
		t.Error("a product without pictures, as it was made, passes for edited")
	}
}

func TestReadBack(t *testing.T) {
	w := written("lamp")
	if w.ReadBack(stamp.HashText("lamp")) {
		t.Error("the same text makes a difference")
	}
	if !w.ReadBack(stamp.HashText("LAMP")) || !w.ReadBack(stamp.HashText("LAMP!")) {
		t.Error("another text makes none")
	}
	want := stamp.Written{Hash: stamp.HashText("LAMP!"), Sent: stamp.HashText("lamp").Exact}
	if diff := cmp.Diff(want, w); diff != "" {
		t.Error(diff)
	}
}

// Of the texts that are written in a step of their own, the last three are the adapter's.
func TestThen(t *testing.T) {
	var w stamp.Written
	for _, text := range []string{"one", "two", "three", "two", "four"} {
		w = w.Then(stamp.HashMarkup(text))
	}
	for text, want := range map[string]bool{"one": false, "three": true, "two": true, "four": true, "edit": false} {
		if got := w.IsOwn(stamp.HashMarkup(text), true); got != want {
			t.Errorf("%q is the adapter's: %t", text, got)
		}
	}
	if len(w.Before) != 2 {
		t.Errorf("before: %v", w.Before)
	}
}

func TestWrittenAsJSON(t *testing.T) {
	for _, tt := range []struct {
		name string
		w    stamp.Written
		json string
	}{
		{"nothing", stamp.Written{}, `""`},
		{"a text", stamp.Written{Hash: stamp.Hash{Exact: "aa"}}, `"aa"`},
		{"the merchant's", stamp.Merchants(), `"merchant"`},
		{"words", stamp.Written{Hash: stamp.Hash{Exact: "aa", Words: "bb"}}, `{"h":"aa","w":"bb"}`},
		{
			"all",
			stamp.Written{Hash: stamp.Hash{Exact: "aa", Words: "bb"}, Sent: "cc", Before: []string{"dd", "ee"}},
			`{"h":"aa","w":"bb","s":"cc","b":["dd","ee"]}`,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := stamp.Encode(tt.w); got != tt.json {
				t.Errorf("written as %s, want %s", got, tt.json)
			}
			var back stamp.Written
			if err := json.Unmarshal([]byte(tt.json), &back); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.w, back); diff != "" {
				t.Error(diff)
			}
		})
	}
	for _, odd := range []string{`["aa"]`, `5`, `null`, `{"h":5}`} {
		w := written("text")
		if err := json.Unmarshal([]byte(odd), &w); err != nil || stamp.Encode(w) != `""` {
			t.Errorf("%s is read as %s, %v: want nothing", odd, stamp.Encode(w), err)
		}
	}
}
