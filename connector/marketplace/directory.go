package marketplace

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/pubsync/pubsync/connector/marketplace/internal/client"
	"github.com/pubsync/pubsync/connector/marketplace/internal/cost"
	"github.com/pubsync/pubsync/connector/marketplace/internal/document"
	"github.com/pubsync/pubsync/connector/marketplace/internal/fault"
	"github.com/pubsync/pubsync/connector/marketplace/internal/wire"
)

// A Part is one root field of the directory: what the marketplace says beside the import list.
type Part string

// The parts. Each may be refused by itself, for lack of a scope or of the field.
const (
	PartAccount    Part = "account"
	PartChannels   Part = "channels"
	PartCategories Part = "categories"
)

// A Holder is the account that the token belongs to.
type Holder struct {
	Name string `json:"name,omitempty"`
	Type string `json:"type,omitempty"`
	Slug string `json:"slug,omitempty"`
}

// A Channel is a store that the account feeds, as the marketplace knows it.
type Channel struct {
	ID   string `json:"id,omitempty"`
	Name string `json:"name,omitempty"`
	URL  string `json:"url,omitempty"`
}

// A CategoryNode is one category of the tree. Name is in the language asked for where the
// marketplace has it so.
type CategoryNode struct {
	Path   string `json:"path"`
	Parent string `json:"parent,omitempty"` // path of the category above; "" at the root
	Depth  int    `json:"depth,omitempty"`  // levels above it, as the marketplace counts them; 0 where it does not say
	Name   string `json:"name,omitempty"`
}

// A Directory is the parts that were read. Refused says why a part that was asked for is missing.
type Directory struct {
	Account    Holder
	Channels   []Channel
	Categories []CategoryNode
	Read       []Part
	Refused    map[Part]error
}

const (
	fewChannels = 2 // of the first page: nearly every account has one

	directoryAnswer   = 8 << 20 // bytes: some fifty thousand categories
	directoryElements = 500_000
)

// Directory reads parts, all in one request. Names of categories come in the language, which alone
// stands in the request's Accept-Language. Where the marketplace refuses the request for one part,
// each part is asked for by itself. An error means that no part was read. The request is urgent: a
// look may wait for it, it is cheap, and it comes once a day.
func (r *Reader) Directory(ctx context.Context, language string, parts ...Part) (Directory, error) {
	d := Directory{Refused: map[Part]error{}}
	forms, err := r.conn.Known(ctx)
	if err != nil {
		return d, err
	}
	parts = slices.DeleteFunc(slices.Clone(parts), func(p Part) bool {
		lacks := forms.Without[string(p)]
		if lacks {
			d.Refused[p] = &Error{
				Op:      "read " + string(p),
				Kind:    Invalid,
				Message: "the marketplace's schema has no " + string(p),
			}
		}
		return lacks
	})
	if len(parts) == 0 {
		return d, nil
	}
	err = r.directory(ctx, &d, language, parts)
	if refusesPart(err) {
		if len(parts) == 1 {
			d.Refused[parts[0]] = err
			return d, nil
		}
		for _, p := range parts {
			if err := r.directory(ctx, &d, language, []Part{p}); refusesPart(err) {
				d.Refused[p] = err
			} else if err != nil {
				return d, err
			}
		}
		return d, nil
	}
	return d, err
}

// refusesPart reports whether a request failed for what it asked for: the schema lacks it, or the
// token may not read it.
func refusesPart(err error) bool {
	e, ok := errors.AsType[*Error](err)
	return ok && (e.Kind == Invalid || e.Odd || e.Kind == Unauthorized && e.Status != 401)
}

// directory is one request of Directory, and the further pages of the channels.
func (r *Reader) directory(ctx context.Context, into *Directory, language string, parts []Part) error {
	const op = "read directory"
	answer, err := r.conn.Run(ctx, Urgent, nil, func(f Forms) (client.Request, error) {
		return client.Request{
			Op: op, Doc: directoryDocument(f, parts), First: fewChannels, Partial: true,
			Bytes: directoryAnswer, Elements: directoryElements, Languages: language,
		}, nil
	})
	if err != nil {
		return err
	}
	defer answer.Done()
	var data struct {
		Account    *wireHolder
		Channels   *wire.Page[wireChannel]
		Categories []*wireNode
	}
	if err := document.Unmarshal(answer.Data, &data); err != nil {
		return fault.Unreadable(op, err)
	}
	for _, p := range parts {
		if err := r.partRefused(p, answer.Complaints); err != nil {
			into.Refused[p] = err
			continue
		}
		switch p {
		case PartAccount:
			if a := data.Account; a != nil {
				into.Account = Holder{
					Name: strings.TrimSpace(string(a.Name)),
					Type: string(a.Type),
					Slug: strings.TrimSpace(string(a.Slug)),
				}
			}
		case PartChannels:
			all, err := r.allChannels(ctx, data.Channels)
			if err != nil {
				return err
			}
			into.Channels = all
		case PartCategories:
			if len(data.Categories) == 0 {
				into.Refused[p] = &Error{
					Op:      op,
					Kind:    Invalid,
					Status:  200,
					Message: "the marketplace lists no category",
				}
				continue
			}
			into.Categories = nodesOf(data.Categories)
		}
		into.Read = append(into.Read, p)
	}
	return nil
}

// partRefused is why a part is missing in an answer, nil where it is there. Its kind is Transient
// where the part is to be asked for again.
func (r *Reader) partRefused(p Part, complaints []fault.Complaint) error {
	for _, c := range complaints {
		if a := c.Alias(); a == string(p) || a == "" {
			return &Error{
				Op:      "read " + string(p),
				Kind:    fault.Judge(c, false).Kind(),
				Status:  200,
				Message: cmp.Or(r.conn.Clean(c.Message), "an error without a message"),
			}
		}
	}
	return nil
}

func directoryDocument(f Forms, parts []Part) document.Document {
	var roots [][2]any
	for _, p := range parts {
		switch p {
		case PartAccount:
			roots = append(roots, [2]any{"account", wireHolder{}})
		case PartChannels:
			roots = append(roots, document.List[wireChannel]("channels", fewChannels, false))
		case PartCategories:
			roots = append(roots, [2]any{"categories", wireNode{}})
		}
	}
	return f.Fit(document.Typed(document.Query, "Directory", nil, roots...))
}

// A wireHolder is the account as the directory asks for it.
type wireHolder struct{ Name, Type, Slug wire.Text }

// A wireChannel is a channel as the documents ask for it.
type wireChannel struct{ ID, Name, URL wire.Text }

// A wireNode is a category as the directory asks for it.
type wireNode struct {
	Path, Name  wire.Text
	Depth       wire.Text
	Parent      *struct{ Path wire.Text }
	Translation *struct{ Name wire.Text }
}

// nodesOf is the categories that have a path, each once.
func nodesOf(list []*wireNode) []CategoryNode {
	nodes := make([]CategoryNode, 0, len(list))
	seen := make(map[string]bool, len(list))
	for _, w := range list {
		if w == nil || w.Path == "" || seen[string(w.Path)] {
			continue
		}
		n := CategoryNode{Path: string(w.Path), Name: strings.TrimSpace(string(w.Name))}
		n.Depth, _ = strconv.Atoi(string(w.Depth)) //nolint:errcheck // what is no number says nothing
		if w.Translation != nil {
			n.Name = cmp.Or(strings.TrimSpace(string(w.Translation.Name)), n.Name)
		}
		if w.Parent != nil {
			n.Parent = string(w.Parent.Path)
		}
		seen[n.Path] = true
		nodes = append(nodes, n)
	}
	return nodes
}

// allChannels returns the channels of the first page, or asks for a hundred where more follow. Only
// behind these it uses the argument after, which the specification does not show for this list.
func (r *Reader) allChannels(ctx context.Context, page *wire.Page[wireChannel]) ([]Channel, error) {
	const op = "list channels"
	list, err := allPages(op, func(after string) (*wire.Page[wireChannel], error) {
		if after == "" && (page == nil || !page.PageInfo.HasNextPage) {
			return page, nil
		}
		answer, err := r.conn.Run(ctx, Urgent, nil, func(f Forms) (client.Request, error) {
			first := r.conn.Costs.Fit(
				r.conn.Plan(), cost.LargestPage,
				func(n int) document.Document { return channelsDocument(f, n, after) },
			)
			doc := channelsDocument(f, first, after)
			return client.Request{
				Op:     op,
				Doc:    doc,
				Vars:   document.Cursor(after),
				First:  first,
				Cursor: after != "",
			}, nil
		})
		if err != nil {
			return nil, err
		}
		var data struct{ Channels *wire.Page[wireChannel] }
		if err := document.Unmarshal(answer.Data, &data); err != nil {
			return nil, fault.Unreadable(op, err)
		}
		return data.Channels, nil
	})
	if err != nil || len(list) == 0 {
		return nil, err
	}
	all := make([]Channel, len(list))
	for i, c := range list {
		all[i] = Channel{
			ID:   string(c.ID),
			Name: strings.TrimSpace(string(c.Name)),
			URL:  strings.TrimSpace(string(c.URL)),
		}
	}
	return all, nil
}

func channelsDocument(f Forms, first int, after string) document.Document {
	return f.Fit(
		document.Typed(
			document.Query, "Channels", document.Cursor(after),
			document.List[wireChannel]("channels", first, after != ""),
		),
	)
}
