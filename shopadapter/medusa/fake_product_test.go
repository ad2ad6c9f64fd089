package medusa_test

import (
	"maps"
	"regexp"
	"slices"
	"strconv"
)

var handleForm = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)

func (f *fake) createProduct(in object) object {
	strict(
		in, "title", "description", "images", "thumbnail", "handle", "status", "external_id", "categories",
		"options", "variants", "sales_channels", "shipping_profile_id", "metadata",
		"weight", "length", "width", "height", "origin_country", "material",
	)
	if len(objects(in["options"])) == 0 {
		refuse("Product options are not provided for: [%s].", text(in["title"]))
	}
	handle := text(in["handle"])
	if !handleForm.MatchString(handle) {
		refuse("Invalid product handle '%s'. It must contain URL safe characters", handle)
	}
	if slices.ContainsFunc(f.products, func(p object) bool { return p["handle"] == handle }) {
		refuse("Product with handle: %s, already exists.", handle)
	}
	p := object{
		"id": f.id("prod"), "title": in["title"], "description": nil, "handle": handle, "status": "draft",
		"external_id": in["external_id"], "thumbnail": nil,
		"weight": nil, "length": nil, "width": nil, "height": nil, "origin_country": nil, "material": nil,
		"metadata": nil, "images": []any{}, "categories": []any{}, "sales_channels": []any{}, "options": []any{},
		"variants": []any{},
	}
	f.products = append(f.products, p)
	for _, o := range objects(in["options"]) {
		f.addOption(p, o)
	}
	fields := maps.Clone(in)
	for _, name := range []string{"options", "variants", "external_id", "handle"} {
		delete(fields, name)
	}
	f.updateProduct(p, fields)
	if images := objects(p["images"]); len(images) > 0 && p["thumbnail"] == nil {
		p["thumbnail"] = images[0]["url"]
	}
	for _, v := range objects(in["variants"]) {
		f.createVariant(p, v)
	}
	return p
}

func (f *fake) updateProduct(p, in object) object {
	strict(
		in, "title", "description", "images", "thumbnail", "handle", "status", "external_id", "categories",
		"sales_channels", "shipping_profile_id", "metadata",
		"weight", "length", "width", "height", "origin_country", "material",
	)
	p["updated_at"] = now()
	for name, value := range in {
		switch name {
		case "metadata":
			p[name] = merged(p[name], value)
		case "categories":
			p[name] = f.these(f.categories, value)
		case "sales_channels":
			p[name] = f.these(f.channels, value)
		case "images":
			list := []any{}
			for _, i := range objects(value) {
				list = append(list, object{"id": f.id("img"), "url": i["url"]})
			}
			p[name] = list
		case "description":
			if s, ok := value.(string); ok && f.rewrite != nil {
				value = f.rewrite(s)
			}
			p[name] = value
		case "weight", "length", "width", "height":
			p[name] = float(name, value)
		default:
			p[name] = value
		}
	}
	return p
}

// float is a number as Medusa's database keeps it.
func float(name string, value any) any {
	switch v := value.(type) {
	case nil:
		return nil
	case float64:
		short, _ := strconv.ParseFloat(strconv.FormatFloat(v, 'g', -1, 32), 64)
		return short
	}
	refuse("Invalid request: Expected type: 'number' for field '%s'", name)
	return nil
}

// merged is metadata after a write: members are added, and one that is written as "" goes.
func merged(held, written any) any {
	m := object{}
	if before, ok := held.(object); ok {
		maps.Copy(m, before)
	}
	changes, _ := written.(object)
	for name, value := range changes {
		if m[name] = value; value == "" {
			delete(m, name)
		}
	}
	return m
}

// these are the members of a list that a request names by id.
func (f *fake) these(all []object, named any) []any {
	list := []any{}
	for _, one := range objects(named) {
		i := slices.IndexFunc(all, func(o object) bool { return o["id"] == one["id"] })
		if i < 0 {
			absent("%v not found", one["id"])
		}
		list = append(list, all[i])
	}
	return list
}

func (f *fake) product(id, otherwise string) object {
	i := slices.IndexFunc(f.products, func(p object) bool { return p["id"] == id })
	if i < 0 {
		absent("%s", otherwise)
	}
	return f.products[i]
}

// shown is a product as Medusa answers it: with the levels of its inventory, and newest variants
// first as likely as not.
func (f *fake) shown(p object) object {
	p = maps.Clone(p)
	variants := []any{}
	for _, v := range objects(p["variants"]) {
		variants = append([]any{f.shownVariant(v)}, variants...)
	}
	p["variants"] = variants
	return p
}

func (f *fake) shownAll(products []object) []object {
	var all []object
	for _, p := range products {
		all = append(all, f.shown(p))
	}
	return all
}

func (f *fake) addOption(p, in object) {
	strict(in, "title", "values", "is_exclusive", "ranks", "metadata")
	o := object{"id": f.id("opt"), "title": in["title"], "values": []any{}}
	for _, v := range words(in["values"]) {
		o["values"] = append(o["values"].([]any), object{"id": f.id("optval"), "value": v})
	}
	p["options"] = append(p["options"].([]any), o)
}

func (f *fake) batchOptions(p, in object) {
	strict(in, "add", "remove", "update")
	for _, o := range objects(in["add"]) {
		f.addOption(p, o)
	}
	used := func(title, value string) bool {
		return slices.ContainsFunc(objects(p["variants"]), func(v object) bool {
			chosen, has := v["choice"].(object)[title]
			return has && (value == "" || chosen == value)
		})
	}
	for _, id := range words(in["remove"]) {
		list := []any{}
		for _, o := range objects(p["options"]) {
			if o["id"] != id {
				list = append(list, o)
			} else if used(text(o["title"]), "") {
				refuse("Cannot unassign product option from product which has variants for that option")
			}
		}
		p["options"] = list
	}
	for _, change := range objects(in["update"]) {
		for _, o := range objects(p["options"]) {
			if o["id"] != change["product_option_id"] {
				continue
			}
			values := []any{}
			for _, v := range objects(o["values"]) {
				if !slices.Contains(words(change["remove"]), text(v["id"])) {
					values = append(values, v)
				} else if used(text(o["title"]), text(v["value"])) {
					refuse("Cannot unassign product option value from product which has variants for that value")
				}
			}
			for _, v := range objects(change["add"]) {
				if !slices.ContainsFunc(
					objects(o["values"]),
					func(held object) bool { return held["value"] == v["value"] },
				) {
					values = append(values, object{"id": f.id("optval"), "value": v["value"]})
				}
			}
			o["values"] = values
		}
	}
}

func (f *fake) createCategory(in object) object {
	strict(
		in, "name", "handle", "description", "is_active", "is_internal", "parent_category_id", "external_id",
		"metadata", "rank",
	)
	if slices.ContainsFunc(f.categories, func(c object) bool { return c["handle"] == in["handle"] }) {
		refuse("Product category with handle: %s, already exists.", text(in["handle"]))
	}
	if above := text(in["parent_category_id"]); above != "" &&
		!slices.ContainsFunc(f.categories, func(c object) bool { return c["id"] == above }) {
		refuse("Product category %s does not exist.", above)
	}
	c := object{
		"id":                 f.id("pcat"),
		"name":               in["name"],
		"handle":             in["handle"],
		"parent_category_id": in["parent_category_id"],
	}
	f.categories = append(f.categories, c)
	return c
}

func (f *fake) translate(in object) object {
	strict(in, "create", "update", "delete")
	created, updated := []any{}, []any{}
	for _, one := range objects(in["create"]) {
		strict(one, "reference", "reference_id", "locale_code", "translations")
		if slices.ContainsFunc(f.translations, func(t object) bool {
			return t["reference_id"] == one["reference_id"] && t["locale_code"] == one["locale_code"]
		}) {
			refuse(
				"Translation with reference_id: %s, locale_code: %s, already exists.", text(one["reference_id"]),
				text(one["locale_code"]),
			)
		}
		one["id"] = f.id("trans")
		f.translations, created = append(f.translations, one), append(created, one)
	}
	for _, one := range objects(in["update"]) {
		for _, t := range f.translations {
			if t["id"] == one["id"] {
				maps.Copy(t["translations"].(object), one["translations"].(object))
				updated = append(updated, t)
			}
		}
	}
	gone := words(in["delete"])
	f.translations = slices.DeleteFunc(
		f.translations,
		func(t object) bool { return slices.Contains(gone, text(t["id"])) },
	)
	return object{
		"created": created,
		"updated": updated,
		"deleted": object{"ids": gone, "object": "translation", "deleted": true},
	}
}

// rename gives an option another title, or a value of it another name. The variants follow, since
// Medusa keeps them by the ids of their values.
func (f *fake) rename(option, value string, in object) {
	strict(in, "title", "value")
	for _, p := range f.products {
		for _, o := range objects(p["options"]) {
			if o["id"] != option {
				continue
			}
			title, was, is := text(o["title"]), "", text(in["value"])
			for _, v := range objects(o["values"]) {
				if v["id"] == value {
					was, v["value"] = text(v["value"]), is
				}
			}
			if value == "" {
				o["title"] = in["title"]
			}
			for _, v := range objects(p["variants"]) {
				chosen := maps.Clone(v["choice"].(object))
				if has, held := chosen[title]; held {
					if value != "" && has == was {
						has = is
					}
					delete(chosen, title)
					chosen[text(o["title"])] = has
				}
				v["choice"] = chosen
			}
		}
	}
}
