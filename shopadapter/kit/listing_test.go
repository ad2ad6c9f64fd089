package kit_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/kit"
)

func TestRows(t *testing.T) {
	const title, description = shopadapter.FieldTitle, shopadapter.FieldDescription
	words := map[string]shopadapter.Translation{
		"en": {Title: "Lamp", Description: "Light"}, "nl": {Title: "Lampje", Description: "Licht"},
		"de": {Title: "Leuchte", Description: "Licht"},
	}
	for _, row := range []struct {
		name      string
		standard  string   // the shop's own language
		offered   []string // by the shop
		available []string // at the marketplace; the first is the product's own
		want      []kit.Row
	}{
		{"what both have", "en", []string{"en", "nl"}, []string{"en", "nl", "de"}, []kit.Row{
			{"en", "Lamp", "Light", title}, {"nl", "Lampje", "Licht", description},
		}},
		{"the shop's language is not the product's", "nl", []string{"nl", "en"}, []string{"en", "nl"}, []kit.Row{
			{"nl", "Lampje", "Licht", description}, {"en", "Lamp", "Light", title},
		}},
		{"the marketplace lacks the shop's language", "de", []string{"de"}, []string{"en", "nl"}, []kit.Row{
			{"de", "Lamp", "Light", title},
		}},
		{"no list of languages", "en", nil, []string{"nl", "en"}, []kit.Row{{"en", "Lamp", "Light", description}}},
		{"a region", "en", []string{"nl_BE"}, []string{"en", "nl"}, []kit.Row{
			{"en", "Lamp", "Light", title}, {"nl_BE", "Lampje", "Licht", description},
		}},
	} {
		own := words[row.available[0]]
		p := shopadapter.Product{
			Language: row.available[0], Title: own.Title, Description: own.Description,
			Translations: map[string]shopadapter.Translation{},
		}
		for _, language := range row.available {
			p.Translations[language] = words[language]
		}
		if diff := cmp.Diff(row.want, kit.Rows(p, row.standard, row.offered)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", row.name, diff)
		}
	}
}
