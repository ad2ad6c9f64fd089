package rest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"

	"github.com/pubsync/pubsync/shopadapter/internal/rest"
	"github.com/pubsync/pubsync/shopadapter/quote"
)

// A garbled answer has a status of success and a body that is not the data asked for.
type garbled struct {
	what   string // it is
	status int
	page   bool   // a web page
	check  bool   // that a bot check stands before the shop
	noise  string // what stands before the data, as it may be shown; "" where no data follow
}

func (g *garbled) Error() string {
	if g.check {
		return fmt.Sprintf("a bot check stands before the shop's REST API and answers with a web page (HTTP %d): have "+
			"the firewall, the host or its CDN let %s through for the user agent pubsync", g.status, Root)
	}
	if g.noise == "" {
		return fmt.Sprintf("the shop answered %s in place of data (HTTP %d)", g.what, g.status)
	}
	if found := phpFile.FindStringSubmatch(g.noise); found != nil {
		return fmt.Sprintf(
			"PHP writes its notices before the shop's answers, which makes them unreadable: set WP_DEBUG_DISPLAY to "+
				"false in wp-config.php, or display_errors to Off; this one comes from %s: %s",
			found[1],
			g.noise,
		)
	}
	if phpNotice.MatchString(g.noise) {
		return "PHP writes its notices before the shop's answers, which makes them unreadable: set WP_DEBUG_DISPLAY " +
			"to false in wp-config.php, or display_errors to Off: " + g.noise
	}
	return "something in the shop writes a text before its answers, a plugin or the theme's functions.php, which " +
		"makes them unreadable: " + g.noise
}

var (
	phpNotice = regexp.MustCompile(`(?i)\b(?:notice|warning|deprecated|strict standards|fatal error|parse error)\s*:`)
	phpFile   = regexp.MustCompile(
		`(?i)(?:notice|warning|deprecated|strict standards|fatal error|parse ` +
			`error)\s*:.*/wp-content/((?:plugins|themes|mu-plugins)/[^/\s:]+)`,
	)
)

// botCheck is what the pages say that hosts and firewalls answer with, status 200, to what they
// take for a bot: Cloudflare, SiteGround, Imunify360, Sucuri, DDoS-Guard. A shop's own pages may
// hold a captcha, and Cloudflare's scripts.
var botCheck = regexp.MustCompile(
	`(?i)cf-chl|chl_page|<title>just a moment|sgcaptcha|imunify360|sucuri_cloudproxy|<title>ddos-guard|` +
		`checking your browser`,
)

// cutNoise separates the data of an answer from a text before them. noisy is false where there is
// no such text, or no data.
func cutNoise(body []byte) (noise, data []byte, noisy bool) {
	body = Trimmed(body)
	at := 0
	for range mostBraces {
		next := bytes.IndexAny(body[at:], "{[")
		if next < 0 {
			break
		}
		if at += next; json.Valid(body[at:]) {
			return body[:at], body[at:], at > 0
		}
		at++
	}
	return nil, nil, false
}

// mostBraces bounds how many opening braces are tried as the beginning of the data. A notice quotes
// a few at most.
const mostBraces = 16

// unreadable is the error of a garbled answer. The shop may have carried the request out.
func (c *Client) unreadable(got *rest.Answer) *garbled {
	g := &garbled{what: "something that cannot be read", status: got.Status}
	if noise, _, noisy := cutNoise(got.Body); noisy {
		g.noise = c.Clean(string(noise))
		return g
	}
	switch {
	case len(bytes.TrimSpace(got.Body)) == 0:
		g.what = "nothing"
	case quote.IsPage(got.Body):
		g.what, g.page, g.check = "a web page", true, botCheck.Match(got.Body)
	}
	return g
}
