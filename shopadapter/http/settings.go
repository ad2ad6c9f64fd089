package httpshop

import (
	"github.com/pubsync/pubsync/shopadapter"
)

func settings() []shopadapter.Setting {
	return []shopadapter.Setting{
		{
			Name: "URL", Required: true, Valid: shopadapter.ValidURL,
			Meaning: "base address of the shop's endpoint: products are PUT to {URL}/products/{id}",
		}, {
			Name: "TOKEN", Secret: true, Valid: shopadapter.ValidToken,
			Meaning: "sent to the endpoint as Authorization: Bearer {token}",
		},
	}
}
