// Package story plays stories: what pubsync promises, told from outside. Results are read by the desk, the shop and
// the marketplace, never from a field. connector/testdata/README.md, beside the stories, has all that a line can do
// and expect.
package story
