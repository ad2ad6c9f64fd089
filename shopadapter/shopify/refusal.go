package shopify

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/internal/step"
)

// A userError is what Shopify says of an input that it refuses, in an answer that is otherwise
// well.
type userError struct {
	Code    string   `json:"code"`
	Field   []string `json:"field"`
	Message string   `json:"message"`
}

type userErrors []userError

// index is the place of a list's element that the error is about: 3 in input.variants.3.sku.
func (e userError) index(list string) (int, bool) {
	i := slices.Index(e.Field, list)
	if i < 0 || i+1 >= len(e.Field) {
		return 0, false
	}
	n, err := strconv.Atoi(e.Field[i+1])
	return n, err == nil && n >= 0
}

// passing are the codes of a productSet that a later call may not meet: something changed since the
// product was read, or the shop failed.
var passing = []string{
	"GENERIC_ERROR", "JOB_ERROR", "NOT_FOUND", "PRODUCT_DOES_NOT_EXIST", "PRODUCT_VARIANT_DOES_NOT_EXIST",
	"OPTION_DOES_NOT_EXIST",
	"OPTION_VALUE_DOES_NOT_EXIST", "METAFIELD_MISMATCH", "CAPABILITY_VIOLATION",
}

// codeSuspended is that of a product which Shopify itself has taken out of sale.
const codeSuspended = "PRODUCT_SUSPENDED"

// refusal gives a user error its kind: who can mend it.
func (a *Adapter) refusal(e userError) *shopadapter.Error {
	said := a.scrub(e.Message)
	switch {
	case slices.Contains(passing, e.Code),
		e.Code == "" && strings.HasSuffix(strings.TrimRight(said, "."), "does not exist"):
		return shopadapter.Retry("the shop has changed meanwhile, or failed: %s", said)
	case strings.Contains(strings.ToLower(said), "daily variant creation limit"):
		return shopadapter.Retry("the store's daily limit of new variants is reached: %s", said).After(time.Hour)
	case e.Code == codeSuspended:
		return shopadapter.Block("Shopify has suspended the product: %s", said)
	case slices.Contains(e.Field, "inventoryQuantities"):
		return shopadapter.Block(
			"the stock cannot be written to the location in LOCATION: stock the product there in Shopify, or name "+
				"the location "+
				"that holds it: %s",
			said,
		)
	}
	return shopadapter.Reject("the shop refuses it: %s", said)
}

// standing is the error of a fault that is the same without what the shop refuses of the product.
// It is nil for a refusal.
func (a *Adapter) standing(e userError) error {
	whole := a.refusal(e)
	switch whole.Kind {
	case shopadapter.Rejected:
		return nil
	case shopadapter.Blocked:
		a.shop.Forget()
	}
	return step.Within("write product", whole)
}

// judge removes the variants and pictures that the shop refuses from the plan. again tells that the
// rest can be sent; an error concerns the whole product.
func (w *write) judge(faults userErrors) (again bool, err error) {
	variants, files, ids := map[int]string{}, map[int]string{}, map[string]string{}
	for _, e := range faults {
		if err := w.a.standing(e); err != nil {
			return false, err
		}
		if i, ok := e.index("variants"); ok {
			variants[i] = w.a.scrub(e.Message)
		} else if i, ok := e.index("files"); ok {
			files[i] = w.a.scrub(e.Message)
		} else {
			return false, step.Within("write product", w.a.refusal(e))
		}
	}
	for _, i := range descending(variants) {
		id := w.sentAs(i)
		if id == "" {
			return false, shopadapter.Block(
				"the shop refuses a variant of this product that was added by hand: %s",
				variants[i],
			)
		}
		ids[id] = variants[i]
	}
	for id, why := range ids {
		w.refuse(id, why)
	}
	for _, i := range descending(files) {
		if !w.dropFile(i, files[i]) {
			return false, shopadapter.Retry("a picture of the product has changed meanwhile: %s", files[i])
		}
	}
	return true, nil
}

func descending(m map[int]string) []int {
	list := make([]int, 0, len(m))
	for i := range m {
		list = append(list, i)
	}
	slices.Sort(list)
	slices.Reverse(list)
	return list
}
