package httpshop

import (
	"cmp"
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
	ID       Text   `json:"id"`
	URL      Text   `json:"url"`
	Variants Texts  `json:"variants"`
	Refused  Texts  `json:"refused"`
	Missing  notes  `json:"missing"`
	Kept     *texts `json:"kept"`
	Draft    flag   `json:"draft"`
}

// readListing reads the answer to a PUT of p.
func (a *adapter) readListing(resp *wire.Answer, p shopadapter.Product) (shopadapter.Listing, error) {
	if wire.IsPage(resp.Body) {
		return shopadapter.Listing{}, a.behindPage(resp)
	}
	var answer Answer
	if err := json.Unmarshal(resp.Body, &answer); err != nil || answer.ID == "" {
		return shopadapter.Listing{}, shopadapter.Retry(
			"the shop's endpoint answered without the id of a listing: %s", a.explain(resp))
	}
	listing := shopadapter.Listing{
		ID:       shopadapter.ListingID(answer.ID),
		Variants: []shopadapter.ListedVariant{},
		Refused:  map[string]string{},
	}
	reason := ""
	for _, v := range p.Variants {
		if why, refused := answer.Refused[v.ID]; refused {
			if reason = a.clean(string(why)); reason == "" {
				reason = "refused by the shop without a reason"
			}
			listing.Refused[v.ID] = reason
		} else if id := answer.Variants[v.ID]; id != "" {
			listing.Variants = append(listing.Variants, shopadapter.ListedVariant{ID: v.ID, ShopID: string(id)})
		}
	}
	if answer.Kept != nil {
		listing.Kept = shopadapter.Fields(*answer.Kept)
	}
	listing.Draft = p.Draft && bool(answer.Draft)
	listing.Missing = a.missing(answer.Missing, p.Images)
	if len(p.Variants) > 0 && len(listing.Refused) == len(p.Variants) {
		return listing, shopadapter.Reject("the shop refuses every variant: %s", reason)
	}
	if !goodAddress(string(answer.URL)) {
		// The marketplace shows this address to everybody, so a bad one is worse than none.
		return listing, shopadapter.Block(
			"the shop's endpoint answered %q as the product's url: it must be an absolute http or https address",
			a.clean(string(answer.URL)),
		)
	}
	listing.URL = string(answer.URL)
	return listing, nil
}

// behindPage is the error of an answer that is no endpoint's.
func (a *adapter) behindPage(resp *wire.Answer) error {
	return shopadapter.Retry("a web page answers in place of the shop's endpoint, as a bot check, a login or a page of "+
		"maintenance does: check PUBSYNC_HTTP_URL, and let its requests pass (%s)", a.explain(resp))
}

// missing are the pictures of the product that the endpoint names, each once, in the product's
// order.
func (a *adapter) missing(named notes, images []string) (missing []shopadapter.Picture) {
	for i, address := range images {
		note, ok := named[address]
		if !ok || slices.Contains(images[:i], address) {
			continue
		}
		reason := a.clean(string(note.Reason))
		if reason == "" {
			reason = "not shown by the shop, which gives no reason"
		}
		missing = append(missing, shopadapter.Picture{URL: address, Reason: reason, Later: bool(note.Later)})
	}
	return missing
}

// A note is what the endpoint says of a picture that it does not show.
type note struct {
	URL    Text `json:"url"`
	Reason Text `json:"reason"`
	Later  flag `json:"later"`
}

// notes are notes by the picture's address.
type notes map[string]note

// UnmarshalJSON never fails: what is no list of notes names no picture.
func (n *notes) UnmarshalJSON(data []byte) error {
	var list []json.RawMessage
	*n = notes{}
	_ = json.Unmarshal(data, &list) //nolint:errcheck // what is no list has no members
	for _, raw := range list {
		var one note
		if json.Unmarshal(raw, &one) == nil {
			(*n)[string(one.URL)] = one
		}
	}
	return nil
}

// A flag is a JSON true. Everything else is false.
type flag bool

// UnmarshalJSON never fails.
func (f *flag) UnmarshalJSON(data []byte) error {
	*f = string(data) == "true"
	return nil
}

// A Text is a JSON string, or a number as it was written. Everything else is no text: "".
type Text string

// UnmarshalJSON never fails: an id that is a list is an id that is missing.
func (t *Text) UnmarshalJSON(data []byte) error {
	var s string
	var n json.Number
	if json.Unmarshal(data, &s) == nil {
		*t = Text(s)
	} else if json.Unmarshal(data, &n) == nil {
		*t = Text(n)
	} else {
		*t = ""
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
	if json.Unmarshal(data, &members) == nil {
		for name, member := range members {
			if member != nil {
				(*t)[name] = *member
			}
		}
	}
	return nil
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
		parts = append(parts, "to "+a.clean(to))
	case json.Unmarshal(resp.Body, &problem) == nil && problem.Title+problem.Detail != "":
		parts = append(parts, a.clean(string(problem.Title)), a.clean(string(problem.Detail)))
	case wire.IsPage(resp.Body):
		parts = append(parts, "an HTML page")
	default:
		parts = append(parts, a.clean(string(resp.Body)))
	}
	return strings.Join(slices.DeleteFunc(parts, func(part string) bool { return part == "" }), ": ")
}
