// Package harness is what tests of the connector as a whole stand on.
//
// A Bench is a sandbox of the marketplace, a shop in memory and a store, with connectors between
// them. Its methods do what a supplier, a person or a scheduler does, and read what these would
// see. A test belongs to the package whose behaviour it holds; it asks the desk, the shop, the
// marketplace or the store, never a field of the connector:
//
//	b := harness.New(t, sandbox.Options{})
//	id := b.Market.AddSound(1)[0]
//	b.Once(false)
//	if p, _ := b.Shop.Get(id); !p.OnSale {
//		t.Errorf("%s is not on sale", id)
//	}
//
// Tests that wait run in a bubble of testing/synctest: hours of schedules and backoff pass at once.
package harness
