package rebuild

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"shop/projections"

	"github.com/jackc/pgx/v5"
)

// maxSample bounds the differences that a report lists; all are counted.
const maxSample = 100

// compareSchemas finds the rows in which a live schema and a fresh one differ, in the snapshot of tx.
func compareSchemas(ctx context.Context, tx pgx.Tx, p projections.Projection, live, fresh string) (*Report, error) {
	r := &Report{}
	was, err := columnsOf(ctx, tx, live)
	if err != nil {
		return nil, err
	}
	is, err := columnsOf(ctx, tx, fresh)
	if err != nil {
		return nil, err
	}
	for table := range was {
		if is[table] == nil {
			r.GoneColumns = append(r.GoneColumns, table)
		}
	}
	for _, t := range p.Tables {
		d := t.Definition()
		old, now := was[d.Name], is[d.Name]
		if old == nil || old[d.Key] == "" {
			r.NewColumns = append(r.NewColumns, d.Name)
			continue
		}
		c := tablePair{table: d.Name, key: d.Key, live: d.In(live), fresh: d.In(fresh), personal: d.Personal}
		c.keys = "l." + quote(c.key) + " = f." + quote(c.key)
		if old[c.key] != now[c.key] {
			c.keys = "l." + quote(c.key) + "::text = f." + quote(c.key) + "::text"
		}
		for column := range old {
			if now[column] == "" {
				r.GoneColumns = append(r.GoneColumns, c.table+"."+column)
			}
		}
		for column, typ := range now {
			switch old[column] {
			case "":
				r.NewColumns = append(r.NewColumns, c.table+"."+column)
			case typ:
				c.columns = append(c.columns, column)
				if typ == "json" { // has no equality
					c.differs = append(c.differs, fmt.Sprintf("l.%[1]s::jsonb IS DISTINCT FROM f.%[1]s::jsonb", quote(column)))
				} else {
					c.differs = append(c.differs, fmt.Sprintf("l.%[1]s IS DISTINCT FROM f.%[1]s", quote(column)))
				}
			default:
				c.columns = append(c.columns, column)
				c.differs = append(c.differs, fmt.Sprintf("to_jsonb(l.%[1]s) IS DISTINCT FROM to_jsonb(f.%[1]s)", quote(column)))
			}
		}
		slices.Sort(c.columns)
		if err := c.run(ctx, tx, r); err != nil {
			return nil, fmt.Errorf("compare table %s: %w", c.table, err)
		}
	}
	slices.Sort(r.NewColumns)
	slices.Sort(r.GoneColumns)
	return r, nil
}

// columnsOf are the types of a schema's columns, by table and name.
func columnsOf(ctx context.Context, tx pgx.Tx, schema string) (map[string]map[string]string, error) {
	rows, err := tx.Query(ctx, `SELECT c.relname, a.attname, format_type(a.atttypid, a.atttypmod)
		FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid JOIN pg_namespace n ON n.oid = c.relnamespace
		WHERE n.nspname = $1 AND c.relkind IN ('r', 'p') AND a.attnum > 0 AND NOT a.attisdropped`, schema)
	if err != nil {
		return nil, err
	}
	found := map[string]map[string]string{}
	var table, column, typ string
	_, err = pgx.ForEachRow(rows, []any{&table, &column, &typ}, func() error {
		if found[table] == nil {
			found[table] = map[string]string{}
		}
		found[table][column] = typ
		return nil
	})
	return found, err
}

// tablePair is a table in both schemas.
type tablePair struct {
	table, key  string
	live, fresh string
	// keys is the condition under which two rows have the same key. differs are conditions, one for each common column
	// that may differ.
	keys              string
	columns, personal []string
	differs           []string
}

func (c tablePair) run(ctx context.Context, tx pgx.Tx, r *Report) error {
	key := quote(c.key)
	both := fmt.Sprintf("l.%[1]s IS NOT NULL AND f.%[1]s IS NOT NULL AND (%[2]s)", key, strings.Join(append(c.differs, "false"), " OR "))
	joined := fmt.Sprintf("%s l FULL JOIN %s f ON %s", c.live, c.fresh, c.keys)
	var compared, missing, extra, changed int64
	err := tx.QueryRow(ctx, fmt.Sprintf(`SELECT count(*), count(*) FILTER (WHERE l.%[1]s IS NULL), count(*) FILTER (WHERE f.%[1]s IS NULL), count(*) FILTER (WHERE %[2]s)
		FROM %[3]s`, key, both, joined)).Scan(&compared, &missing, &extra, &changed)
	if err != nil {
		return err
	}
	r.Compared, r.Missing, r.Extra, r.Changed = r.Compared+compared, r.Missing+missing, r.Extra+extra, r.Changed+changed
	room := maxSample - len(r.Sample)
	if missing+extra+changed == 0 || room <= 0 {
		return nil
	}
	rows, err := tx.Query(ctx, fmt.Sprintf(`SELECT coalesce(l.%[1]s::text, f.%[1]s::text),
			CASE WHEN l.%[1]s IS NULL THEN 'missing' WHEN f.%[1]s IS NULL THEN 'extra' ELSE 'changed' END, to_jsonb(l), to_jsonb(f)
		FROM %[3]s WHERE l.%[1]s IS NULL OR f.%[1]s IS NULL OR %[2]s ORDER BY 1 LIMIT %[4]d`, key, both, joined, room))
	if err != nil {
		return err
	}
	d := Difference{Table: c.table}
	var live, fresh []byte
	_, err = pgx.ForEachRow(rows, []any{&d.Key, &d.Kind, &live, &fresh}, func() error {
		d.Columns = nil
		if d.Kind == "changed" {
			if err := c.changedColumns(&d, live, fresh); err != nil {
				return err
			}
		}
		r.Sample = append(r.Sample, d)
		return nil
	})
	return err
}

// changedColumns lists the columns of a changed row that differ.
func (c tablePair) changedColumns(d *Difference, live, fresh []byte) error {
	var was, is map[string]json.RawMessage
	if err := json.Unmarshal(live, &was); err != nil {
		return err
	}
	if err := json.Unmarshal(fresh, &is); err != nil {
		return err
	}
	for _, column := range c.columns {
		if bytes.Equal(was[column], is[column]) {
			continue
		}
		v := ColumnDifference{Column: column, Live: string(was[column]), Fresh: string(is[column])}
		if slices.Contains(c.personal, column) {
			v.Personal, v.Live, v.Fresh = true, projections.Masked, projections.Masked
		}
		d.Columns = append(d.Columns, v)
	}
	return nil
}
