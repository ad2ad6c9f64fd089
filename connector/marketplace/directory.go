package marketplace

import (
	"cmp"
	"context"
	"net/http"
	"strconv"
	"strings"
)

// A Part is one root field of the directory: what the marketplace says beside the import list.
type Part string

// The parts. Each may be refused by itself, for lack of a scope or of the field.
const (
	PartAccount    Part = "account"
	PartChannels   Part = "channels"
	PartCategories Part = "categories"
)

// A Directory is the parts that were read. Refused says why a part that was asked for is missing.
type Directory struct {
	Account    Holder
	Channels   []Channel
	Categories []CategoryNode
	Read       []Part
	Refused    map[Part]error
}

const (
	fewChannels       = 5       // of the first page: nearly every account has one
	directoryAnswer   = 8 << 20 // bytes: some fifty thousand categories
	directoryElements = 500_000
)

// Account is the slug of the account that the token belongs to, or its name where it has no slug.
// It is "" without an error where the token may not read it, or the schema has no such field.
func (r *Reader) Account(ctx context.Context) (string, error) {
	h, err := r.holder(ctx)
	if about(err).denied || KindOf(err) == Invalid {
		return "", nil
	}
	return cmp.Or(h.Slug, h.Name), err
}

func (r *Reader) holder(ctx context.Context) (h Holder, err error) {
	const op = "read account"
	answer, err := r.ask(ctx, Urgent, nil, func(Dialect) request {
		return query(op, "Account", scalars("name type slug").in("account"))
	})
	if err != nil {
		return h, err
	}
	said, err := read[Holder](answer, op, "account")
	if said != nil {
		h = Holder{Name: strings.TrimSpace(said.Name), Type: said.Type, Slug: strings.TrimSpace(said.Slug)}
	}
	return h, err
}

// Directory reads parts, each by a request of its own. Names of categories come in the language,
// which alone stands in the request's Accept-Language. An error is trouble: it says nothing of any
// part. The requests are urgent: a look may wait for them, they are cheap, and come once a day.
func (r *Reader) Directory(ctx context.Context, language string, parts ...Part) (d Directory, err error) {
	d.Refused = map[Part]error{}
	for _, p := range parts {
		switch p {
		case PartAccount:
			d.Account, err = r.holder(ctx)
		case PartChannels:
			d.Channels, err = r.channels(ctx)
		default:
			d.Categories, err = r.categories(ctx, language)
		}
		switch e := about(err); {
		case err == nil:
			d.Read = append(d.Read, p)
		case IsObjection(err) || e.Kind == Unauthorized && e.Status != http.StatusUnauthorized:
			d.Refused[p] = err
		default:
			return d, err
		}
	}
	return d, nil
}

func (r *Reader) channels(ctx context.Context) ([]Channel, error) {
	list, err := all[Channel](ctx, r, Urgent, "channels", scalars("id name url"), fewChannels)
	for i, c := range list {
		list[i].Name, list[i].URL = strings.TrimSpace(c.Name), strings.TrimSpace(c.URL)
	}
	return list, err
}

// categories is those that have a path, each once.
func (r *Reader) categories(ctx context.Context, language string) (nodes []CategoryNode, err error) {
	const op = "read categories"
	answer, err := r.ask(ctx, Urgent, nil, func(Dialect) request {
		q := query(op, "Categories", join(
			scalars("path name depth"), scalars("path").in("parent"), scalars("name").in("translation")).in("categories"))
		q.bytes, q.elements, q.language = directoryAnswer, directoryElements, language
		return q
	})
	if err != nil {
		return nil, err
	}
	list, err := read[[]*struct {
		Path, Name, Depth string
		Parent            struct{ Path string }
		Translation       struct{ Name string }
	}](answer, op, "categories")
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
		n := CategoryNode{Path: c.Path, Parent: c.Parent.Path}
		n.Name = cmp.Or(strings.TrimSpace(c.Translation.Name), strings.TrimSpace(c.Name))
		n.Depth, _ = strconv.Atoi(c.Depth) //nolint:errcheck // what is no number says nothing
		nodes = append(nodes, n)
	}
	return nodes, nil
}
