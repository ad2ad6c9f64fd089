package percent_test

import (
	"net/url"
	"testing"

	"github.com/pubsync/pubsync/shopadapter/internal/percent"
)

func TestEncode(t *testing.T) {
	for text, want := range map[string]string{
		"aZ09-._~": "aZ09-._~",
		"a/b c+&=": "a%2Fb%20c%2B%26%3D",
		"é\x00%":   "%C3%A9%00%25",
	} {
		got := percent.Encode(text)
		if back, err := url.PathUnescape(got); got != want || err != nil || back != text {
			t.Errorf("%q is %q, which reads back as %q (%v)", text, got, back, err)
		}
	}
}
