package e2e_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"sync"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/laws"
)

// An Office is the shop's owner at work in the back office.
type Office struct {
	origin, username, password string

	mu     sync.Mutex
	header http.Header // of the session
}

// vars are the variables of a document, and the inputs among them.
type vars = map[string]any

type node struct{ ID string }

// Do runs a document of the Admin API.
func (b *Office) Do(ctx context.Context, document string, v vars) error {
	_, err := ask[struct{}](ctx, b, document, v)
	return err
}

// Query runs a document of the Admin API and decodes its data.
func (b *Office) Query(ctx context.Context, document string, v vars, out any) error {
	header, err := b.session(ctx)
	if err != nil {
		return err
	}
	_, err = send(ctx, b.origin+"/admin-api", header, document, v, out)
	return err
}

func ask[T any](ctx context.Context, b *Office, document string, v vars) (answer T, err error) {
	return answer, b.Query(ctx, document, v, &answer)
}

func (b *Office) session(ctx context.Context) (http.Header, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.header != nil {
		return b.header, nil
	}
	header, err := send(ctx, b.origin+"/admin-api", nil, `mutation ($username: String!, $password: String!) {
		login(username: $username, password: $password) { __typename ... on ErrorResult { message } } }`,
		vars{"username": b.username, "password": b.password}, nil)
	if err != nil {
		return nil, fmt.Errorf("log in: %w", err)
	}
	b.header = http.Header{"Authorization": {"Bearer " + header.Get("vendure-auth-token")}}
	for _, cookie := range (&http.Response{Header: header}).Cookies() {
		b.header.Add("Cookie", cookie.Name+"="+cookie.Value)
	}
	return b.header, nil
}

// send makes one request to an API of the shop's. Any error in the answer is an error.
func send(
	ctx context.Context, api string, header http.Header, document string, v vars, out any,
) (http.Header, error) {
	body, err := json.Marshal(vars{"query": document, "variables": v})
	if err != nil {
		return nil, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, api, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	maps.Copy(request.Header, header)
	request.Header.Set("Content-Type", "application/json")
	response, err := client.RoundTrip(request)
	if err != nil {
		return nil, err
	}
	defer func() { _ = response.Body.Close() }()
	var answer struct {
		Data   json.RawMessage
		Errors []struct{ Message string }
	}
	if err := json.NewDecoder(response.Body).Decode(&answer); err != nil {
		return nil, fmt.Errorf("read answer (HTTP %d): %w", response.StatusCode, err)
	}
	if len(answer.Errors) > 0 {
		return nil, errors.New("the shop answers: " + answer.Errors[0].Message)
	}
	if out == nil {
		return response.Header, nil
	}
	return response.Header, json.Unmarshal(answer.Data, out)
}

// Update changes fields of a product, in the form of UpdateProductInput without the id.
func (b *Office) Update(ctx context.Context, listing shopadapter.ListingID, fields vars) error {
	change := maps.Clone(fields)
	change["id"] = string(listing)
	return b.Do(ctx, `mutation ($input: UpdateProductInput!) { updateProduct(input: $input) { id } }`,
		vars{"input": change})
}

// Text changes a product's text in a language.
func (b *Office) Text(ctx context.Context, listing shopadapter.ListingID, language, field, text string) error {
	return b.Update(ctx, listing, vars{"translations": []vars{{"languageCode": language, field: text}}})
}

// Edit changes a text group of a product.
func (b *Office) Edit(ctx context.Context, listing shopadapter.ListingID, group shopadapter.Fields) error {
	switch group {
	case shopadapter.FieldTitle:
		return b.Text(ctx, listing, "en", "name", "The lamp on my own desk")
	case shopadapter.FieldDescription:
		return b.Text(ctx, listing, "en", "description", "<p>I use it myself.</p>")
	case shopadapter.FieldCategory:
		return b.file(ctx, listing, "pubsync-category")
	}
	p, err := b.Product(ctx, listing)
	if err != nil {
		return err
	}
	last := p.Assets[len(p.Assets)-1].ID // alone is left
	return b.Update(ctx, listing, vars{"assetIds": []string{last}, "featuredAssetId": last})
}

// EditDetail types another value of a detail, or chooses another brand.
func (b *Office) EditDetail(
	ctx context.Context, listing shopadapter.ListingID, v laws.SeenVariant, name string,
) error {
	var value any = "MINE"
	switch name {
	case "brand":
		return b.file(ctx, listing, "brand")
	case "weight", "length", "width", "height", "diameter", "caseQuantity":
		value = 777
	case "tags", "materials":
		value = []string{"MINE"}
	}
	return b.UpdateVariant(ctx, v.ShopID, vars{"customFields": vars{name: value}})
}

// file gives a product a value of the owner's own in place of the one of a facet.
func (b *Office) file(ctx context.Context, listing shopadapter.ListingID, facet string) error {
	id, err := b.AddValue(ctx, facet, "my-own", "My own")
	if err != nil {
		return err
	}
	p, err := b.Product(ctx, listing)
	if err != nil {
		return err
	}
	ids := []string{id}
	for _, v := range p.FacetValues {
		if v.Facet.Code != facet {
			ids = append(ids, v.ID)
		}
	}
	return b.Update(ctx, listing, vars{"facetValueIds": ids})
}

// AddValue adds a value to a facet, which is made where there is none.
func (b *Office) AddValue(ctx context.Context, facet, code, name string) (id string, err error) {
	found, err := ask[struct{ Facets struct{ Items []node } }](
		ctx, b, `query ($code: String!) { facets(options: { filter: { code: { eq: $code } } }) { items { id } } }`,
		vars{"code": facet},
	)
	facets := found.Facets.Items
	if err == nil && len(facets) == 0 {
		made, failed := ask[struct{ CreateFacet node }](
			ctx, b, `mutation ($input: CreateFacetInput!) { createFacet(input: $input) { id } }`,
			vars{"input": vars{"code": facet, "isPrivate": false, "translations": english(facet)}},
		)
		facets, err = []node{made.CreateFacet}, failed
	}
	if err != nil {
		return "", err
	}
	made, err := ask[struct{ CreateFacetValue node }](
		ctx, b, `mutation ($input: CreateFacetValueInput!) { createFacetValue(input: $input) { id } }`,
		vars{"input": vars{"facetId": facets[0].ID, "code": code, "translations": english(name)}},
	)
	return made.CreateFacetValue.ID, err
}

// english is a name in the shop's language.
func english(name string) []vars { return []vars{{"languageCode": "en", "name": name}} }

// DropValue deletes the values of a facet that a product has, for all products.
func (b *Office) DropValue(ctx context.Context, listing shopadapter.ListingID, facet string) error {
	p, err := b.Product(ctx, listing)
	if err != nil {
		return err
	}
	var ids []string
	for _, v := range p.FacetValues {
		if v.Facet.Code == facet {
			ids = append(ids, v.ID)
		}
	}
	return b.Do(ctx, `mutation ($ids: [ID!]!) { deleteFacetValues(ids: $ids, force: true) { result } }`, vars{"ids": ids})
}

// Delete deletes a product.
func (b *Office) Delete(ctx context.Context, listing shopadapter.ListingID) error {
	return b.Do(ctx, `mutation ($id: ID!) { deleteProduct(id: $id) { result } }`, vars{"id": string(listing)})
}

// DeleteStamp clears the adapter's fields of a product, as somebody who tidies up does.
func (b *Office) DeleteStamp(ctx context.Context, listing shopadapter.ListingID) error {
	return b.Update(ctx, listing, vars{"customFields": vars{"pubsyncId": nil, "pubsyncStamp": nil}})
}

// Hide disables a product.
func (b *Office) Hide(ctx context.Context, listing shopadapter.ListingID) error {
	return b.Update(ctx, listing, vars{"enabled": false})
}

// Clear deletes every product of the shop.
func (b *Office) Clear(ctx context.Context) error {
	products, err := b.Products(ctx)
	for _, p := range products {
		err = errors.Join(err, b.Delete(ctx, shopadapter.ListingID(p.ID)))
	}
	return err
}

// AddProduct adds a product, in the form of CreateProductInput.
func (b *Office) AddProduct(ctx context.Context, input vars) (shopadapter.ListingID, error) {
	made, err := ask[struct{ CreateProduct node }](
		ctx, b, `mutation ($input: CreateProductInput!) { createProduct(input: $input) { id } }`, vars{"input": input},
	)
	return shopadapter.ListingID(made.CreateProduct.ID), err
}

// AddVariant adds a variant of the owner's own to a product.
func (b *Office) AddVariant(ctx context.Context, listing shopadapter.ListingID, sku string, options ...string) error {
	return b.Do(ctx, `mutation ($input: [CreateProductVariantInput!]!) { createProductVariants(input: $input) { id } }`,
		vars{"input": []vars{{
			"productId": string(listing), "sku": sku, "price": 100, "stockOnHand": 1,
			"optionIds":    append([]string{}, options...),
			"translations": english(sku),
		}}})
}

// AddForeign adds a product of the owner's own, with the title of p and the SKU of its first
// variant.
func (b *Office) AddForeign(ctx context.Context, p shopadapter.Product) (shopadapter.ListingID, error) {
	id, err := b.AddProduct(ctx, vars{"enabled": true, "translations": []vars{{
		"languageCode": "en", "name": p.Title, "slug": "a-product-of-my-own", "description": p.Description,
	}}})
	if err != nil {
		return "", err
	}
	return id, b.AddVariant(ctx, id, p.Variants[0].SKU)
}

// UpdateVariant changes fields of a variant, in the form of UpdateProductVariantInput without the
// id.
func (b *Office) UpdateVariant(ctx context.Context, id string, fields vars) error {
	change := maps.Clone(fields)
	change["id"] = id
	return b.Do(ctx, `mutation ($input: [UpdateProductVariantInput!]!) { updateProductVariants(input: $input) { id } }`,
		vars{"input": []vars{change}})
}

// RemoveVariant deletes a variant.
func (b *Office) RemoveVariant(ctx context.Context, id string) error {
	return b.Do(ctx, `mutation ($id: ID!) { deleteProductVariants(ids: [$id]) { result } }`, vars{"id": id})
}

// Uploads counts the pictures that the adapter ever uploaded and that are still there.
func (b *Office) Uploads(ctx context.Context) (int, error) {
	answer, err := ask[struct{ Assets struct{ TotalItems int } }](ctx, b, `{
		assets(options: { filter: { name: { contains: "pubsync-" } }, take: 1 }) { totalItems } }`, nil)
	return answer.Assets.TotalItems, err
}

// RenameOption gives an option of a product another name.
func (b *Office) RenameOption(ctx context.Context, listing shopadapter.ListingID, option, name string) error {
	p, err := b.Product(ctx, listing)
	if err != nil {
		return err
	}
	return b.Do(ctx, `mutation ($input: UpdateProductOptionGroupInput!) {
		updateProductOptionGroup(input: $input) { id } }`,
		renamed(p.Group(option).ID, name))
}

// RenameValue gives a value of an option another name.
func (b *Office) RenameValue(ctx context.Context, listing shopadapter.ListingID, option, value, name string) error {
	p, err := b.Product(ctx, listing)
	if err != nil {
		return err
	}
	id := ""
	for _, o := range p.Group(option).Options {
		if o.Name == value {
			id = o.ID
		}
	}
	return b.Do(ctx, `mutation ($input: UpdateProductOptionInput!) { updateProductOption(input: $input) { id } }`,
		renamed(id, name))
}

func renamed(id, name string) vars {
	return vars{"input": vars{"id": id, "translations": english(name)}}
}
