package wire_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"net/url"
	"strings"
	"testing"

	"github.com/pubsync/pubsync/shopadapter/wire"
)

func TestHider(t *testing.T) {
	secrets := []string{"s3cret-of-the-shop", `p"ss/w<o>rd+&'=ü?`, "exactly8"}
	hide := wire.Hider("[secret]", append(secrets, "short")...)
	for _, secret := range secrets {
		quoted, err := json.Marshal(secret)
		if err != nil {
			t.Fatal(err)
		}
		texts := map[string]string{
			"as it is": secret, "JSON": string(quoted[1 : len(quoted)-1]),
			"JSON as PHP writes it": strings.ReplaceAll(strings.ReplaceAll(secret, `"`, `\"`), "/", `\/`),
			"HTML": html.EscapeString(
				secret,
			), "HTML as PHP writes it": strings.NewReplacer("&", "&amp;", `"`, "&quot;", "'", "&#039;", "<", "&lt;", ">",
				"&gt;").Replace(secret),
			"a query": url.QueryEscape(
				secret,
			), "a path": url.PathEscape(secret), "as a browser escapes": strings.ReplaceAll(url.QueryEscape(secret), "+", "%20"),
			"a query in base64": url.QueryEscape(base64.StdEncoding.EncodeToString([]byte(secret))),
		}
		for name, enc := range map[string]*base64.Encoding{
			"base64": base64.StdEncoding, "base64 unpadded": base64.RawStdEncoding, "base64url": base64.URLEncoding,
			"base64url unpadded": base64.RawURLEncoding,
		} {
			for _, before := range []string{"", "u", "me", "you", "user:", "a:b:c"} {
				for _, after := range []string{"", ":", ":x", "!!!", "\n"} {
					texts[fmt.Sprintf("%s of %q and %q", name, before, after)] = enc.EncodeToString(
						[]byte(before + secret + after),
					)
				}
			}
		}
		for form, text := range texts {
			got := hide.Replace("you sent " + text + ", did you not")
			shown, ok := strings.CutPrefix(got, "you sent ")
			shown, found := strings.CutSuffix(shown, ", did you not")
			before, after, hidden := strings.Cut(shown, "[secret]")
			// In base64 the text before and behind the secret stays, and some bits of its first and
			// last byte.
			if !ok || !found || !hidden || strings.Contains(form, "base64") && len(before)+len(after) > 20 ||
				!strings.Contains(form, "base64") && before+after != "" {
				t.Errorf("%s of %q: %q", form, secret, got)
			}
		}
	}
	const prose = "in short words, what is exactly 8 characters long is hidden, and what is shorter is a word"
	if got := hide.Replace(prose); got != prose {
		t.Errorf("%q", got)
	}
}

// A secret that begins like another one is hidden to its end.
func TestHiderTakesTheLongest(t *testing.T) {
	hider := wire.Hider("[secret]", "password", "password-and-more")
	if got := hider.Replace("password-and-more, password"); got != "[secret], [secret]" {
		t.Errorf("%q", got)
	}
}

// Secrets are hidden as they change, and what hides them is not made anew for each of the 10,000 texts that an
// answer may have.
func TestCleanHidesTheSecretsInUse(t *testing.T) {
	secret := "the first secret"
	c := wire.New(wire.Options{Secrets: func() []string { return []string{secret} }})
	for _, secret = range []string{secret, "the second secret"} {
		if got := c.Clean("no: " + secret); got != "no: [token]" {
			t.Errorf("got %q, want it without the secret", got)
		}
	}
	if n := testing.AllocsPerRun(10, func() { c.Clean("the shop says no") }); n > 20 {
		t.Errorf("got %g allocations a text, want 20 at most", n)
	}
}
