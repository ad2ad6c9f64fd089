package laws

import "testing"

func TestPlain(t *testing.T) {
	for _, tt := range []struct{ markup, want string }{
		{"", ""},
		{"plain", "plain"},
		{"<p>Two\n <b>words</b></p>", "Two words"},
		{"<ul><li>one</li><li>two</li></ul>", "one two"},
		{"Tom &amp; &quot;Jerry&#39;s&quot;", `Tom & "Jerry's"`},
		{`Tom & "Jerry's"`, `Tom & "Jerry's"`},
		{"a < b", "a < b"},
		{"&lt;b&gt;", "<b>"},
	} {
		if got := Plain(tt.markup); got != tt.want {
			t.Errorf("the text of %q: got %q, want %q", tt.markup, got, tt.want)
		}
	}
}

func TestSameAmount(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want bool
	}{
		{"19.95", "19.95", true},
		{"19.9500", "19.95", true},
		{"20", "20.00", true},
		{"19.94", "19.95", false},
		{"", "", false},
		{"19,95", "19,95", false},
	} {
		if got := sameAmount(tt.a, tt.b); got != tt.want {
			t.Errorf("%q and %q are the same: got %t, want %t", tt.a, tt.b, got, tt.want)
		}
	}
}
