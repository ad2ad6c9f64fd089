package words

import (
	"regexp"
	"strings"
)

// octet is what WordPress takes for a percent-encoded character and drops from a text: the
// beginning of "50%Baumwolle".
var octet = regexp.MustCompile(`%([0-9a-fA-F]{2})`)

// Value is an option's value in a form that WooCommerce keeps the same on the product and
// on the variation: the bar separates values there, and tags and backslashes are dropped. A
// difference between the two leaves a variation that no customer can choose.
func Value(value string) string {
	value = strings.NewReplacer("|", "/", "<", "‹", ">", "›", `\`, "/").Replace(value)
	value = octet.ReplaceAllString(value, "% $1")
	return FirstOf(strings.Join(strings.Fields(value), " "), "-")
}

// FirstOf is the first of the texts that holds anything.
func FirstOf(values ...string) string {
	for _, value := range values {
		if strings.TrimSpace(value) != "" {
			return value
		}
	}
	return ""
}
