package sandbox

import "strings"

func homeCatalogue() []Template {
	return []Template{
		{Name: "candle", Listing: &Listing{
			Brand: "Avondlicht", Category: "HOME_LIVING_CANDLES", Returns: "false", Shipping: parcel(),
			Texts: inEnglishAndDutch(
				"Scented candle in a glass",
				"<p>Rapeseed wax with a cotton wick. Burns for forty hours.</p>",
				"Geurkaars in een glas",
				"<p>Koolzaadwas met een katoenen lont. Brandt veertig uur.</p>"),
			Variants: grid(
				"AVL-CND", "6.75", "15.95", choice{"Option", []string{"Cedar", "Fig", "Sea salt", "Clementine"}},
			),
			Pictures: pictures(2, Drop, "e3c7a0"),
		}},
		{Name: "throw", Listing: &Listing{
			Brand: "Linnenlab", Category: "HOME_LIVING_TEXTILES", Returns: "true", Shipping: parcel(),
			Texts: inEnglishAndDutch(
				"Woven throw, 130 × 180 cm",
				"<p>Recycled wool in a herringbone weave, with fringes on the short sides.</p>",
				"Geweven plaid, 130 × 180 cm",
				"<p>Gerecyclede wol in visgraat, met franje aan de korte kanten.</p>"),
			Variants: grid("LNL-THR", "22.40", "49.95", choice{"Color", []string{"Ochre", "Petrol", "Oat", "Heather"}}),
			Pictures: pictures(3, Box, "c79a3b"),
		}},
		{Name: "notebook", Listing: &Listing{
			Brand: "Papierwinkel", Category: "HOME_LIVING_STATIONERY", Returns: "true",
			Shipping: []Shipping{{CountryGroup: "NL", FixedCosts: "2.95", VariableCosts: "0.25", Days: 1}},
			Texts: inEnglishAndDutch(
				"Notebook, sewn binding",
				"<p>Lies flat at every page. 160 pages of 100 g/m² that take a fountain pen.</p>",
				"Notitieboek, genaaid gebonden",
				"<p>Blijft bij elke bladzijde plat liggen. 160 bladzijden van 100 g/m², ook voor de vulpen.</p>"),
			Variants: grid(
				"PPW-NTB", "4.20", "10.95", choice{"Size", []string{"A5", "A6"}},
				choice{"Option", []string{"Plain", "Lined", "Dotted"}},
			),
			Pictures: pictures(2, Box, "2c5f5d"),
		}},
		{Name: "long-description", Listing: &Listing{
			Brand: "Papierwinkel", Category: "HOME_LIVING_STATIONERY", Returns: "true", Shipping: parcel(),
			Texts: inEnglishAndDutch(
				"Wall calendar with a story for every week",
				"<p>Fifty-two weeks, fifty-two stories. The first of them:</p>"+strings.Repeat(storyEN, 52),
				"Wandkalender met een verhaal voor elke week",
				"<p>Tweeënvijftig weken, tweeënvijftig verhalen. Het eerste:</p>"+strings.Repeat(storyNL, 52)),
			Variants: only("PPW-CAL", "8.10", "18.95", 64, Option{"Size", "A3"}),
			Pictures: pictures(1, Box, "b0413e"),
		}},
		{Name: "wall-clock", Listing: &Listing{
			Brand: "Tijdgeest", Category: "HOME_LIVING_CLOCKS", Returns: "true", Shipping: parcel(),
			Texts: inEnglishAndDutch(
				"Wall clock without a tick",
				"<p>A sweeping movement in a rim of smoked oak. Runs on one AA cell, which is not in the box.</p>",
				"Wandklok die niet tikt",
				"<p>Een glijdend uurwerk in een rand van gerookt eiken. Loopt op één AA-batterij, die er niet bij "+
					"zit.</p>",
			),
			Variants: grid("TDG-CLK", "21.00", "46.50", choice{"Size", []string{"25 cm", "35 cm"}}),
			Pictures: pictures(2, Ring, "5a4636"),
		}},
	}
}

const (
	storyEN = "<p>The lighthouse keeper counts the ships that pass, and writes down the colour of their funnels. On " +
		"days of fog she counts the horns " +
		"and gives each a colour of her own. Nobody has ever asked for the book, which is why it is right.</p>"
	storyNL = "<p>De vuurtorenwachter telt de schepen die voorbijgaan en schrijft de kleur van hun schoorsteen op. " +
		"Op mistige dagen telt ze de hoorns " +
		"en geeft ze elk een eigen kleur. Niemand heeft ooit om het boek gevraagd, en daarom klopt het.</p>"
)
