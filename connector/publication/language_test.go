package publication

import (
	"strings"
	"testing"

	"github.com/pubsync/pubsync/store"
)

func TestAwaitedLanguage(t *testing.T) {
	english := store.Record{WrittenAt: 1, Language: "en"}
	both := []string{"en", "nl"}
	for _, row := range []struct {
		name          string
		record        store.Record
		wanted, asked []string
		titled        bool
		want          string // part of the reason; "" for none
	}{
		{"all asked for", english, both, both, true, ""},
		{"its language is not asked for", english, both, []string{"nl"}, true, "the language en, in which"},
		{"another is not asked for", english, both, []string{"en"}, true, ""},
		{"none is asked for", english, both, []string{}, false, "the language en, in which"},
		{"the settings no longer name it", english, []string{"nl"}, []string{"nl"}, true, ""},
		{"never written", store.Record{}, both, []string{"nl"}, true, ""},
		{"never written, no title", store.Record{}, both, []string{"nl"}, false, "en could not be asked for"},
		{"never written, no title, all asked for", store.Record{}, both, both, false, ""},
		{"never written, no title, none asked for", store.Record{}, both, []string{}, false, "en, nl could not be " +
			"asked for"},
		{"written before languages were kept", store.Record{WrittenAt: 1}, both, []string{"nl"}, true, ""},
		{"not known what was asked for", english, both, nil, false, ""},
	} {
		got := awaitedLanguage(row.record, row.wanted, row.asked, row.titled)
		if row.want == "" && got != "" || !strings.Contains(got, row.want) {
			t.Errorf("%s: %q, want %q", row.name, got, row.want)
		}
	}
}
