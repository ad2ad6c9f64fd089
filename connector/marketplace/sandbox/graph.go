package sandbox

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/vektah/gqlparser/v2/ast"
)

var errNotFound = errors.New("Publication not found") //nolint:staticcheck,revive // the words of a server

func timestamp(t time.Time) string { return t.Format("2006-01-02T15:04:05.000000Z") }

func shown(v any) (o object) {
	_ = json.Unmarshal(encode(v), &o) //nolint:errcheck // it was encoded
	return o
}

func (x *execution) query() object {
	m := x.m
	return object{
		"account": object{"name": "Sandbox retailer", "type": "RETAILER", "slug": x.account},
		"publication": func(a args) (any, error) {
			switch r := m.live(a.text("id")); {
			case r != nil:
				return x.publication(r), nil
			case m.opts.GoneError:
				return nil, errNotFound
			default:
				return nil, nil //nolint:nilnil // null is a value
			}
		},
		"publications": x.publications, "productVariants": x.productVariants,
		"webhooks":   x.numbered(len(m.hooks), func(i int) object { return shown(m.hooks[i]) }),
		"categories": func(args) (any, error) { return objects(shelf().Categories, x.category), nil },
		"__schema":   func(args) (any, error) { return schemaObject(m.schema), nil },
	}
}

func (x *execution) publication(r *record) object {
	return object{
		"id": r.ID, "status": x.m.opts.spell(r.Status), "productUrl": r.ProductURL,
		"createdAt": timestamp(r.CreatedAt), "updatedAt": timestamp(r.UpdatedAt),
		"listing": func(args) (any, error) {
			x.entry.Content = append(x.entry.Content, r.ID)
			if r.Listing == nil {
				return nil, nil //nolint:nilnil // null is a value
			}
			return x.listing(r), nil
		},
	}
}

func (x *execution) listing(r *record) object {
	l, o := r.Listing, shown(r.Listing)
	o["category"], o["product"] = x.categoryAt(l.Category), x.product(r)
	o["images"] = x.numbered(len(l.Pictures), func(i int) object { return x.image(l, i) })
	o["variants"] = x.numbered(len(l.Variants), func(i int) object { return l.Variants[i].object() })
	return o
}

func (v Variant) object() object {
	values := make([]string, len(v.Options))
	for i, o := range v.Options {
		values[i] = o.Value
	}
	v.Policy, v.Options = cmp.Or(v.Policy, "DENY"), append([]Option{}, v.Options...) // none is no null
	o := shown(v)
	o["title"], o["price"] = strings.Join(values, " / "), v.Cost
	return o
}

func (x *execution) product(r *record) lazy {
	return func(args) (any, error) {
		l := r.Listing
		o := shown(l.Details)
		o["id"], o["brand"], o["title"] = l.ProductID, l.Brand, l.Title()
		o["variants"] = x.numbered(len(l.Variants), func(i int) object { return x.productVariant(r, i) })
		return o, nil
	}
}

func (x *execution) productVariant(r *record, i int) object {
	v := r.Listing.Variants[i]
	o := v.object()
	o["brand"], o["product"] = r.Listing.Brand, x.product(r)
	o["createdAt"], o["updatedAt"] = timestamp(r.CreatedAt), timestamp(r.changed[v.ID])
	return o
}

// image puts the size of a resized picture into its address.
func (x *execution) image(l *Listing, i int) object {
	if at := l.Pictures[i].URL; at != "" {
		return object{"originalUrl": at, "thumbnailUrl": at, "transformedUrl": at}
	}
	address := fmt.Sprintf("http://%s/images/%s-%d.png", x.request.Host, url.PathEscape(l.ID), i+1)
	resized := func(a args) (any, error) {
		query := url.Values{}
		for _, name := range []string{"width", "height", "method"} {
			if a[name] != nil {
				query.Set(name, strings.ToLower(a.text(name)))
			}
		}
		return strings.TrimSuffix(address+"?"+query.Encode(), "?"), nil
	}
	return object{"originalUrl": address, "thumbnailUrl": resized, "transformedUrl": resized}
}

// categoryAt gives a category that is not in the tree a path alone.
func (x *execution) categoryAt(path string) any {
	if path == "" {
		return nil
	}
	for _, c := range shelf().Categories {
		if c.Path == path {
			return x.category(c)
		}
	}
	return object{"path": path}
}

func (x *execution) category(c category) any {
	lang := x.request.Header.Get("Accept-Language")
	translated := c.Names[strings.ToLower(lang[:min(len(lang), 2)])]
	return object{
		"path": c.Path, "name": c.Names["en"], "depth": c.Depth, "parent": x.categoryAt(c.Parent),
		"translation": object{"name": cmp.Or(translated, c.Names["en"])},
	}
}

// schemaObject has of the introspection what tells names and types.
func schemaObject(s *ast.Schema) object {
	named := func(name string) any { return typeObject(s, ast.NamedType(name, nil)) }
	return object{
		"queryType": named(s.Query.Name), "mutationType": named(s.Mutation.Name),
		"types": objects(slices.Sorted(maps.Keys(s.Types)), named),
	}
}

func typeObject(s *ast.Schema, typ *ast.Type) object {
	of := func(typ *ast.Type) lazy { return func(args) (any, error) { return typeObject(s, typ), nil } }
	switch inner := *typ; {
	case typ.NonNull:
		inner.NonNull = false
		return object{"ofType": of(&inner)}
	case typ.Elem != nil:
		return object{"ofType": of(typ.Elem)}
	}
	def := s.Types[typ.NamedType]
	var members []any
	for _, f := range def.Fields {
		if !strings.HasPrefix(f.Name, "__") {
			arguments := objects(f.Arguments, func(a *ast.ArgumentDefinition) any {
				return object{"name": a.Name, "type": of(a.Type)}
			})
			members = append(members, object{"name": f.Name, "type": of(f.Type), "args": arguments})
		}
	}
	values := objects(def.EnumValues, func(v *ast.EnumValueDefinition) any { return object{"name": v.Name} })
	return object{"name": def.Name, "fields": members, "inputFields": members, "enumValues": values}
}

func (a args) input() args {
	input, _ := a["input"].(map[string]any)
	return input
}

func userError(field, message string) object {
	return object{"field": []string{field}, "message": message}
}

func (x *execution) report(a args) (any, error) {
	if x.fault.Kind == DeniedReport {
		//nolint:staticcheck,revive // the words of a server
		return nil, errors.New("Access denied: the token may not call publicationStatusUpdated.")
	}
	m, input, field := x.m, a.input(), ""
	status, address, r := input.text("status"), input.text("productUrl"), m.live(input.text("id"))
	report := Report{ID: input.text("id"), Status: strings.ToLower(status), ProductURL: address}
	switch {
	case r == nil:
		field, report.Refused = "id", errNotFound.Error()
	case status != m.opts.spell(statusSuccess) && status != m.opts.spell(statusFailed):
		field, report.Refused = "status", "Status must be success or failed"
	case input["productUrl"] != nil && !absolute(address):
		field, report.Refused = "productUrl", "Product url must be an absolute http or https address"
	case x.fault.Kind == RefusedReport && x.fault.names(report.ID):
		field, report.Refused = "status", "Status cannot be changed now"
	default:
		r.Status, r.ProductURL, r.UpdatedAt = report.Status, cmp.Or(address, r.ProductURL), m.stamp()
	}
	x.reports = append(x.reports, report)
	m.told = append(m.told[max(len(m.told)-mostNoted, 0):], report)
	if r == nil && m.opts.GoneError {
		return nil, errNotFound
	}
	out := object{"userErrors": []any{}}
	if report.Refused != "" {
		out["userErrors"] = []any{userError(field, report.Refused)}
	}
	saysWhy := m.schema.Types["PublicationStatusUpdatedPayload"].Fields.ForName("userErrors") != nil
	if r != nil && (report.Refused == "" || !saysWhy) { // without userErrors it shows the old status
		out["publication"] = x.publication(r)
	}
	return out, nil
}

func absolute(address string) bool {
	u, err := url.Parse(address)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Hostname() != ""
}

func (x *execution) createWebhook(a args) (any, error) {
	o, input, says := x.m.opts, a.input(), []any{}
	w := Webhook{CallbackURL: input.text("callbackUrl"), Active: input["active"] != false}
	if !absolute(w.CallbackURL) {
		says = append(says, userError("callbackUrl", "Callback url must be an absolute http or https address"))
	}
	events, _ := input["events"].([]any)
	for _, item := range events {
		event, _ := item.(string)
		if w.Events = append(w.Events, event); !slices.Contains(o.Events, event) {
			says = append(says, userError("events", "Events has an unknown name: "+strconv.Quote(event)))
		}
	}
	if len(says) > 0 {
		return object{"userErrors": says}, nil
	}
	if o.KeepCallback != nil {
		w.CallbackURL = o.KeepCallback(w.CallbackURL)
	}
	x.m.name(&w.ID, "webhook-")
	x.m.hooks = append(x.m.hooks, &w)
	return object{"webhook": shown(w), "userErrors": says}, nil
}
