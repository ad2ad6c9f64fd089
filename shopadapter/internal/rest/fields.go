package rest

import (
	"reflect"
	"strings"
)

// Fields names the members that an answer's type reads, joined by commas: "id,options.title" for a
// struct with an id and a list of options. It is for shops that answer only what they are asked
// for. A member whose tag "ask" is set is asked for by the names in it.
func Fields[T any]() string { return strings.Join(fields(reflect.TypeFor[T](), ""), ",") }

func fields(t reflect.Type, above string) (names []string) {
	for t.Kind() == reflect.Slice || t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct {
		return []string{strings.TrimSuffix(above, ".")}
	}
	for i := range t.NumField() {
		field := t.Field(i)
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		switch ask := field.Tag.Get("ask"); {
		case ask != "":
			for name := range strings.SplitSeq(ask, ",") {
				names = append(names, above+name)
			}
		case field.Anonymous:
			names = append(names, fields(field.Type, above)...)
		default:
			names = append(names, fields(field.Type, above+name+".")...)
		}
	}
	return names
}
