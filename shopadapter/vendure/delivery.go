package vendure

import (
	"context"
	"errors"
	"regexp"
	"strings"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/delivery"
)

// custom is the member of a product's input that holds the custom fields.
const custom = "customFields"

// planDelivery adds what the supplier says of shipping and returns to the custom field that the
// settings name, unless the stamp says that it was written. Vendure shows a custom field to
// customers unless its owner declares otherwise, so what the supplier charges is not in it.
func (w *write) planDelivery(fields input) {
	digest := w.a.delivery + " " + delivery.Digest(w.Product, delivery.Shown)
	if w.a.delivery == "" || !w.Changed.Has(shopadapter.FieldShipping) || digest == w.stamp.Delivery {
		return
	}
	_, text := delivery.Texts(w.Product, delivery.Shown)
	w.stamp.Delivery = digest
	fields[custom] = input{w.a.delivery: text}
}

// undeclared reports whether a refusal is about the custom field that the settings name: the shop's
// input has no such member.
func (a *Adapter) undeclared(message string) bool {
	return a.delivery != "" &&
		(strings.Contains(
			message, `"`+a.delivery+`" is not defined`,
		) || strings.Contains(message, custom+"."+a.delivery+" unknown"))
}

var fieldName = regexp.MustCompile(`^[_A-Za-z][_0-9A-Za-z]*$`)

// A field is the name of a custom field of the owner's own.
type field string

func (f *field) EnvDecode(_ context.Context, value string) error {
	*f = field(value)
	if !fieldName.MatchString(value) || value == "pubsyncId" || value == "pubsyncStamp" {
		return errors.New("must be the name of a custom field of Product, none of pubsync's own")
	}
	return nil
}
