package config

import (
	"bytes"
	"encoding/binary"
	"errors"
	"unicode/utf16"
)

var errEncoding = errors.New("the file is not text in UTF-8: save it anew in that encoding")

// decode returns the text of a file without a byte order mark. UTF-16, in which some Windows tools
// write, is understood where it has the mark.
func decode(data []byte) (string, error) {
	var order binary.ByteOrder
	switch {
	case bytes.HasPrefix(data, []byte("\xef\xbb\xbf")):
		data = data[3:]
	case bytes.HasPrefix(data, []byte("\xff\xfe")):
		order = binary.LittleEndian
	case bytes.HasPrefix(data, []byte("\xfe\xff")):
		order = binary.BigEndian
	}
	switch {
	case order == nil:
		return string(data), nil
	case len(data)%2 != 0:
		return "", errEncoding
	default:
		return string(utf16.Decode(unitsOf16(data[2:], order))), nil
	}
}

// unitsOf16 returns the 16-bit units of a text in UTF-16.
func unitsOf16(data []byte, order binary.ByteOrder) []uint16 {
	out := make([]uint16, len(data)/2)
	for i := range out {
		out[i] = order.Uint16(data[2*i:])
	}
	return out
}
