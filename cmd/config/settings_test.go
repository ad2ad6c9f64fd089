package config

import (
	"strings"
	"testing"

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
