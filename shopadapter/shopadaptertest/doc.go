// Package shopadaptertest holds a shop adapter to the laws of a map.
//
// An adapter is called again after every crash, time-out and lost answer, by a connector that does
// not know what the last call achieved. Not care in the connector makes that safe, but a handful of
// laws in the adapter. The same put twice is one listing; the last put wins; a delete of what is
// not there is no error; a product of the merchant's own is never touched. Each [Law] here is one
// of them, with a sentence that is printed when it is broken. The laws stand in the package laws,
// which `pubsync conform` holds endpoints of the http protocol to; here is what tests need of it.
//
// # Using it
//
// An adapter's test describes its shop once and hands the description over:
//
//	func TestLaws(t *testing.T) {
//		shopadaptertest.Run(t, func(t *testing.T) shopadaptertest.Harness {
//			shop := newFakeShop()
//			return shopadaptertest.Harness{
//				Open: func(wrap func(http.RoundTripper) http.RoundTripper) (shopadapter.Adapter, error) {
//					return open(shop.URL, &http.Client{Transport: wrap(shop)})
//				},
//				Observe:      shop.observe,
//				DeleteByHand: shop.deleteByHand,
//				// …
//			}
//		})
//	}
//
// The two required fields are the two sides of the subject. Open makes the adapter the way a start
// of the process does; the suite calls it again whenever a law asks for a restart. Observe looks at
// the shop from the other side, as a customer and the shop's owner see it, and never through the
// adapter: an adapter that remembers in memory what it should have written is caught by exactly
// that.
//
// # Faults
//
// The suite injects faults beneath the adapter, without the adapter's help: each request passes a
// transport of the suite's own. The transport can lose a request before the shop has seen it, or
// the answer after the shop has acted. It can answer 429 or a page of HTML in the shop's place, cut
// a body in half, or hold a request until its context ends. A law about faults is tried with the
// fault in the first request of a call, then in the second, and so on. It ends when the call ends
// before the fault is met. So no adapter can pass by being careful in the one place the test looked
// at.
//
// An adapter that makes no HTTP requests says so with NoTransport and offers Interrupt and Watch
// instead. They count durable steps (a file renamed, say) where the transport counts requests.
//
// # What is not exercised is said
//
// Some laws need an ability of the harness: to edit a text by hand, to make the shop refuse a
// variant. A law whose ability is missing is skipped with the reason that Without gives for it;
// without a reason it fails, and so does a reason for a law that does not exist. From the laws that
// need nothing but Open and Observe no adapter is excused. The laws of the http protocol are always
// skipped: they are for endpoints.
//
// # The suite is tested too
//
// A reference adapter keeps all of the laws. For each law there is at least one saboteur: the
// reference adapter with one plausible mistake. A test proves that each saboteur is caught by its
// law. [Law.Check] returns what is wrong as an error, so that this can be done without a failing
// test.
package shopadaptertest
