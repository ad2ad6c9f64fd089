package shopadapter

// Info is what a shop is, as its Check finds it. A zero field says nothing.
type Info struct {
	Version  string // the shop's own word, fit to be shown
	Warning  string // what keeps visitors from what is on sale though Publish works, and what to do; likewise
	Currency string // the ISO 4217 code, such as EUR; no amount is converted
	// Prices is which prices the shop accepts. Publish enters each so that a visitor is shown the
	// price of the product. After a change the caller has every price written again.
	Prices  Prices
	Figures bool // Publish accepts a Product of which the figures alone are known
	// Written is a short digest of what decides how products are written besides the product and
	// the settings that say so by themselves (Setting.Writes). After a change the caller has the
	// texts of every listing written again; Publish finds by the stamp what is to be done.
	Written string
}
