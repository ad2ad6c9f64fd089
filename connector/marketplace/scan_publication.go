package marketplace

import "encoding/json"

// scanContent reads what a content document asks for, and nothing else: a member that it does not know makes the scan odd.
func scanContent(s *scan, d *contentData) {
	s.object(func(name []byte) int {
		if string(name) != "publication" {
			return -1
		}
		scanPointer(s, &d.Publication, scanPublication)
		return 0
	})
}

// scanPointer reads a value that may be null.
func scanPointer[T any](s *scan, v **T, fields func(*scan, *T)) {
	if s.null() {
		return
	}
	*v = new(T)
	fields(s, *v)
}

// scanList reads a list, or null. A null in it leaves its item empty.
func scanList[T any](s *scan, v *[]T, fields func(*scan, *T)) {
	if s.null() {
		return
	}
	*v = []T{}
	s.list(func() {
		var item T
		if !s.null() {
			fields(s, &item)
		}
		*v = append(*v, item)
	})
}

// scanSome is scanList of a list without a null in it.
func scanSome[T any](s *scan, v *[]T, fields func(*scan, *T)) {
	if s.null() {
		return
	}
	*v = []T{}
	s.list(func() {
		var item T
		fields(s, &item)
		*v = append(*v, item)
	})
}

// scanPointers is scanList of a list whose nulls stay null.
func scanPointers[T any](s *scan, v *[]*T, fields func(*scan, *T)) {
	scanList(s, v, func(s *scan, item **T) { scanPointer(s, item, fields) })
}

// scanValue reads a scalar that decodes itself.
func scanValue(s *scan, v json.Unmarshaler) {
	if raw := s.scalar(); !s.odd && v.UnmarshalJSON(raw) != nil {
		s.odd = true
	}
}

// scanTexts reads an object whose members are texts.
func scanTexts(s *scan, which func(name []byte) (*scalar, int)) {
	s.object(func(name []byte) int {
		v, n := which(name)
		if n >= 0 {
			scanValue(s, v)
		}
		return n
	})
}

func scanPublication(s *scan, w *wirePublication) {
	s.object(func(name []byte) int {
		switch string(name) {
		case "id":
			scanValue(s, &w.ID)
			return 0
		case "status":
			scanValue(s, &w.Status)
			return 1
		case "productUrl":
			scanValue(s, &w.ProductURL)
			return 2
		case "updatedAt":
			scanValue(s, &w.UpdatedAt)
			return 3
		case "listing":
			scanPointer(s, &w.Listing, scanListing)
			return 4
		}
		return -1
	})
}

func scanListing(s *scan, l *wireListing) {
	s.object(func(name []byte) int {
		switch string(name) {
		case "id":
			scanValue(s, &l.ID)
			return 0
		case "dropshippingReturns":
			scanValue(s, &l.DropshippingReturns.Value)
			return 1
		case "translations":
			scanTranslations(s, l)
			return 2
		case "category":
			scanPointer(s, &l.Category.Value, scanCategory)
			return 3
		case "dropshippingShippingDetails":
			scanSome(s, &l.DropshippingShippingDetails.Items, scanShipping)
			return 4
		case "product":
			scanPointer(s, &l.Product.Value, scanProduct)
			return 5
		case "variants":
			scanPointer(s, &l.Variants, func(s *scan, p *wirePage[wireVariant]) { scanPage(s, p, scanVariant) })
			return 6
		case "images":
			scanPointer(s, &l.Images.Value, func(s *scan, p *wirePage[wireImage]) { scanPage(s, p, scanImage) })
			return 7
		}
		return -1
	})
}

func scanTranslations(s *scan, l *wireListing) {
	if s.null() {
		return
	}
	l.Translations = map[string]*wireTranslation{}
	n := -1
	s.object(func(name []byte) int {
		var t *wireTranslation
		scanPointer(s, &t, scanTranslation)
		if _, again := l.Translations[string(name)]; again || n > 60 || escaped(name) {
			return -1
		}
		l.Translations[string(name)] = t
		n++
		return n
	})
}

func scanTranslation(s *scan, t *wireTranslation) {
	scanTexts(s, func(name []byte) (*scalar, int) {
		switch string(name) {
		case "title":
			return &t.Title, 0
		case "description":
			return &t.Description, 1
		}
		return nil, -1
	})
}

func scanCategory(s *scan, c *wireCategory) {
	scanTexts(s, func(name []byte) (*scalar, int) {
		switch string(name) {
		case "path":
			return &c.Path, 0
		case "name":
			return &c.Name, 1
		}
		return nil, -1
	})
}

func scanProduct(s *scan, p *wireProduct) {
	scanTexts(s, func(name []byte) (*scalar, int) {
		if string(name) == "id" {
			return &p.ID, 0
		}
		return nil, -1
	})
}

func scanShipping(s *scan, v *wireShipping) {
	scanTexts(s, func(name []byte) (*scalar, int) {
		switch string(name) {
		case "countryGroup":
			return &v.CountryGroup, 0
		case "fixedCosts":
			return &v.FixedCosts, 1
		case "variableCosts":
			return &v.VariableCosts, 2
		case "estimatedShippingDays":
			return &v.EstimatedShippingDays, 3
		}
		return nil, -1
	})
}

func scanVariant(s *scan, v *wireVariant) {
	s.object(func(name []byte) int {
		switch string(name) {
		case "id":
			scanValue(s, &v.ID)
			return 0
		case "title":
			scanValue(s, &v.Title)
			return 1
		case "dropshippingPrice":
			scanValue(s, &v.DropshippingPrice)
			return 2
		case "msrp":
			scanValue(s, &v.MSRP)
			return 3
		case "sku":
			scanValue(s, &v.SKU)
			return 4
		case "ean":
			scanValue(s, &v.EAN.Value)
			return 5
		case "inventoryPolicy":
			scanValue(s, &v.InventoryPolicy)
			return 6
		case "inventoryQuantity":
			scanValue(s, &v.InventoryQuantity)
			return 7
		case "options":
			scanList(s, &v.Options, scanOption)
			return 8
		}
		return -1
	})
}

func scanOption(s *scan, o *wireOption) {
	scanTexts(s, func(name []byte) (*scalar, int) {
		switch string(name) {
		case "name":
			return &o.Name, 0
		case "value":
			return &o.Value, 1
		}
		return nil, -1
	})
}

func scanImage(s *scan, i *wireImage) {
	scanTexts(s, func(name []byte) (*scalar, int) {
		if string(name) == "transformedUrl" {
			return &i.TransformedURL, 0
		}
		return nil, -1
	})
}

// scanPage reads a page of a connection. One through edges is left to encoding/json.
func scanPage[T any](s *scan, p *wirePage[T], item func(*scan, *T)) {
	s.object(func(name []byte) int {
		switch string(name) {
		case "nodes":
			scanPointers(s, &p.Nodes, item)
			return 0
		case "pageInfo":
			scanPageInfo(s, &p.PageInfo)
			return 1
		}
		return -1
	})
}

func scanPageInfo(s *scan, i *pageInfo) {
	s.object(func(name []byte) int {
		switch string(name) {
		case "hasNextPage":
			switch raw := s.scalar(); string(raw) {
			case "true", "false":
				i.HasNextPage = raw[0] == 't'
			default:
				s.odd = true
			}
			return 0
		case "endCursor":
			scanValue(s, &i.EndCursor)
			return 1
		}
		return -1
	})
}
