package projections

import (
	"context"
	"encoding"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
)

// RowEncoding writes rows of a table as binary COPY takes them. It gives each column what the live path gives it through JSON.
// Any number of goroutines may use it at once.
type RowEncoding []encodeCell

// encodeCell appends a field as binary COPY has it: length and bytes, or NULL.
type encodeCell func(b []byte, v reflect.Value) ([]byte, error)

// CopyHeader begins binary COPY data: signature, flags, no extension. CopyTrailer ends it.
const (
	CopyHeader  = "PGCOPY\n\xff\r\n\x00\x00\x00\x00\x00\x00\x00\x00\x00"
	CopyTrailer = "\xff\xff"
)

// querier is a pool, a connection or a transaction.
type querier interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
}

// RowEncodingOf is that of a row type for the columns of its table in a schema.
func RowEncodingOf(ctx context.Context, db querier, row reflect.Type, d Definition, schema string) (RowEncoding, error) {
	rows, err := db.Query(ctx, "SELECT "+d.ColumnList()+" FROM "+d.In(schema)+" LIMIT 0")
	if err != nil {
		return nil, err
	}
	var all RowEncoding
	// Before Close: the descriptions are the connection's, and others may use it then.
	for i, column := range rows.FieldDescriptions() {
		all = append(all, encoderOf(row.Field(i).Type, column.DataTypeOID))
	}
	rows.Close()
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("look at the columns of %s: %w", d.In(schema), err)
	}
	return all, nil
}

// Append appends a row, whose fields must be addressable.
func (e RowEncoding) Append(out []byte, row reflect.Value) ([]byte, error) {
	out = binary.BigEndian.AppendUint16(out, uint16(len(e)))
	for i, encode := range e {
		var err error
		if out, err = encode(out, row.Field(i)); err != nil {
			return out, fmt.Errorf("encode %s: %w", row.Type().Field(i).Name, err)
		}
	}
	return out, nil
}

// rowEncodings are those found so far, by the tables' DDL: all types of columns are PostgreSQL's own, the same in every database.
var rowEncodings sync.Map

// knownRowEncoding is RowEncodingOf that asks the database once for a table.
func knownRowEncoding(ctx context.Context, db querier, row reflect.Type, d Definition, schema string) (RowEncoding, error) {
	if known, ok := rowEncodings.Load(d.DDL); ok {
		return known.(RowEncoding), nil
	}
	found, err := RowEncodingOf(ctx, db, row, d, schema)
	if err == nil {
		rowEncodings.Store(d.DDL, found)
	}
	return found, err
}

var (
	typeOfTime = reflect.TypeFor[time.Time]()
	typeOfUUID = reflect.TypeFor[uuid.UUID]()
	marshaler  = reflect.TypeFor[json.Marshaler]()
	texter     = reflect.TypeFor[encoding.TextMarshaler]()
)

func encoderOf(t reflect.Type, oid uint32) encodeCell {
	switch {
	case oid == pgtype.JSONBOID:
		return encodeJSON([]byte{1})
	case oid == pgtype.JSONOID:
		return encodeJSON(nil)
	case t.Kind() == reflect.Pointer:
		element := encoderOf(t.Elem(), oid)
		return func(b []byte, v reflect.Value) ([]byte, error) {
			if v.IsNil() {
				return appendNull(b), nil
			}
			return element(b, v.Elem())
		}
	case t == typeOfTime && oid == pgtype.TimestamptzOID:
		return encodeTime
	case t == typeOfUUID && oid == pgtype.UUIDOID:
		return func(b []byte, v reflect.Value) ([]byte, error) {
			return append(binary.BigEndian.AppendUint32(b, 16), v.Bytes()...), nil
		}
	case t.Implements(marshaler) || t.Implements(texter):
		return encodeAs(oid)
	case t.Kind() == reflect.String && (oid == pgtype.TextOID || oid == pgtype.VarcharOID):
		return func(b []byte, v reflect.Value) ([]byte, error) {
			return append(binary.BigEndian.AppendUint32(b, uint32(v.Len())), v.String()...), nil
		}
	case t.Kind() == reflect.String && oid == pgtype.DateOID:
		return encodeDate
	case t.Kind() == reflect.Bool && oid == pgtype.BoolOID:
		return func(b []byte, v reflect.Value) ([]byte, error) {
			if v.Bool() {
				return append(b, 0, 0, 0, 1, 1), nil
			}
			return append(b, 0, 0, 0, 1, 0), nil
		}
	case t.Kind() >= reflect.Int && t.Kind() <= reflect.Int64 && oid == pgtype.Int8OID:
		return func(b []byte, v reflect.Value) ([]byte, error) { return appendInt8(b, v.Int()), nil }
	case t.Kind() >= reflect.Int && t.Kind() <= reflect.Int64 && oid == pgtype.Int4OID:
		return func(b []byte, v reflect.Value) ([]byte, error) {
			n := v.Int()
			if int64(int32(n)) != n {
				return b, fmt.Errorf("%d is out of range for type integer", n)
			}
			return binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(b, 4), uint32(n)), nil
		}
	}
	return encodeAs(oid)
}

func appendNull(b []byte) []byte { return binary.BigEndian.AppendUint32(b, math.MaxUint32) }

func appendInt8(b []byte, n int64) []byte {
	return binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint32(b, 8), uint64(n))
}

// sized puts the length before what add appends.
func sized(b []byte, add func([]byte) ([]byte, error)) ([]byte, error) {
	at := len(b)
	b, err := add(append(b, 0, 0, 0, 0))
	binary.BigEndian.PutUint32(b[at:], uint32(len(b)-at-4))
	return b, err
}

// encodeJSON writes a json or jsonb column; JSON's null is SQL's NULL. version goes before the text.
func encodeJSON(version []byte) encodeCell {
	return func(b []byte, v reflect.Value) ([]byte, error) {
		text, err := json.Marshal(v.Addr().Interface())
		if err != nil {
			return b, err
		}
		if string(text) == "null" {
			return appendNull(b), nil
		}
		b = binary.BigEndian.AppendUint32(b, uint32(len(version)+len(text)))
		return append(append(b, version...), text...), nil
	}
}

// epoch is where PostgreSQL counts from.
var epoch = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

// encodeTime rounds to microseconds as PostgreSQL does when it reads a time as text.
func encodeTime(b []byte, v reflect.Value) ([]byte, error) {
	t := v.Addr().Interface().(*time.Time)
	micros := math.RoundToEven(float64(t.Nanosecond()) / 1e9 * 1e6)
	return appendInt8(b, (t.Unix()-epoch.Unix())*1e6+int64(micros)), nil
}

func encodeDate(b []byte, v reflect.Value) ([]byte, error) {
	day, err := time.Parse(time.DateOnly, v.String())
	if err != nil {
		return b, err
	}
	days := (day.Unix() - epoch.Unix()) / (24 * 60 * 60)
	return binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(b, 4), uint32(int32(days))), nil
}

// typeMaps are pgx's: a map remembers how it encoded a type, so only one goroutine at a time may have it.
var typeMaps = sync.Pool{New: func() any { return pgtype.NewMap() }}

// encodeAs leaves rarer types to pgx.
func encodeAs(oid uint32) encodeCell {
	return func(b []byte, v reflect.Value) ([]byte, error) {
		types := typeMaps.Get().(*pgtype.Map)
		defer typeMaps.Put(types)
		null := false
		out, err := sized(b, func(b []byte) ([]byte, error) {
			out, err := types.Encode(oid, pgtype.BinaryFormatCode, v.Interface(), b)
			if null = out == nil; null || err != nil {
				return b, err
			}
			return out, nil
		})
		if null && err == nil {
			return appendNull(b), nil
		}
		return out, err
	}
}
