package woocommerce

import (
	"net/url"
	"path"
	"slices"
	"strings"
)

// download takes in the pictures of a request: each address anew, also one that was loaded before, and none if one of them is bad.
func (f *fakeShop) download(input map[string]any) ([]int64, *failure) {
	items, ok := input["images"].([]any)
	if !ok {
		return nil, nil
	}
	ids := []int64{}
	var loaded []int64
	undo := func(e *failure) ([]int64, *failure) {
		f.mu.Lock()
		defer f.mu.Unlock()
		for _, id := range loaded {
			delete(f.media, id)
			f.uploads--
		}
		return nil, e
	}
	for _, item := range items {
		m := item.(map[string]any)
		if id, isID := m["id"].(float64); isID && id > 0 {
			f.mu.Lock()
			known := f.media[int64(id)] != nil
			f.mu.Unlock()
			if !known {
				return undo(fail(400, codeNoImage, "#"+jsonNumber(id)+" is an invalid image ID."))
			}
			ids = append(ids, int64(id))
			continue
		}
		src, _ := m["src"].(string)
		u, err := url.Parse(src)
		if err != nil || !slices.Contains([]string{".jpg", ".jpeg", ".png", ".webp", ".gif"}, strings.ToLower(path.Ext(u.Path))) {
			return undo(fail(400, codeUpload, "Invalid image: Sorry, you are not allowed to upload this file type."))
		}
		f.takes("picture", 1)
		if f.badPicture != nil {
			if why := f.badPicture(src); why != "" {
				text := "Error getting remote image " + src + ". Error: " + why
				if f.vague {
					text = "Invalid image: Sorry, you are not allowed to upload this file type."
				}
				return undo(fail(400, codeUpload, text))
			}
		}
		f.mu.Lock()
		f.nextPost++
		f.uploads++
		a := &attachment{src: src, file: f.freeFile(path.Base(u.Path))}
		a.name, _ = m["name"].(string)
		if a.name == "" {
			a.name = a.file
		}
		f.media[f.nextPost] = a
		ids, loaded = append(ids, f.nextPost), append(loaded, f.nextPost)
		f.mu.Unlock()
	}
	return ids, nil
}

// freeFile is a file name that no other picture has: red.jpg becomes red-1.jpg.
func (f *fakeShop) freeFile(name string) string {
	ext := path.Ext(name)
	for n := 0; ; n++ {
		candidate := name
		if n > 0 {
			candidate = strings.TrimSuffix(name, ext) + "-" + jsonNumber(float64(n)) + ext
		}
		taken := false
		for _, a := range f.media {
			taken = taken || a.file == candidate
		}
		if !taken {
			return candidate
		}
	}
}
