package install

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// window is how far the timestamp of a request may be from now, either way.
const window = 5 * time.Minute

// Why a request is not the marketplace's.
var (
	errSignature = errors.New("the signature does not match")
	errStale     = errors.New("the timestamp is not of the last five minutes")
)

// verify returns the parameters of a raw query that the app's secret signed. The signature covers
// the other parameters as they came.
func verify(rawQuery, secret string, now time.Time) (params url.Values, err error) {
	rest, signature, ok := cutSignature(rawQuery)
	given, err := hex.DecodeString(signature)
	if !ok || err != nil || secret == "" || !hmac.Equal(digest(rest, secret), given) {
		return nil, errSignature
	}
	if params, err = url.ParseQuery(rest); err != nil {
		return nil, errSignature
	}
	at, err := strconv.ParseInt(params.Get("timestamp"), 10, 64)
	if err != nil || now.Sub(time.Unix(at, 0)).Abs() > window {
		return nil, errStale
	}
	return params, nil
}

// unsigned reports whether a raw query has none of the parameters of a request that the marketplace
// signed.
func unsigned(rawQuery string) bool {
	params, err := url.ParseQuery(rawQuery)
	return err == nil && !params.Has("account_id") && !params.Has("timestamp") && !params.Has("signature")
}

// cutSignature cuts the parameter signature, which must be there once, out of a raw query.
func cutSignature(rawQuery string) (rest, signature string, ok bool) {
	var kept []string
	found := 0
	for part := range strings.SplitSeq(rawQuery, "&") {
		if value, is := strings.CutPrefix(part, "signature="); is {
			signature = value
			found++
		} else {
			kept = append(kept, part)
		}
	}
	return strings.Join(kept, "&"), signature, found == 1
}

func digest(text, secret string) []byte {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(text))
	return mac.Sum(nil)
}
