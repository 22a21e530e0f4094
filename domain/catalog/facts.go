package catalog

import (
	"strings"
	"time"

	"shop/domain"
)

// ProductCoded set the barcode that scanners read on a product.
type ProductCoded struct {
	ID domain.ID `json:"id"`
	// GTIN is a global trade item number of 8, 12, 13 or 14 digits; empty: it has none.
	GTIN string    `json:"gtin"`
	At   time.Time `json:"at"`
}

// Measure is a packed product's weight in grams and size in millimetres; 0: nobody measured it.
type Measure struct {
	Weight int64 `json:"weight"`
	Length int64 `json:"length"`
	Width  int64 `json:"width"`
	Height int64 `json:"height"`
}

// ProductMeasured set a product's weight and size.
type ProductMeasured struct {
	ID      domain.ID `json:"id"`
	Measure Measure   `json:"measure"`
	At      time.Time `json:"at"`
}

// ProductCosted set what a piece costs the shop; 0: nobody said. Only staff who may see costs are shown it.
type ProductCosted struct {
	ID   domain.ID    `json:"id"`
	Cost domain.Money `json:"cost"`
	At   time.Time    `json:"at"`
}

// Translation is a product's texts in Kazakh; an empty one is shown in Russian. The composition is the same in every language.
type Translation struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	Expires     string `json:"expires"`
	ApplyMethod string `json:"apply_method"`
	PackageSize string `json:"package_size"`
	MadeIn      string `json:"made_in"`
}

// ProductTranslated replaced a product's texts in Kazakh.
type ProductTranslated struct {
	ID     domain.ID   `json:"id"`
	Kazakh Translation `json:"kazakh"`
	At     time.Time   `json:"at"`
}

func (ProductCoded) EventType() string      { return "product.coded" }
func (ProductMeasured) EventType() string   { return "product.measured" }
func (ProductCosted) EventType() string     { return "product.costed" }
func (ProductTranslated) EventType() string { return "product.translated" }

func (ProductCoded) isProductEvent()      {}
func (ProductMeasured) isProductEvent()   {}
func (ProductCosted) isProductEvent()     {}
func (ProductTranslated) isProductEvent() {}

// CodeProduct sets the barcode; blanks and hyphens in it do not count. An empty one takes it away.
type CodeProduct struct {
	GTIN string
	At   time.Time
}

// MeasureProduct sets weight and size.
type MeasureProduct struct {
	Measure Measure
	At      time.Time
}

// CostProduct sets what a piece costs the shop.
type CostProduct struct {
	Cost domain.Money
	At   time.Time
}

// TranslateProduct sets the texts in Kazakh.
type TranslateProduct struct {
	Kazakh Translation
	At     time.Time
}

func (CodeProduct) isProductCommand()      {}
func (MeasureProduct) isProductCommand()   {}
func (CostProduct) isProductCommand()      {}
func (TranslateProduct) isProductCommand() {}

// Bounds of a measure: a tonne, and ten metres.
const (
	maxWeight = 1_000_000
	maxLength = 10_000
)

// Refusals of facts about a product.
var (
	ErrBadGTIN    = domain.Refuse("catalog/bad-gtin", "A barcode has 8, 12, 13 or 14 digits.")
	ErrGTINCheck  = domain.Refuse("catalog/gtin-check", "The last digit of the barcode does not fit the others: it was misread.")
	ErrBadMeasure = domain.Refuse("catalog/bad-measure", "A weight is 0 to 1000000 grams, a length 0 to 10000 millimetres.")
	ErrBadCost    = domain.Refuse("catalog/bad-cost", "A cost price must be between 0 and 1000000000 tenge.")
)

func decideCode(c CodeProduct, p ProductState) ([]ProductEvent, error) {
	gtin := strings.NewReplacer(" ", "", "-", "", "\u00a0", "").Replace(c.GTIN)
	if err := checkGTIN(gtin); err != nil {
		return nil, err
	}
	if gtin == p.GTIN {
		return nil, nil
	}
	return []ProductEvent{ProductCoded{ID: p.ID, GTIN: gtin, At: c.At}}, nil
}

// checkGTIN compares the last digit with the others, as the GS1 General Specifications (7.9) have it: from the right, digits count
// three times and once in turn, and the whole is a multiple of ten.
func checkGTIN(gtin string) error {
	switch len(gtin) {
	case 0:
		return nil
	case 8, 12, 13, 14:
	default:
		return ErrBadGTIN
	}
	sum := 0
	for i := range len(gtin) {
		digit := int(gtin[i]) - '0'
		if digit < 0 || digit > 9 {
			return ErrBadGTIN
		}
		if (len(gtin)-i)%2 == 0 {
			digit *= 3
		}
		sum += digit
	}
	if sum%10 != 0 {
		return ErrGTINCheck
	}
	return nil
}

func decideMeasure(c MeasureProduct, p ProductState) ([]ProductEvent, error) {
	m := c.Measure
	if m.Weight < 0 || m.Weight > maxWeight || min(m.Length, m.Width, m.Height) < 0 || max(m.Length, m.Width, m.Height) > maxLength {
		return nil, ErrBadMeasure
	}
	if m == p.Measure {
		return nil, nil
	}
	return []ProductEvent{ProductMeasured{ID: p.ID, Measure: m, At: c.At}}, nil
}

func decideCost(c CostProduct, p ProductState) ([]ProductEvent, error) {
	if c.Cost < 0 || c.Cost > domain.MaxPrice {
		return nil, ErrBadCost
	}
	if c.Cost == p.Cost {
		return nil, nil
	}
	return []ProductEvent{ProductCosted{ID: p.ID, Cost: c.Cost, At: c.At}}, nil
}

func decideTranslate(c TranslateProduct, p ProductState) ([]ProductEvent, error) {
	t := c.Kazakh
	if len([]rune(t.Name)) > maxName {
		return nil, ErrNameTooLong
	}
	if err := checkTexts(t.Name, t.Description, t.Expires, t.ApplyMethod, t.PackageSize, t.MadeIn); err != nil {
		return nil, err
	}
	if t == p.Kazakh {
		return nil, nil
	}
	return []ProductEvent{ProductTranslated{ID: p.ID, Kazakh: t, At: c.At}}, nil
}

// decideFact decides the commands that say one thing about a product; false: it is another command.
func decideFact(command ProductCommand, p ProductState) (events []ProductEvent, err error, is bool) {
	switch c := command.(type) {
	case CodeProduct:
		events, err = decideCode(c, p)
	case MeasureProduct:
		events, err = decideMeasure(c, p)
	case CostProduct:
		events, err = decideCost(c, p)
	case TranslateProduct:
		events, err = decideTranslate(c, p)
	case ShelveProduct:
		events, err = decideShelve(c, p)
	case TimePrice:
		events, err = decideTimePrice(c, p)
	case SetLowLine:
		events, err = decideLowLine(c, p)
	default:
		return nil, nil, false
	}
	return events, err, true
}
