package shopify_test

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/pubsync/pubsync/shopadapter/internal/graphqlfake"
)

// productSet makes the product equal to the input: of every list that is given, what it does not
// name is deleted.
func (f *fakeShop) productSet(a arguments) (any, error) {
	in := a["input"].(map[string]any)
	p, wrong, err := f.identify(a["identifier"].(map[string]any), in)
	if err != nil || wrong != nil {
		return wrong, err
	}
	create := p == nil
	next := &fakeProduct{
		status:     "ACTIVE",
		vendor:     storeName,
		published:  map[string]bool{},
		metafields: map[string]string{},
	}
	if !create {
		c := *p
		next = &c
	}
	if _, titled := in["title"]; create && !titled {
		return refused("MISSING_FIELD_REQUIRED", "Title can't be blank", "input", "title"), nil
	}
	if wrong := wrongWords(in, "input"); wrong != nil {
		return wrong, nil
	}
	f.writeWords(next, in)
	next.updated = time.Now()
	if wrong := f.setVariants(next, in, create); wrong != nil {
		return wrong, nil
	}
	if wrong := f.setFiles(next, in); wrong != nil {
		return wrong, nil
	}
	if list, ok := in["metafields"].([]any); ok {
		next.metafields = map[string]string{}
		for _, m := range list {
			next.metafields[metafieldName(m)] = m.(map[string]any)["value"].(string)
		}
	}
	if create {
		next.id, next.handle = f.id("Product"), f.handle(next.title)
		f.products = append(f.products, next)
	} else {
		*p = *next
		next = p
	}
	if f.afterSet != nil {
		f.afterSet(next)
	}
	if a["synchronous"] == false {
		id := f.id("ProductSetOperation")
		f.jobs[id] = &fakeJob{polls: 2, product: next.id, errors: []object{}}
		return done(object{"productSetOperation": object{"id": id}}), nil
	}
	return done(object{"product": next.object(f)}), nil
}

// identify is the product that an identifier means, nil for one that is to be made.
func (f *fakeShop) identify(identifier, in map[string]any) (p *fakeProduct, wrong object, err error) {
	if id, ok := identifier["id"].(string); ok {
		if p = f.find(id); p == nil {
			return nil, refused("PRODUCT_DOES_NOT_EXIST", "Product does not exist", "identifier", "id"), nil
		}
		return p, nil, nil
	}
	if f.defined != "id" {
		return nil, nil, graphqlfake.Faultf(
			"NOT_FOUND",
			"Metafield definition of type 'id' is required when using custom ids.",
		)
	}
	custom := identifier["customId"].(map[string]any)
	if list, ok := in["metafields"].([]any); ok && !slices.ContainsFunc(list, func(m any) bool {
		return metafieldName(m) == metafieldName(custom) && m.(map[string]any)["value"] == custom["value"]
	}) {
		return nil, refused(
			"METAFIELD_MISMATCH",
			"The input argument metafields must contain the customId value",
			"input",
			"metafields",
		), nil
	}
	return f.findByKey(custom["value"].(string)), nil, nil
}

func (f *fakeShop) setFiles(p *fakeProduct, in map[string]any) object {
	files, given := in["files"].([]any)
	if !given {
		return nil
	}
	var list []*fakeMedia
	for i, file := range files {
		file := file.(map[string]any)
		if id, ok := file["id"].(string); ok {
			j := slices.IndexFunc(p.media, func(m *fakeMedia) bool { return m.id == id })
			if j < 0 {
				return refused("INVALID_INPUT", "File not found", "input", "files", fmt.Sprint(i), "id")
			}
			list = append(list, p.media[j])
			continue
		}
		source := file["originalSource"].(string)
		if strings.Contains(source, "unreachable") {
			return refused("INVALID_INPUT", "Image URL is invalid", "input", "files", fmt.Sprint(i), "originalSource")
		}
		alt, _ := file["alt"].(string)
		m := &fakeMedia{source: source, alt: alt, status: "PROCESSING"}
		if f.processing != nil {
			m.ready = time.Now().Add(f.processing())
		}
		list = append(list, m)
	}
	for _, m := range list {
		if m.id == "" {
			m.id = f.id("MediaImage")
			f.tried++
		}
	}
	p.media = list
	return nil
}

func (f *fakeShop) setVariants(p *fakeProduct, in map[string]any, create bool) object {
	options, named := in["productOptions"].([]any)
	variants, listed := in["variants"].([]any)
	switch {
	case !named && !listed && !create:
		return nil
	case !named:
		return refused(
			"PRODUCT_OPTIONS_INPUT_MISSING",
			"Product options input is required when updating variants",
			"input",
			"productOptions",
		)
	case !listed:
		return refused(
			"VARIANTS_INPUT_MISSING",
			"Variants input is required when updating product options",
			"input",
			"variants",
		)
	case len(options) > 3:
		return refused("OPTIONS_OVER_LIMIT", "Can only specify a maximum of 3 options", "input", "productOptions")
	case len(variants) > f.mostVariants:
		return refused("VARIANTS_OVER_LIMIT", "Number of variants exceeds the limit", "input", "variants")
	}
	names, allowed := []string{}, map[string]bool{}
	for _, o := range options {
		o := o.(map[string]any)
		name := o["name"].(string)
		if slices.Contains(names, name) {
			return refused("DUPLICATED_OPTION_NAME", "Duplicated option name", "input", "productOptions")
		}
		names = append(names, name)
		values := o["values"].([]any)
		if len(values) == 0 {
			return refused("OPTION_VALUES_MISSING", "At least one value is required", "input", "productOptions")
		}
		for _, v := range values {
			value := fmt.Sprint(name, "\x00", strings.ToLower(v.(map[string]any)["name"].(string)))
			if allowed[value] {
				return refused("DUPLICATED_OPTION_VALUE", "Duplicated option value", "input", "productOptions")
			}
			allowed[value] = true
		}
	}
	var list []*fakeVariant
	var faults []object
	for i, v := range variants {
		made, wrong := f.setVariant(p, v.(map[string]any), names, allowed, list)
		if wrong != "" {
			code, field, _ := strings.Cut(wrong, " ")
			field, message, _ := strings.Cut(field, " ")
			faults = append(
				faults,
				object{"code": code, "message": message, "field": []string{"input", "variants", fmt.Sprint(i), field}},
			)
			continue
		}
		list = append(list, made)
	}
	if len(faults) > 0 {
		payload := refused("", "")
		payload["userErrors"] = faults
		return payload
	}
	for _, v := range list {
		if v.id == "" {
			v.id = f.id("ProductVariant")
		}
	}
	p.options, p.variants = names, list
	return nil
}

// setVariant is one variant of the list. wrong is the code, the field and the message of what is
// refused of it.
func (f *fakeShop) setVariant(
	p *fakeProduct,
	in map[string]any,
	names []string,
	allowed map[string]bool,
	before []*fakeVariant,
) (
	*fakeVariant, string,
) {
	v := &fakeVariant{policy: "DENY", metafields: map[string]string{}, levels: map[string]int{}}
	fresh := true
	values := make([]string, len(names))
	for _, o := range in["optionValues"].([]any) {
		o := o.(map[string]any)
		i := slices.Index(names, o["optionName"].(string))
		if i < 0 || !allowed[fmt.Sprint(o["optionName"], "\x00", strings.ToLower(o["name"].(string)))] {
			return nil, "OPTION_VALUE_DOES_NOT_EXIST optionValues Option value does not exist"
		}
		values[i] = o["name"].(string)
	}
	if slices.Contains(values, "") {
		return nil, "INVALID_VARIANT optionValues Variant must have a value for each option"
	}
	if slices.ContainsFunc(
		before,
		func(b *fakeVariant) bool { return slices.EqualFunc(b.values, values, strings.EqualFold) },
	) {
		return nil, "INVALID_VARIANT optionValues The variant '" + strings.Join(values, " / ") + "' already exists."
	}
	id, identified := in["id"].(string)
	for _, old := range p.variants {
		if identified && old.id == id || !identified && slices.EqualFunc(old.values, values, strings.EqualFold) {
			c := *old
			v, fresh = &c, false
		}
	}
	if identified && fresh {
		return nil, "PRODUCT_VARIANT_DOES_NOT_EXIST id Product variant does not exist"
	}
	v.values = values
	if sku, ok := in["sku"].(string); ok {
		if len(sku) > 255 {
			return nil, "INVALID_VARIANT sku SKU is too long (maximum is 255 characters)"
		}
		v.sku = sku
	}
	for name, place := range map[string]*string{"barcode": &v.barcode, "price": &v.price, "inventoryPolicy": &v.policy} {
		if text, ok := in[name].(string); ok {
			*place = text
		}
	}
	if item, ok := in["inventoryItem"].(map[string]any); ok {
		if tracked, ok := item["tracked"].(bool); ok {
			v.tracked = tracked
		}
		if cost, ok := item["cost"].(string); ok {
			v.cost = cost
		}
		if wrong := v.setDetails(item); wrong != "" {
			return nil, wrong
		}
	}
	if list, ok := in["metafields"].([]any); ok {
		v.metafields = map[string]string{}
		for _, m := range list {
			v.metafields[metafieldName(m)] = m.(map[string]any)["value"].(string)
		}
	}
	quantities, _ := in["inventoryQuantities"].([]any)
	levels := map[string]int{}
	for place, n := range v.levels {
		levels[place] = n
	}
	for _, q := range quantities {
		q := q.(map[string]any)
		place := q["locationId"].(string)
		if _, stocked := v.levels[place]; !fresh && !stocked ||
			!slices.ContainsFunc(f.locations, func(o object) bool { return o["id"] == place }) {
			return nil, "INVALID_INPUT inventoryQuantities The variant is not stocked at the location"
		}
		levels[place] = int(number(q["quantity"]))
	}
	v.levels = levels
	return v, ""
}
