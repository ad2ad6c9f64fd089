package catalog

import (
	"cmp"
	"crypto/sha256"
	"encoding/base32"
	"regexp"
	"strings"

	"github.com/pubsync/pubsync/shopadapter"
)

const (
	productsFolder = "products"
	slugLength     = 40
)

var unnamed = regexp.MustCompile(`[^a-z0-9]+`)

// fileName is the name, without extension, of a publication's files: a slug for people and a hash
// that tells all ids apart. It is lower-case ASCII of at most 70 bytes, so an address needs no
// escaping.
func fileName(id shopadapter.PublicationID) string {
	slug := unnamed.ReplaceAllString(strings.ToLower(string(id[:min(len(id), 4*slugLength)])), "-")
	slug = strings.Trim(slug, "-")
	slug = strings.Trim(slug[:min(len(slug), slugLength)], "-")
	return cmp.Or(slug, "product") + "-" + digest(string(id), 17)
}

// anchor is the shop's id of a variant: the fragment under which the product's page shows it.
func anchor(variant string) string { return "v-" + digest(variant, 10) }

// digest is the first bytes of the SHA-256 of s, five bits a letter.
func digest(s string, bytes int) string {
	sum := sha256.Sum256([]byte(s))
	return strings.ToLower(base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(sum[:bytes]))[:bytes*8/5]
}

func recordPath(name string) string { return productsFolder + "/" + name + ".json" }

func pagePath(name string) string { return productsFolder + "/" + name + ".html" }
