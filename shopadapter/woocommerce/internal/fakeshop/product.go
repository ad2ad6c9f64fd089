package fakeshop

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

func (f *Shop) link(p *Post) string {
	switch p.Status {
	case "draft", "pending", "future":
		return fmt.Sprintf("%s/?post_type=product&p=%d", f.Base, p.ID)
	}
	return f.Base + "/product/" + p.Slug + "/"
}

// shown is a product as the API shows it.
func (f *Shop) shown(p *Post, query url.Values) map[string]any {
	if p.Kind == "variation" {
		v := f.shownVariation(p, query)
		v["type"], v["parent_id"] = "variation", p.Parent
		return v
	}
	content := p.content
	if query != nil && query.Get("context") != "edit" {
		content = paragraphs(content)
	}
	attributes, images, categories := []map[string]any{}, []map[string]any{}, []map[string]any{}
	for _, a := range p.Attributes {
		attributes = append(attributes, map[string]any{
			"id": a.ID, "name": a.Name, "slug": a.slug(), "position": a.Position, "visible": a.Visible, "variation": a.Variation,
			"options": a.Options,
		})
	}
	for _, id := range p.Images {
		images = append(images, map[string]any{
			"id": id, "src": f.Base + "/wp-content/uploads/" + f.Media[id].File, "name": f.Media[id].Name, "alt": "",
			"date_created": day, "date_created_gmt": day, "date_modified": day, "date_modified_gmt": day,
		})
	}
	for _, id := range p.Categories {
		for _, c := range f.Categories {
			if c["id"].(int) == int(id) {
				categories = append(categories, map[string]any{"id": id, "name": c["name"], "slug": c["slug"]})
			}
		}
	}
	out := map[string]any{
		"id": p.ID, "type": p.Kind, "status": p.Status, "parent_id": 0, "sku": p.SKU, "name": p.Name,
		"description": content, "slug": p.Slug,
		"permalink": f.link(
			p,
		), "regular_price": p.Price, "manage_stock": p.Managed, "stock_quantity": nil, "backorders": p.Backorders,
		"categories": categories, "images": images, "attributes": attributes, "variations": f.Children(p.ID),
		"meta_data": f.shownMeta(p, query),
	}
	out["catalog_visibility"], out["post_password"] = cmp.Or(p.Visibility, "visible"), p.Password
	out["brands"] = f.brandsOf(p)
	showSizes(p, nil, out)
	f.showFigures(p, out)
	if p.Kind == "variable" {
		// a price on the product itself is ignored
		out["regular_price"], out["sale_price"], out["has_options"] = "", "", true
	}
	return completed("answer product", out, query == nil || query.Get("context") == "edit")
}

// day is when everything in the shop was made.
const day = "2026-11-20T11:23:16"

// showFigures adds what an answer shows of price and stock.
func (f *Shop) showFigures(p *Post, out map[string]any) {
	out["sale_price"], out["price"], out["on_sale"] = p.Sale, cmp.Or(p.Sale, p.Price), p.Sale != ""
	out["purchasable"] = p.Price != ""
	for name, value := range map[string]string{"date_on_sale_from": p.SaleFrom, "date_on_sale_to": p.SaleTo} {
		if out[name] = nil; value != "" {
			out[name] = value
		}
		out[name+"_gmt"] = out[name]
	}
	if p.Managed {
		out["stock_quantity"] = p.Quantity
	}
	out["backorders_allowed"] = p.Backorders != "no"
	out["backordered"] = p.Managed && p.Quantity < 0
	switch {
	case !p.Managed:
		out["stock_status"] = cmp.Or(p.Stock, "instock")
	case p.Quantity > 0:
		out["stock_status"] = "instock"
	case p.Backorders != "no":
		out["stock_status"] = "onbackorder"
	default:
		out["stock_status"] = "outofstock"
	}
}

// completed adds to an answer what a real one shows besides, empty.
func completed(form string, out map[string]any, edit bool) map[string]any {
	usual := map[string]any{
		"catalog_visibility": "visible", "tax_status": "taxable", "download_limit": -1, "download_expiry": -1,
		"reviews_allowed": true, "average_rating": "0",
		"shipping_required": true, "shipping_taxable": true, "date_created": day, "date_created_gmt": day,
		"date_modified": day, "date_modified_gmt": day,
	}
	for name, a := range schema()[form] {
		if _, there := out[name]; there {
			continue
		}
		if out[name] = usual[name]; out[name] == nil {
			out[name] = a.empty()
		}
	}
	if !edit {
		delete(out, "permalink_template")
		delete(out, "generated_slug")
	}
	return out
}

// empty is what stands in an answer for nothing.
func (a *argument) empty() any {
	if slices.Contains(a.Type, "null") {
		return nil
	}
	switch a.Type[0] {
	case "string":
		return ""
	case "boolean":
		return false
	case "array":
		return []any{}
	case "object":
		fields := map[string]any{}
		for name, field := range a.Fields {
			fields[name] = field.empty()
		}
		return fields
	}
	return 0
}

// Children are the ids of a product's variations that are not in the trash, in their order.
func (f *Shop) Children(id int64) []int64 {
	list := []int64{}
	for _, v := range f.Posts {
		if v.Parent == id && v.Status != "trash" {
			list = append(list, v.ID)
		}
	}
	slices.Sort(list)
	return list
}

func (f *Shop) shownMeta(p *Post, query url.Values) []map[string]any {
	list := []map[string]any{}
	for _, key := range slices.Sorted(maps.Keys(p.Meta)) {
		if only := query.Get("include_meta"); only == "" || slices.Contains(strings.Split(only, ","), key) {
			list = append(list, map[string]any{"id": 1, "key": key, "value": p.Meta[key]})
		}
	}
	return list
}

// Holder is the product or variation, not in the trash, that has a SKU. Case makes no difference.
func (f *Shop) Holder(sku string, but int64) *Post {
	for _, id := range slices.Sorted(maps.Keys(f.Posts)) {
		if p := f.Posts[id]; p.ID != but && p.Status != "trash" && sku != "" && strings.EqualFold(p.SKU, sku) {
			return p
		}
	}
	return nil
}

func (f *Shop) skuTaken(sku string, but int64) *failure {
	if p := f.Holder(sku, but); p != nil {
		return &failure{
			400, faultSKU, "Invalid or duplicated SKU.", map[string]any{"resource_id": p.ID, "unique_sku": sku + "-1"},
		}
	}
	if f.RefuseSKU != "" && strings.HasPrefix(sku, f.RefuseSKU) {
		return fail(400, "product_refused_by_plugin", "This article number is not allowed.")
	}
	return nil
}

func (f *Shop) createProduct(input map[string]any, work string) (int, any, *failure) {
	p := &Post{
		Kind: "simple", Status: "publish", Backorders: "no", Meta: map[string]any{}, Categories: []int64{15}, Name: "Product",
	}
	f.Mu.Lock()
	e := f.check(p, input)
	f.Mu.Unlock()
	if e != nil {
		return 0, nil, e
	}
	// Pictures are loaded before anything is saved: until then the SKU is not to be seen.
	images, e := f.download(input, 0)
	if e != nil {
		return 0, nil, e
	}
	f.takes(work, 1)
	f.Mu.Lock()
	defer f.Mu.Unlock()
	if e := f.check(p, input); e != nil {
		return 0, nil, e
	}
	sku := keptSKU(input)
	if _, taken := f.Lookup[strings.ToLower(sku)]; taken && sku != "" {
		return 0, nil, fail(
			400,
			faultNotCreated,
			fmt.Sprintf("The product with SKU (%s) you are trying to insert is already present in the lookup table", sku),
		)
	}
	f.NextPost++
	p.ID = f.NextPost
	f.Posts[p.ID] = p
	// The row holds name, texts, status, slug and order. SKU, price and stock follow, then the
	// type, and the metadata at the end.
	row := only(input, "name", "description", "status", "slug", "menu_order")
	f.apply(p, row, nil)
	if f.dead("product row") {
		return 0, nil, critical()
	}
	f.apply(p, only(input, "sku", "regular_price", "manage_stock", "stock_quantity", "backorders"), images)
	if f.dead("product sku") {
		return 0, nil, critical()
	}
	f.apply(p, input, images)
	if f.dead("product whole") {
		return 0, nil, critical()
	}
	return http.StatusCreated, f.shown(p, nil), nil
}

// dead tells whether PHP dies here. What was written until then stays.
func (f *Shop) dead(at string) bool { return f.Dies != nil && f.Dies(at) }

// critical is what WordPress answers when PHP died, where it still can.
func critical() *failure {
	return fail(500, "internal_server_error", "<p>There has been a critical error on this website.</p>")
}

// only is the fields of a request that are named.
func only(input map[string]any, names ...string) map[string]any {
	some := map[string]any{}
	for _, name := range names {
		if value, ok := input[name]; ok {
			some[name] = value
		}
	}
	return some
}

// check is what the shop has against a product besides the types of the arguments.
func (f *Shop) check(p *Post, input map[string]any) *failure {
	if name, _ := input["name"].(string); f.RefuseTitle != "" && strings.HasPrefix(name, f.RefuseTitle) {
		return fail(400, "woocommerce_rest_invalid_name", "A plugin refuses the <b>name</b>.")
	}
	if e := f.checkPrice(input); e != nil {
		return e
	}
	if sku := keptSKU(input); input["sku"] != nil && sku != p.SKU {
		if e := f.skuTaken(sku, p.ID); e != nil {
			return e
		}
	}
	return f.eanTaken(input, p.ID)
}

func (f *Shop) checkPrice(input map[string]any) *failure {
	if price, _ := input["regular_price"].(string); f.RefusePrice != "" && price == f.RefusePrice {
		return fail(400, "price_refused_by_plugin", "This price is not allowed.")
	}
	return nil
}

func (f *Shop) apply(p *Post, input map[string]any, images []int64) {
	if v, ok := input["name"].(string); ok {
		p.Name = filtered(v)
		if f.Rewrite != nil {
			p.Name = f.Rewrite(p.Name)
		}
	}
	if v, ok := input["description"].(string); ok {
		p.content = filtered(v)
	}
	if v, ok := input["type"].(string); ok {
		if p.Kind == "variable" && v != "variable" {
			for _, id := range f.Children(p.ID) {
				f.Erase(id) // another type has no variations
			}
		}
		p.Kind = v
	}
	if v := keptSKU(input); input["sku"] != nil {
		delete(f.Lookup, strings.ToLower(p.SKU))
		if p.SKU = v; v != "" {
			f.Lookup[strings.ToLower(v)] = p.ID
		}
	}
	if v, ok := input["status"].(string); ok {
		if p.Status == "trash" && v != "trash" {
			p.Slug = strings.TrimSuffix(p.Slug, "__trashed")
		}
		p.Status = v
	}
	if v, ok := input["slug"].(string); ok {
		p.Slug = postSlug(v)
	}
	if p.Status != "draft" && p.Status != "pending" && p.Status != "trash" {
		p.Slug = f.freeSlug(cmp.Or(p.Slug, postSlug(p.Name)), p.ID) // a draft may have a slug that another has, or none
	}
	if v, ok := input["menu_order"].(float64); ok {
		p.order = int64(v)
	}
	f.applyFigures(p, input)
	if v, ok := input["categories"].([]any); ok {
		p.Categories = nil
		for _, c := range v {
			n, _ := c.(map[string]any)["id"].(float64)
			id := int64(n)
			if slices.ContainsFunc(f.Categories, func(c map[string]any) bool { return c["id"].(int) == int(id) }) {
				p.Categories = append(p.Categories, id)
			}
		}
		if len(p.Categories) == 0 {
			p.Categories = []int64{15} // a category that does not exist is no error
		}
	}
	if v, ok := input["attributes"].([]any); ok {
		p.Attributes = nil // the list is replaced
		for _, a := range v {
			if read, ok := f.readAttribute(a.(map[string]any)); ok {
				p.Attributes = append(p.Attributes, read)
			}
		}
	}
	if images != nil {
		p.Images = images
	}
	if v, ok := input["catalog_visibility"].(string); ok {
		p.Visibility = v
	}
	if v, ok := input["post_password"].(string); ok {
		p.Password = v
	}
	f.brand(p, input)
	p.size(input)
	f.applyMeta(p, input)
}

// readAttribute keeps the values of an attribute as one text with bars between them. A global
// attribute goes by its id, whatever its name is said to be; one with neither an id nor a name is
// dropped.
func (f *Shop) readAttribute(in map[string]any) (Attribute, bool) {
	id, _ := in["id"].(float64)
	name, _ := in["name"].(string)
	a := Attribute{ID: int64(id), Name: optionOfProduct(name)}
	if a.ID > 0 {
		a.Name = f.globals[a.ID]
	}
	if a.Name == "" {
		return a, false
	}
	a.Key = a.slug()
	if a.ID == 0 {
		a.Key = attributeKey(a.Name)
	}
	if position, ok := in["position"].(float64); ok {
		a.Position = int(position)
	}
	a.Visible, _ = in["visible"].(bool)
	a.Variation, _ = in["variation"].(bool)
	values, _ := in["options"].([]any)
	var kept []string
	for _, v := range values {
		kept = append(kept, optionOfProduct(v.(string)))
	}
	for part := range strings.SplitSeq(strings.Join(kept, " | "), "|") {
		if part = strings.TrimSpace(part); part != "" {
			a.Options = append(a.Options, part)
		}
	}
	if a.ID > 0 && len(a.Options) == 0 {
		return a, false // a global attribute without a value is dropped
	}
	if a.ID > 0 {
		f.makeTerms(a.ID, a.Options)
	}
	return a, true
}

// slug is what a product shows of an attribute beside its name: that of a global one is
// pa_material, that of one of its own the name itself.
func (a Attribute) slug() string {
	if a.ID > 0 {
		return "pa_" + attributeKey(a.Name)
	}
	return a.Name
}

func (f *Shop) applyFigures(p *Post, input map[string]any) {
	if v, ok := input["regular_price"].(string); ok {
		switch {
		case strings.Contains(v, ","):
			p.Price = strings.ReplaceAll(v, ",", "") // 25,55 is 2555
		case strings.ContainsFunc(v, func(r rune) bool { return (r < '0' || '9' < r) && r != '.' && r != '-' }):
			p.Price = ""
		default:
			p.Price = v
		}
	}
	for name, to := range map[string]*string{
		"sale_price": &p.Sale, "date_on_sale_from": &p.SaleFrom,
		"date_on_sale_to": &p.SaleTo,
	} {
		if v, ok := input[name].(string); ok {
			*to = v
		}
	}
	sale, _ := strconv.ParseFloat(p.Sale, 64)
	if regular, _ := strconv.ParseFloat(p.Price, 64); sale >= regular {
		p.Sale = "" // what is no reduction is dropped, whichever of the two was written
	}
	if v, ok := input["stock_status"].(string); ok {
		p.Stock = v
	}
	if v, ok := input["manage_stock"].(bool); ok && !f.Uncounting {
		p.Managed = v
	}
	if v, ok := input["stock_quantity"].(float64); ok && p.Managed {
		p.Quantity = int64(v) // without managed stock it is ignored
	}
	if v, ok := input["backorders"].(string); ok {
		p.Backorders = v
	}
}

func (f *Shop) applyMeta(p *Post, input map[string]any) {
	list, _ := input["meta_data"].([]any)
	for _, m := range list {
		entry := m.(map[string]any)
		key := entry["key"].(string)
		switch {
		case key == "_sku":
			p.SKU, _ = entry["value"].(string) // goes around every check, and is not shown
		case entry["value"] == nil:
			delete(p.Meta, key)
		default:
			p.Meta[key] = entry["value"]
		}
	}
}
