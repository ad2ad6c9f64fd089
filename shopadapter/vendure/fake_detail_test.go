package vendure_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"strings"

	"github.com/pubsync/pubsync/shopadapter/internal/graphqlfake"
)

// declared is what the shop tells of its custom fields: those that its schema has.
func (f *fakeShop) declared() []object {
	var all []object
	for _, entity := range []string{"Product", "ProductVariant"} {
		fields := []object{}
		for _, field := range f.schema.Types[entity+"CustomFields"].Fields {
			of := strings.ToLower(field.Type.Name())
			if field.Name == "pubsyncStamp" {
				of = "text"
			}
			input := f.schema.Types["Update"+entity+"CustomFieldsInput"]
			fields = append(fields, object{
				"__typename": strings.ToUpper(of[:1]) + of[1:] + "CustomFieldConfig", "name": field.Name, "type": of,
				"list": field.Type.Elem != nil, "readonly": input.Fields.ForName(field.Name) == nil,
			})
		}
		all = append(all, object{"__typename": "EntityCustomFields", "entityName": entity, "customFields": fields})
	}
	return all
}

// customFields are those of a variant that the schema has, null where nothing was written.
func (v *fakeVariant) customFields(f *fakeShop) object {
	fields := object{"pubsyncId": nullable(v.pubsyncID)}
	for _, field := range f.schema.Types["ProductVariantCustomFields"].Fields {
		if field.Name != "pubsyncId" {
			fields[field.Name] = v.custom[field.Name]
		}
		if field.Type.Elem != nil && fields[field.Name] == nil {
			fields[field.Name] = []any{}
		}
	}
	return fields
}

// writeCustom changes custom fields that are named. What a plugin of the shop refuses is an error.
func (v *fakeVariant) writeCustom(in map[string]any) error {
	if id, ok := in["pubsyncId"].(string); ok {
		v.pubsyncID = id
	}
	custom := maps.Clone(v.custom)
	if custom == nil {
		custom = map[string]any{}
	}
	for name, value := range in {
		if name == "pubsyncId" {
			continue
		}
		if fmt.Sprint(value) == refusedDetail {
			return graphqlfake.Faultf("USER_INPUT_ERROR", "The custom field %q does not match the pattern", name)
		}
		if number, ok := value.(json.Number); ok {
			value, _ = number.Float64()
		}
		custom[name] = value
	}
	v.custom = custom
	return nil
}

// refusedDetail is a value that no custom field takes.
const refusedDetail = "REFUSED"
