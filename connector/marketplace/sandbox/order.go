package sandbox

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// An Order is one thing that suppliers, the retailer or the marketplace do while a connector works.
// Its JSON form is the body of POST /sandbox/orders.
type Order struct {
	Do      string   `json:"do"`                // what is done: one of OrderNames
	IDs     []string `json:"ids,omitempty"`     // publications; none: the marketplace picks one where it needs one
	Variant string   `json:"variant,omitempty"` // price and stock: the one variant; empty: all
	// price: a recommended price such as 12.50, or x1.1 to multiply price and cost
	Amount   string   `json:"amount,omitempty"`
	Cost     string   `json:"cost,omitempty"`     // price: what the retailer pays
	Quantity int      `json:"quantity,omitempty"` // stock: units
	Title    string   `json:"title,omitempty"`    // text
	HTML     string   `json:"html,omitempty"`     // text: the description
	Language string   `json:"language,omitempty"` // text: en when empty
	Images   []string `json:"images,omitempty"`   // images: addresses
	Template string   `json:"template,omitempty"` // add: a name in the catalogue; empty: the next one
	// add: publications, 1 when 0; images and variants: how many there are afterwards
	Count   int      `json:"count,omitempty"`
	Delay   string   `json:"delay,omitempty"`   // delay: a span such as 2s
	Message string   `json:"message,omitempty"` // object: the error
	On      Kind     `json:"on,omitempty"`      // object: report, content, look or list; empty: all of them
	Fields  []string `json:"fields,omitempty"`  // odd: names of fields of a listing or a variant
	// delay, throttle, refuse, deny, object, odd: the next so many requests; 0: until heal
	Next int `json:"next,omitempty"`
}

// An Outcome says what an order did.
type Outcome struct {
	Do   string   `json:"do"`
	IDs  []string `json:"ids"`  // the publications that it concerned
	Said string   `json:"said"` // the event in words
}

// orders carry out an order. Each returns the publications that it concerned and the event in
// words.
var orders = map[string]func(*Marketplace, Order) (ids []string, said string, err error){
	"add":      (*Marketplace).orderAdd,
	"price":    (*Marketplace).orderPrice,
	"stock":    (*Marketplace).orderStock,
	"text":     (*Marketplace).orderText,
	"images":   (*Marketplace).orderImages,
	"variants": (*Marketplace).orderVariants,
	"remove":   (*Marketplace).orderRemove,
	"relist":   (*Marketplace).orderRelist,
	"delay":    (*Marketplace).orderDelay,
	"throttle": (*Marketplace).orderThrottle,
	"refuse":   (*Marketplace).orderRefuse,
	"deny":     (*Marketplace).orderDeny,
	"object":   (*Marketplace).orderObject,
	"odd":      (*Marketplace).orderOdd,
	"revoke":   (*Marketplace).orderRevoke,

	"uninstall": (*Marketplace).orderUninstall,
	"heal":      (*Marketplace).orderHeal,
}

// OrderNames lists what an Order can do.
func OrderNames() []string { return slices.Sorted(maps.Keys(orders)) }

// Carry carries out an order. An order with an error has changed nothing.
func (m *Marketplace) Carry(o Order) (Outcome, error) {
	carry, ok := orders[o.Do]
	if !ok {
		return Outcome{}, fmt.Errorf("no order %q: one of %s", o.Do, strings.Join(OrderNames(), ", "))
	}
	ids, said, err := carry(m, o)
	if err != nil {
		return Outcome{}, fmt.Errorf("%s: %w", o.Do, err)
	}
	done := Outcome{Do: o.Do, IDs: slices.Concat([]string{}, ids), Said: said}
	call(m, &m.onOrder, done)
	return done, nil
}

// OnOrder has f called with the outcome of each order, after it took effect and before the one who
// gave it knows.
func (m *Marketplace) OnOrder(f func(Outcome)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.onOrder = append(m.onOrder, f)
}

func notListed(id string) error { return fmt.Errorf("the import list has no publication %q", id) }
