package sandbox

import (
	"errors"
	"slices"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
	"github.com/vektah/gqlparser/v2/parser"
	"github.com/vektah/gqlparser/v2/validator"
)

const (
	// of a document; the longest batch of aliased mutations that is of any use has a tenth of it
	maxTokens        = 20_000
	maxFields        = 20_000 // of an operation, after its fragments are spread
	cachedDocuments  = 512
	cachedDocumentKB = 64
)

// A document is a query text that parsed and validated, or the errors that it has. It is the same
// for every request with that text.
type document struct {
	operations []*operation
	errs       gqlerror.List
}

// An operation is one operation of a document, with its fragments spread and its fields merged. A
// request adds only variables.
type operation struct {
	def    *ast.OperationDefinition
	fields []*field
	kind   Kind
}

// A field is one member of the answer.
type field struct {
	key, name  string
	parent     string // the type it is a field of
	args       ast.ArgumentList
	required   []string // arguments that must not be null, though their variable may be
	typ        *ast.Type
	pos        *ast.Position
	sub        []*field
	composite  bool          // has fields of its own
	connection bool          // a list that is read in pages
	perEntry   bool          // edges or nodes of a connection
	when       [][]condition // @skip and @include: shown when all of one group hold; nil is always
}

type condition struct {
	skip  bool
	value *ast.Value
}

// load parses and validates a query text, or finds it among the texts seen lately.
func (m *Marketplace) load(text string) *document {
	if doc, ok := m.documents.get(text); ok {
		return doc
	}
	doc := m.parse(text)
	if len(text) <= cachedDocumentKB<<10 {
		m.documents.put(text, doc)
	}
	return doc
}

func (m *Marketplace) parse(text string) *document {
	query, err := parser.ParseQueryWithTokenLimit(&ast.Source{Input: text}, maxTokens)
	if err != nil {
		var located *gqlerror.Error
		if !errors.As(err, &located) {
			located = gqlerror.Wrap(err)
		}
		return &document{errs: gqlerror.List{located}}
	}
	if len(query.Operations) == 0 {
		return &document{errs: gqlerror.List{gqlerror.Errorf("Must provide an operation.")}}
	}
	if errs := validator.ValidateWithRules(m.schema, query, nil); len(errs) > 0 {
		return &document{errs: errs}
	}
	doc := &document{}
	for _, def := range query.Operations {
		c := compiler{schema: m.schema, fragments: query.Fragments}
		fields := c.merge([]selections{{set: def.SelectionSet}})
		if c.fields > maxFields {
			return &document{errs: gqlerror.List{gqlerror.Errorf("The query selects more than %d fields.", maxFields)}}
		}
		if m.opts.NoIntrospection && introspects(fields) {
			return &document{
				errs: gqlerror.List{
					gqlerror.ErrorPosf(
						def.Position, "Introspection is switched off: __schema and __type cannot be queried.",
					),
				},
			}
		}
		if err := m.refuses(c.aliases); err != nil {
			return &document{errs: gqlerror.List{err}}
		}
		doc.operations = append(doc.operations, &operation{def: def, fields: fields, kind: classify(fields)})
	}
	return doc
}

// refuses is why this marketplace refuses an operation with so many aliases, nil where it accepts it.
func (m *Marketplace) refuses(aliases int) *gqlerror.Error {
	switch most := m.opts.MostAliases; {
	case most < 0 && aliases > 0:
		return gqlerror.Errorf("Aliases are not supported.")
	case most > 0 && aliases > most:
		return gqlerror.Errorf("Aliases limit of %d exceeded, found %d.", most, aliases)
	}
	return nil
}

// operation picks the one a request means.
func (d *document) operation(name string) (*operation, *gqlerror.Error) {
	if name == "" {
		if len(d.operations) > 1 {
			return nil, gqlerror.Errorf("Must provide operation name if query contains multiple operations.")
		}
		return d.operations[0], nil
	}
	for _, op := range d.operations {
		if op.def.Name == name {
			return op, nil
		}
	}
	return nil, gqlerror.Errorf("Unknown operation named %q.", name)
}

type compiler struct {
	schema    *ast.Schema
	fragments ast.FragmentDefinitionList
	fields    int
	aliases   int
}

// selections is a selection set and the conditions under which it counts.
type selections struct {
	set  ast.SelectionSet
	when []condition
}

type spread struct {
	fragment string
	when     []condition
}

// merge flattens selection sets that stand for the same object into its fields, in the order of
// their first mention.
func (c *compiler) merge(sets []selections) []*field {
	var (
		fields []*field
		byKey  = map[string]*field{}
		below  = map[*field][]selections{}
		seen   []spread
		walk   func(selections)
	)
	walk = func(s selections) {
		for _, selection := range s.set {
			switch sel := selection.(type) {
			case *ast.Field:
				when := conditions(s.when, sel.Directives)
				f := byKey[sel.Alias]
				if f == nil {
					if c.fields++; c.fields > maxFields {
						return
					}
					if f = c.field(sel); sel.Alias != sel.Name {
						c.aliases++
					}
					byKey[sel.Alias] = f
					fields = append(fields, f)
				}
				f.when = append(f.when, when)
				below[f] = append(below[f], selections{sel.SelectionSet, when})
			case *ast.InlineFragment:
				walk(selections{sel.SelectionSet, conditions(s.when, sel.Directives)})
			case *ast.FragmentSpread:
				// The same fragment under the same conditions adds nothing the second time; without
				// this a document of a few lines could grow without bound.
				when := conditions(s.when, sel.Directives)
				if slices.ContainsFunc(seen, func(old spread) bool {
					return old.fragment == sel.Name && slices.Equal(old.when, when)
				}) {
					continue
				}
				seen = append(seen, spread{sel.Name, when})
				walk(selections{c.fragments.ForName(sel.Name).SelectionSet, when})
			}
		}
	}
	for _, set := range sets {
		walk(set)
	}
	for _, f := range fields {
		sets := below[f]
		if len(sets) == 1 {
			sets[0].when = nil // the field itself is shown only when they hold
		}
		if slices.ContainsFunc(f.when, func(when []condition) bool { return len(when) == 0 }) {
			f.when = nil
		}
		if f.composite && c.fields <= maxFields {
			f.sub = c.merge(sets)
		}
	}
	return fields
}

func (c *compiler) field(sel *ast.Field) *field {
	named := sel.Definition.Type.Name()
	parent := sel.ObjectDefinition.Name
	var required []string
	for _, arg := range sel.Arguments {
		// A nullable variable with a default may stand where null may not, so that an explicit null
		// is found only when it comes.
		if v := arg.Value.VariableDefinition; v != nil && !v.Type.NonNull &&
			sel.Definition.Arguments.ForName(arg.Name).Type.NonNull {
			required = append(required, arg.Name)
		}
	}
	return &field{
		key: sel.Alias, name: sel.Name, parent: parent, args: sel.Arguments, required: required,
		typ: sel.Definition.Type, pos: sel.Position,
		composite:  c.schema.Types[named].IsCompositeType(),
		connection: strings.HasSuffix(named, "Connection"),
		perEntry:   strings.HasSuffix(parent, "Connection") && (sel.Name == "edges" || sel.Name == "nodes"),
	}
}

// conditions appends the @skip and @include among directives to the conditions that hold already.
func conditions(outer []condition, directives ast.DirectiveList) []condition {
	when := slices.Clip(outer)
	for _, d := range directives {
		if d.Name == "skip" || d.Name == "include" {
			when = append(when, condition{d.Name == "skip", d.Arguments.ForName("if").Value})
		}
	}
	return when
}

func introspects(fields []*field) bool {
	return slices.ContainsFunc(fields, func(f *field) bool { return f.name == "__schema" || f.name == "__type" })
}
