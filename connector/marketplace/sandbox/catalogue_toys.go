package sandbox

func toysCatalogue() []Template {
	return []Template{
		{Name: "wooden-train", Listing: &Listing{
			Brand: "Speelhout", Category: "TOYS_PLAY_WOODEN", Returns: "true", Shipping: parcel(),
			Texts: inEnglishAndDutch(
				"Wooden train with three wagons",
				"<p>Beech from the region, rounded and finished with water-based paint. Magnets couple the wagons. "+
					"From two years.</p>",
				"Houten trein met drie wagons",
				"<p>Beuken uit de streek, afgerond en met verf op waterbasis. Magneten koppelen de wagons. Vanaf "+
					"twee jaar.</p>",
			),
			Variants: grid("SPH-TRN", "13.80", "29.95", choice{"Color", []string{"Natural", "Red", "Blue"}}),
			Pictures: pictures(3, Box, "c8553d"),
		}},
		{Name: "odd-title", Listing: &Listing{
			Brand: "Puzzel & Zo", Category: "TOYS_PLAY_PUZZLES", Returns: "true", Shipping: parcel(),
			Texts: inEnglishAndDutch(
				"\"Owls & Others\" – 1,000-piece puzzle 🦉 <for two>",
				"<p>Forty-one owls &amp; one that isn't. Size when done: 68 × 48 cm.</p>",
				"\"Uilen & andere\" – puzzel van 1000 stukjes 🦉 <voor twee>",
				"<p>Eenenveertig uilen &amp; één die er geen is. Gelegd 68 × 48 cm.</p>"),
			Variants: only("PZO-OWL/1000", "7.20", "16.95", 55, Option{"Option", "1,000 pieces"}),
			Pictures: pictures(2, Box, "6a5acd"),
		}},
		{Name: "dutch-only", Listing: &Listing{
			Brand: "Knuffelhoek", Category: "TOYS_PLAY_SOFT", Returns: "true", Shipping: parcel(),
			Texts: map[string]Text{"nl": {
				"Knuffelhaas van linnen",
				"<p>Een haas met lange oren, gevuld met gerecyclede vezels. Mag in de wasmachine op 30 °C.</p>",
			}},
			Variants: grid("KNH-HAAS", "9.60", "22.50", choice{"Size", []string{"25 cm", "40 cm"}}),
			Pictures: pictures(2, Disc, "c9b79c"),
		}},
		{Name: "stacking-rings", Listing: &Listing{
			Brand: "Speelhout", Category: "TOYS_PLAY_WOODEN", Returns: "true", Shipping: parcel(),
			Texts: inEnglishAndDutch(
				"Stacking rings",
				"<p>Seven rings on a post that tips over before it hurts.</p>",
				"Stapelringen",
				"<p>Zeven ringen op een paaltje dat omvalt voordat het pijn doet.</p>"),
			Variants: grid("SPH-RNG", "6.90", "15.95", choice{"Color", []string{"Rainbow", "Pastel"}}),
			Pictures: pictures(3, Ring, "e07a3f"),
		}},
		{Name: "no-image", Listing: &Listing{
			Brand: "Puzzel & Zo", Category: "TOYS_PLAY_PUZZLES", Returns: "true", Shipping: parcel(),
			Texts: inEnglishAndDutch(
				"Memory game, harbour animals",
				"<p>Thirty-six pairs of gulls, crabs and seals. The supplier has not taken a picture yet.</p>",
				"Memoryspel, dieren in de haven",
				"<p>Zesendertig paren meeuwen, krabben en zeehonden. De leverancier heeft nog geen foto gemaakt.</p>"),
			Variants: only("PZO-MEM", "5.10", "12.95", 23, Option{"Option", "72 cards"}),
		}},
	}
}
