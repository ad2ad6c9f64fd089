package httpshop

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"unicode"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/wire"
)

// An Answer is what an endpoint answers to a PUT, read as leniently as the languages that write it
// need: an id may be a number, and an empty object an empty list.
type Answer struct {
	ID       Text                     `json:"id"`
	URL      Text                     `json:"url"`
	Variants Texts                    `json:"variants"`
	Refused  Texts                    `json:"refused"`
	Missing  lenient[[]lenient[note]] `json:"missing"`
	Kept     lenient[[]Text]          `json:"kept"`
	Draft    lenient[bool]            `json:"draft"`
}

// A note is what the endpoint says of a picture that it does not show.
type note struct {
	URL    Text          `json:"url"`
	Reason Text          `json:"reason"`
	Later  lenient[bool] `json:"later"`
}

// A lenient member of an answer is what was asked for, or zero where the endpoint wrote something else:
// it costs itself, and not the answer.
type lenient[T any] struct {
	is    T
	there bool // the member is there, be it null
}

// UnmarshalJSON never fails.
func (l *lenient[T]) UnmarshalJSON(data []byte) error {
	*l = lenient[T]{there: true}
	if json.Unmarshal(data, &l.is) != nil {
		l.is = *new(T)
	}
	return nil
}

// A Text is a JSON string, or a number as it was written. Everything else is no text: "".
type Text string

// UnmarshalJSON never fails: an id that is a list is an id that is missing.
func (t *Text) UnmarshalJSON(data []byte) error {
	*t = ""
	if json.Unmarshal(data, (*string)(t)) != nil {
		_ = json.Unmarshal(data, (*json.Number)(t)) //nolint:errcheck // then it is no text
	}
	return nil
}

// Texts are texts by name. What is null in JSON is not among them.
type Texts map[string]Text

// UnmarshalJSON never fails: where a language has one kind of list, an empty object is written as
// an empty array.
func (t *Texts) UnmarshalJSON(data []byte) error {
	*t = Texts{}
	var members map[string]*Text
	_ = json.Unmarshal(data, &members) //nolint:errcheck // what is no object has no members
	for name, member := range members {
		if member != nil {
			(*t)[name] = *member
		}
	}
	return nil
}

// groups are the groups of texts with these names. What is none is left out.
func groups(names []Text) (f shopadapter.Fields) {
	for _, name := range names {
		group, _ := shopadapter.ParseFields(string(name)) //nolint:errcheck // an unknown one is no group
		f |= group & shopadapter.TextFields
	}
	return f
}

// readListing reads the answer to a write of p.
func (a *adapter) readListing(
	ctx context.Context, resp *wire.Answer, p shopadapter.Product,
) (listing shopadapter.Listing, err error) {
	if err := a.judge(ctx, resp); err != nil {
		return listing, err
	}
	var answer Answer
	if err := json.Unmarshal(resp.Body, &answer); err != nil || answer.ID == "" {
		return listing, shopadapter.Retry(
			"the shop's endpoint answered without the id of a listing: %s", a.explain(resp))
	}
	listing = shopadapter.Listing{
		ID: shopadapter.ListingID(answer.ID), Kept: groups(answer.Kept.is), Draft: p.Draft && answer.Draft.is,
		Missing:  a.missing(answer.Missing.is, p.Images),
		Variants: []shopadapter.ListedVariant{}, Refused: map[string]string{},
	}
	reason := ""
	for _, v := range p.Variants {
		if why, refused := answer.Refused[v.ID]; refused {
			reason = cmp.Or(a.wire.Clean(string(why)), "refused by the shop without a reason")
			listing.Refused[v.ID] = reason
		} else if id := answer.Variants[v.ID]; id != "" {
			listing.Variants = append(listing.Variants, shopadapter.ListedVariant{ID: v.ID, ShopID: string(id)})
		}
	}
	switch {
	case len(p.Variants) > 0 && len(listing.Refused) == len(p.Variants):
		return listing, shopadapter.Reject("the shop refuses every variant: %s", reason)
	case !goodAddress(string(answer.URL)):
		// The marketplace shows this address to everybody, so a bad one is worse than none.
		return listing, shopadapter.Block(
			"the shop's endpoint answered %q as the product's url: it must be an absolute http or https address",
			a.wire.Clean(string(answer.URL)),
		)
	}
	listing.URL = string(answer.URL)
	return listing, nil
}

// missing are the pictures of the product that the endpoint names, each once, in the product's
// order.
func (a *adapter) missing(named []lenient[note], images []string) (missing []shopadapter.Picture) {
	for i, address := range images {
		n := slices.IndexFunc(named, func(n lenient[note]) bool { return string(n.is.URL) == address })
		if n < 0 || slices.Contains(images[:i], address) {
			continue
		}
		reason := a.wire.Clean(string(named[n].is.Reason))
		missing = append(missing, shopadapter.Picture{
			URL: address, Later: named[n].is.Later.is,
			Reason: cmp.Or(reason, "not shown by the shop, which gives no reason"),
		})
	}
	return missing
}

// goodAddress is true of an absolute http(s) address that may be shown to everybody, and of none at
// all.
func goodAddress(address string) bool {
	if address == "" {
		return true
	}
	u, err := url.Parse(address)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Hostname() != "" && u.User == nil &&
		!strings.ContainsFunc(address, func(r rune) bool { return unicode.IsSpace(r) || !unicode.IsPrint(r) })
}

// words say what a status means, around what the endpoint said.
var words = wire.Words{
	wire.Refused:  "the shop refused the product: %s",
	wire.TooLarge: "the shop refused the product: %s",
	wire.Denied:   "the shop's endpoint refused the token: check PUBSYNC_HTTP_TOKEN (%s)",
	wire.Absent:   "the shop's endpoint is not there, the address is wrong: check PUBSYNC_HTTP_URL (%s)",
	wire.Moved:    "the shop's endpoint redirects: set PUBSYNC_HTTP_URL to where it really is (%s)",
	wire.Pause:    "the shop's endpoint asks for a pause: %s",
}

// judge is the error of an answer to a request about one product, nil for a success. Where nothing shows
// that the endpoint itself refused the product, its health does.
func (a *adapter) judge(ctx context.Context, resp *wire.Answer) error {
	if resp.Status/100 == 2 {
		return a.notPage(resp)
	}
	if wordless(resp) {
		if _, err := a.health(ctx); err != nil {
			return err
		}
	}
	return a.classify(resp)
}

// unwell is the error of an answer to a question that is about no product: there is none that a
// supplier could change.
func (a *adapter) unwell(resp *wire.Answer) error {
	if resp.Status == http.StatusOK {
		return a.notPage(resp)
	}
	e := a.classify(resp)
	switch {
	case wordless(resp) && strings.HasPrefix(a.base, "http://"):
		return shopadapter.Block("the shop's endpoint cannot read a request: PUBSYNC_HTTP_URL begins with http://, and "+
			"its port may be one for https:// (%s)", a.explain(resp)).Everywhere()
	case e.Kind == shopadapter.Rejected:
		return shopadapter.Retry("the shop's endpoint is not well: %s", a.explain(resp))
	}
	return e
}

// wordless reports whether an answer is a 400 that is not in the words of an endpoint, which speaks
// JSON: what stands in front of one answers so to every request.
func wordless(resp *wire.Answer) bool {
	return resp.Status == http.StatusBadRequest && !json.Valid(resp.Body)
}

// notPage is the error of a success that is no endpoint's.
func (a *adapter) notPage(resp *wire.Answer) error {
	if !wire.IsPage(resp.Body) {
		return nil
	}
	return shopadapter.Retry("a web page answers in place of the shop's endpoint, as a bot check, a login or a page of "+
		"maintenance does: check PUBSYNC_HTTP_URL, and let its requests pass (%s)", a.explain(resp))
}

// classify is the error of an answer that is not a success.
func (a *adapter) classify(resp *wire.Answer) *shopadapter.Error {
	e := resp.StatusError("")
	text := cmp.Or(words[resp.Means()], "the shop's endpoint cannot answer now: %s")
	e.Message = fmt.Sprintf(text, a.explain(resp))
	return e
}

// explain is what the endpoint said of its answer: the title and detail of a problem, else the
// beginning of a text, after the code.
func (a *adapter) explain(resp *wire.Answer) string {
	parts := []string{strings.TrimSpace(fmt.Sprintf("%d %s", resp.Status, http.StatusText(resp.Status)))}
	var problem struct{ Title, Detail Text }
	switch to := resp.Header.Get("Location"); {
	case to != "" && resp.Status/100 == 3:
		parts = append(parts, "to "+a.wire.Clean(to))
	case json.Unmarshal(resp.Body, &problem) == nil && problem.Title+problem.Detail != "":
		parts = append(parts, a.wire.Clean(string(problem.Title)), a.wire.Clean(string(problem.Detail)))
	case wire.IsPage(resp.Body):
		parts = append(parts, "an HTML page")
	default:
		parts = append(parts, a.wire.Clean(string(resp.Body)))
	}
	return strings.Join(slices.DeleteFunc(parts, func(part string) bool { return part == "" }), ": ")
}
