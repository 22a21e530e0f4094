package staff

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"shop/readapi/staff/persons"
)

// maxParcels is how many orders of a day a list holds.
const maxParcels = 1000

// ParcelLine is a line of an order as it is picked.
type ParcelLine struct {
	ProductID uuid.UUID `json:"product_id"`
	Article   string    `json:"article"`
	Name      string    `json:"name"`
	Amount    int64     `json:"amount"`
	// Price is that of a piece, Total that of the line after all discounts, in tenge.
	Price int64 `json:"price"`
	Total int64 `json:"total"`
	// Shelf is where it is in the warehouse; empty when nobody said.
	Shelf string `json:"shelf"`
}

// Parcel is an order on its way from the warehouse to the customer.
type Parcel struct {
	ID     uuid.UUID `json:"id"`
	Number int64     `json:"number"`
	Status string    `json:"status"`
	// Name, Phone and the address are empty once they are erased, and without the permission to see persons [Masked].
	Name      string `json:"name"`
	Phone     string `json:"phone"`
	City      string `json:"city"`
	Address   string `json:"address"`
	Comment   string `json:"comment"`
	Delivery  string `json:"delivery_type"`
	Method    string `json:"payment_method"`
	TotalPaid int64  `json:"total_paid"`
	// Goods is what the goods cost before discounts, DeliveryPrice what delivery costs, both in tenge.
	Goods         int64 `json:"goods"`
	DeliveryPrice int64 `json:"delivery_price"`
	// ToCollect is the money that the customer still has to pay.
	ToCollect    int64      `json:"to_collect"`
	Day          *string    `json:"day"`
	CreatedAt    time.Time  `json:"created_at"`
	PackedAt     *time.Time `json:"packed_at"`
	HandedOverAt *time.Time `json:"handed_over_at"`
	DeliveredAt  *time.Time `json:"delivered_at"`
	NotDelivered string     `json:"not_delivered"`
	Carrier      string     `json:"carrier"`
	Tracking     string     `json:"tracking"`
	Courier      *uuid.UUID `json:"courier"`
	CourierDay   *string    `json:"courier_day"`
	// Photos counts those that a courier took of the hand-over.
	Photos int64        `json:"photos"`
	Lines  []ParcelLine `json:"lines"`
}

const (
	// parcelPersons are who parcels are for, and where to.
	parcelPersons = `btrim(o.customer_first_name || ' ' || o.customer_last_name) AS name, o.customer_phone AS phone, o.customer_city AS city,
		concat_ws(', ', nullif(o.customer_street, ''), nullif(o.customer_house, ''), nullif('кв. ' || o.customer_apartment, 'кв. '),
			nullif('подъезд ' || o.customer_entrance, 'подъезд '), nullif('этаж ' || o.customer_floor, 'этаж ')) AS address,
		o.address_comment AS comment`
	noPersons = `'' AS name, '' AS phone, o.plain_city AS city, '' AS address, '' AS comment`
)

// parcelColumns are those of a Parcel beside persons, of an order o.
const parcelColumns = `o.id, o.number, o.status, o.delivery_type AS delivery, o.payment_method AS method, o.total_paid, o.total_sum AS goods, o.delivery_price,
		CASE WHEN o.status IN ('APPROVED', 'PROCESSING') THEN greatest(0, o.total_paid - o.captured) ELSE 0 END AS to_collect, o.delivery_date::text AS day, o.created_at,
		o.packed_at, o.handed_over_at, o.delivered_at, o.not_delivered, o.carrier, o.tracking,
		nullif(o.courier, '00000000-0000-0000-0000-000000000000') AS courier, o.courier_day::text AS courier_day,
		(SELECT count(*) FROM photo_owners p WHERE p.owner = o.id AND (@then::timestamptz IS NULL OR p.added_at <= @then)) AS photos,
		(SELECT coalesce(jsonb_agg(jsonb_build_object('product_id', line->>'product_id', 'article', line->>'article', 'name', line->>'name', 'amount', line->'amount',
				'price', line->'discounted_price', 'total', line->'total', 'shelf', coalesce(s.shelf, '')) ORDER BY coalesce(s.shelf, '') = '', s.shelf, line->>'article'), '[]')
			FROM jsonb_array_elements(o.lines) line LEFT JOIN packing.shelf s ON s.product_id = (line->>'product_id')::uuid) AS lines`

// ToPack are the orders that are to be packed, or are packed and still here, and promised for a day or before.
func (s Shop) ToPack(ctx context.Context, day string, persons bool) ([]Parcel, error) {
	return s.parcels(ctx, persons, `WHERE o.status IN ('APPROVED', 'PROCESSING') AND o.handed_over_at IS NULL AND o.delivered_at IS NULL
		AND (o.delivery_date IS NULL OR o.delivery_date <= @day::text::date) ORDER BY o.delivery_date NULLS LAST, o.number LIMIT @most`, pgx.NamedArgs{"day": day, "most": maxParcels})
}

// ToDeliver are the orders of a day that leave the shop: promised for it or before and not delivered, or planned for a courier's round.
func (s Shop) ToDeliver(ctx context.Context, day string, persons bool) ([]Parcel, error) {
	return s.parcels(ctx, persons, `WHERE o.delivery_type = 'DELIVERY' AND (o.courier_day = @day::text::date
			OR o.status IN ('APPROVED', 'PROCESSING') AND o.courier_day IS NULL AND o.delivered_at IS NULL AND (o.delivery_date IS NULL OR o.delivery_date <= @day::text::date))
		ORDER BY o.number LIMIT @most`, pgx.NamedArgs{"day": day, "most": maxParcels})
}

// StopsOf are a courier's own orders of a day, in the order of the round.
func (s Shop) StopsOf(ctx context.Context, courier uuid.UUID, day string) ([]Parcel, error) {
	return s.parcels(ctx, true, `LEFT JOIN packing.round r ON r.courier = o.courier AND r.day = o.courier_day
		WHERE o.courier = @courier AND o.courier_day = @day::text::date AND o.status IN ('APPROVED', 'PROCESSING', 'COMPLETED')
		ORDER BY array_position(ARRAY(SELECT jsonb_array_elements_text(r.stops)), o.id::text) NULLS LAST, o.number LIMIT @most`, pgx.NamedArgs{"courier": courier, "day": day, "most": maxParcels})
}

// Parcels are orders by their numbers; one that there is not is left out.
func (s Shop) Parcels(ctx context.Context, numbers []int64, persons bool) ([]Parcel, error) {
	return s.parcels(ctx, persons, `WHERE o.number = ANY (@numbers) ORDER BY array_position(@numbers, o.number)`, pgx.NamedArgs{"numbers": numbers})
}

func (s Shop) parcels(ctx context.Context, named bool, where string, args pgx.NamedArgs) ([]Parcel, error) {
	who := parcelPersons
	if s.Then != nil {
		who = noPersons
	}
	args["then"] = s.thenOrNull()
	rows, err := s.DB.Query(ctx, "SELECT "+who+", "+parcelColumns+" FROM orders.orders o "+where, args)
	if err != nil {
		return nil, fmt.Errorf("list parcels: %w", err)
	}
	found, err := pgx.CollectRows(rows, pgx.RowToStructByName[Parcel])
	if err != nil {
		return nil, fmt.Errorf("list parcels: %w", err)
	}
	if s.Then != nil {
		if err := s.nameParcels(ctx, found); err != nil {
			return nil, err
		}
	}
	if !named {
		for i := range found {
			found[i].Name, found[i].Phone, found[i].Address, found[i].Comment = Masked, Masked, Masked, Masked
		}
	}
	return orEmpty(found), nil
}

// nameParcels adds who parcels of the past were for and where to, as the log has it.
func (s Shop) nameParcels(ctx context.Context, found []Parcel) error {
	ids := make([]uuid.UUID, len(found))
	for i := range found {
		ids[i] = found[i].ID
	}
	were, err := persons.Orders(ctx, s.Then.Log(), ids)
	if err != nil {
		return err
	}
	for i := range found {
		p, o := &found[i], were[ids[i]]
		p.Name, p.Phone, p.City, p.Comment = strings.TrimSpace(o.FirstName+" "+o.LastName), o.Phone, o.City, o.Comment
		var parts []string
		for _, part := range [][2]string{{"", o.Street}, {"", o.House}, {"кв. ", o.Apartment}, {"подъезд ", o.Entrance}, {"этаж ", o.Floor}} {
			if part[1] != "" {
				parts = append(parts, part[0]+part[1])
			}
		}
		p.Address = strings.Join(parts, ", ")
	}
	return nil
}
