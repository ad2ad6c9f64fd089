package shopadapter

// Info is what a shop is, as its Check finds it. A zero field says nothing.
type Info struct {
	// Version is the shop's own word, fit to be shown.
	Version string
	// Warning is what keeps visitors from what is on sale though the shop accepts products, and
	// what to do: that it shows them a placeholder, say. Fit to be shown.
	Warning string
	// Currency is the ISO 4217 code of the currency in which the shop accepts prices, EUR for one.
	// No amount is converted, so a shop that sells in another currency than the marketplace's is not
	// written to.
	Currency string
	// Prices is which prices the shop accepts. Publish enters each so that a visitor is shown the
	// price that they were given. After a change the caller has every price written again.
	Prices Prices
	// Figures says that Publish accepts a Product of which the figures alone are known. While the
	// marketplace's points are scarce, they are all that is read of a change at first.
	Figures bool
	// Written is a short digest of what decides how products are written besides the product and
	// the settings that say so by themselves (Setting.Writes). After a change the caller has the
	// texts of every listing written again; Publish finds by the stamp what is to be done.
	Written string
}
