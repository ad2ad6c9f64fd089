package shopadapter_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/pubsync/pubsync/shopadapter"
)

func allNames() []string {
	return []string{"title", "description", "images", "category", "variants", "price", "stock", "shipping"}
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
			shopadapter.TextFields, allNames()[:4], "title,description,images,category",
			`["title","description","images","category"]`,
		},
		{
			shopadapter.AllFields, allNames(), strings.Join(allNames(), ","),
			`["title","description","images","category","variants","price","stock","shipping"]`,
		},
	} {
		t.Run(tt.text, func(t *testing.T) {
			if names := tt.fields.Names(); names == nil || !slices.Equal(names, tt.names) {
				t.Errorf("names %#v, want %#v", names, tt.names)
			}
			if text := tt.fields.String(); text != tt.text {
				t.Errorf("string %q, want %q", text, tt.text)
			}
			data, err := json.Marshal(tt.fields)
			if err != nil || string(data) != tt.json {
				t.Errorf("JSON %s, %v, want %s", data, err, tt.json)
			}
			var back shopadapter.Fields
			if err := json.Unmarshal(data, &back); err != nil || back != tt.fields {
				t.Errorf("back from JSON: %s, %v", back, err)
			}
			if parsed, err := shopadapter.ParseFields(tt.names...); err != nil || parsed != tt.fields {
				t.Errorf("parsed: %s, %v", parsed, err)
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
			t.Errorf("%s shares a bit with those before it", name)
		}
		if text := slices.Contains(allNames()[:4], name); shopadapter.TextFields.Has(f) != text {
			t.Errorf("%s is a text group: %t", name, !text)
		}
		union |= f
	}
	if union != shopadapter.AllFields {
		t.Errorf("the union is %s", union)
	}
}

func TestFieldsHasAndAny(t *testing.T) {
	const two = shopadapter.FieldPrice | shopadapter.FieldStock
	for _, tt := range []struct {
		name     string
		f, g     shopadapter.Fields
		has, any bool
	}{
		{"itself", two, two, true, true},
		{"a part", two, shopadapter.FieldPrice, true, true},
		{"a whole that it is part of", shopadapter.FieldPrice, two, false, true},
		{"an overlap", two, shopadapter.FieldStock | shopadapter.FieldTitle, false, true},
		{"another", two, shopadapter.FieldTitle, false, false},
		{"nothing", two, 0, true, false},
		{"nothing of nothing", 0, 0, true, false},
	} {
		if tt.f.Has(tt.g) != tt.has || tt.f.Any(tt.g) != tt.any {
			t.Errorf("%s: has %t, any %t", tt.name, tt.f.Has(tt.g), tt.f.Any(tt.g))
		}
	}
}

func TestUnknownFields(t *testing.T) {
	f, err := shopadapter.ParseFields("title", "titel")
	if err == nil || f != 0 || !strings.Contains(err.Error(), `"titel"`) || !strings.Contains(err.Error(), "shipping") {
		t.Errorf("parsed as %s, error %v: want the unknown name and the known ones", f, err)
	}
	for _, data := range []string{`["titel"]`, `"title"`, `3`, `{"title":true}`} {
		f := shopadapter.FieldStock
		if err := json.Unmarshal([]byte(data), &f); err == nil || f != shopadapter.FieldStock {
			t.Errorf("%s became %s, error %v", data, f, err)
		}
	}
}
