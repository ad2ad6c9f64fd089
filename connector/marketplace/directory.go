package marketplace

import (
	"cmp"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strconv"
	"strings"
)

// Account, categories and webhooks may each be refused, for lack of a scope or field. The requests are cheap and
// rare; those that a look may wait for are urgent.

// IsRefusal reports whether the marketplace refused such a request, so that asking again soon does not help.
func IsRefusal(err error) bool {
	e := about(err)
	return IsObjection(err) || e.Kind == Unauthorized && e.Status != http.StatusUnauthorized
}

// Account returns the slug, else the name, of the token's account; "" where the token may not read it or the schema
// lacks it.
func (r *Reader) Account(ctx context.Context) (string, error) {
	said, _, err := fetch[struct{ Name, Slug string }](ctx, r, &Admission{priority: Urgent}, func(Dialect) request {
		return query("read account", "Account", scalars("name slug").in("account"))
	})
	switch {
	case about(err).denied, KindOf(err) == Invalid:
		return "", nil
	case said == nil:
		return "", err
	}
	return cmp.Or(strings.TrimSpace(said.Slug), strings.TrimSpace(said.Name)), nil
}

// Categories lists those with a path, each once, named in the language, which alone is in the Accept-Language.
func (r *Reader) Categories(ctx context.Context, language string) (nodes []CategoryNode, err error) {
	const op = "read categories"
	list, _, err := fetch[[]*struct {
		Path, Name, Depth string
		Parent            struct{ Path string }
		Translation       struct{ Name string }
	}](ctx, r, &Admission{priority: Urgent}, func(Dialect) request {
		fields := join(scalars("path name depth"), scalars("path").in("parent"), scalars("name").in("translation"))
		q := query(op, "Categories", fields.in("categories"))
		q.bytes, q.elements, q.language = largeAnswer, 500_000, language
		return q
	})
	switch {
	case err != nil:
		return nil, err
	case list == nil || len(*list) == 0:
		return nil, &Error{Op: op, Kind: Invalid, Status: http.StatusOK, Message: "the marketplace lists no category"}
	}
	seen := make(map[string]bool, len(*list))
	for _, c := range *list {
		if c == nil || c.Path == "" || seen[c.Path] {
			continue
		}
		seen[c.Path] = true
		depth, _ := strconv.Atoi(c.Depth) //nolint:errcheck // what is no number says nothing
		nodes = append(nodes, CategoryNode{
			Path: c.Path, Parent: c.Parent.Path, Depth: depth,
			Name: cmp.Or(strings.TrimSpace(c.Translation.Name), strings.TrimSpace(c.Name)),
		})
	}
	return nodes, nil
}

const webhookFields = "id callbackUrl events active"

// Webhooks lists the registrations. Pages are small: if an answer is lost, the first import misses its points.
func (r *Reader) Webhooks(ctx context.Context) (hooks []Webhook, err error) {
	l := listQuery{op: "list webhooks", name: "Webhooks", root: "webhooks", most: 10, fields: scalars(webhookFields)}
	for range MostPages {
		some, page, err := pageAt[Webhook](ctx, r, Sweep, l)
		if hooks = append(hooks, some...); err != nil || !page.More {
			return hooks, err
		}
		l.cursor = page.End
	}
	return nil, &Error{Op: l.op, Message: ErrEndless.Error(), Err: ErrEndless}
}

// RegisterWebhook has events, by upper-case names, posted to url. A refused address is of kind [Refused]. Equal
// registrations are not looked for.
func (c *Client) RegisterWebhook(ctx context.Context, url string, events []string) (Webhook, error) {
	said, err := c.mutate(ctx, &Admission{priority: Urgent}, func(d Dialect) request {
		return mutation("register webhook", "RegisterWebhook", d.inputType(1, "WebhookCreateInput"), "webhookCreate",
			join(scalars(webhookFields).in("webhook"), userErrors()),
			map[string]any{"active": true, "callbackUrl": url, "events": events})
	})
	if err != nil {
		return Webhook{}, err
	}
	return *said.Webhook, nil
}

// Signature returns the hex HMAC-SHA256 by which the marketplace signs webhooks and redirects. Compare it with
// hmac.Equal.
func Signature(secret, text []byte) []byte {
	mac := hmac.New(sha256.New, secret)
	mac.Write(text)
	return hex.AppendEncode(nil, mac.Sum(nil))
}
