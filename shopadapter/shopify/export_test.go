package shopify

import (
	"context"
	"maps"
	"slices"
	"time"
)

// Documents are all documents that the adapter sends, by name.
func Documents() map[string]string {
	list := map[string]string{
		"shop": shopDocument, "locales": localesDocument, "locations": locationsDocument,
		"publications": publicationsDocument,
		"define":       defineDocument, "check": checkDocument, "currency": currencyDocument,
		"read": readDocument, "read closely": closely(readDocument), "variants closely": closely(variantsDocument),
		"figures": figuresDocument,
		"find":    findDocument, "variants": variantsDocument, "media": mediaDocument, "operation": operationDocument,
		"lost":  lostDocument,
		"stock": stockDocument, "apart": apartDocument, "revive": reviveDocument(2),
		"files":  filesDocument,
		"delete": deleteDocument, "translatable": translatableDocument([]string{"nl", "pt-BR"}),
	}
	for name, field := range map[string]observedField{
		"all": ownedField, "some": nodesField, "one": keyField,
	} {
		list["observe "+name] = observeDocument(field, []string{"nl", "pt-BR"})
	}
	for name, parts := range map[string][]part{
		"create": {partSet}, "update": {partUpdate}, "update and set": {partUpdate, partSet},
		"amounts": {partAmounts}, "update and amounts": {partUpdate, partAmounts}, "translate": {partTranslate},
		"publish":            {partPublish},
		"publish and update": {partPublish, partUpdate}, "translate and update": {partTranslate, partUpdate},
		"translate and publish": {partTranslate, partPublish},
	} {
		list[name] = writeDocument("Write", parts...)
	}
	list["finish"] = writeDocument("Finish", partTranslate, partPublish, partUpdate)
	list["put back"] = writeDocument("PutBack", partUpdate)
	list["withdraw"] = writeDocument("Withdraw", partUpdate)
	return list
}

// Operation is the operation name under which a document is sent.
func Operation(document string) string { return request{document: document}.operation() }

// SetWaits replaces the pauses between looks at pictures that are being processed.
func (a *Adapter) SetWaits(waits ...time.Duration) { a.waits = waits }

// SetTry replaces the asking for pictures from here.
func (a *Adapter) SetTry(try func(ctx context.Context, addresses []string) map[string]error) {
	a.try = try
}

// Names are the values of Shopify's enumerations by which the adapter judges answers.
func Names() map[string][]string {
	codes := slices.Concat(slices.Collect(maps.Keys(refusals)), slices.Collect(maps.Keys(delays)))
	return map[string][]string{
		"ProductSetUserErrorCode": append(
			passing,
			codeSuspended,
		), "MediaErrorCode": codes, "MediaStatus": {mediaFailed, mediaReady},
		"ProductStatus": {active, unlisted, draft}, "ProductOperationStatus": {operationComplete},
		"MetafieldDefinitionCreateUserErrorCode": {codeTaken},
	}
}

// Countries are the country codes that the adapter sends.
func Countries() []string { return countries() }
