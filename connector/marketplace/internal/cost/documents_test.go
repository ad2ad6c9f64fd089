package cost

import (
	"fmt"
	"strings"

	"github.com/pubsync/pubsync/connector/marketplace/internal/document"
)

// The documents that these tests reckon the cost of, as the marketplace is asked.

func parsed(text string) document.Document {
	d, err := document.Parse(text)
	if err != nil {
		panic(err)
	}
	return d
}

// listOf asks for a page of the list; more is further arguments.
func listOf(first int, more string) document.Document {
	return parsed(fmt.Sprintf("query List{publications(first:%d,%s){"+
		"pageInfo{hasNextPage endCursor} nodes{id updatedAt status}}}", first, more))
}

const byID = "sort:ID_DESC"

// times is n root fields of a document, which differ in their alias alone.
func times(kind, field string, n int) document.Document {
	fields := make([]string, n)
	for i := range fields {
		fields[i] = fmt.Sprintf("a%d:%s", i, field)
	}
	return parsed(kind + " Times{" + strings.Join(fields, " ") + "}")
}

func lookAt(n int, fields string) document.Document {
	return times(document.Query, `publication(id:"1"){`+fields+`}`, n)
}

func reportOn(n int) document.Document {
	return times(document.Mutation, "publicationStatusUpdated(input:{}){"+
		"publication{status updatedAt} userErrors{field message}}", n)
}

func contentOf(variants, images int) document.Document {
	return parsed(fmt.Sprintf(`query Content{publication(id:"1"){status productUrl updatedAt listing{id dropshippingReturns
		translations{en{title description} nl{title description}} category{path name}
		dropshippingShippingDetails{countryGroup fixedCosts variableCosts estimatedShippingDays} product{id}
		variants(first:%d){pageInfo{hasNextPage endCursor} nodes{id title dropshippingPrice msrp sku ean
			inventoryQuantity inventoryPolicy options{name value}}}
		images(first:%d){pageInfo{hasNextPage endCursor} nodes{transformedUrl}}}}}`, variants, images))
}
