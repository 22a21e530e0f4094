package staff

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"shop/domain/change"
	"shop/readapi/spreadsheet"
)

// ChangeSearch narrows the list of changes. Every zero field narrows nothing.
type ChangeSearch struct {
	// By is the actor who proposed them, Status one of [change.Statuses].
	By, Status string
	// Thing and ID are a sort of thing, and one of them.
	Thing, ID string
	// From and To bound the day in Almaty on which they were proposed; both inclusive, YYYY-MM-DD.
	From, To string
	// Coming narrows to those that begin or end, the soonest first.
	Coming bool
	// Month narrows to those that have a time and are in force in that month in Almaty, or will be, in the order of time; YYYY-MM.
	Month string
	// Before is the change that the page before ended with.
	Before uuid.UUID
	Limit  int
}

// ChangeRow is a change in a list.
type ChangeRow struct {
	ID     uuid.UUID `json:"id"`
	Title  string    `json:"title"`
	Reason string    `json:"reason"`
	// ProposedBy is the actor, ProposedName how people call them; DecidedBy likewise.
	ProposedBy     string     `json:"proposed_by"`
	ProposedName   string     `json:"proposed_name" db:"-"`
	ProposedAt     time.Time  `json:"proposed_at"`
	Items          int        `json:"items"`
	Status         string     `json:"status"`
	Needs          []string   `json:"needs"`
	Things         []string   `json:"things"`
	StartsAt       *time.Time `json:"starts_at"`
	EndsAt         *time.Time `json:"ends_at"`
	Undoes         *uuid.UUID `json:"undoes"`
	UndoneBy       *uuid.UUID `json:"undone_by"`
	Report         *uuid.UUID `json:"report"`
	DecidedBy      string     `json:"decided_by"`
	DecidedName    string     `json:"decided_name" db:"-"`
	DecidedAt      *time.Time `json:"decided_at"`
	DecisionReason string     `json:"decision_reason"`
	Override       bool       `json:"override"`
	Done           int        `json:"done"`
	Conflicts      int        `json:"conflicts"`
	Refused        int        `json:"refused"`
	PutBack        int        `json:"put_back"`
	Kept           int        `json:"kept"`
	AppliedAt      *time.Time `json:"applied_at"`
	EndedAt        *time.Time `json:"ended_at"`
	// First is what the change did to its first thing, so that a list can say it.
	First *ChangeItemRow `json:"first"`
}

// ChangeItemRow is what a change did to one field of one thing.
type ChangeItemRow struct {
	N     int    `json:"n"`
	Thing string `json:"thing"`
	ID    string `json:"id" db:"thing_id"`
	// Name is what people call the thing, Article a product's; empty where it has none.
	Name    string          `json:"name"`
	Article string          `json:"article"`
	Field   string          `json:"field"`
	Was     json.RawMessage `json:"was"`
	Now     json.RawMessage `json:"now"`
	// Outcome is empty before it was applied, Ended before the change ended. Found is the value that was in the way.
	Outcome string          `json:"outcome"`
	Ended   string          `json:"ended"`
	Found   json.RawMessage `json:"found"`
	Code    string          `json:"code"`
	Detail  string          `json:"detail"`
	// Hidden: the reader may not see the values, which are null.
	Hidden bool `json:"hidden" db:"-"`
}

// Sees says whether a reader may see the values of a field of a sort of things.
type Sees func(thing, field string) bool

func (r *ChangeItemRow) mask(sees Sees) {
	if !sees(r.Thing, r.Field) {
		r.Was, r.Now, r.Found, r.Hidden = null, null, null, true
	}
}

var null = json.RawMessage("null")

// changeItemColumns are those of a ChangeItemRow, of item i.
const changeItemColumns = `i.n, i.thing, i.thing_id, coalesce(p.name, c.name, b.name, m.name, '') AS name, coalesce(p.article, '') AS article, i.field,
	coalesce(i.was, 'null') AS was, coalesce(i.now, 'null') AS now, i.outcome, i.ended, coalesce(i.found, 'null') AS found, i.code, i.detail`

// changeItemNames join what people call things.
const changeItemNames = `
	LEFT JOIN catalog.product p ON i.thing IN ('product', 'stock') AND p.id = CASE WHEN i.thing IN ('product', 'stock') THEN i.thing_id::uuid END
	LEFT JOIN catalog.category c ON i.thing = 'category' AND c.id = CASE WHEN i.thing = 'category' THEN i.thing_id::uuid END
	LEFT JOIN catalog.brand b ON i.thing = 'brand' AND b.id = CASE WHEN i.thing = 'brand' THEN i.thing_id::uuid END
	LEFT JOIN catalog.mark m ON i.thing = 'mark' AND m.id = CASE WHEN i.thing = 'mark' THEN i.thing_id::uuid END`

const changeColumns = `h.id, h.title, h.reason, h.proposed_by, h.proposed_at, h.items, h.status, ARRAY(SELECT jsonb_array_elements_text(h.needs)) AS needs,
	ARRAY(SELECT jsonb_array_elements_text(h.things)) AS things, h.starts_at, h.ends_at, nullif(h.undoes, '00000000-0000-0000-0000-000000000000') AS undoes,
	nullif(h.undone_by, '00000000-0000-0000-0000-000000000000') AS undone_by, nullif(h.report, '00000000-0000-0000-0000-000000000000') AS report,
	h.decided_by, h.decided_at, h.decision_reason, h.override, h.done, h.conflicts, h.refused, h.put_back, h.kept, h.applied_at, h.ended_at,
	(SELECT row_to_json(f) FROM (SELECT i.n, i.thing, i.thing_id AS id, coalesce(p.name, c.name, b.name, m.name, '') AS name, coalesce(p.article, '') AS article,
		i.field, i.was, i.now, i.outcome, i.ended, i.found, i.code, i.detail
		FROM changes.item i` + changeItemNames + ` WHERE i.change = h.id AND i.n = 0) f) AS first`

// conditions are the search as SQL of constants, and the values it compares with.
func (f ChangeSearch) conditions() (string, pgx.NamedArgs) {
	args := pgx.NamedArgs{"limit": f.Limit}
	all := []string{"true"}
	add := func(given bool, name string, value any, sql string) {
		if given {
			all, args[name] = append(all, sql), value
		}
	}
	add(f.By != "", "by", f.By, "h.proposed_by = @by")
	add(f.Status != "", "status", f.Status, "h.status = @status")
	add(f.Thing != "" && f.ID == "", "thing", []string{f.Thing}, "h.things @> to_jsonb(@thing::text[])")
	add(f.ID != "", "id", f.ID, "EXISTS (SELECT FROM changes.item i WHERE i.change = h.id AND i.thing_id = @id AND (@thing = '' OR i.thing = @thing))")
	if f.ID != "" {
		args["thing"] = f.Thing
	}
	add(f.From != "", "from", f.From, "h.proposed_at >= @from::text::date::timestamp AT TIME ZONE 'Asia/Almaty'")
	add(f.To != "", "to", f.To, "h.proposed_at < (@to::text::date + 1)::timestamp AT TIME ZONE 'Asia/Almaty'")
	add(f.Before != uuid.Nil, "before", f.Before, "h.id < @before")
	if f.Coming {
		all = append(all, "h.due_at IS NOT NULL AND h.status IN ('planned', 'running')")
	}
	add(f.Month != "", "month", f.Month+"-01", `(h.starts_at IS NOT NULL OR h.ends_at IS NOT NULL) AND h.status NOT IN ('rejected', 'cancelled')
		AND `+changeBegins+` < (@month::text::date + interval '1 month') AT TIME ZONE 'Asia/Almaty'
		AND coalesce(h.ends_at, `+changeBegins+`) >= @month::text::date::timestamp AT TIME ZONE 'Asia/Almaty'`)
	return strings.Join(all, " AND "), args
}

// changeBegins is when a change begins; one without a beginning did when it was applied.
const changeBegins = `coalesce(h.starts_at, h.applied_at, h.proposed_at)`

// ChangeSearchNamed is what people call the person and the thing of a search; empty: none, or unknown.
type ChangeSearchNamed struct {
	By    string `json:"by"`
	Thing string `json:"thing"`
}

// ChangeSearchNames calls the person and the thing of a search by their names.
func (s Shop) ChangeSearchNames(ctx context.Context, f ChangeSearch, name Names) (named ChangeSearchNamed, err error) {
	if f.By != "" {
		named.By = name(f.By)
	}
	if _, err := uuid.Parse(f.ID); err != nil {
		named.Thing = f.ID // codes, blocks and the like are called by what they are
		return named, nil
	}
	err = s.DB.QueryRow(ctx, `SELECT coalesce(max(name), '') FROM (SELECT id, name FROM catalog.product UNION ALL SELECT id, name FROM catalog.category
		UNION ALL SELECT id, name FROM catalog.brand UNION ALL SELECT id, name FROM catalog.mark) t WHERE id = $1::text::uuid`, f.ID).Scan(&named.Thing)
	if err != nil {
		return named, fmt.Errorf("name thing %s: %w", f.ID, err)
	}
	return named, nil
}

// SearchChanges lists changes, the newest first.
func (s Shop) SearchChanges(ctx context.Context, f ChangeSearch, name Names, sees Sees) ([]ChangeRow, error) {
	where, args := f.conditions()
	order := "h.id DESC"
	if f.Coming {
		order = "h.due_at, h.id"
	} else if f.Month != "" {
		order = changeBegins + ", h.id"
	}
	rows, err := s.DB.Query(ctx, "SELECT "+changeColumns+" FROM changes.change h WHERE "+where+" ORDER BY "+order+" LIMIT @limit", args)
	if err != nil {
		return nil, fmt.Errorf("list changes: %w", err)
	}
	found, err := pgx.CollectRows(rows, pgx.RowToStructByName[ChangeRow])
	for i := range found {
		found[i].call(name, sees)
	}
	return orEmpty(found), err
}

func (c *ChangeRow) call(name Names, sees Sees) {
	if c.First != nil {
		c.First.mask(sees)
	}
	c.ProposedName = name(c.ProposedBy)
	if c.DecidedBy != "" {
		c.DecidedName = name(c.DecidedBy)
	}
}

// ChangeSheet is a change with a page of its items.
type ChangeSheet struct {
	ChangeRow
	// Because says how far the change goes beyond which rule; empty for changes of before.
	Because []change.Need   `json:"because"`
	Page    []ChangeItemRow `json:"page"`
}

// ChangeItems is how many items a page has.
const ChangeItems = 200

// Change is a change with its items from a number on, all or those with an outcome.
func (s Shop) Change(ctx context.Context, id uuid.UUID, from int, outcome string, name Names, sees Sees) (ChangeSheet, error) {
	rows, err := s.DB.Query(ctx, "SELECT "+changeColumns+" FROM changes.change h WHERE h.id = $1", id)
	if err != nil {
		return ChangeSheet{}, fmt.Errorf("show change %s: %w", id, err)
	}
	row, err := pgx.CollectExactlyOneRow(rows, pgx.RowToStructByName[ChangeRow])
	if errors.Is(err, pgx.ErrNoRows) {
		return ChangeSheet{}, change.ErrUnknown
	}
	if err != nil {
		return ChangeSheet{}, fmt.Errorf("show change %s: %w", id, err)
	}
	row.call(name, sees)
	rows, err = s.DB.Query(ctx, "SELECT "+changeItemColumns+" FROM changes.item i"+changeItemNames+
		" WHERE i.change = $1 AND i.n >= $2 AND ($3 IN ('', i.outcome, i.ended)) ORDER BY i.n LIMIT $4", id, from, outcome, ChangeItems)
	if err != nil {
		return ChangeSheet{}, fmt.Errorf("show items of change %s: %w", id, err)
	}
	items, err := pgx.CollectRows(rows, pgx.RowToStructByName[ChangeItemRow])
	for i := range items {
		items[i].mask(sees)
	}
	return ChangeSheet{row, []change.Need{}, orEmpty(items)}, err
}

// MostChangeRows is how many rows one file of changes has at most.
const MostChangeRows = 50_000

// ChangesCSV writes the items of the changes that a search finds, a row each. A text that a spreadsheet would take for a formula begins
// with an apostrophe.
func (s Shop) ChangesCSV(ctx context.Context, f ChangeSearch, name Names, sees Sees, to io.Writer) error {
	where, args := f.conditions()
	args["limit"] = MostChangeRows
	rows, err := s.DB.Query(ctx, "SELECT h.id, h.proposed_at, h.proposed_by, h.title, h.reason, h.status, "+changeItemColumns+
		" FROM changes.change h JOIN changes.item i ON i.change = h.id"+changeItemNames+" WHERE "+where+" ORDER BY h.id DESC, i.n LIMIT @limit", args)
	if err != nil {
		return fmt.Errorf("list changes: %w", err)
	}
	type line struct {
		ID                                uuid.UUID
		ProposedAt                        time.Time
		ProposedBy, Title, Reason, Status string
		ChangeItemRow
	}
	out, err := spreadsheet.NewCSV(to)
	if err != nil {
		return err
	}
	if err := out.Write([]string{"change", "at", "by", "title", "reason", "status", "thing", "id", "article", "name", "field", "was", "now", "outcome", "detail"}); err != nil {
		return err
	}
	var l line
	into := []any{
		&l.ID, &l.ProposedAt, &l.ProposedBy, &l.Title, &l.Reason, &l.Status, &l.N, &l.Thing, &l.ChangeItemRow.ID, &l.Name, &l.Article, &l.Field,
		&l.Was, &l.Now, &l.Outcome, &l.Ended, &l.Found, &l.Code, &l.Detail,
	}
	if _, err = pgx.ForEachRow(rows, into, func() error {
		l.mask(sees)
		return out.Write(spreadsheet.Texts(
			l.ID.String(), l.ProposedAt.UTC().Format(time.RFC3339), name(l.ProposedBy), l.Title, l.Reason, l.Status, l.Thing, l.ChangeItemRow.ID, l.Article,
			l.Name, l.Field, cell(l.Was), cell(l.Now), l.Outcome, l.Detail,
		))
	}); err != nil {
		return fmt.Errorf("list changes: %w", err)
	}
	out.Flush()
	return out.Error()
}

// cell is a value for a spreadsheet: a text without its quotes, else as JSON has it.
func cell(value json.RawMessage) string {
	if text, err := strconv.Unquote(string(value)); err == nil {
		return text
	}
	return string(value)
}
