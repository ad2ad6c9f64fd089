package sandbox

func gardenCatalogue() []Template {
	return []Template{
		{Name: "one-variant", Listing: &Listing{
			Brand: "Halmveld", Category: "GARDEN_TOOLS_HAND", Returns: "true", Shipping: parcel(),
			Texts: inEnglishAndDutch(
				"Hand trowel with ash handle",
				"<p>A trowel for planting out and potting up. The blade is forged from one piece of steel, so that "+
					"it does not bend at the neck.</p>"+
					"<ul><li>Blade 16 cm, marked every 2 cm</li><li>Oiled ash handle</li><li>Leather loop</li></ul>",
				"Handschepje met essenhouten steel",
				"<p>Een schepje om uit te planten en te verpotten. Het blad is uit één stuk staal gesmeed en buigt "+
					"niet bij de hals.</p>"+
					"<ul><li>Blad van 16 cm, met een streep om de 2 cm</li><li>Geoliede essenhouten "+
					"steel</li><li>Leren lus</li></ul>",
			),
			Variants: only("HLM-TROWEL", "8.40", "17.95", 42, Option{"Option", "16 cm"}),
			Details:  Details{Weight: "0.32", Length: "31.5", Width: "8", Height: "5"},
			Pictures: pictures(2, Drop, "7a5c3e"),
		}},
		{Name: "planter", Listing: &Listing{
			Brand: "Kleibakker", Category: "GARDEN_PLANTING_POTS", Returns: "true", Shipping: freight(),
			Texts: inEnglishAndDutch(
				"Terracotta planter, frost-proof",
				"<p>Fired at 1,150 °C and left unglazed, so that the clay can breathe. Water runs off through the "+
					"hole in the base.</p>",
				"Terracotta plantenbak, vorstbestendig",
				"<p>Gebakken op 1150 °C en niet geglazuurd, zodat de klei kan ademen. Water loopt weg door het gat "+
					"in de bodem.</p>",
			),
			Variants: detailed(
				grid("KLB-PLT", "11.20", "24.95", choice{"Size", []string{"20 cm", "28 cm", "36 cm", "45 cm"}}),
				Details{
					Weight: "1.85", Height: "19.5", Diameter: "20", CaseQuantity: 4, MadeIn: "PT", LeadTime: "DAYS_3",
					Tags: []string{"HANDMADE"}, Materials: []string{"TERRACOTTA"},
				},
				Details{Weight: "3.9", Height: "26", Diameter: "28", MadeIn: "PT", Materials: []string{"TERRACOTTA"}},
				Details{Weight: "7.25", Height: "33.5", Diameter: "36", MadeIn: "PT", Materials: []string{"TERRACOTTA"}},
				Details{Weight: "12.6", Height: "41", Diameter: "45", MadeIn: "PT", Materials: []string{"TERRACOTTA"}},
			),
			Pictures: pictures(3, Vase, "c4683f"),
		}},
		{Name: "watering-can", Listing: &Listing{
			Brand: "Halmveld", Category: "GARDEN_TOOLS_WATERING", Returns: "true", Shipping: parcel(),
			Texts: inEnglishAndDutch(
				"Watering can, 5 litres",
				"<p>Galvanised and powder-coated. The long spout reaches the back of the border; the brass rose "+
					"comes off for cleaning.</p>",
				"Gieter van 5 liter",
				"<p>Verzinkt en gepoedercoat. De lange tuit komt tot achter in de border; de messing broes gaat eraf "+
					"om schoon te maken.</p>",
			),
			Variants: grid("HLM-CAN5", "14.75", "32.50", choice{"Color", []string{"Moss green", "Slate", "Chalk"}}),
			Pictures: pictures(3, Vase, "4f7a52"),
		}},
		{Name: "backorder", Listing: &Listing{
			Brand: "Meesje & Co", Category: "GARDEN_DECORATION_BIRDS", Returns: "false", Shipping: parcel(),
			Texts: inEnglishAndDutch(
				"Nesting box for tits, larch",
				"<p>Rough larch, 20 mm thick, with an entrance of 28 mm. The front opens for the yearly clean. "+
					"<em>Made to order when out of stock.</em></p>",
				"Nestkast voor mezen, lariks",
				"<p>Ruw lariks van 20 mm dik, met een invliegopening van 28 mm. De voorkant gaat open voor de "+
					"jaarlijkse schoonmaak. "+
					"<em>Wordt op bestelling gemaakt als hij op is.</em></p>",
			),
			Variants: []Variant{
				{
					SKU:      "MSJ-NEST-28",
					Cost:     "9.90",
					MSRP:     "21.50",
					Quantity: 0,
					Policy:   policyContinue,
					Options:  []Option{{"Option", "28 mm"}},
				},
				{
					SKU:      "MSJ-NEST-32",
					Cost:     "9.90",
					MSRP:     "21.50",
					Quantity: -7,
					Policy:   policyContinue,
					Options:  []Option{{"Option", "32 mm"}},
				},
			},
			Pictures: pictures(2, Box, "a9743f"),
		}},
		{Name: "negative-stock", Listing: &Listing{
			Brand: "Avondlicht", Category: "GARDEN_DECORATION_LIGHTING", Returns: "true", Shipping: parcel(),
			Texts: inEnglishAndDutch(
				"Solar lantern with warm light",
				"<p>Charges by day, lights the path for eight hours. Sealed against rain (IP65).</p>",
				"Solarlantaarn met warm licht",
				"<p>Laadt overdag op en verlicht het pad acht uur lang. Bestand tegen regen (IP65).</p>"),
			Variants: []Variant{
				{
					SKU:      "AVL-SOL-BK",
					Cost:     "12.30",
					MSRP:     "27.95",
					Quantity: -3,
					Policy:   policyDeny,
					Options:  []Option{{"Color", "Black"}},
				},
				{
					SKU:      "AVL-SOL-WH",
					Cost:     "12.30",
					MSRP:     "27.95",
					Quantity: 18,
					Policy:   policyDeny,
					Options:  []Option{{"Color", "White"}},
				},
			},
			Pictures: pictures(2, Drop, "d9a441"),
		}},
		{Name: "seed-mix", Listing: &Listing{
			Brand: "Veldboeket", Category: "GARDEN_PLANTING_SEEDS", Returns: "false",
			Shipping: []Shipping{{CountryGroup: "NL", FixedCosts: "1.95", VariableCosts: "0.00", Days: 1}},
			Texts: inEnglishAndDutch(
				"Wildflower seed for bees",
				"<p>Twenty-three kinds of native flowers, in bloom from May to October. One bag sows ten square "+
					"metres.</p>"+
					"<p>Sow from March on open, poor soil; rake in lightly and keep moist for three weeks.</p>",
				"Bloemenzaad voor bijen",
				"<p>Drieëntwintig soorten inheemse bloemen, in bloei van mei tot oktober. Eén zak is genoeg voor "+
					"tien vierkante meter.</p>"+
					"<p>Zaai vanaf maart op open, schrale grond; licht inharken en drie weken vochtig houden.</p>",
			),
			Variants: grid("VLD-BEE", "2.10", "5.95", choice{"Size", []string{"25 g", "100 g", "250 g"}}),
			Pictures: pictures(2, Ring, "d86aa0"),
		}},
	}
}
