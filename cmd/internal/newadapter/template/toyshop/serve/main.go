// Command serve runs the toy shop until it is stopped.
package main

import (
	"log"
	"net/http"
	"time"

	"github.com/pubsync/pubsync/cmd/internal/newadapter/template/toyshop"
)

func main() {
	log.Println("toy shop at http://127.0.0.1:9470, token let-me-in")
	shop := &toyshop.Shop{Token: "let-me-in"}
	s := &http.Server{Addr: "127.0.0.1:9470", Handler: shop, ReadHeaderTimeout: 5 * time.Second}
	log.Fatal(s.ListenAndServe())
}
