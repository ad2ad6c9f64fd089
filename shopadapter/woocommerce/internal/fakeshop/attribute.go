package fakeshop

import (
	"slices"
	"strings"
)

// An Attribute is one of a product's, as WooCommerce keeps it.
type Attribute struct {
	ID                 int64 // of a global attribute; 0 for one of the product's own
	Position           int
	Key, Name          string
	Visible, Variation bool
	Options            []string
}

// slug is what a product shows of an attribute beside its name: that of a global one is
// pa_material, that of one of its own the name itself.
func (a Attribute) slug() string {
	if a.ID > 0 {
		return "pa_" + slugOf(a.Name)
	}
	return a.Name
}

// A value is one of a global attribute's. A variation is kept with the slug, which stays when the
// merchant renames it.
type value struct{ name, slug string }

// value is the one of a global attribute with this name or slug, nil where there is none.
func (f *Shop) value(global int64, is func(*value) bool) *value {
	if i := slices.IndexFunc(f.terms[global], is); i >= 0 {
		return f.terms[global][i]
	}
	return nil
}

func named(name string) func(*value) bool { return func(v *value) bool { return v.name == name } }

// makeValues makes the values that a global attribute lacks, as the write of a product's attributes
// does.
func (f *Shop) makeValues(global int64, names []string) {
	for _, name := range names {
		if f.value(global, named(name)) == nil {
			f.terms[global] = append(f.terms[global], &value{name, postSlug(name)})
		}
	}
}

// readAttribute keeps the values of an attribute as one text with bars between them. A global
// attribute goes by its id, whatever its name is said to be; one with neither an id nor a name is
// dropped, and so is a global one without a value.
func (f *Shop) readAttribute(in map[string]any) (Attribute, bool) {
	id, _ := in["id"].(float64)
	name, _ := in["name"].(string)
	position, _ := in["position"].(float64)
	a := Attribute{ID: int64(id), Name: optionOfProduct(name), Position: int(position)}
	if a.Key = slugOf(a.Name); a.ID > 0 {
		a.Name = f.globals[a.ID]
		a.Key = a.slug()
	}
	a.Visible, _ = in["visible"].(bool)
	a.Variation, _ = in["variation"].(bool)
	options, _ := in["options"].([]any)
	var kept []string
	for _, option := range options {
		kept = append(kept, optionOfProduct(option.(string)))
	}
	for part := range strings.SplitSeq(strings.Join(kept, " | "), "|") {
		if part = strings.TrimSpace(part); part != "" {
			a.Options = append(a.Options, part)
		}
	}
	if a.ID > 0 {
		f.makeValues(a.ID, a.Options)
	}
	return a, a.Name != "" && (a.ID == 0 || len(a.Options) > 0)
}

// choose gives a variation its values. It takes any value, listed by the product or not, and drops
// options that the product does not have.
func (f *Shop) choose(v *Post, list []any) {
	v.Options = map[string]string{}
	for _, one := range list {
		fields := one.(map[string]any)
		name, _ := fields["name"].(string)
		option, _ := fields["option"].(string)
		id, _ := fields["id"].(float64)
		key := slugOf(optionOfProduct(name))
		for _, a := range f.Posts[v.Parent].Attributes {
			if a.Variation && (id > 0 && a.ID == int64(id) || id == 0 && a.Key == key) {
				if v.Options[a.Key] = f.keptOption(a, option); v.Options[a.Key] == "" {
					delete(v.Options, a.Key)
				}
			}
		}
	}
}

// keptOption is what a variation keeps of a value: that of a global attribute as its slug, or as
// what would be the slug.
func (f *Shop) keptOption(a Attribute, option string) string {
	option = optionOfVariation(option)
	if a.ID == 0 || option == "" {
		return option
	}
	if v := f.value(a.ID, named(option)); v != nil {
		return v.slug
	}
	return postSlug(option)
}

// shownOption is the value of a variation as the API shows it.
func (f *Shop) shownOption(a Attribute, kept string) string {
	if a.ID > 0 {
		if v := f.value(a.ID, func(v *value) bool { return v.slug == kept }); v != nil {
			return v.name
		}
	}
	return kept
}
