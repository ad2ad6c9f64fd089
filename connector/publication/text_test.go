package publication

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html"
	"pgregory.net/rapid"
)

func TestHTML(t *testing.T) {
	for _, tt := range []struct{ name, in, want string }{
		{"plain text in lines", "A lamp.\nWith a bulb.\r\nE27.\rNew.", "A lamp.<br/>\nWith a " +
			"bulb.<br/>\nE27.<br/>\nNew."},
		{"signs in plain text", "R&D: 3 < 5 > 2 \"so\"\nit's", "R&amp;D: 3 &lt; 5 &gt; 2 &#34;so&#34;<br/>\nit&#39;s"},
		{"entities in text", "Caf&eacute; &amp; bar &lt;new&gt;", "Café &amp; bar &lt;new&gt;"},
		{
			"a script behind entities stays text", "&lt;script&gt;alert(1)&lt;/script&gt;",
			"&lt;script&gt;alert(1)&lt;/script&gt;",
		},
		{"formatting", "<p>A <b>red</b> <em>lamp</em></p>", "<p>A <b>red</b> <em>lamp</em></p>"},
		{"a list", "<ul><li>one<li>two</ul>", "<ul><li>one</li><li>two</li></ul>"},
		{
			"a table", `<table><tr><th colspan="2">Size<tr><td>S<td>M</table>`,
			`<table><tbody><tr><th colspan="2">Size</th></tr><tr><td>S</td><td>M</td></tr></tbody></table>`,
		},

		{"script", "<p>a</p><script>alert(1)</script><p>b</p>", "<p>a</p><p>b</p>"},
		{"script in capitals, with a space", "a<SCRIPT SRC=//evil></SCRIPT >b", "ab"},
		{"script that never ends", "a<script>alert(1)", "a"},
		{"a tag that never ends", "a<img src=x onerror=alert(1) ", "a"},
		{"handler", `<p onclick="alert(1)" onmouseover=x>a</p>`, "<p>a</p>"},
		{"image", `<p>a<img src=x onerror=alert(1)>b</p>`, "<p>ab</p>"},
		{"style attribute", `<p style="position:fixed;inset:0">a</p>`, "<p>a</p>"},
		{"iframe", `a<iframe src="https://evil"><b>x</b></iframe>b`, "ab"},
		{"svg", `a<svg onload=alert(1)><script>alert(2)</script><style>x</style></svg>b`, "ab"},
		{
			"svg that hides a tag in a style", `<svg></p><style><a id="</style><img src=1 onerror=alert(1)>">`,
			"<p></p>&#34;&gt;",
		},
		{
			"math that hides a tag in a comment",
			`<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=alert(1)&gt;">`,
			"<table></table>",
		},
		{
			"noscript that hides a tag in a title", `<noscript><p title="</noscript><img src=x onerror=alert(1)>">`,
			"&#34;&gt;",
		},
		{"form", `<form action=//evil><input name=card><button>Pay</button></form>`, "Pay"},
		{"base, meta, link", `<base href=//evil><meta http-equiv=refresh content=0><link rel=stylesheet href=//evil>a`, "a"},
		{"comment", "a<!-- x -->b<!--[if IE]><script>x</script><![endif]-->c", "abc"},
		{"comment that never ends", "a<!-- <p>b</p>", "a"},
		{"processing instruction", `<?php system("x") ?>a`, "a"},

		{
			"link", `<a href="https://shop.example/a?b=1&amp;c=2" target=_blank>x</a>`,
			`<a href="https://shop.example/a?b=1&amp;c=2" rel="nofollow">x</a>`,
		},
		{"mail", `<a href="mailto:a@b.example">x</a>`, `<a href="mailto:a@b.example" rel="nofollow">x</a>`},
		{"javascript with a tab, an entity and capitals", "<a href=\"jAva\tscr&#105;pt:alert(1)\">x</a>", "x"},
		{"javascript behind a control character", "<a href=\"\x01javascript:alert(1)\">x</a>", "x"},
		{"data", `<a href="data:text/html,<script>x</script>">x</a>`, "x"},
		{"relative address", `<a href="/wp-admin/?delete=1">x</a>`, "x"},

		{"closed too often", "a</div></div></td></table></body></html>b", "ab"},
		{"not closed", "<b>a<div><i>b", "<b>a<div><i>b</i></div></b>"},
		{"crossed", "<b>a<i>b</b>c</i>", "<b>a<i>b</i></b><i>c</i>"},
		{"cell without a table", "a<td>b</td>", "ab"},
		{"paragraphs that only a marquee keeps apart", "<p>a<marquee><p>b</p></marquee>c</p>", "<p>a</p><p>b</p>c<p></p>"},
		{"text in a table", "<table>a<tr><td>b</table>", "a<table><tbody><tr><td>b</td></tr></tbody></table>"},

		{"shortcode", `[gallery ids=1] <p>[php]x[/php]</p>`, "&#91;gallery ids=1&#93; " +
			"<p>&#91;php&#93;x&#91;/php&#93;</p>"},
		{"shortcode behind entities", "&#91;gallery&#x5d;&lbrack;", "&#91;gallery&#93;&#91;"},

		{"control characters", "a\x00b\x07c\u0085d\x1b[2Je", "abcd&#91;2Je"},
		{"control characters behind entities", "a&#1;b&#x7f;c", "abc"},
		{"line breaks of tags that are gone", "<img>a\nb<img>", "a b"},
		{"a byte order mark", "\ufeffa", "\ufeffa"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := sanitize(tt.in); got != tt.want {
				t.Errorf("%q becomes\n%s\nwant\n%s", tt.in, got, tt.want)
			}
			checkHTML(t, tt.in)
		})
	}
}

var (
	allowed = regexp.MustCompile(
		`^(p|br|hr|b|strong|i|em|u|s|small|sub|sup|span|div|blockquote|pre|code|ul|ol|li|dl|dt|dd|h[2-6]|` +
			`table|thead|tbody|tfoot|tr|td|th|caption|a)$`,
	)
	address = regexp.MustCompile(`(?i)^(https?|mailto):`)
	number  = regexp.MustCompile(`^[0-9]+$`)
)

// A tester is what a test and a property have in common.
type tester interface {
	Helper()
	Fatalf(format string, args ...any)
}

// checkHTML holds what comes out of the sanitizer to its promises: tags of the list and no others,
// each closed in order, no attribute but those that it lets pass, nothing that a shop would take
// for a shortcode; and the same text whenever it is cleaned, so that its hash is too.
func checkHTML(t tester, in string) {
	t.Helper()
	out := sanitize(in)
	if again := sanitize(in); again != out {
		t.Fatalf("%q twice: got %q, want %q", in, again, out)
	}
	if twice := sanitize(out); twice != out {
		t.Fatalf("%q: got %q of its own output, want that unchanged: %q", in, twice, out)
	}
	if !utf8.ValidString(out) || strings.ContainsAny(out, "[]\x00\r") ||
		strings.Contains(strings.ToLower(out), "<script") {
		t.Fatalf("%q: got %q, want valid UTF-8 without brackets, control characters or scripts", in, out)
	}
	var open []string
	z := html.NewTokenizer(strings.NewReader(out))
	for kind := z.Next(); kind != html.ErrorToken; kind = z.Next() {
		token := z.Token()
		void := token.Data == "br" || token.Data == "hr"
		switch kind {
		case html.StartTagToken, html.SelfClosingTagToken:
			checkTag(t, token)
			if !void {
				open = append(open, token.Data)
			}
		case html.EndTagToken:
			if len(open) == 0 || open[len(open)-1] != token.Data {
				t.Fatalf("%q: got %q, want </%s> to close a tag (open: %v)", in, out, token.Data, open)
			}
			open = open[:len(open)-1]
		case html.TextToken:
		default:
			t.Fatalf("%q: got %q, want no %v in it", in, out, token)
		}
	}
	if len(open) > 0 {
		t.Fatalf("%q: got %q with %v open, want all closed", in, out, open)
	}
}

func checkTag(t tester, token html.Token) {
	t.Helper()
	if !allowed.MatchString(token.Data) {
		t.Fatalf("got the tag %v, want an allowed one", token)
	}
	for _, a := range token.Attr {
		cell := token.Data == "td" || token.Data == "th"
		switch {
		case token.Data == "a" && a.Key == "href" && address.MatchString(a.Val):
		case token.Data == "a" && a.Key == "rel" && a.Val == "nofollow":
		case cell && (a.Key == "colspan" || a.Key == "rowspan") && number.MatchString(a.Val):
		default:
			t.Fatalf("got the attribute %s=%q of %s, want none", a.Key, a.Val, token.Data)
		}
	}
}

func FuzzHTML(f *testing.F) {
	for _, seed := range []string{
		"", "plain\ntext", "a < b & c", "<p>x</p>", "<script>x</script>a\nb", "<b>x", "</div></div>", "<a " +
			"href=http://x/[y]>z</a>", "[gallery]",
		"<table><a href='https://x'>x<tr><td>y", "<p><marquee><p>x</p></marquee></p>", "<svg><style><img src=x " +
			"onerror=alert(1)></style></svg>",
		"&#1", "&#13;", "<pre>\n\nx</pre>", "<table><caption><table><td>x", "<h2><table><template><img><h3>'<h3><ruby><td>",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) { checkHTML(t, text) })
}

// Pieces of tags in any order find what bytes in any order seldom do: trees that a parser mends.
func TestHTMLOfPieces(t *testing.T) {
	pieces := strings.Fields(
		`<b> </b> <p> </p> <div> </div> <a> <a/href=http://x> </a> <table> </table> <tr> </tr> <td> </td> <caption>
		<tbody> <col> <marquee> </marquee> <svg> </svg> <style> </style> <script> </script> <math> <mtext> <mglyph>
		<select> <option> </select> <template> </template> <frameset> <iframe> <noscript> <textarea> <plaintext>
		<title> <!-- --> <!DOCTYPE> <ul> <li> </li> <dl> <dd> <h2> </h2> <h3> <nobr> <button> </button> <form> </form>
		<i> <em> <applet> <object> <foreignObject> <desc> <br> </br> <hr> <img> <input> <ruby> <rt> <body> <html>
		<pre> <code> <span> x & &lt; &amp;lt; [ ] " ' < > <x <![CDATA[ ]]> <?x`,
	)
	pieces = append(pieces, " ", "\n")
	rapid.Check(t, func(t *rapid.T) {
		checkHTML(t, strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 1, 16).Draw(t, "pieces"), ""))
	})
}

// A description may be made to cost: each of these is bounded in what it becomes, and so in the
// time it takes.
func TestHTMLIsBounded(t *testing.T) {
	formats := func(n int) string { // elements that a parser opens again in each paragraph, and that differ
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "<b id=%d>", i)
		}
		return b.String()
	}
	for _, tt := range []struct{ name, in string }{
		{"nested 10,000 deep", strings.Repeat("<div>", 10_000) + "deep" + strings.Repeat("</div>", 10_000)},
		{"nested 10,000 deep and left open", strings.Repeat("<b><i>", 5_000) + "deep"},
		{"tables in tables", strings.Repeat("<table><tr><td>", 4_000) + "deep"},
		{"formatting opened again in 8,000 paragraphs", "<p>" + formats(400) + "</p>" + strings.Repeat("<p>x</p>", 8_000)},
		{"a megabyte of text", strings.Repeat("lamp ", 1<<20/5)},
		{"a megabyte of lines", strings.Repeat("lamp\n", 1<<20/5)},
		{"a megabyte of one word", strings.Repeat("x", 1<<20)},
		{"a megabyte of <", strings.Repeat("<", 1<<20)},
		{"a megabyte of &", strings.Repeat("&", 1<<20)},
		{"a megabyte of brackets", strings.Repeat("[", 1<<20)},
		{"a megabyte of comments", strings.Repeat("<!--", 1<<18)},
		{"a megabyte of closed tags", strings.Repeat("</div>", 1<<20/6)},
		{"a megabyte of paragraphs", strings.Repeat("<p>x</p>\n", 1<<20/9)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			start := time.Now()
			out := sanitize(tt.in)
			// A hundred times what it takes on a slow machine, and a thousandth of what a parser
			// takes that is let loose on it.
			if took := time.Since(start); took > 20*time.Second {
				t.Errorf("%d bytes: got them done in %s, want 20s at most", len(tt.in), took)
			}
			if len(out) > mostGrowth*len(tt.in) {
				t.Errorf("%d bytes: got %d, want %d times as many at most", len(tt.in), len(out), mostGrowth)
			}
			if strings.Contains(tt.in, "deep") && !strings.Contains(out, "deep") {
				t.Error("got the text removed with the tags, want it kept")
			}
		})
	}
	if out := sanitize(strings.Repeat("<div>", 10_000) + "<script>x</script>deep & [low]"); out != "deep "+
		"&amp; &#91;low&#93;" {
		t.Errorf("too deep for a parser: got %.100q, want the text alone", out)
	}
}

func TestLine(t *testing.T) {
	for _, tt := range []struct {
		name  string
		in    string
		limit int
		want  string
	}{
		{"nothing", "", 40, ""},
		{"line breaks", "Reading\r\nlamp\n\n", 40, "Reading lamp"},
		{"line and paragraph separators", "a\u2028b\u2029c", 40, "a b c"},
		{"control characters", "a\x00b\x1b[31mc\x7fd\u0085e", 40, "ab[31mcd e"},
		{"turned text", "lamp\u202egnp.exe\u2066x\u2069", 40, "lampgnp.exex"},
		{"marks of direction stay", "\u200fמנורה", 40, "\u200fמנורה"},
		{"invisible characters", "\ufeffSKU\u200b-\u2060 1\u00ad", 40, "SKU- 1"},
		{"joined emoji stays", "👩\u200d🔧", 40, "👩\u200d🔧"},
		{"bytes that are no UTF-8", "a\xffb\xc3", 40, "ab"},
		{"the sign for such bytes", "a\ufffdb", 40, "ab"},
		{"markup is text", "<b>a</b> &amp; [x]", 40, "<b>a</b> &amp; [x]"},
		{"above the limit", "abcdef", 5, "abcde"},
		{"the limit counts characters, not bytes", "ééééé", 5, "ééééé"},
		{"cut within characters of four bytes", "💡💡💡", 2, "💡💡"},
		{"no space is left at the cut", "abcd efgh", 5, "abcd"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := line(tt.in, tt.limit); got != tt.want {
				t.Errorf("%q becomes %q, want %q", tt.in, got, tt.want)
			}
		})
	}
}

func TestLineOfAnything(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := rapid.OneOf(rapid.String(), rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) })).
			Draw(t, "text")
		limit := rapid.IntRange(1, 30).Draw(t, "limit")
		out := line(in, limit)
		if utf8.RuneCountInString(out) > limit || !utf8.ValidString(out) || out != strings.TrimSpace(out) {
			t.Fatalf("%q: got %q, want %d trimmed characters at most", in, out, limit)
		}
		control := func(r rune) bool {
			return unicode.IsControl(r) || strings.ContainsRune(hiding, r) || unicode.IsSpace(r) && r != ' '
		}
		if i := strings.IndexFunc(out, control); i >= 0 {
			t.Fatalf("%q: got a control character at %d of %q, want none", in, i, out)
		}
		if again := line(out, limit); again != out {
			t.Fatalf("%q: got %q of its own output, want that unchanged: %q", in, again, out)
		}
	})
}
