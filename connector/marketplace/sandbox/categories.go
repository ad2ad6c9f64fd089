package sandbox

import (
	"slices"
	"strconv"
	"strings"
)

// A category is a node of the tree. Its path starts with that of its parent.
type category struct {
	path   string
	depth  int
	parent string
	names  [4]string // en, nl, de, fr
}

// categoryLanguages are the languages of category names, in the order of category.names.
var categoryLanguages = []string{"en", "nl", "de", "fr"}

// categories is the tree, parents before children. Products lie at depth 2.
var categories = [...]category{
	{"GARDEN", 0, "", [4]string{"Garden", "Tuin", "Garten", "Jardin"}},
	{"GARDEN_PLANTING", 1, "GARDEN", [4]string{"Planting", "Beplanting", "Bepflanzung", "Plantation"}},
	{
		"GARDEN_PLANTING_POTS",
		2,
		"GARDEN_PLANTING",
		[4]string{"Pots and planters", "Potten en bakken", "Töpfe und Kübel", "Pots et bacs"},
	},
	{"GARDEN_PLANTING_SEEDS", 2, "GARDEN_PLANTING", [4]string{"Seeds", "Zaden", "Samen", "Graines"}},
	{"GARDEN_TOOLS", 1, "GARDEN", [4]string{"Tools", "Gereedschap", "Werkzeug", "Outils"}},
	{
		"GARDEN_TOOLS_HAND",
		2,
		"GARDEN_TOOLS",
		[4]string{"Hand tools", "Handgereedschap", "Handwerkzeug", "Outils à main"},
	},
	{"GARDEN_TOOLS_WATERING", 2, "GARDEN_TOOLS", [4]string{"Watering", "Bewatering", "Bewässerung", "Arrosage"}},
	{"GARDEN_DECORATION", 1, "GARDEN", [4]string{"Decoration", "Decoratie", "Dekoration", "Décoration"}},
	{
		"GARDEN_DECORATION_LIGHTING",
		2,
		"GARDEN_DECORATION",
		[4]string{"Outdoor lighting", "Buitenverlichting", "Außenbeleuchtung", "Éclairage extérieur"},
	},
	{
		"GARDEN_DECORATION_BIRDS",
		2,
		"GARDEN_DECORATION",
		[4]string{"For birds", "Voor vogels", "Für Vögel", "Pour les oiseaux"},
	},
	{"KITCHEN", 0, "", [4]string{"Kitchen", "Keuken", "Küche", "Cuisine"}},
	{"KITCHEN_TABLEWARE", 1, "KITCHEN", [4]string{"Tableware", "Servies", "Geschirr", "Vaisselle"}},
	{
		"KITCHEN_TABLEWARE_MUGS",
		2,
		"KITCHEN_TABLEWARE",
		[4]string{"Mugs and cups", "Mokken en kopjes", "Becher und Tassen", "Tasses"},
	},
	{
		"KITCHEN_TABLEWARE_PLATES",
		2,
		"KITCHEN_TABLEWARE",
		[4]string{"Plates and bowls", "Borden en schalen", "Teller und Schalen", "Assiettes et bols"},
	},
	{"KITCHEN_COOKING", 1, "KITCHEN", [4]string{"Cooking", "Koken", "Kochen", "Cuisson"}},
	{
		"KITCHEN_COOKING_KNIVES",
		2,
		"KITCHEN_COOKING",
		[4]string{"Knives and boards", "Messen en planken", "Messer und Bretter", "Couteaux et planches"},
	},
	{"KITCHEN_COOKING_PANS", 2, "KITCHEN_COOKING", [4]string{"Pans", "Pannen", "Pfannen", "Poêles"}},
	{"KITCHEN_STORAGE", 1, "KITCHEN", [4]string{"Storage", "Bewaren", "Aufbewahrung", "Conservation"}},
	{
		"KITCHEN_STORAGE_JARS",
		2,
		"KITCHEN_STORAGE",
		[4]string{"Jars and tins", "Potten en blikken", "Gläser und Dosen", "Bocaux et boîtes"},
	},
	{"FASHION", 0, "", [4]string{"Fashion", "Mode", "Mode", "Mode"}},
	{"FASHION_CLOTHES", 1, "FASHION", [4]string{"Clothes", "Kleding", "Kleidung", "Vêtements"}},
	{"FASHION_CLOTHES_KNITWEAR", 2, "FASHION_CLOTHES", [4]string{"Knitwear", "Breigoed", "Strickwaren", "Tricots"}},
	{"FASHION_CLOTHES_SHIRTS", 2, "FASHION_CLOTHES", [4]string{"Shirts", "Shirts", "Shirts", "Chemises et t-shirts"}},
	{"FASHION_CLOTHES_SOCKS", 2, "FASHION_CLOTHES", [4]string{"Socks", "Sokken", "Socken", "Chaussettes"}},
	{"FASHION_ACCESSORIES", 1, "FASHION", [4]string{"Accessories", "Accessoires", "Accessoires", "Accessoires"}},
	{"FASHION_ACCESSORIES_BAGS", 2, "FASHION_ACCESSORIES", [4]string{"Bags", "Tassen", "Taschen", "Sacs"}},
	{
		"FASHION_ACCESSORIES_JEWELLERY",
		2,
		"FASHION_ACCESSORIES",
		[4]string{"Jewellery", "Sieraden", "Schmuck", "Bijoux"},
	},
	{"TOYS", 0, "", [4]string{"Toys", "Speelgoed", "Spielzeug", "Jouets"}},
	{"TOYS_PLAY", 1, "TOYS", [4]string{"Play", "Spelen", "Spielen", "Jouer"}},
	{
		"TOYS_PLAY_WOODEN",
		2,
		"TOYS_PLAY",
		[4]string{"Wooden toys", "Houten speelgoed", "Holzspielzeug", "Jouets en bois"},
	},
	{
		"TOYS_PLAY_PUZZLES",
		2,
		"TOYS_PLAY",
		[4]string{"Puzzles and games", "Puzzels en spellen", "Puzzles und Spiele", "Puzzles et jeux"},
	},
	{"TOYS_PLAY_SOFT", 2, "TOYS_PLAY", [4]string{"Soft toys", "Knuffels", "Kuscheltiere", "Peluches"}},
	{"HOME", 0, "", [4]string{"Home", "Wonen", "Wohnen", "Maison"}},
	{"HOME_LIVING", 1, "HOME", [4]string{"Living", "Woonaccessoires", "Wohnaccessoires", "Décoration"}},
	{"HOME_LIVING_CANDLES", 2, "HOME_LIVING", [4]string{"Candles", "Kaarsen", "Kerzen", "Bougies"}},
	{"HOME_LIVING_TEXTILES", 2, "HOME_LIVING", [4]string{"Textiles", "Textiel", "Textilien", "Textiles"}},
	{"HOME_LIVING_CLOCKS", 2, "HOME_LIVING", [4]string{"Clocks", "Klokken", "Uhren", "Horloges"}},
	{"HOME_LIVING_STATIONERY", 2, "HOME_LIVING", [4]string{"Stationery", "Papierwaren", "Papeterie", "Papeterie"}},
}

// SetCategory adds a category, or changes the one with its path. parent is the path of the category
// above, "" at the root; names are by language, and must have en.
func (m *Marketplace) SetCategory(path, parent string, names map[string]string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	c := category{path: path, parent: parent}
	for above := parent; above != ""; above = m.categoryOf(above).parent {
		c.depth++
	}
	for i, language := range categoryLanguages {
		c.names[i] = names[language]
	}
	m.tree = slices.Clone(m.tree) // all marketplaces share the templates' tree
	for i := range m.tree {
		if m.tree[i].path == path {
			m.tree[i] = c
			return
		}
	}
	m.tree = append(m.tree, c)
}

// categoryOf is the category with a path. One that is not in the tree, since categories come and
// go, has a path and nothing else. m.mu is held.
func (m *Marketplace) categoryOf(path string) category {
	for _, c := range m.tree {
		if c.path == path {
			return c
		}
	}
	return category{path: path, depth: -1}
}

// category answers a category by its path.
func (x *execution) category(path string) any {
	if path == "" {
		return nil
	}
	return x.categoryFacts(x.m.categoryOf(path))
}

func (x *execution) categoryFacts(c category) node {
	n := facts{"path": c.path, "name": text(c.names[0]), "parent": func() any { return x.category(c.parent) }}
	if c.depth >= 0 {
		n["depth"] = c.depth
	}
	if name := c.names[max(slices.Index(categoryLanguages, x.lang), 0)]; name != "" {
		n["translation"] = facts{"name": name}
	}
	return n
}

// language is the language of translated names that an Accept-Language header prefers, en where it
// names none that exists.
func language(header string) string {
	best, liking := "en", 0.0
	for part := range strings.SplitSeq(header, ",") {
		tag, parameters, _ := strings.Cut(part, ";")
		primary, _, _ := strings.Cut(strings.ToLower(strings.TrimSpace(tag)), "-")
		quality := 1.0
		if value, ok := strings.CutPrefix(strings.TrimSpace(parameters), "q="); ok {
			var err error
			if quality, err = strconv.ParseFloat(value, 64); err != nil {
				continue
			}
		}
		if quality > liking && slices.Contains(categoryLanguages, primary) {
			best, liking = primary, quality
		}
	}
	return best
}
