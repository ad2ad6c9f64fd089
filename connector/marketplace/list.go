package marketplace

import (
	"cmp"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

type Sort string

// The orders. Not every server has UpdatedAtAsc.
const (
	IDDesc       Sort = "ID_DESC"
	UpdatedAtAsc Sort = "UPDATED_AT_ASC"
)

const MostPages = 10_000

var (
	ErrEndless = fmt.Errorf("the marketplace's list has no end: it repeats its entries, or has more than %d pages",
		MostPages)
	// ErrNotSorted says to enumerate by [IDDesc] and compare updatedAt instead.
	ErrNotSorted = errors.New("the marketplace does not sort publications by UPDATED_AT_ASC")
	// ErrNoVariants says that changes of product variants cannot be followed.
	ErrNoVariants = errors.New("the marketplace does not list product variants by UPDATED_AT_ASC")
)

// List reads the page after the cursor, "" for the first. It returns [ErrNotSorted], or an error of kind
// [CursorRefused] for a cursor that is no longer accepted.
func (r *Reader) List(ctx context.Context, p Priority, sort Sort, cursor string) (Page, error) {
	return r.list(ctx, p, sort, cursor, largestPage)
}

func (r *Reader) list(ctx context.Context, p Priority, sort Sort, cursor string, most int) (page Page, err error) {
	d, err := r.Probe(ctx)
	switch {
	case err != nil:
		return page, err
	case sort == UpdatedAtAsc && !d.Sorted:
		return page, ErrNotSorted
	}
	items, page, err := pageAt[Entry](ctx, r, p, listQuery{
		op: "list publications", name: "List", root: "publications", sort: sort, cursor: cursor, most: most,
		fields: scalars("id updatedAt status"),
	})
	if sort == UpdatedAtAsc && KindOf(err) == Invalid && strings.Contains(about(err).said, string(UpdatedAtAsc)) {
		r.learn(func(d *Dialect) { d.Sorted = false })
		r.o.Logger.WarnContext(ctx, "marketplace refuses to sort publications, listing all from now on",
			"error", about(err).Message)
		err = ErrNotSorted
	}
	for _, e := range items {
		switch e.Status = strings.ToLower(e.Status); {
		case e.ID == "":
			page.Nameless++
		case e.UpdatedAt == "":
			page.Undated = append(page.Undated, e.ID)
		default:
			page.Entries = append(page.Entries, e)
		}
	}
	return page, err
}

// TryList returns the id of one entry, in the worker's order, or "".
func (r *Reader) TryList(ctx context.Context) (id string, err error) {
	page, err := r.list(ctx, Urgent, UpdatedAtAsc, "", 1)
	if errors.Is(err, ErrNotSorted) {
		page, err = r.list(ctx, Urgent, IDDesc, "", 1)
	}
	if err != nil || len(page.Entries) == 0 {
		return "", err
	}
	return page.Entries[0].ID, nil
}

// Variants reads a page of product variants in the order of their changes. With skip it reads only where the page
// ends. An error of kind [Unauthorized] may be about this list alone.
func (r *Reader) Variants(
	ctx context.Context, p Priority, cursor string, most int, skip bool,
) (page Page, err error) {
	d, err := r.Probe(ctx)
	switch {
	case err != nil:
		return page, err
	case d.lacks(inSorts, string(UpdatedAtAsc)):
		return page, ErrNoVariants
	}
	l := listQuery{
		op: "list product variants", name: "Variants", root: "productVariants", sort: UpdatedAtAsc, cursor: cursor,
		most: most, fields: join(scalars("id updatedAt"), scalars("id").in("product")),
	}
	if skip {
		l.name, l.fields = "SkipVariants", part{}
	}
	items, page, err := pageAt[Entry](ctx, r, p, l)
	page.Entries = items
	return page, err
}

type listQuery struct {
	op, name, root string
	sort           Sort   // "": the list has none
	cursor         string // "": the first page
	most           int    // entries
	fields         part   // of an entry; none: the page's end alone
}

// pageAt reads the largest page that the plan allows.
func pageAt[T any](ctx context.Context, r *Reader, p Priority, l listQuery) (items []T, page Page, err error) {
	more := ""
	if l.sort != "" {
		more = ",sort:" + string(l.sort)
	}
	list, answer, err := fetch[pageOf[T]](ctx, r, &Admission{priority: p}, func(d Dialect) request {
		build := func(n int) request {
			q := query(l.op, l.name, d.connection(l.root, n, l.cursor, more, l.fields))
			q.cursor = l.cursor != ""
			return q
		}
		return build(r.fit(l.most, build))
	})
	if err == nil && (list == nil || l.fields.text != "" && list.Nodes == nil && list.Edges == nil &&
		list.PageInfo.EndCursor != "" && list.PageInfo.EndCursor != l.cursor) {
		// An empty page has no new cursor: this one has entries that are not shown.
		err = unreadable(l.op, nil)
	}
	if err != nil {
		return nil, page, err
	}
	next, err := list.goesOn(l.cursor)
	if err != nil {
		return nil, page, unreadable(l.op, err)
	}
	page = Page{End: list.PageInfo.EndCursor, More: next != "", Asked: answer.asked, Answered: time.Now()}
	items, page.Nameless = list.items()
	return items, page, nil
}

// Account, categories and webhooks may each be refused. The requests are cheap, and urgent where a look may wait.

// IsRefusal reports whether the marketplace refused such a request, so that asking again soon does not help.
func IsRefusal(err error) bool {
	e := about(err)
	return IsObjection(err) || e.Kind == Unauthorized && e.Status != http.StatusUnauthorized
}

// Account returns the slug, else the name, of the token's account; "" where it may not be read.
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

// RegisterWebhook has events, by upper-case names, posted to url. A refused address is of kind [Refused].
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

// Signature returns the hex HMAC-SHA256 of webhooks and redirects. Compare it with hmac.Equal.
func Signature(secret, text []byte) []byte {
	mac := hmac.New(sha256.New, secret)
	mac.Write(text)
	return hex.AppendEncode(nil, mac.Sum(nil))
}
