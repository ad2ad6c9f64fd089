package rest_test

import (
	"encoding/json"
	"testing"

	"github.com/pubsync/pubsync/shopadapter/internal/rest"
)

type named struct {
	Name string `json:"name"`
}

func TestFields(t *testing.T) {
	type thing struct {
		named
		ID     string            `json:"id,omitempty"`
		Amount json.Number       `json:"amount"`
		Notes  map[string]any    `json:"notes"`
		Least  *int              `json:"least"`
		Rules  map[string]string `json:"rules" ask:"price_rules.attribute,price_rules.value"`
		Parts  []struct {
			Owner *named `json:"owner"`
			Sizes []int  `json:"sizes"`
			Price struct {
				Rules string `ask:"rules.id"`
			} `json:"price"`
		} `json:"parts"`
	}
	const want = "name,id,amount,notes,least,price_rules.attribute,price_rules.value," +
		"parts.owner.name,parts.sizes,parts.price.rules.id"
	if got := rest.Fields[thing](); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
