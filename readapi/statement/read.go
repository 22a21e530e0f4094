package statement

import (
	"encoding/csv"
	"errors"
	"io"
	"strconv"
	"strings"
	"time"

	"shop/domain"
)

// Kind is which way money went.
type Kind string

const (
	// Paid came to the shop, Refunded went back.
	Paid     Kind = "paid"
	Refunded Kind = "refunded"
)

// Line is money that moved.
type Line struct {
	// Row is the row in the file, from 1 for the heads; 0 for what the shop has.
	Row  int
	Kind Kind
	// PaymentID is the shop's name of the bill, Receipt the provider's of the money. One of them may be empty.
	PaymentID, Receipt string
	Amount             domain.Money
	// At is zero when the file does not say it.
	At time.Time
}

// BadRow is a row that is not understood.
type BadRow struct {
	Row int `json:"row"`
	// Column is how the file calls it; empty: the row as a whole.
	Column string `json:"column"`
	Reason Reason `json:"reason"`
}

// Reason is why a row is not understood. Its text is public: pages say it in their language.
type Reason string

const (
	BadAmount  Reason = "amount"
	BadKind    Reason = "kind"
	BadTime    Reason = "time"
	NoName     Reason = "no-name"
	BadColumns Reason = "columns"
)

// MaxRows bounds a file.
const MaxRows = 20_000

// Refusals of files that cannot be read at all.
var (
	ErrEmpty    = domain.Refuse("statement/empty", "The file has no rows.")
	ErrNoColumn = domain.Refuse("statement/no-column", "The file needs a column of sums, and one of bills or receipts.")
	ErrTooLong  = domain.Refuse("statement/too-long", "The file has more than 20000 rows.")
)

// heads are the columns by the names that providers give them, in small letters without spaces, points and underscores.
var heads = map[string][]string{
	"payment": {"invoiceid", "invoice", "номерзаказа", "номерсчета", "номерсчёта", "счет", "счёт", "заказ", "paymentid", "orderid", "externalid", "merchantorderid"},
	"receipt": {"transactionid", "transaction", "номертранзакции", "номероперации", "idоперации", "idтранзакции", "транзакция", "receipt", "номер", "id"},
	"amount":  {"amount", "paymentamount", "сумма", "суммаоперации", "суммаплатежа", "суммаплатежавkzt", "sum", "total"},
	"kind":    {"type", "тип", "типоперации", "операция", "operation", "operationtype", "видоперации"},
	"at":      {"createddate", "confirmdate", "date", "datetime", "дата", "датаоперации", "датаивремя", "датаплатежа", "created"},
	"status":  {"status", "статус", "состояние"},
}

// Read understands a file: its lines, and the rows that it does not understand. Rows of payments that came to nothing are left out.
func Read(text string) (lines []Line, bad []BadRow, err error) {
	text = strings.TrimPrefix(text, "\ufeff")
	first, _, _ := strings.Cut(text, "\n")
	rows := csv.NewReader(strings.NewReader(text))
	rows.Comma, rows.FieldsPerRecord, rows.LazyQuotes, rows.TrimLeadingSpace = separator(first), -1, true, true
	names, err := rows.Read()
	if errors.Is(err, io.EOF) || err == nil && len(names) < 2 && strings.TrimSpace(strings.Join(names, "")) == "" {
		return nil, nil, ErrEmpty
	}
	if err != nil {
		return nil, nil, ErrNoColumn
	}
	at := columns(names)
	_, payments := at["payment"]
	_, receipts := at["receipt"]
	if _, sums := at["amount"]; !sums || !payments && !receipts {
		return nil, nil, ErrNoColumn
	}
	for row := 2; ; row++ {
		cells, err := rows.Read()
		switch {
		case errors.Is(err, io.EOF):
			if row == 2 {
				return nil, nil, ErrEmpty
			}
			return lines, bad, nil
		case row > MaxRows+1:
			return nil, nil, ErrTooLong
		case err != nil || len(cells) != len(names):
			bad = append(bad, BadRow{Row: row, Reason: BadColumns})
			continue
		}
		line, wrong, counts := read(cells, names, at)
		switch {
		case wrong != nil:
			wrong.Row = row
			bad = append(bad, *wrong)
		case counts:
			line.Row = row
			lines = append(lines, line)
		}
	}
}

// separator is the sign between cells that the heads use most.
func separator(head string) rune {
	best := ','
	for _, sign := range []rune{';', '\t'} {
		if strings.Count(head, string(sign)) > strings.Count(head, string(best)) {
			best = sign
		}
	}
	return best
}

// columns are where the columns are, by what they are. The first head of a kind counts, in the order of the names of that kind.
func columns(names []string) map[string]int {
	plain := strings.NewReplacer(" ", "", "_", "", ".", "", "-", "", "№", "номер", "\u00a0", "")
	at := map[string]int{}
	for what, known := range heads {
		for _, name := range known {
			for i, head := range names {
				if _, found := at[what]; !found && plain.Replace(strings.ToLower(strings.TrimSpace(head))) == name {
					at[what] = i
				}
			}
		}
	}
	return at
}

// read understands a row; counts is false for a payment that came to nothing.
func read(cells, names []string, at map[string]int) (line Line, wrong *BadRow, counts bool) {
	cell := func(what string) string {
		if i, there := at[what]; there {
			return strings.TrimSpace(cells[i])
		}
		return ""
	}
	fail := func(what string, reason Reason) (Line, *BadRow, bool) {
		return Line{}, &BadRow{Column: strings.TrimSpace(names[at[what]]), Reason: reason}, false
	}
	if came, known := outcomes[strings.ToLower(cell("status"))]; known && !came {
		return line, nil, false
	}
	line.PaymentID, line.Receipt = strings.ToLower(cell("payment")), cell("receipt")
	if line.PaymentID == "" && line.Receipt == "" {
		return Line{}, &BadRow{Reason: NoName}, false
	}
	amount, ok := sum(cell("amount"))
	if !ok {
		return fail("amount", BadAmount)
	}
	if line.Kind, ok = kindOf(cell("kind")); !ok {
		return fail("kind", BadKind)
	}
	if line.Amount = amount; amount < 0 {
		line.Amount, line.Kind = -amount, Refunded
	}
	if said := cell("at"); said != "" {
		if line.At, ok = moment(said); !ok {
			return fail("at", BadTime)
		}
	}
	return line, nil, true
}

// outcomes say of a status whether money moved; a status that is not here is taken for one that did.
var outcomes = map[string]bool{
	"declined": false, "отклонена": false, "отклонён": false, "отклонен": false, "cancelled": false, "canceled": false, "отменена": false, "отменён": false,
	"отменен": false, "failed": false, "ошибка": false, "authorized": false, "awaitingauthentication": false,
}

func kindOf(said string) (Kind, bool) {
	said = strings.ToLower(said)
	for _, word := range []string{"возврат", "refund"} {
		if strings.Contains(said, word) {
			return Refunded, true
		}
	}
	for _, word := range []string{"оплата", "платеж", "платёж", "payment", "charge", "покупка", "продажа", "sale", "списание", "pay"} {
		if strings.Contains(said, word) {
			return Paid, true
		}
	}
	return Paid, said == ""
}

// sum reads whole tenge: 12 345, 12345.00, -500,00 ₸.
func sum(said string) (domain.Money, bool) {
	said = strings.NewReplacer(" ", "", "\u00a0", "", "\u202f", "", "₸", "", "тг", "", "KZT", "", "kzt", "", "−", "-").Replace(said)
	whole, part := said, ""
	if i := strings.LastIndexAny(said, ",."); i >= 0 {
		whole, part = said[:i], said[i+1:]
	}
	if strings.Trim(part, "0") != "" || len(part) > 2 {
		return 0, false
	}
	n, err := strconv.ParseInt(whole, 10, 64)
	return n, err == nil && n != 0 && n < 1<<50 && n > -1<<50
}

// moments are how times are written; those without a zone are of Almaty.
var moments = []string{
	time.RFC3339Nano, "2006-01-02T15:04:05", time.DateTime, "2006-01-02 15:04", time.DateOnly,
	"02.01.2006 15:04:05", "02.01.2006 15:04", "02.01.2006", "02/01/2006 15:04:05", "02/01/2006",
}

func moment(said string) (time.Time, bool) {
	for _, layout := range moments {
		if at, err := time.ParseInLocation(layout, said, domain.Almaty); err == nil {
			return at, true
		}
	}
	return time.Time{}, false
}
