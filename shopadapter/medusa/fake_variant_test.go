package medusa_test

import (
	"maps"
	"net/http"
	"slices"
)

func (f *fake) batchVariants(p, in object) object {
	strict(in, "create", "update", "delete")
	created, updated := []any{}, []any{}
	for _, v := range objects(in["create"]) {
		created = append(created, f.shownVariant(f.createVariant(p, v)))
	}
	for _, v := range objects(in["update"]) {
		updated = append(updated, f.shownVariant(f.updateVariant(p, v)))
	}
	gone := words(in["delete"])
	p["variants"] = slices.DeleteFunc(
		p["variants"].([]any),
		func(v any) bool { return slices.Contains(gone, text(v.(object)["id"])) },
	)
	return object{
		"created": created,
		"updated": updated,
		"deleted": object{"ids": append([]string{}, gone...), "object": "variant", "deleted": true},
	}
}

func (f *fake) createVariant(p, in object) object {
	strict(
		in, "title", "sku", "ean", "manage_inventory", "allow_backorder", "variant_rank", "metadata", "prices",
		"options", "weight", "length", "width", "height", "origin_country", "material",
	)
	f.checkChoice(p, in, "")
	f.checkUnique(in, "")
	v := object{
		"id": f.id(
			"variant",
		), "title": in["title"], "sku": in["sku"], "ean": in["ean"], "manage_inventory": true, "allow_backorder": false,
		"variant_rank": in["variant_rank"], "metadata": in["metadata"], "prices": []any{}, "choice": in["options"],
		"item": f.id("iitem"), "stocked_as": in["sku"], "updated_at": now(),
	}
	if managed, ok := in["manage_inventory"].(bool); ok {
		v["manage_inventory"] = managed
	}
	if backorders, ok := in["allow_backorder"].(bool); ok {
		v["allow_backorder"] = backorders
	}
	for _, name := range []string{"weight", "length", "width", "height"} {
		v[name] = float(name, in[name])
	}
	v["origin_country"], v["material"] = in["origin_country"], in["material"]
	f.price(v, in["prices"])
	if p["variants"] = append(p["variants"].([]any), v); f.levelled {
		item := text(v["item"])
		f.levels[item] = []object{{
			"id": f.id("ilev"), "inventory_item_id": item, "location_id": "sloc_1", "stocked_quantity": 0, "updated_at": now(),
		}}
	}
	return v
}

func (f *fake) updateVariant(p, in object) object {
	strict(
		in, "id", "title", "sku", "ean", "manage_inventory", "allow_backorder", "variant_rank", "metadata",
		"prices", "options", "weight", "length", "width", "height", "origin_country", "material",
	)
	i := slices.IndexFunc(objects(p["variants"]), func(v object) bool { return v["id"] == in["id"] })
	if i < 0 {
		refuse("Cannot update non-existing variants with ids: %s", text(in["id"]))
	}
	v := objects(p["variants"])[i]
	f.checkUnique(in, text(in["id"]))
	v["updated_at"] = now()
	for name, value := range in {
		switch name {
		case "options":
			f.checkChoice(p, in, text(in["id"]))
			v["choice"] = value
		case "prices":
			f.price(v, value)
		case "metadata":
			v[name] = merged(v[name], value)
		case "weight", "length", "width", "height":
			v[name] = float(name, value)
		default:
			v[name] = value
		}
	}
	return v
}

// checkChoice refuses what Medusa cannot tell from another variant.
func (f *fake) checkChoice(p, in object, self string) {
	choice, _ := in["options"].(object)
	if len(choice) == 0 {
		panic(refusal{http.StatusInternalServerError, "unknown_error", "An unknown error occurred."})
	}
	if n := len(objects(p["options"])); len(choice) != n {
		refuse(
			"Product has %d option values but there were %d provided option values for the variant: %s.", n,
			len(choice), text(in["title"]),
		)
	}
	for _, o := range objects(p["options"]) {
		title := text(o["title"])
		if !slices.ContainsFunc(objects(o["values"]), func(v object) bool { return v["value"] == choice[title] }) {
			refuse("Option value %s does not exist for option %s", text(choice[title]), title)
		}
	}
	for _, v := range objects(p["variants"]) {
		if v["id"] != self && maps.Equal(v["choice"].(object), choice) {
			refuse("Variant (%s) with provided options already exists.", text(v["title"]))
		}
	}
}

// checkUnique refuses a SKU or an EAN that another variant of the shop has, and a SKU that another
// item of the inventory keeps.
func (f *fake) checkUnique(in object, self string) {
	for _, name := range []string{"sku", "ean"} {
		for _, p := range f.products {
			for _, v := range objects(p["variants"]) {
				if value := text(in[name]); value != "" && v["id"] != self && v[name] == value {
					refuse("Product variant with %s: %s, already exists.", name, value)
				}
			}
		}
	}
}

// price replaces the whole list of a variant's prices.
func (f *fake) price(v object, list any) {
	prices := []any{}
	for _, in := range objects(list) {
		strict(in, "id", "currency_code", "amount", "min_quantity", "max_quantity", "rules")
		p := object{
			"id":            f.id("price"),
			"currency_code": in["currency_code"],
			"amount":        in["amount"],
			"min_quantity":  in["min_quantity"],
			"max_quantity":  in["max_quantity"],
			"rules":         object{},
		}
		if rules, ok := in["rules"].(object); ok {
			p["rules"] = rules
		}
		prices = append(prices, p)
	}
	v["prices"] = prices
}

func (f *fake) shownVariant(v object) object {
	v = maps.Clone(v)
	options := []any{}
	for _, title := range slices.Sorted(maps.Keys(v["choice"].(object))) {
		options = append(options, object{"value": v["choice"].(object)[title], "option": object{"title": title}})
	}
	item := text(v["item"])
	levels := []any{}
	for _, l := range f.levels[item] {
		levels = append(levels, l)
	}
	v["options"] = options
	v["inventory_items"] = []any{object{
		"inventory_item_id": item, "required_quantity": 1,
		"inventory": object{"id": item, "sku": v["stocked_as"], "location_levels": levels},
	}}
	delete(v, "choice")
	delete(v, "item")
	delete(v, "stocked_as")
	return v
}

// restocked has the products of these levels observed anew.
func (f *fake) restocked(levels []object) {
	items := map[string]bool{}
	for _, l := range levels {
		items[text(l["inventory_item_id"])] = true
	}
	for _, p := range f.products {
		if slices.ContainsFunc(objects(p["variants"]), func(v object) bool { return items[text(v["item"])] }) {
			delete(f.seen, text(p["id"]))
		}
	}
}

func (f *fake) stock(in object) object {
	strict(in, "create", "update", "delete", "force")
	created, updated := []any{}, []any{}
	f.restocked(append(objects(in["create"]), objects(in["update"])...))
	at := func(l object) int {
		return slices.IndexFunc(
			f.levels[text(l["inventory_item_id"])],
			func(held object) bool { return held["location_id"] == l["location_id"] },
		)
	}
	for _, l := range objects(in["create"]) {
		item := text(l["inventory_item_id"])
		if at(l) >= 0 {
			refuse(
				"Inventory level with inventory_item_id: %s, location_id: %s, already exists.", item,
				text(l["location_id"]),
			)
		}
		l["id"], l["updated_at"] = f.id("ilev"), now()
		f.levels[item], created = append(f.levels[item], l), append(created, l)
	}
	for _, l := range objects(in["update"]) {
		i := at(l)
		if i < 0 {
			absent("Item %s is not stocked at location %s", text(l["inventory_item_id"]), text(l["location_id"]))
		}
		held := f.levels[text(l["inventory_item_id"])][i]
		held["stocked_quantity"], held["updated_at"] = l["stocked_quantity"], now()
		updated = append(updated, held)
	}
	return object{"created": created, "updated": updated}
}
