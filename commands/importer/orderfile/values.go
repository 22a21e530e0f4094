package orderfile

import (
	"fmt"
	"math/big"
	"regexp"
	"strconv"
	"strings"

	"shop/domain"
)

// Rate is how many tenge one unit of the files' money is.
type Rate struct{ tenge *big.Rat }

// amount is a number as programs write it.
var amount = regexp.MustCompile(`^-?[0-9]{1,15}([.,][0-9]{1,10})?$`)

// ParseRate reads a rate such as 92.5; empty: the files are in tenge.
func ParseRate(text string) (Rate, error) {
	if text == "" {
		text = "1"
	}
	rate, ok := rational(text)
	if !ok || rate.Sign() <= 0 {
		return Rate{}, fmt.Errorf("%q is no rate; want tenge for one unit of the files' money, such as 92.5", text)
	}
	return Rate{rate}, nil
}

func rational(text string) (*big.Rat, bool) {
	if !amount.MatchString(text) {
		return nil, false
	}
	return new(big.Rat).SetString(strings.Replace(text, ",", ".", 1))
}

// Convert reads an amount and answers whole tenge, half a tenge rounded up. The reason is empty when it can be used.
func (r Rate) Convert(text string) (domain.Money, string) {
	sum, ok := rational(text)
	switch {
	case text == "":
		return 0, "is empty"
	case !ok:
		return 0, fmt.Sprintf("%q is no amount; want a number without anything between thousands, such as 1234.50", shown(text))
	case sum.Sign() < 0:
		return 0, fmt.Sprintf("%q is negative", shown(text))
	}
	sum.Mul(sum, r.tenge)
	if sum.Cmp(new(big.Rat).SetInt64(domain.MaxPrice)) > 0 {
		return 0, fmt.Sprintf("%q is more than %d tenge", shown(text), domain.MaxPrice)
	}
	// ⌊sum + ½⌋
	twice := new(big.Int).Add(new(big.Int).Lsh(sum.Num(), 1), sum.Denom())
	return twice.Quo(twice, new(big.Int).Lsh(sum.Denom(), 1)).Int64(), ""
}

func parseWhole(text string) (int64, bool) {
	n, err := strconv.ParseInt(strings.TrimSuffix(text, ".0"), 10, 64)
	return n, err == nil
}

// Status is an order's progress, as in domain/order.
type Status string

// statuses are the words of this shop and of others.
var statuses = map[string]Status{
	"received": "RECEIVED", "created": "RECEIVED",
	"approved":   "APPROVED",
	"processing": "PROCESSING", "invoiced": "PROCESSING", "shipped": "PROCESSING",
	"payment_err": "PAYMENT_ERR",
	"completed":   "COMPLETED", "delivered": "COMPLETED",
	"cancelled": "CANCELLED", "canceled": "CANCELLED", "unavailable": "CANCELLED",
	"refunded": "REFUNDED",
}

func (p *parser) status() Status {
	text := p.cell("status")
	status, known := statuses[strings.ToLower(text)]
	if !known {
		p.refuse("status", fmt.Sprintf("%q is not known; want RECEIVED, APPROVED, PROCESSING, COMPLETED, CANCELLED, REFUNDED or PAYMENT_ERR", shown(text)), true)
	}
	return status
}

var methods = map[string]domain.PaymentMethod{
	"card": domain.Card, "credit_card": domain.Card, "debit_card": domain.Card, "voucher": domain.Card,
	"kaspi_bill": domain.KaspiBill, "boleto": domain.KaspiBill, "bill": domain.KaspiBill,
	"cash": domain.Cash,
}

// method is how a payment was made; a word that is not known leaves the money and counts as a card.
func (p *parser) method() domain.PaymentMethod {
	text := p.cell("method")
	method, known := methods[strings.ToLower(text)]
	if !known {
		if text != "" {
			p.refuse("method", fmt.Sprintf("%q is not known, taken for a card", shown(text)), false)
		}
		return domain.Card
	}
	return method
}
