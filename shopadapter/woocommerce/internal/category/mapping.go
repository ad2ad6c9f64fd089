package category

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/regular"
	"github.com/pubsync/pubsync/shopadapter/woocommerce/internal/words"
)

// An Absence says what becomes of a category that is not there.
type Absence string

// What is done about it: it is made with its branch, or the merchant is told.
const (
	Made   Absence = "make"
	Warned Absence = "warn"
)

// EnvDecode reads the setting.
func (m *Absence) EnvDecode(_ context.Context, value string) error {
	return shopadapter.Choose(m, value, Made, Warned)
}

// A Mapping is from a category path of the marketplace's to one of the shop's.
type Mapping map[string]string

// EnvDecode reads the setting.
func (m *Mapping) EnvDecode(_ context.Context, value string) (err error) {
	*m, err = parseMapping(value)
	return err
}

var errMapping = errors.New("must be pairs PATH=Category/Subcategory, joined by semicolons or line ends")

func parseMapping(value string) (Mapping, error) {
	pairs := Mapping{}
	for line := range strings.Lines(value) {
		line, _, _ = strings.Cut(line, "#")
		for pair := range strings.SplitSeq(line, ";") {
			if strings.TrimSpace(pair) == "" {
				continue
			}
			path, target, ok := strings.Cut(pair, "=")
			path, target = words.Fold(path), strings.TrimSpace(target)
			if !ok || path == "" || words.FoldPath(target) == "" {
				return nil, errMapping
			}
			pairs[path] = target
		}
	}
	return pairs, nil
}

// mostMapping bounds the file of a mapping, in bytes.
const mostMapping = 1 << 20

// ReadMapping joins the mapping of the settings with that of a file; where both name a path the
// setting wins.
func ReadMapping(own Mapping, file string) (Mapping, error) {
	pairs := Mapping{}
	if file != "" {
		text, err := regular.Read(file, mostMapping)
		if err != nil {
			return nil, fmt.Errorf("read PUBSYNC_WOOCOMMERCE_CATEGORIES_FILE: %w", err)
		}
		if pairs, err = parseMapping(string(text)); err != nil {
			return nil, fmt.Errorf("the file of PUBSYNC_WOOCOMMERCE_CATEGORIES_FILE %w", err)
		}
	}
	maps.Copy(pairs, own)
	return pairs, nil
}
