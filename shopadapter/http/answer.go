package httpshop

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"
	"unicode"

	"github.com/pubsync/pubsync/shopadapter"
)

// readListing reads the answer to a PUT of p.
func (a *adapter) readListing(resp *response, p shopadapter.Product) (shopadapter.Listing, error) {
	var answer struct {
		ID       text  `json:"id"`
		URL      text  `json:"url"`
		Variants texts `json:"variants"`
		Refused  texts `json:"refused"`
	}
	if err := json.Unmarshal(resp.body, &answer); err != nil || answer.ID == "" {
		return shopadapter.Listing{}, shopadapter.Retry("the shop's endpoint answered without the id of a listing: %s", a.explain(resp))
	}
	listing := shopadapter.Listing{ID: shopadapter.ListingID(answer.ID), Variants: map[string]string{}, Refused: map[string]string{}}
	reason := ""
	for _, v := range p.Variants {
		if why, refused := answer.Refused[v.ID]; refused {
			if reason = a.clean(string(why)); reason == "" {
				reason = "refused by the shop without a reason"
			}
			listing.Refused[v.ID] = reason
		} else if id := answer.Variants[v.ID]; id != "" {
			listing.Variants[v.ID] = string(id)
		}
	}
	if len(p.Variants) > 0 && len(listing.Refused) == len(p.Variants) {
		return listing, shopadapter.Reject("the shop refuses every variant: %s", reason)
	}
	if !goodAddress(string(answer.URL)) {
		// The marketplace shows this address to everybody, so a bad one is worse than none.
		return listing, shopadapter.Block("the shop's endpoint answered %q as the product's url: it must be an absolute http or https address",
			a.clean(string(answer.URL)))
	}
	listing.URL = string(answer.URL)
	return listing, nil
}

// A text is a JSON string, or a number as it was written. Everything else is no text: "".
type text string

// UnmarshalJSON never fails: an id that is a list is an id that is missing.
func (t *text) UnmarshalJSON(data []byte) error {
	var s string
	var n json.Number
	if json.Unmarshal(data, &s) == nil {
		*t = text(s)
	} else if json.Unmarshal(data, &n) == nil {
		*t = text(n)
	} else {
		*t = ""
	}
	return nil
}

// texts are texts by name. What is null in JSON is not among them.
type texts map[string]text

// UnmarshalJSON never fails: where a language has one kind of list, an empty object is written as an empty array.
func (t *texts) UnmarshalJSON(data []byte) error {
	var members map[string]*text
	*t = texts{}
	if json.Unmarshal(data, &members) == nil {
		for name, member := range members {
			if member != nil {
				(*t)[name] = *member
			}
		}
	}
	return nil
}

// goodAddress is true of an absolute http(s) address that may be shown to everybody, and of none at all.
func goodAddress(address string) bool {
	if address == "" {
		return true
	}
	u, err := url.Parse(address)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Hostname() != "" && u.User == nil &&
		!strings.ContainsFunc(address, func(r rune) bool { return unicode.IsSpace(r) || !unicode.IsPrint(r) })
}

// classify says who can mend an answer that is not a success.
func (a *adapter) classify(resp *response) *shopadapter.Error {
	why := a.explain(resp)
	after, told := shopadapter.ParseRetryAfter(resp.header, time.Now())
	switch code := resp.code; {
	case code == http.StatusBadRequest || code == http.StatusConflict ||
		code == http.StatusRequestEntityTooLarge || code == http.StatusUnprocessableEntity:
		return shopadapter.Reject("the shop refused the product: %s", why)
	case code == http.StatusUnauthorized || code == http.StatusForbidden:
		return shopadapter.Block("the shop's endpoint refused the token: check PUBSYNC_HTTP_TOKEN (%s)", why).Everywhere()
	case code/100 == 3:
		return shopadapter.Block("the shop's endpoint redirects to %q: set PUBSYNC_HTTP_URL to where it really is (%s)",
			a.clean(resp.header.Get("Location")), why).Everywhere()
	case code == http.StatusNotFound || code == http.StatusMethodNotAllowed || code == http.StatusGone:
		return shopadapter.Block("the shop's endpoint is not there, the address is wrong: check PUBSYNC_HTTP_URL (%s)", why).Everywhere()
	case code == http.StatusTooManyRequests || (code == http.StatusServiceUnavailable && told):
		return shopadapter.Retry("the shop's endpoint asks for a pause: %s", why).Everywhere().After(after)
	default:
		return shopadapter.Retry("the shop's endpoint cannot answer now: %s", why).After(after)
	}
}

// explain is what the endpoint said of its answer: the title and detail of a problem, else the beginning of a text, after the code.
func (a *adapter) explain(resp *response) string {
	parts := []string{strings.TrimSpace(fmt.Sprintf("%d %s", resp.code, http.StatusText(resp.code)))}
	var problem struct{ Title, Detail text }
	switch {
	case json.Unmarshal(resp.body, &problem) == nil && problem.Title+problem.Detail != "":
		parts = append(parts, a.clean(string(problem.Title)), a.clean(string(problem.Detail)))
	case isPage(resp.body):
		parts = append(parts, "an HTML page")
	default:
		parts = append(parts, a.clean(string(resp.body)))
	}
	said := parts[:0]
	for _, part := range parts {
		if part != "" {
			said = append(said, part)
		}
	}
	return strings.Join(said, ": ")
}
