package fulfilment

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"shop/commands"
	"shop/domain"
	"shop/domain/order"
	"shop/eventstore"
)

// MaxShipments is how many rows a file of shipments may have.
const MaxShipments = 500

// Refusals of a file of shipments, whole or by row.
var (
	ErrBadFile   = domain.Refuse("shipments/bad-file", "Нужен CSV с колонками number, carrier, tracking, не больше 500 строк")
	ErrBadRow    = domain.Refuse("shipments/bad-row", "В строке нужны номер заказа, перевозчик и номер отправления")
	ErrRepeated  = domain.Refuse("shipments/repeated", "Этот заказ уже был в файле выше")
	ErrNoCarrier = domain.Refuse("shipments/no-carrier", "Укажите перевозчика")
)

// Shipment is a row of a file: an order, whom its parcel was given to, and the number there.
type Shipment struct {
	// Line counts from 1, the header included.
	Line              int
	Number            int64
	Carrier, Tracking string
}

// WrongRow is why a row cannot be taken.
type WrongRow struct {
	Line   int    `json:"line"`
	Order  string `json:"order"`
	Code   string `json:"code"`
	Detail string `json:"detail"`
}

// ReadShipments reads a file. Columns may be separated by commas, semicolons or tabs; a header is optional.
func ReadShipments(text string) ([]Shipment, []WrongRow, error) {
	text = strings.TrimPrefix(text, "\ufeff")
	r := csv.NewReader(strings.NewReader(text))
	first, _, _ := strings.Cut(text, "\n")
	for _, comma := range ";\t" {
		if strings.ContainsRune(first, comma) {
			r.Comma = comma
		}
	}
	r.FieldsPerRecord, r.TrimLeadingSpace, r.LazyQuotes = -1, true, true
	records, err := r.ReadAll()
	if err != nil || len(records) > MaxShipments+1 {
		return nil, nil, ErrBadFile
	}
	var rows []Shipment
	var wrong []WrongRow
	seen := map[int64]bool{}
	for i, fields := range records {
		for j := range fields {
			fields[j] = strings.TrimSpace(fields[j])
		}
		number, err := strconv.ParseInt(fields[0], 10, 64)
		switch {
		case i == 0 && err != nil: // the header
		case strings.Join(fields, "") == "":
		case len(fields) < 3 || err != nil:
			wrong = append(wrong, wrongRow(i+1, fields[0], ErrBadRow))
		case seen[number]:
			wrong = append(wrong, wrongRow(i+1, fields[0], ErrRepeated))
		case fields[1] == "":
			wrong = append(wrong, wrongRow(i+1, fields[0], ErrNoCarrier))
		default:
			seen[number] = true
			rows = append(rows, Shipment{i + 1, number, order.CarrierOf(fields[1]).Code, fields[2]})
		}
	}
	if len(rows)+len(wrong) == 0 {
		return nil, nil, ErrBadFile
	}
	return rows, wrong, nil
}

func wrongRow(line int, name string, why *domain.Refusal) WrongRow {
	if len(name) > 40 {
		name = strings.ToValidUTF8(name[:40], "")
	}
	return WrongRow{Line: line, Order: name, Code: why.Code, Detail: why.Message}
}

// Ship hands all orders of a file over in one append, or none: the rows that keep them from it are told. ids are the orders by
// number; one that is not there is unknown.
func (p Parcels) Ship(ctx context.Context, rows []Shipment, ids map[int64]domain.ID) (_ eventstore.Position, wrong []WrongRow, err error) {
	position, err := p.Orders.Handler.Do(ctx, false, func(u *commands.Unit) error {
		wrong = nil
		refs := make([]commands.Ref, 0, len(rows))
		for _, row := range rows {
			if id, known := ids[row.Number]; known {
				refs = append(refs, commands.OrderStream(id))
			}
		}
		if err := u.Load(refs...); err != nil {
			return err
		}
		for _, row := range rows {
			err := error(order.ErrUnknown)
			if id, known := ids[row.Number]; known {
				err = commands.OrderStream(id).Do(u, order.HandOver{Carrier: row.Carrier, Tracking: row.Tracking, At: u.At()})
			}
			var refusal *domain.Refusal
			if errors.As(err, &refusal) {
				wrong = append(wrong, wrongRow(row.Line, strconv.FormatInt(row.Number, 10), refusal))
			} else if err != nil {
				return err
			}
		}
		if len(wrong) > 0 {
			return ErrBadFile
		}
		return nil
	})
	if len(wrong) > 0 {
		return 0, wrong, nil
	}
	if err != nil {
		return 0, nil, fmt.Errorf("hand over %d shipments: %w", len(rows), err)
	}
	return position, nil, nil
}
