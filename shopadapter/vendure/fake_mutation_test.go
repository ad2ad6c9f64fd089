package vendure_test

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pubsync/pubsync/shopadapter/internal/graphqlfake"
)

func deletion(result string) object { return object{"result": result, "message": nil} }

// nameIn is the name of the first translation of an input.
func nameIn(in map[string]any) string {
	for _, row := range list(in["translations"]) {
		name, _ := row.(map[string]any)["name"].(string)
		return name
	}
	return ""
}

// mutate carries out one mutation, whole or not at all.
func (e *execution) mutate(name string, args arguments) (any, error) {
	f := e.shop
	in, _ := args["input"].(map[string]any)
	id, _ := args["id"].(string)
	switch name {
	case "login":
		return e.login(args), nil
	case "createProduct":
		p := &fakeProduct{id: f.id(), shop: f, enabled: true}
		if err := p.write(in); err != nil {
			return nil, err
		}
		f.products = append(f.products, p)
		return p.object(), nil
	case "updateProduct":
		p := f.product(in["id"].(string))
		if p == nil {
			return nil, graphqlfake.Faultf("ENTITY_NOT_FOUND", "No Product with the id %q could be found", in["id"])
		}
		if err := p.write(in); err != nil {
			return nil, err
		}
		return p.object(), nil
	case "deleteProduct":
		p := f.product(id)
		if p == nil {
			return nil, graphqlfake.Faultf("ENTITY_NOT_FOUND", "No Product with the id %q could be found", id)
		}
		p.deleted, p.groups = true, nil
		for _, v := range p.variants {
			v.deleted = true
		}
		return deletion("DELETED"), nil
	case "createProductVariants", "updateProductVariants":
		return f.writeVariants(name, list(args["input"]))
	case "deleteProductVariants":
		var results []object
		for _, id := range list(args["ids"]) {
			v, _ := f.variant(id.(string))
			if v == nil {
				return nil, graphqlfake.Faultf(
					"ENTITY_NOT_FOUND",
					"No ProductVariant with the id %q could be found",
					id,
				)
			}
			v.deleted = true
			results = append(results, deletion("DELETED"))
		}
		return results, nil
	case "createAssets":
		return e.createAssets()
	case "deleteAssets":
		f.deleteAssets(list(in["assetIds"]))
		return deletion("DELETED"), nil
	case "createFacet":
		return f.createFacet(in), nil
	case "createFacetValue":
		facet := f.facets[slices.IndexFunc(f.facets, func(facet *fakeFacet) bool { return facet.id == in["facetId"] })]
		v := &fakeValue{id: f.id(), code: in["code"].(string), name: nameIn(in)}
		facet.values = append(facet.values, v)
		return v.object(facet), nil
	}
	return f.mutateOptions(name, args, in, id)
}

func (e *execution) login(args arguments) object {
	if args["username"] != username || args["password"] != password {
		return object{
			"__typename": "InvalidCredentialsError",
			"errorCode":  "INVALID_CREDENTIALS_ERROR",
			"message":    "The provided credentials are invalid",
		}
	}
	token := "session-" + e.shop.id()
	e.shop.tokens["Bearer "+token] = true
	e.header.Set("Set-Cookie", "session="+token+"; path=/; httponly")
	if !e.shop.cookiesOnly {
		e.header.Set("vendure-auth-token", token)
	}
	return object{"__typename": "CurrentUser", "id": "1"}
}

func (f *fakeShop) variant(id string) (*fakeVariant, *fakeProduct) {
	for _, p := range f.products {
		for _, v := range p.variants {
			if v.id == id && !v.deleted {
				return v, p
			}
		}
	}
	return nil, nil
}

func (f *fakeShop) writeVariants(name string, inputs []any) (any, error) {
	var results []object
	var undo []func()
	for _, item := range inputs {
		in := item.(map[string]any)
		var v *fakeVariant
		var p *fakeProduct
		var err error
		if price, ok := in["price"]; ok && f.refusedPrice != 0 && whole(price) == f.refusedPrice {
			err = graphqlfake.Faultf("USER_INPUT_ERROR", "a plugin of the shop does not like this price")
		} else if name == "createProductVariants" {
			if v, p, err = f.createVariant(in); err == nil {
				p.variants = append(p.variants, v)
				undo = append(
					undo, func() { p.variants = slices.DeleteFunc(p.variants, func(o *fakeVariant) bool { return o == v }) },
				)
			}
		} else if v, p = f.variant(in["id"].(string)); v == nil {
			err = graphqlfake.Faultf("ENTITY_NOT_FOUND", "No ProductVariant with the id %q could be found", in["id"])
		} else {
			before := *v
			undo = append(undo, func() { *v = before })
			if err = v.write(f, in); err == nil && in["optionIds"] != nil && len(list(in["optionIds"])) > 0 {
				v.options, err = p.choose(in["optionIds"])
			}
		}
		if err != nil {
			for _, step := range slices.Backward(undo) {
				step()
			}
			return nil, err
		}
		results = append(results, v.object(f))
	}
	return results, nil
}

func (e *execution) createAssets() (any, error) {
	var results []object
	for i := range len(e.files) {
		file := e.files[fmt.Sprint(i)]
		if e.shop.uploadFails != nil {
			if code := e.shop.uploadFails(file.Filename); code != "" {
				return nil, graphqlfake.Faultf(code, "Input buffer contains unsupported image format")
			}
		}
		if !strings.HasPrefix(file.Header.Get("Content-Type"), "image/") {
			results = append(
				results,
				object{
					"__typename": "MimeTypeError",
					"errorCode":  "MIME_TYPE_ERROR",
					"message":    "The MIME type is not permitted.",
				},
			)
			continue
		}
		a := &fakeAsset{id: e.shop.id(), name: file.Filename, size: int(file.Size)}
		e.shop.assets = append(e.shop.assets, a)
		results = append(results, a.object())
	}
	return results, nil
}

func (f *fakeShop) createFacet(in map[string]any) object {
	code := in["code"].(string)
	for n := 2; slices.ContainsFunc(f.facets, func(facet *fakeFacet) bool { return facet.code == code }); n++ {
		code = fmt.Sprintf("%s-%d", in["code"], n)
	}
	facet := &fakeFacet{id: f.id(), code: code}
	for _, item := range list(in["values"]) {
		value := item.(map[string]any)
		facet.values = append(facet.values, &fakeValue{id: f.id(), code: value["code"].(string), name: nameIn(value)})
	}
	f.facets = append(f.facets, facet)
	return facet.object()
}

func (f *fakeShop) mutateOptions(name string, args arguments, in map[string]any, id string) (any, error) {
	switch name {
	case "createProductOptionGroup":
		g := &fakeGroup{id: f.id(), code: in["code"].(string), name: nameIn(in)}
		for _, item := range list(in["options"]) {
			option := item.(map[string]any)
			g.options = append(
				g.options,
				&fakeOption{id: f.id(), code: option["code"].(string), name: nameIn(option), group: g},
			)
		}
		f.groups = append(f.groups, g)
		return g.object(), nil
	case "updateProductOptionGroup":
		g := f.group(in["id"].(string))
		g.name = nameIn(in)
		return g.object(), nil
	case "deleteProductOptionGroup":
		g := f.group(id)
		switch {
		case g == nil:
			return nil, graphqlfake.Faultf(
				"ENTITY_NOT_FOUND",
				"No ProductOptionGroup with the id %q could be found",
				id,
			)
		case f.users(g) > 0:
			return deletion("NOT_DELETED"), nil
		case g.buried:
			return nil, graphqlfake.Faultf("", "FOREIGN KEY constraint failed")
		}
		g.deleted = true
		return deletion("DELETED"), nil
	case "addOptionGroupToProduct":
		p, g := f.product(args["productId"].(string)), f.group(args["optionGroupId"].(string))
		if !slices.Contains(p.groups, g) {
			p.groups = append(p.groups, g)
		}
		return p.object(), nil
	case "removeOptionGroupFromProduct":
		return f.removeGroup(args)
	case "createProductOption":
		g := f.group(in["productOptionGroupId"].(string))
		o := &fakeOption{id: f.id(), code: in["code"].(string), name: nameIn(in), group: g}
		g.options = append(g.options, o)
		return o.object(), nil
	case "updateProductOption":
		for _, g := range f.groups {
			if i := slices.IndexFunc(g.options, func(o *fakeOption) bool { return o.id == in["id"] }); i >= 0 {
				g.options[i].name = nameIn(in)
				return g.options[i].object(), nil
			}
		}
		return nil, graphqlfake.Faultf("ENTITY_NOT_FOUND", "No ProductOption with the id %q could be found", in["id"])
	case "deleteProductOption":
		for _, g := range f.groups {
			for _, o := range g.options {
				if o.id == id {
					return deletion(f.deleteOption(g, o)), nil
				}
			}
		}
		return nil, graphqlfake.Faultf("ENTITY_NOT_FOUND", "No ProductOption with the id %q could be found", id)
	}
	return nil, graphqlfake.Faultf("", "the fake does not know the mutation %s", name)
}

func (f *fakeShop) removeGroup(args arguments) (any, error) {
	p, g := f.product(args["productId"].(string)), f.group(args["optionGroupId"].(string))
	if p == nil || g == nil || !slices.Contains(p.groups, g) {
		return nil, graphqlfake.Faultf(
			"ENTITY_NOT_FOUND",
			"No ProductOptionGroup with the id %q could be found",
			args["optionGroupId"],
		)
	}
	inGroup := func(o *fakeOption) bool { return slices.Contains(g.options, o) }
	for _, v := range p.variants {
		if v.deleted || !slices.ContainsFunc(v.options, inGroup) {
			continue
		}
		if args["force"] != true {
			return object{
				"__typename": "ProductOptionInUseError",
				"errorCode":  "PRODUCT_OPTION_IN_USE_ERROR",
				"message":    "in use",
			}, nil
		}
		v.options = slices.DeleteFunc(slices.Clone(v.options), inGroup)
	}
	p.groups = slices.DeleteFunc(slices.Clone(p.groups), func(other *fakeGroup) bool { return other == g })
	return p.object(), nil
}
