package fakeshop

import (
	"net/http"
	"strings"

	numbers "github.com/shopspring/decimal"
)

// setting is one of the shop's, which only a shop manager may see.
func (f *Shop) setting(name string) (int, any, *failure) {
	f.Mu.Lock()
	defer f.Mu.Unlock()
	on := map[string]bool{
		"general/woocommerce_calc_taxes": f.Taxes, "tax/woocommerce_prices_include_tax": !f.Exclude,
		"products/woocommerce_manage_stock": !f.Uncounting,
	}
	units := map[string]string{
		"products/woocommerce_weight_unit": f.WeightUnit, "products/woocommerce_dimension_unit": f.DimensionUnit,
	}
	if group := name; f.Currency != "" && !strings.Contains(name, "/") { // all of a group
		all := []map[string]any{}
		for name, value := range on {
			text := map[bool]string{true: "yes", false: "no"}[value]
			all = append(all, map[string]any{"id": name, "type": "checkbox", "value": text})
		}
		for name, unit := range units {
			all = append(all, map[string]any{"id": name, "type": "select", "value": unit})
		}
		all = append(all, map[string]any{"id": "general/woocommerce_currency", "type": "select", "value": f.Currency})
		var some []map[string]any
		for _, one := range all {
			if id, ok := strings.CutPrefix(one["id"].(string), group+"/"); ok {
				one["id"] = id
				some = append(some, one)
			}
		}
		return http.StatusOK, some, nil
	}
	value, there := on[name]
	switch {
	case f.Currency != "" && units[name] != "":
		return http.StatusOK, map[string]any{"id": name, "type": "select", "value": units[name]}, nil
	case f.Currency == "":
		return 0, nil, fail(403, faultCannotView, "Sorry, you cannot list resources.")
	case !there:
		return 0, nil, fail(404, "rest_setting_setting_invalid", "Invalid setting.")
	}
	return http.StatusOK, map[string]any{
		"id": name, "type": "checkbox", "value": map[bool]string{true: "yes", false: "no"}[value],
	}, nil
}

// visitor is the price that a visitor is shown of one that is stored. WooCommerce rounds the tax,
// and the sum of price and tax.
func (f *Shop) visitor(price string) string {
	net, err := numbers.NewFromString(price)
	if err != nil || !f.Taxes || !f.Exclude {
		return price
	}
	return net.Add(net.Mul(numbers.RequireFromString("0.21")).Round(2)).StringFixed(2)
}

// entered is what its owner types for a visitor to be shown a price.
func (f *Shop) entered(price string) string {
	if !f.Taxes || !f.Exclude {
		return price
	}
	return numbers.RequireFromString(price).DivRound(numbers.RequireFromString("1.21"), 4).String()
}
