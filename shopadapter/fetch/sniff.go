package fetch

import "bytes"

// Types lists the media types that Sniff knows.
func Types() []string {
	return []string{"image/jpeg", "image/png", "image/webp", "image/gif"}
}

// Sniff is the media type that the first bytes of a file show, "" when it is none of Types.
func Sniff(file []byte) string {
	switch {
	case bytes.HasPrefix(file, []byte("\xff\xd8\xff")):
		return "image/jpeg"
	case bytes.HasPrefix(file, []byte("\x89PNG\r\n\x1a\n")):
		return "image/png"
	case len(file) >= 12 && bytes.HasPrefix(file, []byte("RIFF")) && bytes.Equal(file[8:12], []byte("WEBP")):
		return "image/webp"
	case bytes.HasPrefix(file, []byte("GIF87a")), bytes.HasPrefix(file, []byte("GIF89a")):
		return "image/gif"
	}
	return ""
}

// Extension is the file name's ending for one of Types, with its dot.
func Extension(kind string) string {
	switch kind {
	case "image/jpeg":
		return ".jpg"
	case "image/png":
		return ".png"
	case "image/webp":
		return ".webp"
	case "image/gif":
		return ".gif"
	}
	return ""
}
