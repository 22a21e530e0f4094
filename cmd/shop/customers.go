package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/spf13/cobra"

	"shop/commands"
	"shop/commands/accounts"
	"shop/commands/mail"
	"shop/commands/payments"
	"shop/commands/photos"
	"shop/domain/customer"
	"shop/projections/rebuild"
	"shop/readapi"
)

// customers are the commands about customers' accounts.
func (s *shop) customers(ctx context.Context) (*commands.Accounts, error) {
	key, err := secret(ctx, s.pool, "accounts")
	if err != nil {
		return nil, err
	}
	outbox, err := s.outbox(ctx)
	if err != nil {
		return nil, err
	}
	return &commands.Accounts{
		Handler: s.handler, SignIns: accounts.New(s.pool, accounts.Options{Secret: key, Clock: s.clock}),
		Mail: letters{outbox}, Orders: readapi.Facts{DB: s.pool}, Of: readapi.Facts{DB: s.pool}, Album: s.album(), Keys: s.store, ConsentText: s.config.ConsentText,
		Letters: s.config.letterFolder(),
		Leavers: []commands.Leaver{
			&commands.Leaving{Handler: s.handler, Of: readapi.Facts{DB: s.pool}}, keptModels{s.builder()}, unsentLetters{outbox, s.pool}, commands.Portraits{Album: s.album()},
			commands.PaymentPages{Orders: readapi.Facts{DB: s.pool}, Books: payments.Books{Pool: s.pool}},
		},
	}, nil
}

// keptModels are the read models that are kept beside the live ones or built, and hold personal data.
type keptModels struct{ builder *rebuild.Builder }

// Leave drops them: nothing folds into the kept ones any more, and who is erased may stand in those that are built.
func (k keptModels) Leave(ctx context.Context, id uuid.UUID, _ *customer.Report) error {
	return k.builder.Forget(ctx, rebuild.Ending{Stream: customer.Stream(id), Type: customer.Erased{}.EventType()})
}

// letters writes letters about accounts into the outbox.
type letters struct{ outbox *mail.Outbox }

func (l letters) Send(ctx context.Context, tx pgx.Tx, letter commands.Letter) error {
	out := mail.Letter{Person: letter.Person, To: letter.To, Expires: letter.Expires}
	switch c := letter.Content.(type) {
	case commands.LinkLetter:
		out.Content = mail.VerifyEmail{Path: c.Path, Until: c.Until, Change: c.Change}
	case commands.WishLetter:
		out.Content = mail.EmailRequested{Name: c.Name, At: c.At, Path: c.Path, Until: c.Until}
	case commands.MovedLetter:
		out.Content = mail.EmailChanged{Name: c.Name, At: c.At, Path: c.Path, Until: c.Until}
	case commands.CodeLetter:
		out.Content = mail.ResetCode{Code: c.Code, Until: c.Until}
	case commands.ErasedLetter:
		out.Content = mail.AccountErased{Name: c.Name, Orders: c.Report.Orders, Reviews: c.Report.Reviews, Subscriptions: c.Report.Subscriptions, Files: c.Report.Files}
	default:
		return fmt.Errorf("no letter is made of a %T", c)
	}
	return l.outbox.Enqueue(ctx, tx, out)
}

// unsentLetters are those to a customer that wait.
type unsentLetters struct {
	outbox *mail.Outbox
	pool   *pgxpool.Pool
}

// Leave takes them back.
func (u unsentLetters) Leave(ctx context.Context, id uuid.UUID, _ *customer.Report) error {
	return u.outbox.Forget(ctx, u.pool, id)
}

// signedIn lets commands and queries know whose token a request has. A token that does not count is refused, so that nobody
// orders as a guest by mistake.
func (s *site) signedIn(next http.Handler) http.Handler {
	return answer(s.log, func(w http.ResponseWriter, r *http.Request) error {
		if r.Header.Get("Authorization") == "" {
			next.ServeHTTP(w, r)
			return nil
		}
		id, err := s.customers.SignIns.Holder(r.Context(), commands.Bearer(r))
		if errors.Is(err, accounts.ErrNoToken) {
			return signedOut(w)
		}
		if err != nil {
			return err
		}
		next.ServeHTTP(w, r.WithContext(commands.AsCustomer(r.Context(), id)))
		return nil
	})
}

// customersOnly lets those through whom signedIn knows.
func (s *site) customersOnly(next http.Handler) http.Handler {
	return s.signedIn(answer(s.log, func(w http.ResponseWriter, r *http.Request) error {
		if commands.CustomerOf(r.Context()) == uuid.Nil {
			return signedOut(w)
		}
		next.ServeHTTP(w, r)
		return nil
	}))
}

func signedOut(w http.ResponseWriter) error {
	w.Header().Set("WWW-Authenticate", "Bearer")
	return commands.ErrSignedOut
}

func customersCommand(w world) *cobra.Command {
	return group("customers", "Show customers and erase them", customersList(w), customersShow(w), customersErase(w))
}

func customersList(w world) *cobra.Command {
	cmd := &cobra.Command{
		Use: "list", Short: "List the accounts, newest first, without names", Args: cobra.NoArgs,
	}
	format := formatFlag(cmd)
	limit, offset := pageFlags(cmd, 50)
	cmd.PreRunE = func(*cobra.Command, []string) error { return checkPage(*limit, *offset) }
	cmd.RunE = withShop(w, func(ctx context.Context, s *shop, _ *cobra.Command, _ []string) error {
		if err := s.catchUp(ctx, w, "customer", "orders"); err != nil {
			return err
		}
		rows, err := readapi.Staff{DB: s.pool}.Customers(ctx, *limit, *offset)
		if err != nil {
			return err
		}
		return writeList(w.stdout, *format, rows,
			column[readapi.CustomerLine]{"ID", false, func(c readapi.CustomerLine) string { return c.ID.String() }},
			column[readapi.CustomerLine]{"STATE", false, func(c readapi.CustomerLine) string { return c.State }},
			column[readapi.CustomerLine]{"VERIFIED", false, func(c readapi.CustomerLine) string { return yesNo(c.Verified) }},
			column[readapi.CustomerLine]{"ORDERS", true, func(c readapi.CustomerLine) string { return strconv.FormatInt(c.Orders, 10) }},
			column[readapi.CustomerLine]{"SPENT", true, func(c readapi.CustomerLine) string { return tenge(c.Spent) }},
			column[readapi.CustomerLine]{"SINCE", false, func(c readapi.CustomerLine) string { return moment(c.CreatedAt) }},
		)
	})
	return cmd
}

func customerID(_ *cobra.Command, args []string) error {
	if len(args) != 1 {
		return errors.New("want the id of a customer")
	}
	if _, err := uuid.Parse(args[0]); err != nil {
		return fmt.Errorf("%q is no id of a customer", args[0])
	}
	return nil
}

func customersShow(w world) *cobra.Command {
	return &cobra.Command{
		Use: "show ID", Short: "Show an account as JSON", Args: customerID,
		RunE: withShop(w, func(ctx context.Context, s *shop, _ *cobra.Command, args []string) error {
			if err := s.catchUp(ctx, w, "customer"); err != nil {
				return err
			}
			row, found, err := readapi.Staff{DB: s.pool}.Customer(ctx, uuid.MustParse(args[0]))
			if err != nil {
				return err
			}
			if !found {
				return customer.ErrUnknown
			}
			encoder := json.NewEncoder(w.stdout)
			encoder.SetIndent("", "  ")
			return encoder.Encode(row)
		}),
	}
}

// beyondReach is what an erasure leaves, because the shop cannot get at it.
const beyondReach = `The shop cannot reach, so delete there what the law asks for:
- what the payment provider keeps of payments
- traces and logs that were sent to a collector
- dumps and exports made before, and keys that were exported
- the write-ahead log and its archives, until they are recycled
- letters in mailboxes
`

func customersErase(w world) *cobra.Command {
	return &cobra.Command{
		Use: "erase ID", Short: "Erase a customer for ever", Args: customerID,
		Long: "Close an account, end its sign-ins and delete the keys of the person and of their orders: no event, read model, export or\n" +
			"rebuild shows their personal data again. Sums stay. An erasure cannot be undone.\n\n" + beyondReach,
		RunE: withShop(w, func(ctx context.Context, s *shop, _ *cobra.Command, args []string) error {
			id := uuid.MustParse(args[0])
			if err := s.photosHome("").Check(ctx); err != nil && !errors.Is(err, photos.ErrUnclaimed) {
				return err // files would stay
			}
			c, err := s.customers(ctx)
			if err != nil {
				return err
			}
			if err := s.catchUp(ctx, w, "orders", "reviews", "restock"); err != nil {
				return err
			}
			if _, err := c.RequestErasure(ctx, id, "staff"); err != nil {
				return err
			}
			if err := s.catchUp(ctx, w, "orders", "reviews", "restock"); err != nil {
				return err
			}
			report, position, err := c.Erase(ctx, id)
			if err != nil {
				return err
			}
			if position == 0 {
				_, err = fmt.Fprintf(w.stdout, "%s: erased before\n", id)
				return err
			}
			_, err = fmt.Fprintf(w.stdout, "%s: erased; %d orders and %d reviews lost who made them, %d subscriptions ended, %d files deleted\n%s",
				id, report.Orders, report.Reviews, report.Subscriptions, report.Files, beyondReach)
			return err
		}),
	}
}

// eitherWay answers those who are signed in otherwise than everybody else. Reading goes on without a token that counts.
func (s *site) eitherWay(everybody, customers http.Handler) http.Handler {
	return answer(s.log, func(w http.ResponseWriter, r *http.Request) error {
		token := commands.Bearer(r)
		if token == "" {
			everybody.ServeHTTP(w, r)
			return nil
		}
		id, err := s.customers.SignIns.Holder(r.Context(), token)
		if errors.Is(err, accounts.ErrNoToken) {
			everybody.ServeHTTP(w, r)
			return nil
		}
		if err == nil {
			customers.ServeHTTP(w, r.WithContext(commands.AsCustomer(r.Context(), id)))
		}
		return err
	})
}
