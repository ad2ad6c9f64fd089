package woocommerce

import (
	"testing"
)

// A text that WordPress, its editor or a plugin has written in another way is the same text.
func TestHash(t *testing.T) {
	for _, tt := range []struct {
		name string
		a, b string
		same bool
	}{
		{"escaped", "<p>Tom & Jerry's</p>", "<p>Tom &amp; Jerry&#039;s</p>", true},
		{"paragraphs by the editor", "<p>One.</p><p>Two.</p>", "One.\r\n\r\nTwo.", true},
		{"paragraphs as shown", "<p>One.</p>\n<p>Two.</p>", "<p>One.</p><p>Two.</p>\n", true},
		{"bold by the editor", "<p><b>One</b></p>", "<strong>One</strong>", true},
		{"lists spread out", "<ul><li>a</li><li>b</li></ul>", "<ul>\n\t<li>a</li>\n\t<li>b</li>\n</ul>\n", true},
		{
			"a list after a paragraph", "<p>One.</p><ul><li>a</li></ul><p>Two.</p>", "One.\n<ul>\n<li>a</li>\n</ul>\nTwo.",
			true,
		},
		{
			"a link's attributes", `<a href="https://x.example/?a=1&amp;b=2" rel="nofollow">x</a>`,
			`<a href="https://x.example/?a=1&b=2">x</a>`, true,
		},
		{"a hard space", "a b", "a&nbsp;b", true},
		{"another word", "<p>One.</p>", "<p>Won.</p>", false},
		{"another target", `<a href="https://x.example/">x</a>`, `<a href="https://y.example/">x</a>`, false},
		{"a new paragraph", "<p>One. Two.</p>", "<p>One.</p><p>Two.</p>", true},
		{"a word made bold", "<p>One two</p>", "<p>One <b>two</b></p>", false},
		{"a heading", "<h2>One</h2><p>Two</p>", "<p>One</p><p>Two</p>", false},
		{"emptied", "<p>One.</p>", "", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if same := hashDescription(tt.a) == hashDescription(tt.b); same != tt.same {
				t.Errorf("the same: %t, want %t", same, tt.same)
			}
		})
	}
	if got, want := hashTitle(escapeTitle(`A & <b> "c" \n`)), hashTitle(`A &amp; &lt;b&gt;  "c" &#092;n `); got != want {
		t.Errorf("a title has the hash %v, want %v, as the shop shows it", got, want)
	}
	if hashTitle("A") == hashTitle("a") {
		t.Error("A and a have the same hash, want two: an edit of case is one")
	}
}
