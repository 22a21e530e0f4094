package search

import "testing"

// TestKindsOfGoodsInLongNames finds goods by the words of a name that say what they are: after a title in Latin letters, up to the first detail.
func TestKindsOfGoodsInLongNames(t *testing.T) {
	t.Parallel()
	const lexicon = `
~ для, с, от
! лак для ногтей = тырнақ лагы, тоналка = тональный крем > кушон, кушон, givenchy = живанши
? loss | Выпадение | Шаш түсуі | выпадают волосы, >волосы растут | выпадение волос, укрепление волос
`
	x := shelf(t, lexicon,
		Product{Article: "AB-6", Name: "Mini Color Лак для ногтей", Brand: "Mavala"},
		Product{Article: "AB-7", Name: "Средство для снятия: лак для ногтей", Brand: "Mavala"},
		Product{Article: "AB-8", Name: "Lock It Стойкий матовый тональный крем, 30 мл", Brand: "KVD"},
		Product{Article: "AB-9", Name: "Кушон", Brand: "Givenchy"},
		Product{Article: "AB-0", Name: "Бальзам д/волос", Brand: "Kalm", Description: "Укрепление волос."},
		Product{Article: "AB-A", Name: "Шампунь д/волос", Brand: "Kalm", Description: "Выпадение волос."},
	)
	finds(t, x, map[string]string{
		"лак для ногтей":    "6", // 7 is for taking it off
		"тырнақ лагы":       "6",
		"тональный крем":    "89", // a cushion is one
		"кушон":             "9",
		"живанши":           "9",
		"живанши кушон":     "9",
		"выпадают волосы":   "A0", // who says it with the same words comes first
		"волосы растут":     "A0", // then who says the need as its title does
		"шампунь д/волос":   "A",
		"бальзам для волос": "0",
	})
}
