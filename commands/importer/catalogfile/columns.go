package catalogfile

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"
)

// Field is our name of a fact about a product. The names are the documented
// CSV columns and the keys of Options.Columns.
type Field string

// The fields of a catalog file.
const (
	Article         Field = "article"
	Name            Field = "name"
	Link            Field = "link"
	Brand           Field = "brand"
	Category        Field = "category"
	Price           Field = "price"
	DiscountedPrice Field = "discounted_price"
	OldPrice        Field = "old_price"
	Description     Field = "description"
	Composition     Field = "composition"
	Expires         Field = "expires"
	ApplyMethod     Field = "apply_method"
	PackageSize     Field = "package_size"
	MadeIn          Field = "made_in"
	Marks           Field = "marks"
	Pictures        Field = "pictures"
	Stock           Field = "stock"
	Available       Field = "available"
	Archived        Field = "archived"
	// GTIN is the barcode.
	GTIN Field = "gtin"
	// Shelf is where it is in the warehouse, LowLine how many pieces are few.
	Shelf   Field = "shelf"
	LowLine Field = "low_line"
	// The texts in Kazakh.
	KazakhName        Field = "name_kk"
	KazakhDescription Field = "description_kk"
	KazakhExpires     Field = "expires_kk"
	KazakhApplyMethod Field = "apply_method_kk"
	KazakhPackageSize Field = "package_size_kk"
	KazakhMadeIn      Field = "made_in_kk"
	// KazakhCategory is the category's path in Kazakh, level by level.
	KazakhCategory Field = "category_kk"
)

// Kazakh are the columns of texts in Kazakh.
var Kazakh = []Field{KazakhName, KazakhDescription, KazakhExpires, KazakhApplyMethod, KazakhPackageSize, KazakhMadeIn}

// aliases lists the headers by which each field is recognised, in the spelling
// that normalHeader gives. The same words name YML params.
var aliases = map[Field][]string{
	Article:         {"article", "sku", "vendor code", "артикул", "код товара", "код"},
	Name:            {"name", "title", "product name", "наименование", "название", "название товара", "наименование товара", "товар"},
	Link:            {"link", "slug", "чпу"},
	Brand:           {"brand", "vendor", "manufacturer", "бренд", "марка", "производитель", "торговая марка"},
	Category:        {"category", "category path", "label", "product type", "категория", "раздел", "группа"},
	Price:           {"price", "цена", "розничная цена", "стоимость"},
	DiscountedPrice: {"discounted price", "sale price", "discount price", "цена со скидкой", "акционная цена", "цена по акции"},
	OldPrice:        {"old price", "oldprice", "compare at price", "старая цена", "цена до скидки"},
	Description:     {"description", "описание", "описание товара"},
	Composition:     {"composition", "ingredients", "inci", "состав", "ингредиенты"},
	Expires:         {"expires", "shelf life", "storage", "срок годности", "условия хранения", "срок годности и условия хранения"},
	ApplyMethod:     {"apply method", "usage", "how to use", "directions", "применение", "способ применения", "как применять", "как использовать"},
	PackageSize:     {"package size", "size", "volume", "net weight", "объем", "вес", "масса", "размер упаковки", "фасовка", "объем/вес"},
	MadeIn:          {"made in", "country", "country of origin", "страна", "страна производства", "страна происхождения", "страна производитель", "производство"},
	Marks:           {"marks", "badges", "labels", "знаки", "метки", "знак", "сертификаты", "особенности"},
	Pictures:        {"pictures", "picture", "images", "image", "photos", "photo", "image url", "изображение", "изображения", "картинка", "картинки", "фото", "фотографии"},
	Stock:           {"stock", "quantity", "qty", "count", "amount", "остаток", "остатки", "количество", "на складе", "наличие шт"},
	Available:       {"available", "in stock", "доступен", "доступно", "в наличии", "наличие"},
	Archived:        {"archived", "archive", "архив", "в архиве", "снят с продажи"},
	GTIN:            {"gtin", "ean", "ean13", "barcode", "bar code", "штрихкод", "штрих код"},

	Shelf:   {"shelf", "bin", "storage place", "полка", "ячейка", "место хранения", "сөре"},
	LowLine: {"low line", "low stock", "reorder point", "порог остатка", "минимальный остаток", "неснижаемый остаток"},

	KazakhName:        {"name kk", "название kk", "название на казахском", "атауы"},
	KazakhDescription: {"description kk", "описание kk", "описание на казахском", "сипаттама", "сипаттамасы"},
	KazakhExpires:     {"expires kk", "срок годности kk", "срок годности на казахском", "сақтау мерзімі"},
	KazakhApplyMethod: {"apply method kk", "применение kk", "применение на казахском", "қолдану", "қолдану тәсілі"},
	KazakhPackageSize: {"package size kk", "объем kk", "объем на казахском", "көлемі"},
	KazakhCategory:    {"category kk", "категория kk", "категория на казахском", "санат", "санаты"},
	KazakhMadeIn:      {"made in kk", "страна kk", "страна на казахском", "өндірілген елі"},
}

var fieldOfAlias = func() map[string]Field {
	byAlias := map[string]Field{}
	for field, names := range aliases {
		for _, name := range names {
			byAlias[name] = field
		}
	}
	return byAlias
}()

// normalHeader brings a header to the form in which it is compared: lower
// case, ё as е, words apart by one space, without a unit or remark at its end
// ("Цена, ₸", "Price (KZT)", "* Название:").
func normalHeader(header string) string {
	header = strings.ReplaceAll(strings.ToLower(header), "ё", "е")
	if i := strings.IndexAny(header, "(,["); i > 0 {
		header = header[:i]
	}
	words := strings.FieldsFunc(header, func(r rune) bool {
		return r != '/' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
	return strings.Join(words, " ")
}

// mapping is what columns are taken for by hand.
type mapping struct {
	// byHeader has our fields by mappingKey of their headers.
	byHeader map[string]Field
	// unread are the fields that no column is taken for, whatever its header says.
	unread map[Field]bool
}

// columnMapping resolves Options.Columns.
func columnMapping(columns map[string]string) (mapping, error) {
	m := mapping{make(map[string]Field, len(columns)), map[Field]bool{}}
	for _, ours := range slices.Sorted(maps.Keys(columns)) {
		field := Field(strings.ReplaceAll(normalHeader(ours), " ", "_"))
		if _, known := aliases[field]; !known {
			return mapping{}, fmt.Errorf("column mapping: %q is none of our columns (%s)", ours, fieldList())
		}
		theirs := mappingKey(columns[ours])
		if theirs == "" {
			m.unread[field] = true
			continue
		}
		if other, taken := m.byHeader[theirs]; taken {
			return mapping{}, fmt.Errorf("column mapping: %q is given to both %s and %s", columns[ours], other, field)
		}
		m.byHeader[theirs] = field
	}
	return m, nil
}

// fields are what the columns of a header are taken for; empty: nothing. A mapping beats our own aliases; of two columns with the same
// meaning the first counts.
func (m mapping) fields(header []string) []Field {
	columns := make([]Field, len(header))
	taken := maps.Clone(m.unread)
	for _, known := range []func(string) (Field, bool){
		func(h string) (Field, bool) { f, ok := m.byHeader[mappingKey(h)]; return f, ok },
		func(h string) (Field, bool) { f, ok := fieldOfAlias[normalHeader(h)]; return f, ok },
	} {
		for i, h := range header {
			if f, ok := known(h); ok && columns[i] == "" && !taken[f] {
				columns[i], taken[f] = f, true
			}
		}
	}
	return columns
}

// mappingKey keeps more of a header than normalHeader, so that a mapping can
// tell "Price (USD)" from "Price (KZT)".
func mappingKey(header string) string {
	return strings.ReplaceAll(strings.Join(strings.Fields(strings.ToLower(header)), " "), "ё", "е")
}

func fieldList() string {
	names := make([]string, 0, len(aliases))
	for field := range aliases {
		names = append(names, string(field))
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
}
