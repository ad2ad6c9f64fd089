package shopify

import "time"

// Documents are all documents that the adapter sends, by name.
func Documents() map[string]string {
	list := map[string]string{
		"shop": shopDocument, "locales": localesDocument, "define": defineDocument, "check": checkDocument, "look": lookDocument,
		"find": findDocument, "variants": variantsDocument, "media": mediaDocument, "operation": operationDocument, "list": listDocument,
		"delete": deleteDocument, "translatable": translatableDocument([]string{"nl", "pt-BR"}),
	}
	for name, parts := range map[string][]part{
		"create": {partSet}, "update": {partUpdate}, "update and set": {partUpdate, partSet},
		"amounts": {partAmounts}, "update and amounts": {partUpdate, partAmounts}, "translate": {partTranslate}, "publish": {partPublish},
		"publish and update": {partPublish, partUpdate}, "translate and update": {partTranslate, partUpdate},
		"translate and publish": {partTranslate, partPublish}, "finish": {partTranslate, partPublish, partUpdate},
	} {
		list[name] = writeDocument(parts...)
	}
	return list
}

// SetWaits replaces the pauses between looks at pictures that are being processed.
func (a *Adapter) SetWaits(waits ...time.Duration) { a.waits = waits }

// Key is the value by which a publication or a variant is found.
func Key(id string) string { return key(id) }
