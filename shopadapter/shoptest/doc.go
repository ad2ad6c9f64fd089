// Package shoptest is one shop in memory, for tests: as a Go adapter with the abilities that a test chooses, and as an
// HTTP endpoint over the same products. A test has its calls fail by a [Reply], changes it by the merchant's hand, and
// reads what it was asked.
package shoptest
