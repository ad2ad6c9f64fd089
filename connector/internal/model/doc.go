// Package model drives a marketplace, a connector and a shop through whatever may happen, and compares the shop
// with a model: the import list.
//
// TestShopIsTheImportList is a state machine of rapid:
//
//   - action_test.go: the worker's mishaps, and a person,
//   - list_test.go: suppliers,
//   - shop_test.go: a shop and its merchant,
//   - tap_test.go: what the worker may say to the marketplace,
//   - settle_test.go: ends the trouble and compares,
//   - plan_test.go: holds a plan to its run.
//
// go test runs a few lives, always the same. With -rapid.checks=200 they vary, and a failure says its -rapid.seed.
package model
