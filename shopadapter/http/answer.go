package httpshop

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"unicode"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/wire"
)

// An Answer is read leniently, for all languages that write it: an id may be a number, and a member of another kind
// costs only itself.
type Answer struct {
	ID, URL           Text  // of a listing
	Variants, Refused Texts // by variant id
	Kept              []Text
	Draft, Deleted    bool
	Missing           []struct { // pictures
		URL, Reason Text
		Later       bool
	}

	Title, Detail Text // of a problem

	Currency, Version         Text // of health
	Figures, Observed, Drafts bool

	Products []entry // of the list
	After    Text
}

// Read reads an answer's body, and reports whether it is a JSON object.
func Read(body []byte) (a Answer, ok bool) {
	err := json.Unmarshal(body, &a)
	_, form := errors.AsType[*json.UnmarshalTypeError](err) // the other members are read
	return a, (err == nil || form) && bytes.HasPrefix(bytes.TrimSpace(body), []byte("{"))
}

// A Text is a JSON string, or a number as written; anything else is "".
type Text string

// UnmarshalJSON never fails: an id that is a list is missing.
func (t *Text) UnmarshalJSON(data []byte) error {
	*t = ""
	if json.Unmarshal(data, (*string)(t)) != nil {
		_ = json.Unmarshal(data, (*json.Number)(t)) //nolint:errcheck // then it is no text
	}
	return nil
}

// Texts are texts by name; null is none.
type Texts map[string]*Text

// All returns the texts.
func (t Texts) All() map[string]string {
	all := map[string]string{}
	for name, text := range t {
		if text != nil {
			all[name] = string(*text)
		}
	}
	return all
}

func groups(names []Text) (f shopadapter.Fields) {
	for _, name := range names {
		group, _ := shopadapter.ParseFields(string(name)) //nolint:errcheck // an unknown one is no group
		f |= group & shopadapter.TextFields
	}
	return f
}

func (a *adapter) listing(resp *wire.Answer, p shopadapter.Product) (listing shopadapter.Listing, err error) {
	if err := a.judge(resp); err != nil {
		return listing, err
	}
	answer, _ := Read(resp.Body)
	if answer.ID == "" {
		return listing, shopadapter.Retry("the shop's endpoint answered without the id of a listing: %s", a.explain(resp))
	}
	listing = shopadapter.Listing{
		ID: shopadapter.ListingID(answer.ID), Kept: groups(answer.Kept), Draft: p.Draft && answer.Draft,
		Variants: []shopadapter.ListedVariant{}, Refused: map[string]string{},
	}
	for _, address := range p.Pictures() {
		for _, m := range answer.Missing {
			if string(m.URL) == address {
				reason := cmp.Or(a.Clean(string(m.Reason)), "not shown by the shop, which gives no reason")
				listing.Missing = append(listing.Missing, shopadapter.Picture{URL: address, Later: m.Later, Reason: reason})
				break
			}
		}
	}
	ids, refused, reason := answer.Variants.All(), answer.Refused.All(), ""
	for _, v := range p.Variants {
		if why, is := refused[v.ID]; is {
			reason = cmp.Or(a.Clean(why), "refused by the shop without a reason")
			listing.Refused[v.ID] = reason
		} else if ids[v.ID] != "" {
			listing.Variants = append(listing.Variants, shopadapter.ListedVariant{ID: v.ID, ShopID: ids[v.ID]})
		}
	}
	switch {
	case len(p.Variants) > 0 && len(listing.Refused) == len(p.Variants):
		return listing, shopadapter.Reject("the shop refuses every variant: %s", reason)
	case !goodAddress(string(answer.URL)):
		// The marketplace shows this address to everybody: a bad one is worse than none.
		return listing, shopadapter.Block("the shop's endpoint answered %q as the product's url: it must be an absolute "+
			"http or https address", a.Clean(string(answer.URL)))
	}
	listing.URL = string(answer.URL)
	return listing, nil
}

// goodAddress accepts an absolute http(s) address that everybody may see, and "".
func goodAddress(address string) bool {
	if address == "" {
		return true
	}
	u, err := url.Parse(address)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Hostname() != "" && u.User == nil &&
		!strings.ContainsFunc(address, func(r rune) bool { return unicode.IsSpace(r) || !unicode.IsPrint(r) })
}

var words = wire.Words{
	wire.Refused:  "the shop refused the product: %s",
	wire.TooLarge: "the shop refused the product: %s",
	wire.Denied:   "the shop's endpoint refused the token: check PUBSYNC_HTTP_TOKEN (%s)",
	wire.Unpaid:   "the shop's plan is unpaid: its owner has to settle the bill (%s)",
	wire.Absent:   "the shop's endpoint is not there, the address is wrong: check PUBSYNC_HTTP_URL (%s)",
	wire.Moved:    "the shop's endpoint redirects: set PUBSYNC_HTTP_URL to where it really is (%s)",
	wire.Pause:    "the shop's endpoint asks for a pause: %s",
}

func (a *adapter) judge(resp *wire.Answer) error {
	if err := a.notPage(resp); err != nil || resp.Status/100 == 2 {
		return err
	}
	return a.classify(resp)
}

// unwell is judge for requests without a product: there is none that a supplier could change.
func (a *adapter) unwell(resp *wire.Answer) error {
	if err := a.notPage(resp); err != nil || resp.Status == http.StatusOK {
		return err
	}
	e := a.classify(resp)
	if e.Kind == shopadapter.Rejected {
		return shopadapter.Retry("the shop's endpoint is not well: %s", a.explain(resp))
	}
	return e
}

// notPage returns the error of a web page with a 2xx or 400: it comes from a proxy.
func (a *adapter) notPage(resp *wire.Answer) error {
	if !wire.IsPage(resp.Body) || resp.Status/100 != 2 && resp.Status != http.StatusBadRequest {
		return nil
	}
	return shopadapter.Retry("a web page answers in place of the shop's endpoint, as a bot check, a login or a page of "+
		"maintenance does: check PUBSYNC_HTTP_URL, and let its requests pass (%s)", a.explain(resp))
}

func (a *adapter) classify(resp *wire.Answer) *shopadapter.Error {
	e := resp.StatusError("")
	format := cmp.Or(words[resp.Means()], "the shop's endpoint cannot answer now: %s")
	e.Message = fmt.Sprintf(format, a.explain(resp))
	return e
}

// explain returns the code, and the title and detail of a problem, else the beginning of a text.
func (a *adapter) explain(resp *wire.Answer) string {
	problem, _ := Read(resp.Body)
	parts := []string{fmt.Sprintf("%d %s", resp.Status, http.StatusText(resp.Status))}
	switch to := resp.Header.Get("Location"); {
	case to != "" && resp.Status/100 == 3:
		parts = append(parts, "to "+to)
	case problem.Title+problem.Detail != "":
		parts = append(parts, string(problem.Title), string(problem.Detail))
	case wire.IsPage(resp.Body):
		parts = append(parts, "an HTML page")
	default:
		parts = append(parts, string(resp.Body))
	}
	for i, part := range parts {
		parts[i] = a.Clean(part)
	}
	return strings.Join(slices.DeleteFunc(parts, func(part string) bool { return part == "" }), ": ")
}
