package sandbox

func fashionCatalogue() []Template {
	sizes := []string{"XS", "S", "M", "L", "XL", "XXL"}
	return []Template{
		{Name: "sixty-variants", Listing: &Listing{
			Brand: "Draadkracht", Category: "FASHION_CLOTHES_SHIRTS", Returns: "true", Shipping: parcel(),
			Texts: inEnglishAndDutch(
				"Heavy T-shirt, organic cotton",
				"<p>Cotton of 240 g/m² that keeps its shape. Collar with a ribbed edge, double seams, no side "+
					"labels.</p>",
				"Zwaar T-shirt van biologisch katoen",
				"<p>Katoen van 240 g/m² dat zijn vorm houdt. Geribde kraag, dubbele naden, geen labels in de zij.</p>",
			),
			Variants: grid(
				"DRK-TEE",
				"8.95",
				"21.95",
				choice{
					"Color",
					[]string{
						"White",
						"Black",
						"Navy",
						"Olive",
						"Brick",
						"Mustard",
						"Sky",
						"Sand",
						"Plum",
						"Grey melange",
					},
				},
				choice{"Size", sizes},
			),
			Pictures: pictures(5, Shirt, "2f4b73"),
		}},
		{Name: "three-options", Listing: &Listing{
			Brand: "Draadkracht", Category: "FASHION_CLOTHES_KNITWEAR", Returns: "true", Shipping: parcel(),
			Texts: inEnglishAndDutch(
				"Merino jumper",
				"<p>Extra-fine merino from one mill, knitted in one piece. Two necklines.</p>",
				"Trui van merinowol",
				"<p>Extra fijne merino van één spinnerij, uit één stuk gebreid. Twee halslijnen.</p>"),
			Variants: grid(
				"DRK-MER",
				"29.50",
				"69.95",
				choice{
					"Color",
					[]string{"Ecru", "Pine", "Charcoal"},
				},
				choice{"Size", []string{"S", "M", "L"}},
				choice{"Option", []string{"Crew neck", "V-neck"}},
			),
			Pictures: pictures(3, Shirt, "3f6b52"),
		}},
		{Name: "socks", Listing: &Listing{
			Brand: "Stap", Category: "FASHION_CLOTHES_SOCKS", Returns: "false",
			Shipping: []Shipping{{CountryGroup: "EU", FixedCosts: "3.95", VariableCosts: "0.00", Days: 4}},
			Texts: inEnglishAndDutch(
				"Wool socks, pair",
				"<p>Half wool, half recycled nylon: warm, and through the wash at 40 °C.</p>",
				"Wollen sokken, per paar",
				"<p>Half wol, half gerecycled nylon: warm, en te wassen op 40 °C.</p>"),
			Variants: grid(
				"STP-WOOL", "3.40", "8.95", choice{"Color", []string{"Grey", "Rust", "Bottle"}},
				choice{"Size", []string{"36-40", "41-46"}},
			),
			Pictures: pictures(2, Drop, "9a4b32"),
		}},
		{Name: "tote", Listing: &Listing{
			Brand: "Linnenlab", Category: "FASHION_ACCESSORIES_BAGS", Returns: "true", Shipping: parcel(),
			Texts: inEnglishAndDutch(
				"Waxed canvas tote",
				"<p>Canvas waxed with beeswax and fitted with leather handles that reach over a winter coat.</p>",
				"Draagtas van gewaxt canvas",
				"<p>Canvas gewaxt met bijenwas, met leren hengsels die over een winterjas passen.</p>"),
			Variants: grid("LNL-TOTE", "19.90", "44.95", choice{"Color", []string{"Tan", "Ink", "Moss"}}),
			Pictures: pictures(3, Box, "8a6a3c"),
		}},
		{Name: "shared-sku-ring", Listing: &Listing{
			Brand: "Zilverlijn", Category: "FASHION_ACCESSORIES_JEWELLERY", Returns: "true", Shipping: parcel(),
			Texts: inEnglishAndDutch(
				"Hammered silver ring",
				"<p>Sterling silver, hammered by hand until it catches the light.</p>",
				"Gehamerde zilveren ring",
				"<p>Sterlingzilver, met de hand gehamerd tot het licht erin danst.</p>"),
			Variants: grid("ZLV-100", "14.00", "34.95", choice{"Size", []string{"52", "54", "56", "58"}}),
			Pictures: pictures(2, Ring, "a7adb5"),
		}},
		{Name: "shared-sku-bangle", Listing: &Listing{
			Brand: "Zilverlijn", Category: "FASHION_ACCESSORIES_JEWELLERY", Returns: "true", Shipping: parcel(),
			Texts: inEnglishAndDutch(
				"Hammered silver bangle",
				"<p>The ring's big sister: an open bangle that gives a little.</p>",
				"Gehamerde zilveren armband",
				"<p>De grote zus van de ring: een open armband die een beetje meegeeft.</p>"),
			Variants: grid("ZLV-100", "26.00", "59.95", choice{"Size", []string{"S", "M"}}),
			Pictures: pictures(2, Ring, "c2b280"),
		}},
	}
}
