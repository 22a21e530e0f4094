package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"shop/cmd/shop/app"
	"shop/cmd/shop/cli/command"
	"shop/cmd/shop/terminal"
	"shop/domain"
	"shop/domain/order"
	"shop/eventstore"
	"shop/projections/replay"
	"shop/readapi/staff"
)

func ordersCommand(w terminal.World) *cobra.Command {
	change := func(use, short string, do func(ctx context.Context, s *app.Shop, id uuid.UUID) (eventstore.Position, error)) *cobra.Command {
		return &cobra.Command{Use: use + " NUMBER", Short: short, Args: oneNumber, RunE: changeOrder(w, do)}
	}
	return command.Group("orders", "Show orders and change their status",
		ordersList(w), ordersShow(w),
		change("approve", "Confirm an order in cash", func(ctx context.Context, s *app.Shop, id uuid.UUID) (eventstore.Position, error) {
			orders, err := s.Orders()
			if err != nil {
				return 0, err
			}
			return orders.Approve(ctx, id)
		}),
		change("process", "Begin to pack an approved order", func(ctx context.Context, s *app.Shop, id uuid.UUID) (eventstore.Position, error) {
			orders, err := s.Orders()
			if err != nil {
				return 0, err
			}
			return orders.Process(ctx, id)
		}),
		change("complete", "Hand an order over; its goods leave the stock", func(ctx context.Context, s *app.Shop, id uuid.UUID) (eventstore.Position, error) {
			orders, err := s.Orders()
			if err != nil {
				return 0, err
			}
			return orders.Complete(ctx, id)
		}),
		ordersPay(w), ordersPack(w), ordersHandOver(w), ordersDeliver(w), ordersNotDelivered(w), ordersCancel(w), ordersRefund(w), ordersForget(w), ordersImport(w),
	)
}

func ordersRefund(w terminal.World) *cobra.Command {
	var amount int64
	var id string
	cmd := &cobra.Command{
		Use: "refund NUMBER", Short: "Refund a completed order, fully or in part", Args: oneNumber,
		Long: "Refund a completed order through the provider that took the payment. An order that is not completed is\n" +
			"cancelled instead, which refunds its payments. Repeat a failed refund with the same --id.",
		RunE: changeOrder(w, func(ctx context.Context, s *app.Shop, order uuid.UUID) (eventstore.Position, error) {
			orders, err := s.Orders()
			if err != nil {
				return 0, err
			}
			return orders.Refund(ctx, order, amount, id)
		}),
		PreRunE: func(*cobra.Command, []string) error {
			if amount < 0 {
				return terminal.Usage(fmt.Errorf("--amount begins at 1; leave it out for everything"))
			}
			return nil
		},
	}
	cmd.Flags().Int64Var(&amount, "amount", 0, "tenge; default everything that was paid")
	cmd.Flags().StringVar(&id, "id", "", "your id of this refund; a refund with the same id is made once")
	return cmd
}

// statuses are the orders' statuses, as a flag may name them.
var statuses = []string{
	string(order.StatusReceived), string(order.StatusApproved), string(order.StatusProcessing), string(order.StatusPaymentErr),
	string(order.StatusCompleted), string(order.StatusCancelled), string(order.StatusRefunded),
}

func ordersList(w terminal.World) *cobra.Command {
	cmd := &cobra.Command{Use: "list", Short: "List orders, newest first", Args: cobra.NoArgs}
	format := command.FormatFlag(cmd)
	limit, offset := command.PageFlags(cmd, 50)
	status := cmd.Flags().String("status", "", "only "+strings.Join(statuses, ", "))
	cmd.PreRunE = func(*cobra.Command, []string) error {
		if *status = strings.ToUpper(*status); *status != "" {
			if err := app.OneOf(*status, statuses...); err != nil {
				return terminal.Usage(fmt.Errorf("--status: %w", err))
			}
		}
		return command.CheckPage(*limit, *offset)
	}
	cmd.RunE = command.WithShop(w, func(ctx context.Context, s *app.Shop, cmd *cobra.Command, _ []string) error {
		if err := s.CatchUp(ctx, w, "orders"); err != nil {
			return err
		}
		rows, err := staff.Shop{DB: s.Pool}.Orders(ctx, *status, *limit, *offset)
		if err != nil {
			return err
		}
		return terminal.WriteList(w.Stdout, *format, rows,
			terminal.Right("NUMBER", func(o staff.OrderLine) string { return strconv.FormatInt(o.Number, 10) }),
			terminal.Left("PLACED", func(o staff.OrderLine) string { return terminal.Moment(o.CreatedAt) }),
			terminal.Left("STATUS", func(o staff.OrderLine) string { return o.Status }),
			terminal.Left("PAID", func(o staff.OrderLine) string { return paid(o) }),
			terminal.Left("BY", func(o staff.OrderLine) string { return o.PaymentMethod }),
			terminal.Left("TO", func(o staff.OrderLine) string { return destination(o) }),
			terminal.Right("PIECES", func(o staff.OrderLine) string { return strconv.FormatInt(o.Pieces, 10) }),
			terminal.Right("TOTAL", func(o staff.OrderLine) string { return terminal.Tenge(o.TotalPaid) }),
		)
	})
	return cmd
}

func destination(o staff.OrderLine) string {
	if o.DeliveryType == string(domain.Pickup) {
		return "pickup"
	}
	return o.City
}

// paid says whether an order is paid, and whether that was at the test bank.
func paid(o staff.OrderLine) string {
	if o.TestPayment {
		return command.YesNo(o.IsPaid) + ", test"
	}
	return command.YesNo(o.IsPaid)
}

// orderView is what show prints of the read model's row.
type orderView struct {
	ID                uuid.UUID           `json:"id"`
	Number            int64               `json:"number"`
	Status            string              `json:"status"`
	IsPaid            bool                `json:"is_paid"`
	FirstName         string              `json:"customer_first_name"`
	LastName          string              `json:"customer_last_name"`
	Email             string              `json:"customer_email"`
	Phone             string              `json:"customer_phone"`
	City              string              `json:"customer_city"`
	Street            string              `json:"customer_street"`
	House             string              `json:"customer_house"`
	Apartment         string              `json:"customer_apartment"`
	Comment           string              `json:"address_comment"`
	DeliveryType      string              `json:"delivery_type"`
	PaymentMethod     string              `json:"payment_method"`
	TotalPaid         int64               `json:"total_paid"`
	PayableNow        int64               `json:"payable_now"`
	PayableOnDelivery int64               `json:"payable_on_delivery"`
	RulesVersion      int64               `json:"rules_version"`
	Lines             []domain.PricedLine `json:"lines"`
	Explanation       []domain.Step       `json:"explanation"`
	DeliveryDate      *string             `json:"delivery_date"`
	PayBefore         *time.Time          `json:"pay_before"`
	ConfirmBefore     *time.Time          `json:"confirm_before"`
	// TestPayment: the test bank was asked for money, and takes none.
	TestPayment bool      `json:"test_payment"`
	Reason      string    `json:"reason"`
	CreatedAt   time.Time `json:"created_at"`
	UpdatedAt   time.Time `json:"updated_at"`
}

func ordersShow(w terminal.World) *cobra.Command {
	cmd := &cobra.Command{
		Use: "show NUMBER", Short: "Show an order with its lines and the explanation of its price, now or in the past", Args: oneNumber,
		Example: "  shop orders show 100001\n  shop orders show 100001 --version 2\n  shop orders show 100001 --at 2026-03-02T12:00:00+05:00",
	}
	format := command.FormatFlag(cmd)
	at := command.AtFlag(cmd)
	version := cmd.Flags().Int64("version", 0, "the order after this many of its events")
	cmd.PreRunE = func(cmd *cobra.Command, _ []string) error {
		if cmd.Flags().Changed("version") && (*version < 1 || cmd.Flags().Changed("at")) {
			return terminal.Usage(fmt.Errorf("want --version from 1, or --at"))
		}
		return nil
	}
	cmd.RunE = command.WithShop(w, func(ctx context.Context, s *app.Shop, cmd *cobra.Command, args []string) error {
		row, err := orderByNumber(ctx, s, w, args[0])
		if err != nil {
			return err
		}
		if *version > 0 || !at.IsZero() {
			if row, err = orderThen(ctx, s, row, eventstore.Version(*version), at.Time); err != nil {
				return err
			}
		}
		var o orderView
		if err := json.Unmarshal(row, &o); err != nil {
			return fmt.Errorf("read order %s: %w", args[0], err)
		}
		if o.TestPayment, err = (staff.Shop{DB: s.Pool}).TestPayment(ctx, o.ID); err != nil {
			return err
		}
		if *format == "json" {
			var indented map[string]any
			if err := json.Unmarshal(row, &indented); err != nil {
				return err
			}
			indented["test_payment"] = o.TestPayment
			return terminal.WriteIndented(w.Stdout, indented)
		}
		return o.write(w.Stdout)
	})
	return cmd
}

// orderThen is the row of an order as it was after a version, or at a moment.
func orderThen(ctx context.Context, s *app.Shop, row json.RawMessage, version eventstore.Version, at time.Time) (json.RawMessage, error) {
	var o orderView
	if err := json.Unmarshal(row, &o); err != nil {
		return nil, err
	}
	steps, err := replay.Trail(ctx, s.Store, order.Stream(o.ID), true)
	if err != nil {
		return nil, err
	}
	if version > eventstore.Version(len(steps)) {
		return nil, fmt.Errorf("order %d has %d events", o.Number, len(steps))
	}
	then := json.RawMessage(nil)
	for _, step := range steps {
		if version > 0 && step.Event.Version <= version || version == 0 && !step.Event.RecordedAt.After(at) {
			then = step.State
		}
	}
	if then == nil {
		return nil, fmt.Errorf("order %d was not placed yet; that was on %s", o.Number, terminal.Moment(o.CreatedAt))
	}
	return then, nil
}

func (o orderView) write(w io.Writer) error {
	fact := func(name, value string) {
		if value != "" {
			fmt.Fprintf(w, "%-10s %s\n", name, terminal.OneLine(value))
		}
	}
	fact("Order", fmt.Sprintf("%d  %s", o.Number, o.ID))
	status := o.Status + ", not paid"
	if o.IsPaid {
		status = o.Status + ", paid"
	}
	if o.Reason != "" {
		status += " (" + o.Reason + ")"
	}
	fact("Status", status)
	fact("Placed", terminal.Moment(o.CreatedAt))
	if !o.UpdatedAt.Equal(o.CreatedAt) {
		fact("Changed", terminal.Moment(o.UpdatedAt))
	}
	fact("Customer", strings.TrimSpace(o.FirstName+" "+o.LastName+"  "+o.Phone+"  "+o.Email))
	to := slices.DeleteFunc([]string{o.City, o.Street, o.House, o.Apartment}, func(part string) bool { return part == "" })
	if o.DeliveryType == string(domain.Pickup) {
		to = nil
	}
	fact("Delivery", strings.TrimSpace(o.DeliveryType+"  "+strings.Join(to, ", ")))
	if o.DeliveryDate != nil {
		fact("Promised", *o.DeliveryDate)
	}
	fact("Comment", o.Comment)
	payment := fmt.Sprintf("%s  now %s, on delivery %s", o.PaymentMethod, terminal.Tenge(o.PayableNow), terminal.Tenge(o.PayableOnDelivery))
	if o.PayBefore != nil {
		payment += ", by " + terminal.Moment(*o.PayBefore)
	}
	if o.ConfirmBefore != nil {
		payment += ", to be confirmed by " + terminal.Moment(*o.ConfirmBefore)
	}
	if o.TestPayment {
		payment += "  (" + terminal.TestMoney + ")"
	}
	fact("Payment", payment)
	fmt.Fprintln(w)
	err := terminal.WriteList(w, "table", o.Lines,
		terminal.Left("ARTICLE", func(l domain.PricedLine) string { return l.Article }),
		terminal.Left("PRODUCT", func(l domain.PricedLine) string { return l.Name }),
		terminal.Right("PRICE", func(l domain.PricedLine) string { return terminal.Tenge(l.DiscountedPrice) }),
		terminal.Right("PIECES", func(l domain.PricedLine) string { return strconv.FormatInt(l.Amount, 10) }),
		terminal.Right("DISCOUNT", func(l domain.PricedLine) string { return terminal.Tenge(l.OrderDiscount) }),
		terminal.Right("TOTAL", func(l domain.PricedLine) string { return terminal.Tenge(l.Total) }),
	)
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "\nWhy it cost %s (rules version %d)\n", terminal.Tenge(o.TotalPaid), o.RulesVersion)
	return terminal.WriteList(w, "table", append(o.Explanation, domain.Step{Label: "Итого", Amount: o.TotalPaid}),
		terminal.Left("STEP", func(s domain.Step) string { return s.Label }),
		terminal.Right("AMOUNT", func(s domain.Step) string { return terminal.Tenge(s.Amount) }),
		terminal.Left("NOTE", func(s domain.Step) string { return s.Note }),
	)
}

// oneNumber wants one order number as the argument.
func oneNumber(_ *cobra.Command, args []string) error {
	if len(args) != 1 {
		return fmt.Errorf("want one order number")
	}
	if n, err := strconv.ParseInt(args[0], 10, 64); err != nil || n < 1 {
		return fmt.Errorf("%q is not an order number", args[0])
	}
	return nil
}

// orderByNumber finds the read model's row of an order.
func orderByNumber(ctx context.Context, s *app.Shop, w terminal.World, number string) (json.RawMessage, error) {
	n, err := strconv.ParseInt(number, 10, 64)
	if err != nil {
		return nil, terminal.Usage(err)
	}
	if err := s.CatchUp(ctx, w, "orders"); err != nil {
		return nil, err
	}
	row, found, err := staff.Shop{DB: s.Pool}.Order(ctx, n)
	if err != nil {
		return nil, err
	}
	if !found {
		return nil, fmt.Errorf("there is no order %d", n)
	}
	return row, nil
}

// changeOrder makes a subcommand that changes the order of a number and says what became of it.
func changeOrder(w terminal.World, do func(ctx context.Context, s *app.Shop, id uuid.UUID) (eventstore.Position, error)) func(*cobra.Command, []string) error {
	return command.WithShop(w, func(ctx context.Context, s *app.Shop, cmd *cobra.Command, args []string) error {
		row, err := orderByNumber(ctx, s, w, args[0])
		if err != nil {
			return err
		}
		var o orderView
		if err := json.Unmarshal(row, &o); err != nil {
			return fmt.Errorf("read order %s: %w", args[0], err)
		}
		position, err := do(ctx, s, o.ID)
		if err != nil {
			return err
		}
		if position == 0 {
			_, err = fmt.Fprintf(w.Stdout, "order %d: nothing to change, it is %s\n", o.Number, o.Status)
			return err
		}
		if row, err = orderByNumber(ctx, s, w, args[0]); err != nil {
			return err
		}
		if err := json.Unmarshal(row, &o); err != nil {
			return fmt.Errorf("read order %s: %w", args[0], err)
		}
		_, err = fmt.Fprintf(w.Stdout, "order %d: %s\n", o.Number, o.Status)
		return err
	})
}
