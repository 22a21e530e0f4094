package staffapi

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/google/uuid"

	"shop/commands"
	"shop/commands/fulfilment"
	"shop/commands/identity/signin"
	"shop/commands/photos"
	"shop/domain"
	"shop/domain/order"
	"shop/domain/staff"
	"shop/eventstore"
	"shop/readapi/endpoint"
	"shop/readapi/papers"
	"shop/readapi/sentences"
	reads "shop/readapi/staff"
)

// Parcels are the calls about orders between the warehouse and the customer.
type Parcels struct {
	Parcels fulfilment.Parcels
	Catalog *commands.Catalog
	// Orders finds an order by number or id.
	Orders   *Orders
	Shop     reads.Shop
	Past     reads.Past
	Accounts *signin.Accounts
	// Log hears what keeps it from telling names of accounts.
	Log *slog.Logger
	// Album shows photos of hand-overs.
	Album *photos.Album
	Clock func() time.Time
	// Seller is what papers call the shop.
	Seller string
}

// parcelChange is what staff say of a parcel; each call reads the fields that it needs.
type parcelChange struct {
	Checked  []fulfilment.Checked `json:"checked"`
	Reason   string               `json:"reason"`
	Carrier  string               `json:"carrier"`
	Tracking string               `json:"tracking"`
	Courier  uuid.UUID            `json:"courier"`
	Day      string               `json:"day"`
	Method   order.HandMethod     `json:"method"`
}

// Routes adds its calls. What a call reads is as new as the client's last write.
func (s *Parcels) Routes(r chi.Router, allowed endpoint.Guard, fresh func(projections ...string) func(http.Handler) http.Handler) {
	for path, do := range map[string]func(ctx context.Context, id uuid.UUID, c parcelChange) (eventstore.Position, error){
		"POST /api/staff/orders/{order}/packing":   s.pack,
		"POST /api/staff/orders/{order}/hand-over": s.handOver,
		"POST /api/staff/orders/{order}/delivery": func(ctx context.Context, id uuid.UUID, _ parcelChange) (eventstore.Position, error) {
			return s.Parcels.Deliver(ctx, id)
		},
		"POST /api/staff/orders/{order}/delivery-failure": func(ctx context.Context, id uuid.UUID, c parcelChange) (eventstore.Position, error) {
			return s.Parcels.NotDeliver(ctx, id, c.Reason, c.Day)
		},
		"PUT /api/staff/orders/{order}/courier": s.assign,
	} {
		r.Handle(path, allowed(staff.PackOrders, s.change(do)))
	}
	for path, do := range map[string]func(ctx context.Context, id uuid.UUID, c parcelChange) (eventstore.Position, error){
		"POST /api/staff/stops/{order}/delivery":         s.arrive,
		"POST /api/staff/stops/{order}/delivery-failure": s.fail,
	} {
		r.Handle(path, allowed(staff.Deliver, s.change(do)))
	}
	s.photoRoutes(r, allowed)
	now := fresh("orders", "packing")
	r.Method("GET", "/api/staff/packing", now(allowed(staff.PackOrders, s.packing)))
	r.Method("GET", "/api/staff/deliveries", now(allowed(staff.PackOrders, s.deliveries)))
	r.Method("GET", "/api/staff/stops", now(allowed(staff.Deliver, s.stops)))
	r.Method("GET", "/api/staff/packing/documents", now(allowed(staff.PackOrders, s.documents)))
	r.Method("POST", "/api/staff/shipments", now(allowed(staff.PackOrders, s.ship)))
	r.Method("GET", "/api/staff/rounds", now(allowed(staff.PackOrders, s.rounds)))
	r.Method("PUT", "/api/staff/rounds/{courier}/{day}/stops", allowed(staff.PackOrders, s.sort))
	r.Method("POST", "/api/staff/rounds/{courier}/{day}/cash", now(allowed(staff.PackOrders, s.settle)))
	r.Method("POST", "/api/staff/rounds/{courier}/{day}/closure", now(allowed(staff.MarkPayments, s.closeShort)))
	r.Method("PUT", "/api/staff/products/{product}/shelf", allowed(staff.PackOrders, s.shelve))
}

func (s *Parcels) change(do func(ctx context.Context, id uuid.UUID, c parcelChange) (eventstore.Position, error)) endpoint.Endpoint {
	return func(w http.ResponseWriter, r *http.Request) error {
		var asked parcelChange
		if err := endpoint.StaffBody(r, &asked); err != nil {
			return err
		}
		id, err := s.Orders.named(r.Context(), r.PathValue("order"))
		if err != nil {
			return err
		}
		position, err := do(r.Context(), id, asked)
		if err != nil {
			return besideField(err)
		}
		return written(w, position)
	}
}

func (s *Parcels) pack(ctx context.Context, id uuid.UUID, c parcelChange) (eventstore.Position, error) {
	return s.Parcels.Pack(ctx, id, c.Checked, c.Reason)
}

func (s *Parcels) handOver(ctx context.Context, id uuid.UUID, c parcelChange) (eventstore.Position, error) {
	if err := s.isCourier(ctx, c.Courier); err != nil {
		return 0, err
	}
	return s.Parcels.HandOver(ctx, id, order.HandOver{Carrier: order.CarrierOf(c.Carrier).Code, Tracking: c.Tracking, Courier: c.Courier})
}

func (s *Parcels) assign(ctx context.Context, id uuid.UUID, c parcelChange) (eventstore.Position, error) {
	if err := s.isCourier(ctx, c.Courier); err != nil {
		return 0, err
	}
	return s.Parcels.Assign(ctx, id, c.Courier, c.Day)
}

func (s *Parcels) arrive(ctx context.Context, id uuid.UUID, c parcelChange) (eventstore.Position, error) {
	return s.Parcels.Arrive(ctx, me(ctx), id, c.Method)
}

func (s *Parcels) fail(ctx context.Context, id uuid.UUID, c parcelChange) (eventstore.Position, error) {
	return s.Parcels.Fail(ctx, me(ctx), id, c.Reason, c.Day)
}

// me is the account of whoever is signed in.
func me(ctx context.Context) uuid.UUID { return signin.SessionOf(ctx).Account.ID }

// courier is an account that may be given orders.
type courier struct {
	ID    uuid.UUID `json:"id"`
	Email string    `json:"email"`
}

// couriers are the accounts that work as couriers and are not disabled.
func (s *Parcels) couriers(ctx context.Context) ([]courier, error) {
	accounts, err := s.Accounts.List(ctx)
	if err != nil {
		return nil, err
	}
	found := []courier{}
	for _, a := range accounts {
		if a.Role == string(staff.Courier) && a.State != "disabled" {
			found = append(found, courier{a.ID, a.Email})
		}
	}
	return found, nil
}

// withThoseOf adds to couriers those whose rounds are shown and who are none any more.
func (s *Parcels) withThoseOf(ctx context.Context, couriers []courier, rounds []reads.CourierRound) []courier {
	name := s.Accounts.Names(ctx, s.Log)
	for _, r := range rounds {
		if r.Courier != uuid.Nil && !slices.ContainsFunc(couriers, func(c courier) bool { return c.ID == r.Courier }) {
			couriers = append(couriers, courier{r.Courier, name("staff:" + r.Courier.String())})
		}
	}
	return couriers
}

// isCourier refuses an account that is no courier's; a zero one is nobody's.
func (s *Parcels) isCourier(ctx context.Context, id uuid.UUID) error {
	if id == uuid.Nil {
		return nil
	}
	all, err := s.couriers(ctx)
	if err == nil && !slices.ContainsFunc(all, func(c courier) bool { return c.ID == id }) {
		err = endpoint.WrongField("courier", "There is no such courier.")
	}
	return err
}

// today is the day of a shop in Almaty: of now, or of the moment of the past.
func (s *Parcels) today(shop reads.Shop) string {
	return shop.Time(s.Clock()).In(domain.Almaty).Format(time.DateOnly)
}

// dayOf is the day of a request's address, by default today.
func (s *Parcels) dayOf(r *http.Request, shop reads.Shop) (string, error) {
	day := r.URL.Query().Get("day")
	if day == "" {
		return s.today(shop), nil
	}
	return day, checkDay(day)
}

func checkDay(day string) error {
	if _, err := time.Parse(time.DateOnly, day); err != nil {
		return endpoint.WrongField("day", "Must be a day, YYYY-MM-DD.")
	}
	return nil
}

// packing is GET /api/staff/packing/?at=: what is to be packed for a day.
func (s *Parcels) packing(w http.ResponseWriter, r *http.Request) error {
	found, err := seen(r, s.Past, s.Shop, func(ctx context.Context, shop reads.Shop) (map[string]any, error) {
		day, err := s.dayOf(r, shop)
		if err != nil {
			return nil, err
		}
		orders, err := shop.ToPack(ctx, day, may(ctx, staff.SeePersonal))
		return map[string]any{"day": day, "orders": orders}, err
	})
	if err != nil {
		return err
	}
	endpoint.WriteJSON(w, http.StatusOK, found)
	return nil
}

// deliveries is GET /api/staff/deliveries/?at=: what leaves the shop on a day, and with whom.
func (s *Parcels) deliveries(w http.ResponseWriter, r *http.Request) error {
	couriers, err := s.couriers(r.Context())
	if err != nil {
		return err
	}
	found, err := seen(r, s.Past, s.Shop, func(ctx context.Context, shop reads.Shop) (map[string]any, error) {
		day, err := s.dayOf(r, shop)
		if err != nil {
			return nil, err
		}
		orders, err := shop.ToDeliver(ctx, day, may(ctx, staff.SeePersonal))
		if err != nil {
			return nil, err
		}
		rounds, err := shop.Rounds(ctx, day)
		if shop.Then != nil {
			couriers = s.withThoseOf(ctx, couriers, rounds)
		}
		return map[string]any{"day": day, "orders": orders, "rounds": rounds, "couriers": couriers}, err
	})
	if err != nil {
		return err
	}
	endpoint.WriteJSON(w, http.StatusOK, found)
	return nil
}

// stops is GET /api/staff/stops/: a courier's own orders of today, and nobody else's.
func (s *Parcels) stops(w http.ResponseWriter, r *http.Request) error {
	day := s.today(s.Shop)
	orders, err := s.Shop.StopsOf(r.Context(), me(r.Context()), day)
	if err != nil {
		return err
	}
	endpoint.WriteJSON(w, http.StatusOK, map[string]any{"day": day, "orders": orders})
	return nil
}

// ship is POST /api/staff/shipments/: {"csv": "…"}. All rows are taken or none.
func (s *Parcels) ship(w http.ResponseWriter, r *http.Request) error {
	var asked struct {
		CSV string `json:"csv"`
	}
	if err := endpoint.StaffBody(r, &asked); err != nil {
		return err
	}
	rows, wrong, err := fulfilment.ReadShipments(asked.CSV)
	if err != nil {
		return besideField(err)
	}
	numbers := make([]int64, len(rows))
	for i, row := range rows {
		numbers[i] = row.Number
	}
	ids, err := s.Shop.OrderIDs(r.Context(), numbers)
	if err != nil {
		return err
	}
	done := 0
	if len(wrong) == 0 {
		var position eventstore.Position
		if position, wrong, err = s.Parcels.Ship(r.Context(), rows, ids); err != nil {
			return err
		}
		tellPosition(w, position)
	}
	if len(wrong) == 0 {
		done, wrong = len(rows), []fulfilment.WrongRow{}
	}
	for i := range wrong {
		wrong[i].Detail = sentences.ForStaff(endpoint.Language(r), wrong[i].Detail)
	}
	endpoint.WriteJSON(w, http.StatusOK, map[string]any{"done": done, "wrong": wrong})
	return nil
}

// shelve is PUT /api/staff/products/{product}/shelf/: {"shelf": "A-03-2"}.
func (s *Parcels) shelve(w http.ResponseWriter, r *http.Request) error {
	var asked struct {
		Shelf string `json:"shelf"`
	}
	if err := endpoint.StaffBody(r, &asked); err != nil {
		return err
	}
	id, err := uuid.Parse(r.PathValue("product"))
	if err != nil {
		return endpoint.WrongField("product", "Must be the id of a product.")
	}
	position, err := s.Catalog.Shelve(r.Context(), id, asked.Shelf)
	if err != nil {
		return besideField(err)
	}
	return written(w, position)
}

// maxPapers is how many orders one document holds.
const maxPapers = 500

// documents is GET /api/staff/packing/documents/?kind=slips&size=a4&orders=100001,100002: papers to print, as PDF.
func (s *Parcels) documents(w http.ResponseWriter, r *http.Request) error {
	q := r.URL.Query()
	kind, size := papers.Kind(q.Get("kind")), papers.Size(cmp.Or(q.Get("size"), string(papers.A4)))
	if kind != papers.Slip && kind != papers.Invoice && kind != papers.Label {
		return endpoint.WrongField("kind", "Must be slips, invoices or labels.")
	}
	if size != papers.A4 && size != papers.Roll {
		return endpoint.WrongField("size", "Must be a4 or 80mm.")
	}
	names := strings.Split(q.Get("orders"), ",")
	numbers := make([]int64, 0, len(names))
	for _, name := range names {
		number, err := strconv.ParseInt(name, 10, 64)
		if err != nil || len(names) > maxPapers {
			return endpoint.WrongField("orders", fmt.Sprintf("Must be 1 to %d numbers of orders.", maxPapers))
		}
		numbers = append(numbers, number)
	}
	orders, err := s.Shop.Parcels(r.Context(), numbers, may(r.Context(), staff.SeePersonal))
	if err != nil {
		return err
	}
	if len(orders) == 0 {
		return order.ErrUnknown
	}
	pdf, err := papers.Print(kind, size, s.Seller, orders)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/pdf")
	w.Header().Set("Content-Disposition", `inline; filename="`+string(kind)+`.pdf"`)
	w.Header().Set("Cache-Control", "no-store")
	_, err = w.Write(pdf) // #nosec G705 -- a PDF, told as such; edge forbids sniffing
	return err
}
