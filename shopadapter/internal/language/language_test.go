package language_test

import (
	"testing"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/internal/language"
)

func TestIn(t *testing.T) {
	p := shopadapter.Product{
		Language: "en", Title: "Lamp", Description: "A lamp.",
		Translations: map[string]shopadapter.Translation{
			"en": {
				Title: "another",
			}, "nl": {Title: "Lampje"}, "nl-BE": {Title: "Lampke"}, "de": {Title: " "}, "pt_BR": {Title: "Lâmpada"},
		},
	}
	for locale, want := range map[string]struct {
		title string
		group shopadapter.Fields
	}{
		"en":    {"Lamp", shopadapter.FieldTitle},
		"en_US": {"Lamp", shopadapter.FieldTitle},
		"EN-gb": {"Lamp", shopadapter.FieldTitle},
		"nl":    {"Lampje", shopadapter.FieldDescription},
		"nl-NL": {"Lampje", shopadapter.FieldDescription},
		"pt-BR": {"Lâmpada", shopadapter.FieldDescription},
		"de":    {}, "fr-FR": {}, "pt": {},
	} {
		if text, group, ok := language.In(p, locale); text.Title != want.title || group != want.group ||
			ok != (want.title != "") {
			t.Errorf("%s: %q, %s, %t", locale, text.Title, group, ok)
		}
	}
}
