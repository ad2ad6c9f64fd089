// Package story plays stories: what pubsync promises, told from outside. A story is a file of lines; expectations
// follow an arrow:
//
//	# price-brake
//	list lamp cost=10 msrp=20 stock=5
//	run                        -> exit 0
//	supply lamp msrp=40 stock=3
//	run                        -> exit 1 held 1
//	shop lamp price=20 stock=3
//
// Results are read by the desk, the shop and the marketplace, never from a field. connector/testdata/README.md,
// beside the stories, has all that a line can do and expect.
package story
