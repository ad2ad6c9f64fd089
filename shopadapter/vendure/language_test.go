package vendure_test

import (
	"testing"

	"github.com/pubsync/pubsync/shopadapter"
)

func TestLanguages(t *testing.T) {
	words := map[string]shopadapter.Translation{
		"en": {
			Title:       "Lamp",
			Description: "Light",
		}, "nl": {Title: "Lampje", Description: "Licht"}, "de": {Title: "Leuchte", Description: "Licht"},
	}
	for _, tc := range []struct {
		name      string
		standard  string
		offered   []any
		available []string // at the marketplace; the first is the product's own
		want      map[string]string
	}{
		{
			"what both have", "en",
			[]any{"en", "nl"},
			[]string{"en", "nl", "de"},
			map[string]string{"en": "Lamp", "nl": "Lampje"},
		},
		{
			"the shop's language is not the product's", "nl",
			[]any{"nl", "en"},
			[]string{"en", "nl"},
			map[string]string{"nl": "Lampje", "en": "Lamp"},
		},
		{
			"the marketplace lacks the shop's language", "de",
			[]any{"de"},
			[]string{"en", "nl"},
			map[string]string{"de": "Lamp"},
		},
		{"no list of languages", "en", nil, []string{"nl", "en"}, map[string]string{"en": "Lamp"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			fake := newFakeShop(t)
			fake.channel["defaultLanguageCode"], fake.channel["availableLanguageCodes"] = tc.standard, tc.offered
			p := lamp("p", 1)
			first := tc.available[0]
			p.Language, p.Title, p.Description = first, words[first].Title, words[first].Description
			p.Translations = map[string]shopadapter.Translation{}
			for _, language := range tc.available {
				p.Translations[language] = words[language]
			}
			publish(t, fake.open(t), p, shopadapter.AllFields)
			got := map[string]string{}
			for _, text := range only(t, fake).Translations {
				got[text.LanguageCode] = text.Name
				if text.Slug == "" || text.Description == "" {
					t.Errorf("the text in %s is %+v", text.LanguageCode, text)
				}
			}
			if len(got) != len(tc.want) {
				t.Errorf("the names are %v, want %v", got, tc.want)
			}
			for language, name := range tc.want {
				if got[language] != name {
					t.Errorf("the name in %s is %q, want %q", language, got[language], name)
				}
			}
		})
	}
}

func TestAnEditInOneLanguageHoldsUpNoOther(t *testing.T) {
	fake := newFakeShop(t)
	a := fake.open(t)
	p := lamp("p", 1)
	p.Translations["nl"] = shopadapter.Translation{Title: "Lampje", Description: "Licht"}
	l := publish(t, a, p, shopadapter.AllFields)
	mine := map[string]any{"languageCode": "nl", "description": "Mijn eigen woorden"}
	err := fake.office().Update(t.Context(), l.ID, map[string]any{"translations": []any{mine}})
	if err != nil {
		t.Fatal(err)
	}
	p.Description = "More light"
	p.Translations["nl"] = shopadapter.Translation{Title: "Lamp", Description: "Meer licht"}
	if l = publish(t, a, p, shopadapter.FieldDescription); l.Kept != shopadapter.FieldDescription {
		t.Errorf("kept %s", l.Kept)
	}
	got := only(t, fake)
	if got.In("nl").Description != "Mijn eigen woorden" || got.In("nl").Name != "Lamp" ||
		got.In("en").Description != "More light" {
		t.Errorf("the texts are %+v", got.Translations)
	}
}

func TestTheSlugIsMadeOnce(t *testing.T) {
	fake := newFakeShop(t)
	a := fake.open(t)
	p := lamp("p", 1)
	first := publish(t, a, p, shopadapter.AllFields)
	p.Title = "Another title"
	if again := publish(t, a, p, shopadapter.FieldTitle); again.URL != first.URL {
		t.Errorf("the address went from %s to %s", first.URL, again.URL)
	}
	if got := only(t, fake).Variants[0].Name; got != "Another title" {
		t.Errorf("the variant is called %q", got)
	}
}

func TestVariantsAreCalledAfterTheMerchantsTitle(t *testing.T) {
	fake := newFakeShop(t)
	a := fake.open(t)
	p := lamp("p", 1)
	l := publish(t, a, p, shopadapter.AllFields)
	if err := fake.office().Edit(t.Context(), l.ID, shopadapter.FieldTitle); err != nil {
		t.Fatal(err)
	}
	p.Title = "Another title"
	publish(t, a, p, shopadapter.AllFields)
	if got := only(t, fake); got.Variants[0].Name != got.In("en").Name || got.In("en").Name == "Another title" {
		t.Errorf("the product is called %q, its variant %q", got.In("en").Name, got.Variants[0].Name)
	}
}
