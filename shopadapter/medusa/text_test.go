package medusa_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/laws"
)

func publish(
	t testing.TB,
	a shopadapter.Adapter,
	p shopadapter.Product,
	changed shopadapter.Fields,
) shopadapter.Listing {
	t.Helper()
	l, err := a.Publish(t.Context(), shopadapter.Ref{Publication: p.ID}, p, changed)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func lamp(n string) shopadapter.Product {
	p := laws.Sample("lamp", 2)
	p.Title = "Lamp " + n
	p.Translations = map[string]shopadapter.Translation{
		"en": {
			Title:       p.Title,
			Description: p.Description,
		}, "nl": {Title: "Lamp nr. " + n, Description: "<p>Een lamp.</p>"}, "de": {Title: "Leuchte " + n},
	}
	return p
}

// texts is what the fake holds of a locale, by field.
func (f *fake) texts(locale string) object {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, t := range f.translations {
		if t["locale_code"] == locale {
			return t["translations"].(object)
		}
	}
	return nil
}

// A locale gets its text where the supplier has one. The product's own language needs none, and the
// merchant's words stay.
func TestTranslations(t *testing.T) {
	f := newFake(t)
	a := f.open()
	publish(t, a, lamp("1"), shopadapter.AllFields)
	if nl := f.texts("nl-NL"); nl["title"] != "Lamp nr. 1" || nl["description"] != "<p>Een lamp.</p>" ||
		f.texts("en-US") != nil ||
		f.texts("de-DE") != nil {
		t.Errorf("the translations are %v", f.translations)
	}
	publish(t, a, lamp("2"), shopadapter.FieldTitle|shopadapter.FieldDescription)
	if nl := f.texts("nl-NL"); nl["title"] != "Lamp nr. 2" {
		t.Errorf("the Dutch text is %v", nl)
	}
	f.texts("nl-NL")["title"] = "Mijn lamp"
	if l := publish(
		t, a, lamp("3"), shopadapter.FieldTitle|shopadapter.FieldDescription,
	); l.Kept != shopadapter.FieldDescription {
		t.Errorf("kept %s", l.Kept)
	}
	if nl := f.texts("nl-NL"); nl["title"] != "Mijn lamp" {
		t.Errorf("the Dutch text is %v", nl)
	}
	if _, err := a.Unpublish(t.Context(), shopadapter.Ref{Publication: "lamp"}, shopadapter.Delete); err != nil ||
		len(f.translations) > 0 {
		t.Errorf("%v, left are %v", err, f.translations)
	}
}

// Whichever request of an update is lost, the supplier's next words are written, in every language.
func TestALostAnswerIsNoEditOfATranslation(t *testing.T) {
	for k := 1; ; k++ {
		f := newFake(t)
		publish(t, f.open(), lamp("1"), shopadapter.AllFields)
		left := k
		f.answer = func(r *http.Request) *http.Response {
			if left--; left == 0 {
				_, _ = f.serve(r)
				return respond(http.StatusBadGateway, object{"message": "the answer was lost"})
			}
			return nil
		}
		_, err := f.open().Publish(t.Context(), shopadapter.Ref{Publication: "lamp"}, lamp("2"), shopadapter.AllFields)
		if left > 0 {
			if k < 4 {
				t.Errorf("an update takes %d requests", k-1)
			}
			return
		}
		var e *shopadapter.Error
		if !errors.As(err, &e) || e.Kind != shopadapter.Transient {
			t.Errorf("answer %d lost: %v", k, err)
		}
		f.answer = nil
		if l := publish(t, f.open(), lamp("3"), shopadapter.AllFields); l.Kept != 0 ||
			f.texts("nl-NL")["title"] != "Lamp nr. 3" {
			t.Errorf("answer %d lost: kept %s, the Dutch title is %v", k, l.Kept, f.texts("nl-NL")["title"])
		}
	}
}

// A Medusa with hooks of its owner's stores another text than it is sent. That is not the
// merchant's edit.
func TestATextThatTheShopRewrites(t *testing.T) {
	f := newFake(t)
	f.rewrite = strings.ToUpper
	a := f.open()
	publish(t, a, lamp("1"), shopadapter.AllFields)
	for _, n := range []string{"2", "3"} {
		p := lamp(n)
		p.Description = "<p>Number " + n + ".</p>"
		if l := publish(t, a, p, shopadapter.AllFields); l.Kept != 0 {
			t.Errorf("kept %s", l.Kept)
		}
	}
	if got := f.office().of(t, "lamp"); got.Description != "<P>NUMBER 3.</P>" {
		t.Errorf("the description is %q", got.Description)
	}
}

// What has not changed is not written: a price takes a look and one write.
func TestRequestsOfAPrice(t *testing.T) {
	f := newFake(t)
	a := f.open()
	publish(t, a, lamp("1"), shopadapter.AllFields)
	f.took()
	p := lamp("1")
	p.Variants[0].Price = "24.95"
	publish(t, a, p, shopadapter.FieldPrice)
	if calls := f.took(); len(calls) != 2 {
		t.Errorf("the requests are %v", calls)
	}
	publish(t, a, p, shopadapter.AllFields)
	for _, call := range f.took() {
		if !strings.HasPrefix(call, http.MethodGet) {
			t.Errorf("nothing changed, and it sends %s", call)
		}
	}
}

func TestHandles(t *testing.T) {
	f := newFake(t)
	a := f.open()
	for title, begins := range map[string]string{
		"Grüne Lampe, 40 cm!": "gruene-lampe-40-cm-", "灯": "", strings.Repeat("lamp ", 40): "lamp-lamp-",
	} {
		p := lamp("1")
		p.ID, p.Title = shopadapter.PublicationID(title), title
		for i := range p.Variants {
			p.Variants[i].SKU += title
		}
		l := publish(t, a, p, shopadapter.AllFields)
		handle := strings.TrimPrefix(l.URL, "https://shop.example/products/")
		if !strings.HasPrefix(handle, begins) || len(handle) > 80 || !handleForm.MatchString(handle) {
			t.Errorf("%q: %q", title, handle)
		}
	}
}

// What the merchant types stays, also where it is what the supplier said before.
func TestATranslationThatTheMerchantTypesBack(t *testing.T) {
	f := newFake(t)
	a := f.open()
	ref := shopadapter.Ref{Publication: "lamp"}
	put := func(n string) shopadapter.Listing {
		t.Helper()
		l, err := a.Publish(t.Context(), ref, lamp(n), shopadapter.AllFields)
		if err != nil {
			t.Fatal(err)
		}
		ref.Listing, ref.State = l.ID, l.State
		return l
	}
	put("1")
	put("2")
	f.texts("nl-NL")["title"] = "Lamp nr. 1"
	if l := put("3"); l.Kept != shopadapter.FieldDescription || f.texts("nl-NL")["title"] != "Lamp nr. 1" {
		t.Errorf("kept %s, the Dutch title is %v", l.Kept, f.texts("nl-NL")["title"])
	}
}
