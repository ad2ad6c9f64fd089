package sandbox

func kitchenCatalogue() []Template {
	return []Template{
		{Name: "mug", Listing: &Listing{
			Brand: "Noordklei", Category: "KITCHEN_TABLEWARE_MUGS", Returns: "true", Shipping: parcel(),
			Texts: inEnglishAndDutch(
				"Stoneware mug, 30 cl",
				"<p>Thrown by hand, so no two are quite the same. Safe in dishwasher and microwave.</p>",
				"Mok van steengoed, 30 cl",
				"<p>Met de hand gedraaid, dus geen twee zijn precies gelijk. Kan in vaatwasser en magnetron.</p>"),
			Variants: grid("NKL-MUG", "4.80", "11.95", choice{"Color", []string{"Sand", "Ocean", "Rust", "Night"}}),
			Pictures: pictures(4, Disc, "3d6a8a"),
		}},
		{Name: "bowl-set", Listing: &Listing{
			Brand: "Noordklei", Category: "KITCHEN_TABLEWARE_PLATES", Returns: "true", Shipping: parcel(),
			Texts: inEnglishAndDutch(
				"Set of four bowls with reactive glaze",
				"<p>Four bowls that nest. The glaze runs in the kiln and makes each set its own.</p>"+
					"<table><tr><th>Diameter</th><td>14 cm</td></tr><tr><th>Height</th><td>7 cm</td></tr></table>",
				"Set van vier kommen met reactief glazuur",
				"<p>Vier kommen die in elkaar passen. Het glazuur loopt in de oven uit en maakt elke set anders.</p>"+
					"<table><tr><th>Doorsnede</th><td>14 cm</td></tr><tr><th>Hoogte</th><td>7 cm</td></tr></table>"),
			Variants: grid("NKL-BWL4", "18.60", "39.95", choice{"Color", []string{"Sea", "Stone"}}),
			Pictures: pictures(3, Disc, "4a8f8a"),
		}},
		{Name: "missing-msrp", Flaw: "two of its variants have no recommended price", Listing: &Listing{
			Brand: "Snijlust", Category: "KITCHEN_COOKING_KNIVES", Returns: "true", Shipping: parcel(),
			Texts: inEnglishAndDutch(
				"Chopping board, end-grain oak",
				"<p>End grain is kind to knives and closes over the cut. Oil it once a month.</p>",
				"Snijplank van kops eiken",
				"<p>Kops hout spaart het mes en sluit zich na de snede. Een keer per maand oliën.</p>"),
			Variants: []Variant{
				{
					SKU:      "SNL-OAK-S",
					Cost:     "16.00",
					MSRP:     "34.95",
					Quantity: 12,
					Policy:   policyDeny,
					Options:  []Option{{"Size", "30 × 20 cm"}},
				},
				{
					SKU:      "SNL-OAK-M",
					Cost:     "24.00",
					Quantity: 9,
					Policy:   policyDeny,
					Options:  []Option{{"Size", "40 × 28 cm"}},
				},
				{
					SKU:      "SNL-OAK-L",
					Cost:     "33.00",
					Quantity: 5,
					Policy:   policyDeny,
					Options:  []Option{{"Size", "50 × 35 cm"}},
				},
			},
			Pictures: pictures(2, Box, "b98a56"),
		}},
		{Name: "html-description", Listing: &Listing{
			Brand: "Gietgoed", Category: "KITCHEN_COOKING_PANS", Returns: "true", Shipping: freight(),
			Texts: inEnglishAndDutch(
				"Cast-iron casserole with lid",
				"<h2>One pan, all winter</h2><p>Enamelled <strong>cast iron</strong> holds the heat and spreads it "+
					"evenly. Works on every hob, "+
					"induction <em>included</em>.</p><h3>In the box</h3><ol><li>Casserole</li><li>Lid with a steel "+
					"knob</li><li>Booklet with twelve recipes"+
					"</li></ol><p>Questions? <a href=\"https://gietgoed.example/care\" title=\"Care\">Read how to "+
					"look after it</a>.<br>Weighs 5&nbsp;kg.</p>",
				"Gietijzeren braadpan met deksel",
				"<h2>Eén pan, de hele winter</h2><p>Geëmailleerd <strong>gietijzer</strong> houdt de warmte vast en "+
					"verdeelt haar gelijkmatig. Voor "+
					"elke kookplaat, <em>ook</em> inductie.</p><h3>In de doos</h3><ol><li>Braadpan</li><li>Deksel "+
					"met stalen knop</li><li>Boekje met twaalf "+
					"recepten</li></ol><p>Vragen? <a href=\"https://gietgoed.example/care\" title=\"Onderhoud\">Lees "+
					"hoe je hem onderhoudt</a>.<br>Weegt 5&nbsp;kg.</p>",
			),
			Variants: grid(
				"GGD-CAS", "41.50", "89.95", choice{"Color", []string{"Cherry", "Forest", "Graphite"}},
				choice{"Size", []string{"24 cm", "28 cm"}},
			),
			Pictures: pictures(4, Disc, "a5322d"),
		}},
		{Name: "storage-jars", Listing: &Listing{
			Brand: "Voorraad", Category: "KITCHEN_STORAGE_JARS", Returns: "true", Shipping: parcel(),
			Texts: inEnglishAndDutch(
				"Glass storage jar with cork",
				"<p>Borosilicate glass with a lid of natural cork. Stacks, and shows what is running out.</p>",
				"Glazen voorraadpot met kurk",
				"<p>Borosilicaatglas met een deksel van natuurkurk. Stapelbaar, en je ziet wat er op raakt.</p>"),
			Variants: grid("VRD-JAR", "3.25", "8.50", choice{"Size", []string{"0.5 l", "1 l", "1.5 l", "2 l", "3 l"}}),
			Pictures: pictures(2, Vase, "8fb3a8"),
		}},
		{Name: "english-only", Listing: &Listing{
			Brand: "Snijlust", Category: "KITCHEN_COOKING_KNIVES", Returns: "true", Shipping: parcel(),
			Texts: map[string]Text{"en": {
				"Paring knife, carbon steel",
				"<p>A short blade for small work. Carbon steel takes a fine edge and darkens with use; wipe it " +
					"dry.</p>",
			}},
			Variants: only("SNL-PAR", "11.00", "23.95", 30, Option{"Size", "9 cm"}),
			Pictures: pictures(1, Drop, "5b5f66"),
		}},
	}
}
