package shopadapter_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/pubsync/pubsync/shopadapter"
)

func allNames() []string {
	return []string{
		"title", "description", "images", "category", "variants", "price", "stock", "shipping", "brand", "details",
	}
}

func TestFieldsByName(t *testing.T) {
	for _, tt := range []struct {
		fields shopadapter.Fields
		names  []string
		text   string
		json   string
	}{
		{shopadapter.NoFields, []string{}, "none", `[]`},
		{shopadapter.FieldTitle, []string{"title"}, "title", `["title"]`},
		{shopadapter.FieldStock | shopadapter.FieldPrice, []string{"price", "stock"}, "price,stock", `["price","stock"]`},
		{
			shopadapter.TextFields, slices.Concat(allNames()[:4], allNames()[8:]),
			"title,description,images,category,brand,details",
			`["title","description","images","category","brand","details"]`,
		},
		{
			shopadapter.AllFields, allNames(), strings.Join(allNames(), ","),
			`["title","description","images","category","variants","price","stock","shipping",` +
				`"brand","details"]`,
		},
	} {
		t.Run(tt.text, func(t *testing.T) {
			if names := tt.fields.Names(); names == nil || !slices.Equal(names, tt.names) {
				t.Errorf("names %#v, want %#v", names, tt.names)
			}
			if text := tt.fields.String(); text != tt.text {
				t.Errorf("string: got %q, want %q", text, tt.text)
			}
			data, err := json.Marshal(tt.fields)
			if err != nil || string(data) != tt.json {
				t.Errorf("JSON: got %s, %v, want %s", data, err, tt.json)
			}
			var back shopadapter.Fields
			if err := json.Unmarshal(data, &back); err != nil || back != tt.fields {
				t.Errorf("back from JSON: got %s, %v, want %s", back, err, tt.fields)
			}
			if parsed, err := shopadapter.ParseFields(tt.names...); err != nil || parsed != tt.fields {
				t.Errorf("parsed: got %s, %v, want %s", parsed, err, tt.fields)
			}
		})
	}
}

// Each group is one bit of its own, and the unions leave none out.
func TestFieldsAreDistinct(t *testing.T) {
	var union shopadapter.Fields
	for _, name := range allNames() {
		f, err := shopadapter.ParseFields(name)
		if err != nil {
			t.Fatal(err)
		}
		if f == 0 || union.Any(f) {
			t.Errorf("%s: got a bit of those before it (%b, %b), want one of its own", name, f, union)
		}
		text := slices.Contains(slices.Concat(allNames()[:4], allNames()[8:]), name)
		if shopadapter.TextFields.Has(f) != text {
			t.Errorf("%s is a text group: got %t, want %t", name, !text, text)
		}
		union |= f
	}
	if union != shopadapter.AllFields {
		t.Errorf("the union: got %s, want %s", union, shopadapter.AllFields)
	}
}

func TestUnknownFields(t *testing.T) {
	f, err := shopadapter.ParseFields("title", "titel")
	if err == nil || f != 0 || !strings.Contains(err.Error(), `"titel"`) || !strings.Contains(err.Error(), "shipping") {
		t.Errorf("parsed: got %s, %v, want the unknown name and the known ones", f, err)
	}
	for _, data := range []string{`["titel"]`, `"title"`, `3`, `{"title":true}`} {
		f := shopadapter.FieldStock
		if err := json.Unmarshal([]byte(data), &f); err == nil || f != shopadapter.FieldStock {
			t.Errorf("%s: got %s, %v, want an error and the value of before", data, f, err)
		}
	}
}
