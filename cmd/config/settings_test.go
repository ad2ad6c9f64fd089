package config

import (
	"reflect"
	"strings"
	"testing"

	"github.com/shopspring/decimal"

	"github.com/pubsync/pubsync/shopadapter"
)

func TestEachSettingHasAMeaning(t *testing.T) {
	for _, s := range shopadapter.SettingsOf(Settings{}) {
		if strings.TrimSpace(s.Meaning) == "" || strings.Contains(s.Meaning, "\n") {
			t.Errorf("%s means %q, want one line", s.Name, s.Meaning)
		}
	}
}

// A fault says what a good value is, and not what a library says of the bad one: its type or its
// tags do, or the meaning names the few words that there are.
func TestAFaultSaysWhatIsGood(t *testing.T) {
	for _, s := range shopadapter.SettingsOf(Settings{}) {
		e, err := Read([]string{Prefix + s.Name + "=?\x7f= s3ntinel"}, nil)
		if err != nil {
			t.Fatal(err)
		}
		_, faults := Load(e, ToLook)
		for _, fault := range faults {
			text := strings.TrimPrefix(fault.Error(), Prefix+s.Name+": ")
			if strings.HasPrefix(text, "is not good: ") && s.Name != "LOG_LEVEL" {
				t.Errorf("%s: got %q, want what a good value is", s.Name, text)
			}
		}
	}
}

// The bounds in the tags are numbers or spans, and every number has some.
func TestNumbersHaveBounds(t *testing.T) {
	all := reflect.TypeFor[Settings]()
	for i := range all.NumField() {
		field := all.Field(i)
		bounds := field.Tag.Get("range")
		numeric := field.Type == reflect.TypeFor[int]() || field.Type == reflect.TypeFor[decimal.Decimal]() ||
			field.Type == reflect.TypeFor[*decimal.Decimal]()
		if numeric && bounds == "" {
			t.Errorf("%s has no bounds", field.Name)
		}
		least, most, _ := strings.Cut(strings.TrimSuffix(bounds, " %"), "..")
		for _, bound := range []string{least, most} {
			if _, err := decimal.NewFromString(bound); err != nil && numeric {
				t.Errorf("%s: the bound %q is no number", field.Name, bound)
			}
		}
	}
}
