package httpshop

import "github.com/pubsync/pubsync/shopadapter"

type settings struct {
	URL   shopadapter.URL   `env:"URL, required" meaning:"base address of the endpoint: PUT {URL}/products/{id}"`
	Token shopadapter.Token `env:"TOKEN" secret:"true" meaning:"sent to the endpoint as Authorization: Bearer {token}"`
}
