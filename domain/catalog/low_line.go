package catalog

import (
	"time"

	"shop/domain"
)

// MaxLowLine is the greatest low line.
const MaxLowLine = 1_000_000

// ErrBadLowLine refuses what is no low line.
var ErrBadLowLine = domain.Refuse("catalog/bad-low-line", "Порог остатка — целое число от 0 до 1 000 000")

// ProductLowLineSet says how many pieces of a product are few.
type ProductLowLineSet struct {
	ID domain.ID `json:"id"`
	// LowLine is the most pieces that are few; nil: the rules say. 0: only none is.
	LowLine *int64    `json:"low_line"`
	At      time.Time `json:"at"`
}

func (ProductLowLineSet) EventType() string { return "product.low-line-set" }
func (ProductLowLineSet) isProductEvent()   {}

// SetLowLine says how many pieces are few, nil: as the rules say; the same again adds nothing.
type SetLowLine struct {
	LowLine *int64
	At      time.Time
}

func (SetLowLine) isProductCommand() {}

func decideLowLine(c SetLowLine, p ProductState) ([]ProductEvent, error) {
	switch now := c.LowLine; {
	case now != nil && (*now < 0 || *now > MaxLowLine):
		return nil, ErrBadLowLine
	case now == p.LowLine, now != nil && p.LowLine != nil && *now == *p.LowLine:
		return nil, nil
	}
	return []ProductEvent{ProductLowLineSet{ID: p.ID, LowLine: c.LowLine, At: c.At}}, nil
}
