package catalog

import "strings"

// words is what the pages say by themselves, in the language of the product. A pattern takes one
// number.
type words struct {
	Lang                                                         string
	Catalogue, Empty, Home, Skip, Categories, All, Newer, Older  string
	One, Many                                                    string // how many products
	From, InStock, Few, ToOrder, SoldOut                         string
	Pictures, Picture, Variants, Variant, Price, Stock, Details  string
	Description, Shipping, Days, Returns                         string
	Yes, No, ArticleNumber, RecommendedPrice, Name, NotAvailable string
	Brand, Weight, Size, Length, Width, Height, Diameter, Volume string
	Materials, Origin, LeadTime, CaseQuantity, Tags              string
	Available                                                    string // takes a day
	Date                                                         string // layout of a day
}

// wordsFor speaks English, Dutch, German and French, and English to everybody else.
func wordsFor(lang string) words {
	primary, _, _ := strings.Cut(strings.ToLower(lang), "-")
	switch primary {
	case "nl":
		return words{
			Lang: "nl", Name: "Nederlands",
			Catalogue: "Catalogus", Empty: "Hier staat nog niets.", Home: "Alle producten", Skip: "Naar de inhoud",
			Categories: "Categorieën", All: "Alles", Newer: "Nieuwer", Older: "Ouder", One: "%d product", Many: "%d " +
				"producten",
			From: "vanaf", InStock: "Op voorraad", Few: "Nog %d", ToOrder: "Op bestelling", SoldOut: "Uitverkocht",
			Pictures: "Foto's", Picture: "Foto %d", Variants: "Uitvoeringen", Variant: "Uitvoering", Price: "Prijs",
			Stock:   "Voorraad",
			Details: "Gegevens", Description: "Omschrijving", Shipping: "Levertijd", Days: "%s dagen",
			Returns: "Retourneren", Yes: "Ja", No: "Nee", ArticleNumber: "Artikelnummer", RecommendedPrice: "Adviesprijs",
			NotAvailable: "Geen foto", Brand: "Merk", Weight: "Gewicht", Size: "Afmetingen (L\u00a0×\u00a0B\u00a0×\u00a0H)",
			Length: "Lengte", Width: "Breedte", Height: "Hoogte", Diameter: "Diameter", Volume: "Volume",
			Materials: "Materiaal", Origin: "Land van herkomst", LeadTime: "Levertermijn", CaseQuantity: "Stuks per doos",
			Tags: "Kenmerken", Available: "Leverbaar vanaf %s", Date: "2-1-2006",
		}
	case "de":
		return words{
			Lang: "de", Name: "Deutsch",
			Catalogue: "Katalog", Empty: "Hier steht noch nichts.", Home: "Alle Produkte", Skip: "Zum Inhalt",
			Categories: "Kategorien", All: "Alles", Newer: "Neuere", Older: "Ältere", One: "%d Produkt", Many: "%d " +
				"Produkte",
			From: "ab", InStock: "Auf Lager", Few: "Nur noch %d", ToOrder: "Auf Bestellung", SoldOut: "Ausverkauft",
			Pictures: "Bilder", Picture: "Bild %d", Variants: "Ausführungen", Variant: "Ausführung", Price: "Preis",
			Stock:   "Bestand",
			Details: "Angaben", Description: "Beschreibung", Shipping: "Lieferzeit", Days: "%s Tage",
			Returns: "Rückgabe", Yes: "Ja", No: "Nein", ArticleNumber: "Artikelnummer", RecommendedPrice: "Preisempfehlung",
			NotAvailable: "Kein Bild", Brand: "Marke", Weight: "Gewicht", Size: "Maße (L\u00a0×\u00a0B\u00a0×\u00a0H)",
			Length: "Länge", Width: "Breite", Height: "Höhe", Diameter: "Durchmesser", Volume: "Volumen",
			Materials: "Material", Origin: "Herkunftsland", LeadTime: "Lieferfrist", CaseQuantity: "Stück je Karton",
			Tags: "Merkmale", Available: "Lieferbar ab %s", Date: "2.1.2006",
		}
	case "fr":
		return words{
			Lang: "fr", Name: "Français",
			Catalogue: "Catalogue", Empty: "Rien ici pour l’instant.", Home: "Tous les produits", Skip: "Aller au " +
				"contenu",
			Categories: "Catégories", All: "Tout", Newer: "Plus récents", Older: "Plus anciens", One: "%d produit",
			Many: "%d produits",
			From: "dès", InStock: "En stock", Few: "Plus que %d", ToOrder: "Sur commande", SoldOut: "Épuisé",
			Pictures: "Photos", Picture: "Photo %d", Variants: "Modèles", Variant: "Modèle", Price: "Prix",
			Stock:   "Disponibilité",
			Details: "Détails", Description: "Description", Shipping: "Livraison", Days: "%s jours",
			Returns: "Retours", Yes: "Oui", No: "Non", ArticleNumber: "Référence", RecommendedPrice: "Prix conseillé",
			NotAvailable: "Pas de photo", Brand: "Marque", Weight: "Poids",
			Size: "Dimensions (L\u00a0×\u00a0l\u00a0×\u00a0H)", Length: "Longueur", Width: "Largeur", Height: "Hauteur",
			Diameter: "Diamètre", Volume: "Volume", Materials: "Matière", Origin: "Pays d’origine", LeadTime: "Délai",
			CaseQuantity: "Unités par carton", Tags: "Caractéristiques", Available: "Disponible à partir du %s",
			Date: "02/01/2006",
		}
	default:
		return words{
			Lang: "en", Name: "English",
			Catalogue: "Catalogue", Empty: "Nothing here yet.", Home: "All products", Skip: "Skip to content",
			Categories: "Categories", All: "All", Newer: "Newer", Older: "Older", One: "%d product", Many: "%d " +
				"products",
			From: "from", InStock: "In stock", Few: "Only %d left", ToOrder: "Made to order", SoldOut: "Sold out",
			Pictures: "Pictures", Picture: "Picture %d", Variants: "Variants", Variant: "Variant", Price: "Price",
			Stock:   "Stock",
			Details: "Details", Description: "Description", Shipping: "Delivery", Days: "%s days",
			Returns: "Returns", Yes: "Yes", No: "No", ArticleNumber: "Article number", RecommendedPrice: "Recommended price",
			NotAvailable: "No picture", Brand: "Brand", Weight: "Weight", Size: "Size (L\u00a0×\u00a0W\u00a0×\u00a0H)",
			Length: "Length", Width: "Width", Height: "Height", Diameter: "Diameter", Volume: "Volume",
			Materials: "Material", Origin: "Country of origin", LeadTime: "Lead time", CaseQuantity: "Units per case",
			Tags: "Features", Available: "Available from %s", Date: "2 January 2006",
		}
	}
}

// languageName is a language's name in itself, or its code where pubsync does not know it.
func languageName(lang string) string {
	if w := wordsFor(lang); strings.HasPrefix(strings.ToLower(lang), w.Lang) {
		return w.Name
	}
	return strings.ToUpper(lang)
}
