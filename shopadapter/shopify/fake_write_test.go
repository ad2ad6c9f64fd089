package shopify_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// refused is a payload with one user error. field is that of the input, its steps joined by dots.
func refused(code, message, field string) object {
	payload := done(nil)
	payload["userErrors"] = []object{{"code": code, "message": message, "field": strings.Split(field, ".")}}
	return payload
}

func done(more object) object {
	payload := object{
		"product": nil, "productSetOperation": nil, "publishable": nil, "deletedProductId": nil, "userErrors": []object{},
	}
	maps.Copy(payload, more)
	return payload
}

func (f *fakeShop) mutate(name string, a arguments) (any, error) {
	switch name {
	case "metafieldDefinitionCreate":
		if f.defined != "" {
			return refused("TAKEN", "Key is in use for Product metafields on the 'pubsync' namespace.", "definition.key"), nil
		}
		f.defined = a["definition"].(map[string]any)["type"].(string)
		return done(nil), nil
	case "productSet":
		return f.productSet(a)
	case "productUpdate":
		in := a["product"].(map[string]any)
		p := f.find(in["id"].(string))
		if p == nil {
			return refused("", "Product does not exist", "id"), nil
		}
		if wrong := f.writeWords(p, in, "product"); wrong != nil {
			return wrong, nil
		}
		maps.Copy(p.metafields, metafields(in)) // here they are added to those that are there
		return done(object{"product": p.object(f)}), nil
	case "productDelete":
		id := a["input"].(map[string]any)["id"].(string)
		if f.find(id) == nil {
			return refused("", "Product does not exist", "id"), nil
		}
		f.products = slices.DeleteFunc(f.products, func(p *fakeProduct) bool { return p.id == id })
		return done(object{"deletedProductId": id}), nil
	case "publishablePublish":
		return f.publish(a), nil
	case "translationsRegister":
		return f.register(a), nil
	}
	return nil, faultf("", "the fake has no field %s", name)
}

func (f *fakeShop) publish(a arguments) object {
	for _, of := range f.products {
		for _, v := range of.variants {
			if v.id == a["id"] {
				v.off = false
				return done(object{"publishable": v.object(of)})
			}
		}
	}
	p := f.find(a["id"].(string))
	if p == nil {
		return refused("", "Resource not found", "id")
	}
	for _, in := range a["input"].([]any) {
		id := in.(map[string]any)["publicationId"].(string)
		if !slices.ContainsFunc(f.publications, func(o object) bool { return o["id"] == id }) {
			return refused("", "Publication does not exist or is not publishable", "input.0.publicationId")
		}
		p.published[id] = true
	}
	return done(object{"publishable": p.object(f)})
}

func (f *fakeShop) register(a arguments) object {
	p := f.find(a["resourceId"].(string))
	if p == nil {
		return refused("RESOURCE_NOT_FOUND", "Resource does not exist", "resourceId")
	}
	if p.translations == nil {
		p.translations = map[string]map[string]fakeText{}
	}
	for _, in := range a["translations"].([]any) {
		t := in.(map[string]any)
		locale, key := t["locale"].(string), t["key"].(string)
		if !slices.ContainsFunc(f.locales, func(o object) bool { return o["locale"] == locale && o["primary"] == false }) {
			return refused("INVALID_LOCALE_FOR_SHOP", "Locale is invalid for the shop", "translations.0.locale")
		}
		if t["translatableContentDigest"] != digestOf(p.originals()[key]) {
			return refused("INVALID_TRANSLATABLE_CONTENT", "Translatable content hash is invalid", "translations.0")
		}
		if p.translations[locale] == nil {
			p.translations[locale] = map[string]fakeText{}
		}
		p.translations[locale][key] = fakeText{value: t["value"].(string), digest: digestOf(p.originals()[key])}
	}
	return done(nil)
}

// metafields are those of an input, by namespace and key.
func metafields(in map[string]any) map[string]string {
	all := map[string]string{}
	for _, m := range list(in, "metafields") {
		m := m.(map[string]any)
		all[fmt.Sprint(m["namespace"], ".", m["key"])] = m["value"].(string)
	}
	return all
}

// forbidden is a word that this shop lets stand in no title.
const forbidden = "counterfeit"

// writeWords writes the texts of an input, or says what is wrong with them.
func (f *fakeShop) writeWords(p *fakeProduct, in map[string]any, root string) object {
	title, given := in["title"].(string)
	vendor, _ := in["vendor"].(string)
	switch {
	case given && strings.TrimSpace(title) == "":
		return refused("INVALID_PRODUCT", "Title can't be blank", root+".title")
	case len([]rune(title)) > 255:
		return refused("INVALID_PRODUCT", "Title is too long (maximum is 255 characters)", root+".title")
	case len([]rune(vendor)) > 255:
		return refused("INVALID_PRODUCT", "Vendor is too long (maximum is 255 characters)", root+".vendor")
	case strings.Contains(title, forbidden):
		return refused("INVALID_PRODUCT", "Title contains a word that is not allowed", root+".title")
	}
	for name, place := range map[string]*string{
		"title": &p.title, "descriptionHtml": &p.description, "productType": &p.kind, "status": &p.status,
		"vendor": &p.vendor,
	} {
		if text, ok := in[name].(string); ok {
			*place = strings.TrimSpace(text)
			if name == "descriptionHtml" {
				if *place = text; f.rewrite != nil {
					*place = f.rewrite(text)
				}
			}
		}
	}
	if tags, ok := in["tags"].([]any); ok {
		p.tags = nil
		for _, t := range tags {
			for tag := range strings.SplitSeq(t.(string), ",") {
				p.tags = append(p.tags, strings.TrimSpace(tag))
			}
		}
		slices.Sort(p.tags)
	}
	return nil
}

// productSet makes the product equal to the input: of every list that is given, what it does not
// name is deleted.
func (f *fakeShop) productSet(a arguments) (any, error) {
	in, which := a["input"].(map[string]any), a["identifier"].(map[string]any)
	var p *fakeProduct
	if id, ok := which["id"].(string); ok {
		if p = f.find(id); p == nil {
			return refused("PRODUCT_DOES_NOT_EXIST", "Product does not exist", "identifier.id"), nil
		}
	} else {
		custom := which["customId"].(map[string]any)["value"].(string)
		var err error
		if p, err = f.findByKey(custom); err != nil {
			return nil, err
		}
		if in["metafields"] != nil && metafields(in)["pubsync.publication"] != custom {
			return refused("METAFIELD_MISMATCH", "metafields must contain the customId value", "input.metafields"), nil
		}
	}
	create := p == nil
	next := &fakeProduct{
		status: "ACTIVE", vendor: storeName, published: map[string]bool{}, metafields: map[string]string{},
	}
	if !create {
		*next = *p
	}
	if create && in["title"] == nil {
		return refused("MISSING_FIELD_REQUIRED", "Title can't be blank", "input.title"), nil
	}
	for _, write := range []func() object{
		func() object { return f.writeWords(next, in, "input") },
		func() object { return f.setVariants(next, in, create) },
		func() object { return f.setFiles(next, in) },
	} {
		if wrong := write(); wrong != nil {
			return wrong, nil
		}
	}
	if in["metafields"] != nil {
		next.metafields = metafields(in)
	}
	if create {
		next.id = f.id("Product")
		next.handle = f.handle(next.title)
		f.products = append(f.products, next)
	} else {
		*p = *next
		next = p
	}
	if a["synchronous"] == false {
		id := f.id("ProductSetOperation")
		f.jobs[id] = &fakeJob{polls: 2, product: next.id}
		return done(object{"productSetOperation": object{"id": id}}), nil
	}
	return done(object{"product": next.object(f)}), nil
}

// handle makes the address of a product from its title, numbered when it is taken.
func (f *fakeShop) handle(title string) string {
	base := strings.Join(strings.FieldsFunc(strings.ToLower(title), func(r rune) bool {
		return !strings.ContainsRune("abcdefghijklmnopqrstuvwxyz0123456789", r)
	}), "-")
	for h, n := base, 1; ; h, n = fmt.Sprint(base, "-", n), n+1 {
		if !slices.ContainsFunc(f.products, func(p *fakeProduct) bool { return p.handle == h }) {
			return h
		}
	}
}

func (f *fakeShop) setFiles(p *fakeProduct, in map[string]any) object {
	if in["files"] == nil {
		return nil
	}
	var media []*fakeMedia
	for i, file := range list(in, "files") {
		file := file.(map[string]any)
		if id, ok := file["id"].(string); ok {
			j := slices.IndexFunc(p.media, func(m *fakeMedia) bool { return m.id == id })
			if j < 0 {
				return refused("INVALID_INPUT", "File not found", fmt.Sprintf("input.files.%d.id", i))
			}
			media = append(media, p.media[j])
			continue
		}
		source := file["originalSource"].(string)
		if strings.Contains(source, "unreachable") {
			return refused("INVALID_INPUT", "Image URL is invalid", fmt.Sprintf("input.files.%d.originalSource", i))
		}
		alt, _ := file["alt"].(string)
		m := &fakeMedia{source: source, alt: alt, status: "PROCESSING"}
		if f.processing != nil {
			m.ready = time.Now().Add(f.processing())
		}
		media = append(media, m)
	}
	for _, m := range media {
		if m.id == "" {
			m.id = f.id("MediaImage")
			f.tried++
		}
	}
	p.media = media
	return nil
}

func (f *fakeShop) setVariants(p *fakeProduct, in map[string]any, create bool) object {
	options, variants := list(in, "productOptions"), list(in, "variants")
	switch {
	case in["productOptions"] == nil && in["variants"] == nil && !create:
		return nil
	case in["productOptions"] == nil:
		return refused("PRODUCT_OPTIONS_INPUT_MISSING", "Product options input is required", "input.productOptions")
	case in["variants"] == nil:
		return refused("VARIANTS_INPUT_MISSING", "Variants input is required", "input.variants")
	case len(options) > 3:
		return refused("OPTIONS_OVER_LIMIT", "Can only specify a maximum of 3 options", "input.productOptions")
	case len(variants) > 2048:
		return refused("VARIANTS_OVER_LIMIT", "Number of variants exceeds the limit", "input.variants")
	}
	names, allowed := []string{}, map[string]bool{}
	for _, o := range options {
		o := o.(map[string]any)
		name := o["name"].(string)
		if slices.Contains(names, name) {
			return refused("DUPLICATED_OPTION_NAME", "Duplicated option name", "input.productOptions")
		}
		names = append(names, name)
		if len(list(o, "values")) == 0 {
			return refused("OPTION_VALUES_MISSING", "At least one value is required", "input.productOptions")
		}
		for _, v := range list(o, "values") {
			value := fmt.Sprint(name, "\x00", strings.ToLower(v.(map[string]any)["name"].(string)))
			if allowed[value] {
				return refused("DUPLICATED_OPTION_VALUE", "Duplicated option value", "input.productOptions")
			}
			allowed[value] = true
		}
	}
	var made []*fakeVariant
	faults := []object{}
	for i, v := range variants {
		one, wrong := f.setVariant(p, v.(map[string]any), names, allowed, made)
		if wrong == "" {
			made = append(made, one)
			continue
		}
		code, rest, _ := strings.Cut(wrong, " ")
		field, message, _ := strings.Cut(rest, " ")
		faults = append(faults, object{
			"code": code, "message": message, "field": []string{"input", "variants", fmt.Sprint(i), field},
		})
	}
	if len(faults) > 0 {
		return done(object{"userErrors": faults})
	}
	for _, v := range made {
		if v.id == "" {
			v.id = f.id("ProductVariant")
		}
	}
	p.options, p.variants = names, made
	return nil
}

// setVariant is one variant of the list. wrong is the code, the field and the message of what is
// refused of it.
func (f *fakeShop) setVariant(
	p *fakeProduct, in map[string]any, names []string, allowed map[string]bool, before []*fakeVariant,
) (v *fakeVariant, wrong string) {
	values := make([]string, len(names))
	for _, o := range list(in, "optionValues") {
		o := o.(map[string]any)
		i := slices.Index(names, o["optionName"].(string))
		if i < 0 || !allowed[fmt.Sprint(o["optionName"], "\x00", strings.ToLower(o["name"].(string)))] {
			return nil, "OPTION_VALUE_DOES_NOT_EXIST optionValues Option value does not exist"
		}
		values[i] = o["name"].(string)
	}
	same := func(b *fakeVariant) bool { return slices.EqualFunc(b.values, values, strings.EqualFold) }
	id, identified := in["id"].(string)
	old := slices.IndexFunc(p.variants, func(b *fakeVariant) bool {
		return identified && b.id == id || !identified && same(b)
	})
	v = &fakeVariant{policy: "DENY", metafields: map[string]string{}, levels: map[string]int{}}
	switch sku, _ := in["sku"].(string); {
	case slices.Contains(values, ""):
		return nil, "INVALID_VARIANT optionValues Variant must have a value for each option"
	case slices.ContainsFunc(before, same):
		return nil, "INVALID_VARIANT optionValues The variant '" + strings.Join(values, " / ") + "' already exists."
	case identified && old < 0:
		return nil, "PRODUCT_VARIANT_DOES_NOT_EXIST id Product variant does not exist"
	case len(sku) > 255:
		return nil, "INVALID_VARIANT sku SKU is too long (maximum is 255 characters)"
	case old >= 0:
		*v = *p.variants[old]
	}
	v.values = values
	item, _ := in["inventoryItem"].(map[string]any)
	for _, of := range []map[string]any{in, item} {
		for name, place := range map[string]*string{
			"sku": &v.sku, "barcode": &v.barcode, "price": &v.price, "inventoryPolicy": &v.policy, "cost": &v.cost,
		} {
			if text, ok := of[name].(string); ok {
				*place = text
			}
		}
	}
	if tracked, ok := item["tracked"].(bool); ok {
		v.tracked = tracked
	}
	if origin, given := item["countryCodeOfOrigin"]; given {
		v.origin, _ = origin.(string)
	}
	if measured, ok := item["measurement"].(map[string]any); ok {
		weight := measured["weight"].(map[string]any)
		if v.weight, v.unit = number(weight["value"]), weight["unit"].(string); v.weight < 0 {
			return nil, "INVALID_VARIANT inventoryItem Weight must be greater than or equal to 0"
		}
	}
	if in["metafields"] != nil {
		v.metafields = metafields(in)
	}
	levels := maps.Clone(v.levels)
	for _, q := range list(in, "inventoryQuantities") {
		q := q.(map[string]any)
		place := q["locationId"].(string)
		if _, stocked := v.levels[place]; old >= 0 && !stocked ||
			!slices.ContainsFunc(f.locations, func(o object) bool { return o["id"] == place }) {
			return nil, "INVALID_INPUT inventoryQuantities The variant is not stocked at the location"
		}
		levels[place] = int(number(q["quantity"]))
	}
	v.levels = levels
	return v, ""
}
