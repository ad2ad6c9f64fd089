package picture

import (
	"net/url"
	"regexp"
	"strings"
)

// unusableReason is why a picture is not handed to the shop at all.
const unusableReason = "its address has no file name of a type that WooCommerce accepts: " +
	"jpg, png, gif, webp, bmp or tiff"

// unreachedReason is why the shop is not asked for a picture: its server did not answer for other
// pictures.
const unreachedReason = "the shop could not reach the server of this picture"

// refusesType matches what WordPress says of a file that it does not accept, in the languages of
// the marketplace and their neighbours.
var refusesType = regexp.MustCompile(
	`(?i)file type|dateityp|bestandstype|type de fichier|tipo de (?:archivo|arquivo|ficheiro)|tipo di ` +
		`file|filtyp|filtype|typu plik` +
		`|upload_max_filesize|exceeds|too large|too big|corrupt|not an image|invalid image id`,
)

// unfetched reports whether the shop could not download a Picture, as opposed to refusing the file.
// WooCommerce answers both with the same code and a translated text. Only a failed download names
// the address. A text that matches nothing known counts as a failed download, because a later try
// may heal it.
func unfetched(message, address string) bool {
	if strings.Contains(message, address) || strings.Contains(message, "://") {
		return true
	}
	return !refusesType.MatchString(message)
}

// unconnected reports whether the picture's server did not answer at all. PHP's library writes this
// in English everywhere.
func unconnected(message string) bool { return strings.Contains(message, "cURL error") }

func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Host
}
