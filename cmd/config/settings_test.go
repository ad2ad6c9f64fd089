package config

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/sethvargo/go-envconfig"

	"github.com/pubsync/pubsync/shopadapter"
)

// Settings and meanings are held together by the names of the variables.
func TestEachSettingHasAMeaning(t *testing.T) {
	var names []string
	for _, s := range shopadapter.SettingsOf(Settings{}) {
		names = append(names, s.Name)
		if m := meanings[s.Name]; strings.TrimSpace(m) == "" || strings.Contains(m, "\n") {
			t.Errorf("%s means %q, want one line", s.Name, m)
		}
	}
	for name := range meanings {
		if !slices.Contains(names, name) {
			t.Errorf("meanings has %s, want no line for what is no setting", name)
		}
	}
}

// A fault quotes the meaning where the type of a setting has no EnvDecode, so each type whose value
// can be wrong has one.
func TestTheTypesOfSettingsDecode(t *testing.T) {
	all := reflect.TypeFor[Settings]()
	for i := range all.NumField() {
		field := all.Field(i)
		if _, ok := reflect.New(field.Type).Interface().(envconfig.DecoderCtx); !ok && field.Type.Kind() != reflect.String {
			t.Errorf("%s is a %s, want a type with EnvDecode", field.Name, field.Type)
		}
	}
}
