package publication

import "strconv"

// Margin is what a price leaves above a cost, in percent of that cost: price ÷ (1 + VAT) ÷ cost − 1.
// The rule's minimum is a margin in the same sense. ok is false where the cost or the price is not
// known. It is for lists and sorting, and no price is made from it.
func (r PriceRule) Margin(price, cost string) (percent float64, ok bool) {
	gross, err := strconv.ParseFloat(price, 64)
	if err != nil {
		return 0, false
	}
	paid, err := strconv.ParseFloat(cost, 64)
	if err != nil || paid <= 0 {
		return 0, false
	}
	return (gross/(1+r.VAT.InexactFloat64()/100)/paid - 1) * 100, true
}
