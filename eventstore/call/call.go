package call

import (
	"context"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Caller calls functions as a pool's settings ask. The zero value prepares its statements and is not traced.
type Caller struct {
	// unprepared: the pool's URL asks that no statement be prepared.
	unprepared bool
	tracer     pgx.QueryTracer
}

// By is a caller with the settings of a pool.
func By(pool *pgxpool.Pool) Caller {
	c := pool.Config().ConnConfig
	return Caller{unprepared: c.DefaultQueryExecMode != pgx.QueryExecModeCacheStatement, tracer: c.Tracer}
}

// formats are those of all parameters and all columns.
var formats = []int16{pgtype.BinaryFormatCode}

// Row runs a statement with its parameters on a connection and reads the columns of its only row. The errors are pgx's, and
// pgx.ErrNoRows without a row.
func (c Caller) Row(ctx context.Context, conn *pgx.Conn, sql string, p *Parameters, into ...any) (err error) {
	var tag pgconn.CommandTag
	if c.tracer != nil {
		ctx = c.tracer.TraceQueryStart(ctx, conn, pgx.TraceQueryStartData{SQL: sql})
		defer func() { c.tracer.TraceQueryEnd(ctx, conn, pgx.TraceQueryEndData{CommandTag: tag, Err: err}) }()
	}
	result, err := c.send(ctx, conn, sql, p)
	if err != nil {
		return err
	}
	found := result.NextRow()
	if found {
		err = scan(conn.TypeMap(), result, into)
	}
	tag, ended := result.Close()
	switch {
	case ended != nil:
		return ended
	case !found:
		return pgx.ErrNoRows
	}
	return err
}

func (c Caller) send(ctx context.Context, conn *pgx.Conn, sql string, p *Parameters) (*pgconn.ResultReader, error) {
	if c.unprepared {
		return conn.PgConn().ExecParams(ctx, sql, p.encoded(), p.types, formats, formats), nil
	}
	statement, err := conn.Prepare(ctx, sql, sql) // asks the server once for each connection
	if err != nil {
		return nil, err
	}
	return conn.PgConn().ExecStatement(ctx, statement, p.encoded(), formats, formats), nil
}

// scan reads the columns of the present row.
func scan(types *pgtype.Map, result *pgconn.ResultReader, into []any) error {
	columns, values := result.FieldDescriptions(), result.Values()
	for i, to := range into {
		if err := types.Scan(columns[i].DataTypeOID, pgtype.BinaryFormatCode, values[i], to); err != nil {
			return pgx.ScanArgError{ColumnIndex: i, FieldName: columns[i].Name, Err: err}
		}
	}
	return nil
}
