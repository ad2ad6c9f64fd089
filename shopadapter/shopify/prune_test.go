package shopify_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"sort"

	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/validator/rules"
)

// introspected is the answer to an introspection query, as far as documents and variables are
// checked against it.
type introspected struct {
	Data struct {
		Schema struct {
			QueryType    struct{ Name string }
			MutationType struct{ Name string }
			Types        []introspectedType
		} `json:"__schema"`
	}
}

type introspectedType struct {
	Kind          string
	Name          string
	Fields        []introspectedField
	InputFields   []introspectedField
	Interfaces    []introspectedRef
	EnumValues    []struct{ Name string }
	PossibleTypes []introspectedRef
}

type introspectedField struct {
	Name string
	Type introspectedRef
	Args []introspectedField
}

type introspectedRef struct {
	Kind   string
	Name   string
	OfType *introspectedRef
}

func (r introspectedRef) ast() *ast.Type {
	switch r.Kind {
	case "NON_NULL":
		inner := r.OfType.ast()
		inner.NonNull = true
		return inner
	case "LIST":
		return &ast.Type{Elem: r.OfType.ast()}
	}
	return &ast.Type{NamedType: r.Name}
}

// predeclared are the types that every schema has.
var predeclared = []string{"Int", "Float", "String", "Boolean", "ID"}

// schemaDocument is the introspected schema as definitions, without words and default values.
func schemaDocument(data []byte) (*ast.SchemaDocument, error) {
	var in introspected
	if err := json.Unmarshal(data, &in); err != nil {
		return nil, err
	}
	s := in.Data.Schema
	doc := &ast.SchemaDocument{Schema: ast.SchemaDefinitionList{{OperationTypes: ast.OperationTypeDefinitionList{
		{Operation: ast.Query, Type: s.QueryType.Name}, {Operation: ast.Mutation, Type: s.MutationType.Name},
	}}}}
	for _, t := range s.Types {
		if slices.Contains(predeclared, t.Name) || len(t.Name) > 1 && t.Name[:2] == "__" {
			continue
		}
		d := &ast.Definition{Kind: ast.DefinitionKind(t.Kind), Name: t.Name}
		for _, f := range append(t.Fields, t.InputFields...) {
			field := &ast.FieldDefinition{Name: f.Name, Type: f.Type.ast()}
			for _, a := range f.Args {
				field.Arguments = append(field.Arguments, &ast.ArgumentDefinition{Name: a.Name, Type: a.Type.ast()})
			}
			d.Fields = append(d.Fields, field)
		}
		for _, i := range t.Interfaces {
			d.Interfaces = append(d.Interfaces, i.Name)
		}
		for _, e := range t.EnumValues {
			d.EnumValues = append(d.EnumValues, &ast.EnumValueDefinition{Name: e.Name})
		}
		if t.Kind == "UNION" {
			for _, p := range t.PossibleTypes {
				d.Types = append(d.Types, p.Name)
			}
		}
		doc.Definitions = append(doc.Definitions, d)
	}
	return doc, nil
}

// A pruning cuts a schema down to what documents use of it.
type pruning struct {
	full *ast.Schema
	kept map[string]map[string]bool // type -> field; a type without fields is kept whole
}

// nestedInputs are the input types that the adapter fills in beneath those that the documents name.
var nestedInputs = []string{
	"FileSetInput", "InventoryItemInput", "InventoryItemMeasurementInput", "MetafieldAccessInput",
	"MetafieldDefinitionIdentifierInput", "MetafieldInput", "OptionSetInput", "OptionValueSetInput",
	"ProductSetInventoryInput", "ProductVariantSetInput", "UniqueMetafieldValueInput", "VariantOptionValueInput",
	"WeightInput",
}

// mostValues is how many values an enumeration may have to be kept although the adapter uses none
// of them.
const mostValues = 40

func prune(full *ast.Schema, documents map[string]string) (*ast.SchemaDocument, error) {
	p := &pruning{full: full, kept: map[string]map[string]bool{}}
	names := make([]string, 0, len(documents))
	for name := range documents {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		doc, faults := gqlparser.LoadQueryWithRules(full, documents[name], rules.NewDefaultRules())
		if len(faults) > 0 {
			return nil, fmt.Errorf("document %s: %w", name, faults)
		}
		for _, op := range doc.Operations {
			for _, v := range op.VariableDefinitions {
				p.keepInput(v.Type.Name())
			}
			p.walk(op.SelectionSet)
		}
	}
	for _, name := range nestedInputs {
		p.keepInput(name)
	}
	p.keep("MediaImage", "id") // what a picture is; documents speak of the interface
	return p.document()
}

func (p *pruning) keep(typ, field string) {
	if p.kept[typ] == nil {
		p.kept[typ] = map[string]bool{}
	}
	if field != "" {
		p.kept[typ][field] = true
	}
}

func (p *pruning) walk(selection ast.SelectionSet) {
	for _, s := range selection {
		switch s := s.(type) {
		case *ast.Field:
			p.keep(s.ObjectDefinition.Name, s.Name)
			p.keepInput(s.Definition.Type.Name())
			p.walk(s.SelectionSet)
		case *ast.InlineFragment:
			p.keep(s.TypeCondition, "")
			p.walk(s.SelectionSet)
		case *ast.FragmentSpread:
			p.walk(s.Definition.SelectionSet)
		}
	}
}

// keepInput keeps an input type, an enumeration or a scalar whole; of other types it keeps the
// name.
func (p *pruning) keepInput(name string) {
	if !slices.Contains(predeclared, name) {
		p.keep(name, "")
	}
}

// usable tells whether a field or argument of this type can stay.
func (p *pruning) usable(t *ast.Type) bool {
	d := p.full.Types[t.Name()]
	switch d.Kind {
	case ast.Scalar:
		return true
	case ast.Enum:
		return p.kept[d.Name] != nil || len(d.EnumValues) <= mostValues
	}
	return p.kept[d.Name] != nil
}

// document is what was kept.
func (p *pruning) document() (*ast.SchemaDocument, error) {
	out := &ast.SchemaDocument{Schema: ast.SchemaDefinitionList{{OperationTypes: ast.OperationTypeDefinitionList{
		{Operation: ast.Query, Type: p.full.Query.Name}, {Operation: ast.Mutation, Type: p.full.Mutation.Name},
	}}}}
	p.keepInterfaces()
	done := map[string]bool{}
	for len(done) < len(p.kept) {
		names := make([]string, 0, len(p.kept))
		for name := range p.kept {
			names = append(names, name)
		}
		sort.Strings(names)
		for _, name := range names {
			if done[name] {
				continue
			}
			done[name] = true
			d, err := p.definition(p.full.Types[name])
			if err != nil {
				return nil, err
			}
			out.Definitions = append(out.Definitions, d)
		}
	}
	slices.SortFunc(out.Definitions, func(a, b *ast.Definition) int {
		if a.Name < b.Name {
			return -1
		}
		return 1
	})
	return out, nil
}

// keepInterfaces gives each interface a field at least, and each object the fields of its
// interfaces.
func (p *pruning) keepInterfaces() {
	for name, fields := range p.kept {
		d := p.full.Types[name]
		if d.Kind != ast.Interface || len(fields) > 0 {
			continue
		}
		i := slices.IndexFunc(
			d.Fields,
			func(f *ast.FieldDefinition) bool { return p.full.Types[f.Type.Name()].Kind == ast.Scalar },
		)
		p.keep(name, d.Fields[max(i, 0)].Name)
	}
	for name := range p.kept {
		for _, i := range p.full.Types[name].Interfaces {
			for field := range p.kept[i] {
				p.keep(name, field)
			}
		}
	}
}

func (p *pruning) definition(d *ast.Definition) (*ast.Definition, error) {
	out := &ast.Definition{Kind: d.Kind, Name: d.Name, EnumValues: d.EnumValues}
	for _, i := range d.Interfaces {
		if p.kept[i] != nil {
			out.Interfaces = append(out.Interfaces, i)
		}
	}
	for _, f := range d.Fields {
		input := d.Kind == ast.InputObject
		if !input && !p.kept[d.Name][f.Name] || input && !p.usable(f.Type) {
			if input && f.Type.NonNull {
				return nil, fmt.Errorf("%s.%s cannot be left out", d.Name, f.Name)
			}
			continue
		}
		p.keepInput(f.Type.Name())
		field := &ast.FieldDefinition{Name: f.Name, Type: f.Type}
		for _, a := range f.Arguments {
			if p.usable(a.Type) {
				p.keepInput(a.Type.Name())
				field.Arguments = append(field.Arguments, a)
			} else if a.Type.NonNull {
				return nil, fmt.Errorf("%s.%s(%s) cannot be left out", d.Name, f.Name, a.Name)
			}
		}
		out.Fields = append(out.Fields, field)
	}
	return out, nil
}
