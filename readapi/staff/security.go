package staff

import (
	"context"
	"encoding/hex"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"shop/readapi/spreadsheet"
)

// SecurityRecord is a row of the security log.
type SecurityRecord struct {
	ID      int64     `json:"id"`
	At      time.Time `json:"at"`
	Kind    string    `json:"kind"`
	Outcome string    `json:"outcome"`
	// How is by what, or into what; empty: there is only one way.
	How string `json:"how"`
	// Party is staff, customer, guest, cli or shop; Who its id, null when it is not known or was erased; Name the e-mail of staff.
	Party string     `json:"party"`
	Who   *uuid.UUID `json:"who"`
	Name  string     `json:"name"`
	Role  string     `json:"role"`
	// About is whom or what it was done to, null: nothing else.
	About *uuid.UUID `json:"about"`
	Route string     `json:"route"`
	// Network and Email are the beginnings of keyed hashes; empty: not known.
	Network string     `json:"network"`
	Email   string     `json:"email"`
	Request *uuid.UUID `json:"request"`
	// Times is how many alike the row stands for.
	Times int64 `json:"times"`
}

// SecuritySearch narrows the security log. Every zero field narrows nothing.
type SecuritySearch struct {
	Kinds, Outcomes, Parties []string
	// Who is whoever did it, or to whom it was done.
	Who uuid.UUID
	// Since is inclusive, Until not.
	Since, Until time.Time
	// Network and Email are rows whose hash the others have.
	Network, Email int64
	// Before goes on after a page.
	Before int64
	Limit  int
}

// SecurityPage is a page of the security log, newest first. Next is what to go on before; null at the end.
type SecurityPage struct {
	Records []SecurityRecord `json:"records"`
	Next    *int64           `json:"next"`
}

// hashShown is how many bytes of a hash are shown: enough to tell networks apart by eye.
const hashShown = 4

// Security searches the security log.
func (r *Reader) Security(ctx context.Context, q SecuritySearch, name Names) (SecurityPage, error) {
	page := SecurityPage{Records: []SecurityRecord{}}
	err := r.securityRows(ctx, q, q.Limit+1, name, func(record SecurityRecord) error {
		page.Records = append(page.Records, record)
		return nil
	})
	if err != nil {
		return SecurityPage{}, err
	}
	if len(page.Records) > q.Limit {
		page.Records = page.Records[:q.Limit]
		page.Next = &page.Records[q.Limit-1].ID
	}
	return page, nil
}

// securityRows calls each with the rows of a search, newest first.
func (r *Reader) securityRows(ctx context.Context, q SecuritySearch, limit int, name Names, each func(SecurityRecord) error) error {
	where, args := q.conditions()
	args["limit"] = limit
	rows, err := r.db.Query(ctx, `SELECT id, at, kind, outcome, how, party, who, role, about, route, network, email, request, times
		FROM security.records WHERE `+where+` ORDER BY id DESC LIMIT @limit`, args)
	if err != nil {
		return fmt.Errorf("read the security log: %w", err)
	}
	var s SecurityRecord
	var who, about, request *[16]byte
	var network, email []byte
	_, err = pgx.ForEachRow(rows, []any{
		&s.ID, &s.At, &s.Kind, &s.Outcome, &s.How, &s.Party, &who, &s.Role, &about, &s.Route, &network, &email, &request, &s.Times,
	}, func() error {
		one := s
		one.Who, one.About, one.Request = (*uuid.UUID)(who), (*uuid.UUID)(about), (*uuid.UUID)(request)
		one.Network, one.Email = shownHash(network), shownHash(email)
		if who != nil && s.Party == "staff" {
			actor := "staff:" + one.Who.String()
			if called := name(actor); called != actor {
				one.Name = called
			}
		}
		who, about, request, network, email = nil, nil, nil, nil, nil
		return each(one)
	})
	if err != nil {
		return fmt.Errorf("read the security log: %w", err)
	}
	return nil
}

func shownHash(hash []byte) string { return hex.EncodeToString(hash[:min(hashShown, len(hash))]) }

// conditions are the search as SQL of constants, and the values it compares with.
func (q SecuritySearch) conditions() (string, pgx.NamedArgs) {
	args := pgx.NamedArgs{}
	all := []string{"true"}
	add := func(given bool, name string, value any, sql string) {
		if given {
			all, args[name] = append(all, sql), value
		}
	}
	add(len(q.Kinds) > 0, "kinds", q.Kinds, "kind = ANY (@kinds)")
	add(len(q.Outcomes) > 0, "outcomes", q.Outcomes, "outcome = ANY (@outcomes)")
	add(len(q.Parties) > 0, "parties", q.Parties, "party = ANY (@parties)")
	add(q.Who != uuid.Nil, "who", q.Who, "(who = @who OR about = @who)")
	add(!q.Since.IsZero(), "since", q.Since, "at >= @since")
	add(!q.Until.IsZero(), "until", q.Until, "at < @until")
	add(q.Network != 0, "network", q.Network, "network = (SELECT s.network FROM security.records s WHERE s.id = @network)")
	add(q.Email != 0, "email", q.Email, "email = (SELECT s.email FROM security.records s WHERE s.id = @email)")
	add(q.Before != 0, "before", q.Before, "id < @before")
	return strings.Join(all, " AND "), args
}

// MostSecurityRows is how many rows of the security log one file has at most.
const MostSecurityRows = 50_000

// SecurityCSV writes what a search finds as CSV, at most MostSecurityRows rows. Cells are those of package spreadsheet.
func (r *Reader) SecurityCSV(ctx context.Context, q SecuritySearch, name Names, to io.Writer) error {
	out, err := spreadsheet.NewCSV(to)
	if err != nil {
		return err
	}
	if err := out.Write([]string{"id", "at", "kind", "outcome", "how", "party", "who", "name", "role", "about", "route", "network", "email", "request", "times"}); err != nil {
		return err
	}
	err = r.securityRows(ctx, q, MostSecurityRows, name, func(s SecurityRecord) error {
		return out.Write(spreadsheet.Texts(
			strconv.FormatInt(s.ID, 10), s.At.UTC().Format(time.RFC3339), s.Kind, s.Outcome, s.How, s.Party, idText(s.Who), s.Name, s.Role, idText(s.About),
			s.Route, s.Network, s.Email, idText(s.Request), strconv.FormatInt(s.Times, 10),
		))
	})
	if err != nil {
		return err
	}
	out.Flush()
	return out.Error()
}

func idText(id *uuid.UUID) string {
	if id == nil {
		return ""
	}
	return id.String()
}
