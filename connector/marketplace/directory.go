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
	channelFields     = "id name url"
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

// part is the root field of a part.
func (d Dialect) part(p Part) string {
	switch p {
	case PartAccount:
		return "account{name type slug}"
	case PartChannels:
		return d.connection("channels", fewChannels, "", channelFields)
	default:
		return "categories{path name depth parent{path} translation{name}}"
	}
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
	asked := slices.DeleteFunc(slices.Clone(parts), func(p Part) bool {
		if dialect.lacks[string(p)] {
			d.Refused[p] = &Error{
				Op: "read " + string(p), Kind: Invalid, Message: "the marketplace's schema has no " + string(p),
			}
		}
		return dialect.lacks[string(p)]
	})
	if len(asked) == 0 {
		return d, nil
	}
	return d, r.directory(ctx, &d, language, asked)
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
		fields := make([]string, len(parts))
		for i, p := range parts {
			fields[i] = d.part(p)
		}
		return request{
			op: op, name: "Directory", text: "query Directory{" + strings.Join(fields, " ") + "}",
			bytes: directoryAnswer, elements: directoryElements, language: language, roots: []string{},
		}, nil
	})
	e := about(err)
	switch refused := e.Kind == Invalid || e.odd || e.Kind == Unauthorized && e.Status != http.StatusUnauthorized; {
	case refused && len(parts) == 1:
		into.Refused[parts[0]] = err
		return nil
	case refused:
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
		if i := slices.IndexFunc(answer.faults, func(f wire.Fault) bool {
			return f.Field(0) == string(p) || f.Field(0) == ""
		}); i >= 0 { // its kind is Transient where the part is to be asked for again
			into.Refused[p] = &Error{
				Op: "read " + string(p), Kind: judge(answer.faults[i], false).kind(), Status: http.StatusOK,
				Message: cmp.Or(r.wire.Clean(answer.faults[i].Message), "an error without a message"),
			}
			continue
		}
		switch {
		case p == PartAccount && data.Account != nil:
			into.Account = *data.Account
			into.Account.Name, into.Account.Slug = strings.TrimSpace(data.Account.Name), strings.TrimSpace(data.Account.Slug)
		case p == PartChannels && data.Channels != nil:
			if into.Channels, err = r.channels(ctx, data.Channels); err != nil {
				return err
			}
		case p == PartCategories && len(data.Categories) == 0:
			into.Refused[p] = &Error{
				Op: op, Kind: Invalid, Status: http.StatusOK, Message: "the marketplace lists no category",
			}
			continue
		case p == PartCategories:
			into.Categories = data.categories()
		}
		into.Read = append(into.Read, p)
	}
	return nil
}

// channels is those of the first page, or all of them where more follow.
func (r *Reader) channels(ctx context.Context, first *pageOf[Channel]) (list []Channel, err error) {
	list, _ = first.items()
	if first.PageInfo.HasNextPage {
		list, err = all(ctx, r, Urgent, "list channels", "Channels", channelFields, largestPage,
			func(d *directoryData) *pageOf[Channel] { return d.Channels })
	}
	for i, c := range list {
		list[i].Name, list[i].URL = strings.TrimSpace(c.Name), strings.TrimSpace(c.URL)
	}
	return list, err
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
