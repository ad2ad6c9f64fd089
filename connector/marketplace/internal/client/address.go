package client

import "strings"

// endpointName is the last segment of both addresses of the API.
const endpointName = "/graphql"

// Endpoint is the address that operations are sent to. An address that ends in /graphql is the
// endpoint itself, with or without the version segment: that is what people paste. Anything else is
// {base_url}, whose endpoint is {base_url}/v1/graphql.
func Endpoint(address string) string {
	address = strings.TrimRight(address, "/")
	// a host of that name is none
	if path, ok := strings.CutSuffix(address, endpointName); ok && !strings.HasSuffix(path, "/") {
		return address
	}
	return address + "/v1" + endpointName
}
