package shopadapter_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/pubsync/pubsync/shopadapter"
)

// The names are part of the protocol and of settings: each is one group, and they stay in their order.
func TestFields(t *testing.T) {
	const all = "title,description,images,category,variants,price,stock,shipping,brand,details"
	for text, fields := range map[string]shopadapter.Fields{
		"title": shopadapter.FieldTitle, "price,stock": shopadapter.FieldStock | shopadapter.FieldPrice,
		"title,description,images,category,brand,details": shopadapter.TextFields, all: shopadapter.AllFields,
	} {
		names := strings.Split(text, ",")
		if got := fields.Names(); !slices.Equal(got, names) || fields.String() != text {
			t.Errorf("got the names %q and the text %s, want %s", got, fields, text)
		}
		if parsed, err := shopadapter.ParseFields(names...); err != nil || parsed != fields {
			t.Errorf("%s parsed: got %s, %v", text, parsed, err)
		}
		data, err := json.Marshal(fields)
		var back shopadapter.Fields
		if want := `["` + strings.Join(names, `","`) + `"]`; err != nil || string(data) != want {
			t.Errorf("JSON: got %s, %v, want %s", data, err, want)
		}
		if err := json.Unmarshal(data, &back); err != nil || back != fields {
			t.Errorf("back from JSON: got %s, %v, want %s", back, err, fields)
		}
	}
	if none := shopadapter.NoFields; none.Names() == nil || none.String() != "none" {
		t.Errorf("no group: got %#v and %s, want an empty list and none", none.Names(), none)
	}
	for _, data := range []string{`["titel"]`, `"title"`, `3`} {
		f := shopadapter.FieldStock
		if err := json.Unmarshal([]byte(data), &f); err == nil || f != shopadapter.FieldStock {
			t.Errorf("%s: got %s, %v, want an error and the value of before", data, f, err)
		}
	}
	if _, err := shopadapter.ParseFields("title", "titel"); err == nil || !strings.Contains(err.Error(), `"titel"`) ||
		!strings.Contains(err.Error(), "shipping") {
		t.Errorf("got %v, want the unknown name and the known ones", err)
	}
}
