// Package model drives a marketplace, a connector and a shop through whatever may happen to them,
// and compares what the shop shows with a model: the import list.
//
// TestShopIsTheImportList is a state machine of rapid. A machine has the actions, the model, and
// the laws that hold at any moment:
//
//   - action_test.go has what befalls the worker and what a person does,
//   - list_test.go has what suppliers do to the import list,
//   - shop_test.go has a shop in some mood, and what its merchant does,
//   - tap_test.go stands between worker and marketplace and holds the worker to what it may say,
//   - settle_test.go ends the trouble and compares,
//   - plan_test.go holds a plan to the run that follows it.
//
// By itself go test runs a few lives, the same ones each time. With -rapid.checks=200 they are others
// each time, and a failure says the seed that brings it back with -rapid.seed.
package model
