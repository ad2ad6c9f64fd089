// Package shoptest is one shop in memory, for tests: as a Go adapter with chosen abilities, and as an HTTP endpoint.
// A [Reply] makes calls fail, and [Shop.Hand] changes a product as the merchant does.
package shoptest
