package shopify

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/internal/step"
)

// mostRevived is how many variants one request puts back on the sales channel.
const mostRevived = 25

// revive puts those of our variants back on the sales channel that somebody took off it.
func (w *write) revive(ctx context.Context) error {
	if !w.Ref.Revive {
		return nil
	}
	off, err := w.off(ctx)
	if err != nil {
		return step.Within("read variants", err)
	}
	for some := range slices.Chunk(off, mostRevived) {
		variables := input{"publications": []input{{"publicationId": w.shop.publication.ID}}}
		for i, id := range some {
			variables[fmt.Sprint("variant", i)] = id
		}
		var answer map[string]*payload
		err := w.a.call(ctx, request{
			document: reviveDocument(len(some)), variables: variables, estimate: costMutation * float64(len(some)),
		}, &answer)
		if err != nil {
			return step.Within("put variants on sale", err)
		}
		for i, id := range some {
			switch p := answer[fmt.Sprint("variant", i)]; {
			case p == nil:
				return shopadapter.Retry("the shop's answer lacks the publication of the variant %s", number(id))
			case len(p.Errors) > 0:
				return shopadapter.Block(
					"the variant %s cannot be published to the sales channel %s: %s", number(id),
					w.a.scrub(w.shop.publication.Name), w.a.scrub(p.Errors[0].Message),
				)
			}
		}
	}
	return nil
}

// off is the ids of our variants that are not on the sales channel.
func (w *write) off(ctx context.Context) (ids []string, err error) {
	ours := map[string]bool{}
	for _, v := range w.Variants {
		if v.Held != nil {
			ours[v.Held.ID] = true
		}
	}
	first, err := w.apartPage(ctx, "")
	if err != nil {
		return nil, err
	}
	all, err := rest(first, func(after string) (nodes[variant], error) { return w.apartPage(ctx, after) })
	for _, v := range all {
		if ours[v.ID] && !v.Published {
			ids = append(ids, v.ID)
		}
	}
	return ids, err
}

// apartPage is the page of the product's variants behind a cursor.
func (w *write) apartPage(ctx context.Context, after string) (nodes[variant], error) {
	variables := input{"id": w.have.ID, "publication": w.shop.publication.ID, "page": moreVariants}
	if after != "" {
		variables["after"] = after
	}
	var answer struct {
		Product *product `json:"product"`
	}
	err := w.a.call(ctx, request{
		document: apartDocument, estimate: 5 + moreVariants, variants: moreVariants, variables: variables,
	}, &answer)
	switch {
	case err != nil:
		return nodes[variant]{}, err
	case answer.Product == nil:
		return nodes[variant]{}, shopadapter.Retry("the product was deleted while it was written")
	}
	return answer.Product.Variants, nil
}

const apartDocument = `query Apart($id: ID!, $publication: ID!, $page: Int!, $after: String) {
  product(id: $id) {
    variants(first: $page, after: $after) {
      nodes { id publishedOnPublication(publicationId: $publication) } pageInfo { hasNextPage endCursor }
    }
  }
}`

// reviveDocument publishes so many variants.
func reviveDocument(n int) string {
	var declarations, fields strings.Builder
	for i := range n {
		fmt.Fprintf(&declarations, ", $variant%d: ID!", i)
		fmt.Fprintf(
			&fields, "  variant%d: publishablePublish(id: $variant%d, input: $publications) "+
				"{ userErrors { field message } }\n", i, i,
		)
	}
	return "mutation Revive($publications: [PublicationInput!]!" + declarations.String() + ") {\n" + fields.String() + "}"
}
