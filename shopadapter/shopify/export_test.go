package shopify

import (
	"context"
	"maps"
	"slices"
	"time"
)

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
		"ProductSetUserErrorCode": append(passing, codeSuspended), "MediaErrorCode": codes,
		"MediaStatus": {mediaFailed, mediaReady}, "ProductStatus": {active, unlisted, draft},
		"ProductOperationStatus":                 {operationComplete},
		"MetafieldDefinitionCreateUserErrorCode": {codeTaken}, "CountryCode": countries,
	}
}

// Scopes are all that the adapter says it needs.
func Scopes() []string { return slices.Concat(scopes, languageScopes) }
