package readapi_test

import (
	"encoding/json"
	"net/url"
	"strings"
	"testing"
)

func TestSearch(t *testing.T) {
	t.Parallel()
	_, shop := open(t, history())
	for text, want := range map[string]string{
		// Words and their forms, whatever the case and ё.
		"шампунь": "shampoo", "ШАМПУНИ": "shampoo", "крема": "cream", "берёзовый": "shampoo", "березовым соком": "shampoo", "твердое": "soap",
		// Beginnings.
		"шамп": "shampoo", "ниацин": "serum", "мыл": "soap",
		// INCI names.
		"niacinamide": "serum", "Butyrospermum Parkii": "cream", "coco-glucoside": "shampoo", "lavandula": "soap",
		// Brands, alone and with a word; categories with what is below them.
		"norden": "deo shampoo", "norden шампунь": "shampoo", "Ostara роза": "toner",
		"волосы": "shampoo", "тело": "soap deo",
		// Articles, in any spelling.
		"KA-100": "soap", "ka100": "soap", "ka 100": "soap", "NO-33/7": "shampoo", "no337": "shampoo",
		// The other keyboard layout.
		"ifvgeym": "shampoo", "щыефкф": "serum toner", ",fkmpfv": "balm", "vskj kfdfyljq": "soap", "тшфсштфьшву": "serum",
		// Typos.
		"шмапунь": "shampoo", "шапмунь": "shampoo", "шампун": "shampoo", "шампнуь": "shampoo", "дизодорант": "deo", "дезадорант": "deo", "norden шапунь": "shampoo",
		"niacinamyde": "serum", "ostarra": "serum toner", "лавандай": "soap", "дизодорант без отдушки": "deo",
		// A word that means nothing does not spoil one that does; two that never meet find either.
		"купить шампунь": "shampoo", "мыло для шампуня": "soap",
		// A good word is never taken for another.
		"мило": "", "кроме": "",
		// What is lacking: goods that say so, then those whose composition does; what it is good for, and the same in other words.
		"без отдушки": "deo balm soap serum cream shampoo toner", "витамин b3": "serum", "сабын": "soap", "қолға арналған": "",
		// A word of a description is not enough, nor is an article that nothing has.
		"телефон": "", "NO-99999": "", "KA-10": "soap",
		// Only words without meaning, nothing, and nonsense.
		"для": "", "абракадабра": "", "!!!": "", "100500": "", "ъъъ": "",
	} {
		if got := links(t, shop, "/api/products/?search="+url.QueryEscape(text)); got != want {
			t.Errorf("%s: got %q, want %q", text, got, want)
		}
	}
	if got := links(t, shop, "/api/products/?search=%20%20"); !strings.HasPrefix(got, "deo serum") {
		t.Errorf("blanks are no search, but found %q", got)
	}
}

// A word in the name counts more than one in the category or the composition: the toner is for the face by its name and sold out, and
// stands before the balm, which is by its category. Among equals goods in stock come first, then what sells and is liked.
func TestSearchRanks(t *testing.T) {
	t.Parallel()
	_, shop := open(t, history())
	for text, want := range map[string]string{
		"для лица": "serum cream toner balm",
		"aqua":     "serum cream shampoo",
	} {
		if got := links(t, shop, "/api/products/?search="+url.QueryEscape(text)); got != want {
			t.Errorf("%s: got %q, want %q", text, got, want)
		}
	}
}

func TestSearchTakesAnyText(t *testing.T) {
	t.Parallel()
	_, shop := open(t, history())
	for _, text := range []string{"\x00", "a\x00b", "\xff\xfe", "'", `"`, `\`, `'\''`, "a' & b", "!(a|b):*", "крем:*A", "<->", "%_", "@@", "$1", "🧴", "ﷺ", "е́", "\u202e", "-", "--", "1e9", "0x", "12.50",
		"http://a.b/c?d=e", "a@b.kz", "/etc/passwd", "крем-", "-крем", "&&&", "()", "''''", "ё", "İ", "ǅ", "١٢٣", "½", "ⅷ", "<b>крем</b>", "<script>alert(1)</script>", "'; DROP TABLE catalog.product; --", "قناع الوجه", "🧴🧼 крем", "\xd0", "a'b'c", "дϻя", "длй крем", "#" + category(1).String(),
		strings.Repeat("а", 10_000), strings.Repeat("а ", 5_000), strings.Repeat("'", 300), strings.Repeat("a-", 300)} {
		if w := get(t, shop, "/api/products/?search="+url.QueryEscape(text)); w.Code != 200 {
			t.Errorf("%.40q: %d %.200s", text, w.Code, w.Body)
		}
	}
}

func FuzzSearch(f *testing.F) {
	_, shop := open(f, history())
	f.Add("крем для лица")
	f.Add("a':*&|!()<->\x00\xff")
	f.Fuzz(func(t *testing.T, text string) {
		for _, path := range []string{"/api/products/?search=", "/api/products/suggest/?q=", "/api/geonames/?search=", "/api/products/?category_id=", "/api/products/?brand_id="} {
			if w := get(t, shop, path+url.QueryEscape(text)); w.Code != 200 {
				t.Errorf("%s%q: %d %.200s", path, text, w.Code, w.Body)
			}
		}
	})
}

func TestSuggestions(t *testing.T) {
	t.Parallel()
	_, shop := open(t, history())
	for text, want := range map[string]string{
		"norden": `{"kind":"brand","text":"NORDEN","link":"/brands/norden"}`,
		"волос":  `{"kind":"category","text":"Волосы","link":"/categories/volosy"}`,
		"шамп":   `{"kind":"category","text":"Шампуни","link":"/category/shampuni"}`,
		"ifvg":   `"link":"/product/norden-birch-shampoo"`,
		"":       `{"results":[]}`,
		"ъъъ":    `{"results":[]}`,
		"\x00'":  `{"results":[]}`,
	} {
		w := get(t, shop, "/api/products/suggest/?q="+url.QueryEscape(text))
		if w.Code != 200 || !strings.Contains(w.Body.String(), want) || strings.Count(w.Body.String(), "kind") > 8 {
			t.Errorf("%q: %d %s, want %s", text, w.Code, w.Body, want)
		}
	}
}

// A search says what it was understood as if that is not what was typed, and nothing otherwise; a brand as it sounds is what was typed.
func TestSearchSaysWhatItUnderstood(t *testing.T) {
	t.Parallel()
	_, shop := open(t, history())
	for text, want := range map[string]string{
		"шампунь": "", "Шампуни": "", "шамп": "", "ifvgeym": "шампунь", "norden ifvgeym": "norden шампунь", "шмапунь": "шампунь", "нордэн": "", "абракадабра": "",
	} {
		var answer struct {
			Corrected string
			Count     int
		}
		w := get(t, shop, "/api/products/?search="+url.QueryEscape(text))
		if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil || answer.Corrected != want {
			t.Errorf("%q was understood as %q, want %q: %d %v", text, answer.Corrected, want, w.Code, err)
		}
		if found := answer.Count > 0; found != (text != "абракадабра") {
			t.Errorf("%q finds %d products", text, answer.Count)
		}
	}
}
