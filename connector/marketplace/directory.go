package marketplace

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/pubsync/pubsync/shopadapter/wire"
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
	fewChannels       = 2       // of the first page: nearly every account has one
	directoryAnswer   = 8 << 20 // bytes: some fifty thousand categories
	directoryElements = 500_000
)

// Account is the slug of the account that the token belongs to, or its name where it has no slug.
// It is "" without an error where the token may not read it, or the schema has no such field.
func (r *Reader) Account(ctx context.Context) (string, error) {
	var data struct{ Account Holder }
	_, err := r.ask(ctx, Urgent, nil, &data, func(Dialect) (request, error) {
		return request{op: "read account", name: "Account", text: "query Account{account{name slug}}"}, nil
	})
	if about(err).denied || KindOf(err) == Invalid {
		return "", nil
	}
	return strings.TrimSpace(cmp.Or(data.Account.Slug, data.Account.Name)), err
}

// Directory reads parts, all in one request. Names of categories come in the language, which alone
// stands in the request's Accept-Language. Where the marketplace refuses the request for one part,
// each part is asked for by itself. An error means that no part was read. The request is urgent: a
// look may wait for it, it is cheap, and it comes once a day.
func (r *Reader) Directory(ctx context.Context, language string, parts ...Part) (Directory, error) {
	d := Directory{Refused: map[Part]error{}}
	dialect, err := r.Probe(ctx)
	if err != nil {
		return d, err
	}
	var asked []Part
	for _, p := range parts {
		if dialect.part(p) == "" {
			message := "the marketplace's schema has no " + string(p)
			d.Refused[p] = &Error{Op: "read " + string(p), Kind: Invalid, Message: message}
			continue
		}
		asked = append(asked, p)
	}
	if len(asked) == 0 {
		return d, nil
	}
	return d, r.directory(ctx, &d, language, asked)
}

func (p Part) fields() []string {
	switch p {
	case PartAccount:
		return []string{"name", "type", "slug"}
	case PartChannels:
		return []string{"id", "name", "url"}
	default:
		return []string{"path", "name", "depth", "parent", "translation"}
	}
}

// part is the root field of a part, "" where the schema is known to lack all that is needed of it.
func (d Dialect) part(p Part) string {
	fields := strings.Join(d.has(string(p), p.fields()...), " ")
	nameless := d.lacks["categories.path"] || len(d.has("categories", "name", "translation")) == 0
	switch {
	case d.lacks[string(p)], fields == "", p == PartCategories && nameless:
		return ""
	case p == PartChannels:
		return d.connection("channels", fewChannels, "", fields)
	}
	fields = strings.NewReplacer("parent", "parent{path}", "translation", "translation{name}").Replace(fields)
	return string(p) + "{" + fields + "}"
}

// refusesPart reports whether a request failed for what it asked for: the schema lacks it, or the
// token may not read it.
func refusesPart(err error) bool {
	e := about(err)
	return e.Kind == Invalid || e.odd || e.Kind == Unauthorized && e.Status != http.StatusUnauthorized
}

// directoryData is the answer to a request for parts.
type directoryData struct {
	Account    *Holder
	Channels   *pageOf[Channel]
	Categories []*struct {
		Path, Name, Depth string
		Parent            *struct{ Path string }
		Translation       *struct{ Name string }
	}
}

// directory is one request of Directory, and the further pages of the channels. Where it is refused,
// each part is asked for by itself.
func (r *Reader) directory(ctx context.Context, into *Directory, language string, parts []Part) error {
	const op = "read directory"
	var data directoryData
	answer, err := r.ask(ctx, Urgent, nil, &data, func(d Dialect) (request, error) {
		q := request{
			op: op, name: "Directory", bytes: directoryAnswer, elements: directoryElements,
			language: language, roots: []string{},
		}
		fields := make([]string, len(parts))
		for i, p := range parts {
			fields[i] = d.part(p)
		}
		q.text = "query Directory{" + strings.Join(fields, " ") + "}"
		return q, nil
	})
	switch {
	case refusesPart(err) && len(parts) == 1:
		into.Refused[parts[0]] = err
		return nil
	case refusesPart(err):
		for _, p := range parts {
			if err := r.directory(ctx, into, language, []Part{p}); err != nil {
				return err
			}
		}
		return nil
	case err != nil:
		return err
	}
	for _, p := range parts {
		err := r.partRefused(p, answer.faults)
		if p == PartCategories && err == nil {
			if into.Categories = data.categories(); len(data.Categories) == 0 {
				err = &Error{Op: op, Kind: Invalid, Status: http.StatusOK, Message: "the marketplace lists no category"}
			}
		}
		if err != nil {
			into.Refused[p] = err
			continue
		}
		switch {
		case p == PartAccount && data.Account != nil:
			into.Account = *data.Account
			into.Account.Name, into.Account.Slug = strings.TrimSpace(data.Account.Name), strings.TrimSpace(data.Account.Slug)
		case p == PartChannels && data.Channels != nil:
			if into.Channels, err = r.channels(ctx, answer.dialect, data.Channels); err != nil {
				return err
			}
		}
		into.Read = append(into.Read, p)
	}
	return nil
}

// channels is those of the first page, or all of them where more follow.
func (r *Reader) channels(ctx context.Context, d Dialect, first *pageOf[Channel]) (list []Channel, err error) {
	list, _ = first.items()
	if first.PageInfo.HasNextPage {
		fields := strings.Join(d.has("channels", PartChannels.fields()...), " ")
		list, err = all(ctx, r, Urgent, "list channels", "Channels", fields, largestPage,
			func(d *directoryData) *pageOf[Channel] { return d.Channels })
	}
	for i, c := range list {
		list[i].Name, list[i].URL = strings.TrimSpace(c.Name), strings.TrimSpace(c.URL)
	}
	return list, err
}

// partRefused is why a part is missing in an answer, nil where it is there. Its kind is Transient
// where the part is to be asked for again.
func (r *Reader) partRefused(p Part, faults []wire.Fault) error {
	i := slices.IndexFunc(faults, func(f wire.Fault) bool { return f.Field(0) == string(p) || f.Field(0) == "" })
	if i < 0 {
		return nil
	}
	return &Error{
		Op: "read " + string(p), Kind: judge(faults[i], false).kind(), Status: http.StatusOK,
		Message: cmp.Or(r.wire.Clean(faults[i].Message), "an error without a message"),
	}
}

// categories is those that have a path, each once.
func (d directoryData) categories() []CategoryNode {
	nodes := make([]CategoryNode, 0, len(d.Categories))
	seen := make(map[string]bool, len(d.Categories))
	for _, c := range d.Categories {
		if c == nil || c.Path == "" || seen[c.Path] {
			continue
		}
		seen[c.Path] = true
		n := CategoryNode{Path: c.Path, Name: strings.TrimSpace(c.Name)}
		n.Depth, _ = strconv.Atoi(c.Depth) //nolint:errcheck // what is no number says nothing
		if c.Translation != nil {
			n.Name = cmp.Or(strings.TrimSpace(c.Translation.Name), n.Name)
		}
		if c.Parent != nil {
			n.Parent = c.Parent.Path
		}
		nodes = append(nodes, n)
	}
	return nodes
}
