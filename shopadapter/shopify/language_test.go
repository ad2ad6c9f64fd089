package shopify_test

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pubsync/pubsync/shopadapter"
)

// locales are a store's languages, its own first.
func locales(names ...string) []object {
	list := []object{}
	for i, name := range names {
		list = append(list, object{"locale": name, "primary": i == 0})
	}
	return list
}

// polyglot is a lamp in English, with Dutch and German beside it.
func polyglot() shopadapter.Product {
	p := lamp("p", 1)
	p.Language, p.Title, p.Description = "en", "Lamp", "<p>Bright.</p>"
	p.Translations = map[string]shopadapter.Translation{
		"en": {Title: "Lamp", Description: "<p>Bright.</p>"}, "nl": {Title: "Lamp (nl)", Description: "<p>Helder.</p>"},
		"de": {Title: "Lampe", Description: "<p>Hell.</p>"},
	}
	return p
}

func texts(p *fakeProduct) map[string]string {
	list := map[string]string{"title": p.title, "description": p.description}
	for locale, keys := range p.translations {
		for key, text := range keys {
			list[locale+" "+key] = text.value
			if text.digest != digestOf(p.originals()[key]) {
				list[locale+" "+key] += " (outdated)"
			}
		}
	}
	return list
}

func TestLanguages(t *testing.T) {
	for _, tc := range []struct {
		name    string
		locales []object
		scopes  []string // taken away
		want    map[string]string
	}{
		{"one language", locales("en"), nil, map[string]string{"title": "Lamp", "description": "<p>Bright.</p>"}},
		{"two languages", locales("en", "nl"), nil, map[string]string{
			"title": "Lamp", "description": "<p>Bright.</p>", "nl title": "Lamp (nl)", "nl body_html": "<p>Helder.</p>",
		}},
		{
			"a language that the supplier lacks", locales("en", "fr"), nil,
			map[string]string{"title": "Lamp", "description": "<p>Bright.</p>"},
		},
		{"regions", locales("en-GB", "nl-BE"), nil, map[string]string{
			"title": "Lamp", "description": "<p>Bright.</p>", "nl-BE title": "Lamp (nl)", "nl-BE body_html": "<p>Helder.</p>",
		}},
		{"another language first", locales("de", "en"), nil, map[string]string{
			"title": "Lampe", "description": "<p>Hell.</p>", "en title": "Lamp", "en body_html": "<p>Bright.</p>",
		}},
		{"a first language that the supplier lacks", locales("fr", "en", "nl"), nil, map[string]string{
			"title": "Lamp", "description": "<p>Bright.</p>", "en title": "Lamp", "en body_html": "<p>Bright.</p>",
			"nl title": "Lamp (nl)", "nl body_html": "<p>Helder.</p>",
		}},
		{
			"no scope for translations", locales("en", "nl"),
			[]string{"write_translations"},
			map[string]string{"title": "Lamp", "description": "<p>Bright.</p>"},
		},
		{
			"no scope for languages", locales("en", "nl"),
			[]string{"read_locales"},
			map[string]string{"title": "Lamp", "description": "<p>Bright.</p>"},
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			fake := newFakeShop(t)
			fake.locales = tc.locales
			fake.revoke(tc.scopes...)
			_, l := publish(t, fake.open(t), shopadapter.Ref{}, polyglot(), shopadapter.AllFields)
			if diff := cmp.Diff(tc.want, texts(fake.sole(t))); diff != "" || l.Kept != 0 {
				t.Errorf("kept %s (-want +got):\n%s", l.Kept, diff)
			}
		})
	}
}

// TestARefusedTranslationCostsTheTranslation: a language that was taken out of the store since it
// was read.
func TestARefusedTranslationCostsTheTranslation(t *testing.T) {
	fake := newFakeShop(t)
	fake.locales = locales("en", "nl")
	a := fake.open(t)
	if _, err := a.Check(context.Background()); err != nil {
		t.Fatal(err)
	}
	fake.locales = locales("en")
	publish(t, a, shopadapter.Ref{}, polyglot(), shopadapter.AllFields)
	if got := fake.sole(t); !got.onSale() || len(got.translations) != 0 {
		t.Errorf("on sale %t, translations %v", got.onSale(), got.translations)
	}
}
