package call

import (
	"encoding/binary"
	"slices"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgtype"
)

// Parameters are those of one call, in the order in which they are added, encoded as PostgreSQL's binary protocol has them. Make them with New, and Free them
// after the call. Of all arrays, nil is NULL, as with pgx.
type Parameters struct {
	types  []uint32
	ends   []int // of the parameters within bytes; null for NULL
	bytes  []byte
	values [][]byte
}

const null = -1

var pool = sync.Pool{New: func() any { return new(Parameters) }}

// New are no parameters yet, in memory that others used before.
func New() *Parameters { return pool.Get().(*Parameters) }

// Free gives the memory to other calls.
func (p *Parameters) Free() {
	clear(p.values)
	p.types, p.ends, p.bytes, p.values = p.types[:0], p.ends[:0], p.bytes[:0], p.values[:0]
	pool.Put(p)
}

// end ends a parameter.
func (p *Parameters) end(oid uint32) *Parameters {
	p.types, p.ends = append(p.types, oid), append(p.ends, len(p.bytes))
	return p
}

// encoded are the parameters as the protocol takes them, until Free.
func (p *Parameters) encoded() [][]byte {
	from := 0
	for _, end := range p.ends {
		if end == null {
			p.values = append(p.values, nil)
			continue
		}
		p.values = append(p.values, p.bytes[from:end:end])
		from = end
	}
	return p.values
}

// Text adds a text.
func (p *Parameters) Text(s string) *Parameters {
	p.bytes = append(p.bytes, s...)
	return p.end(pgtype.TextOID)
}

// JSON adds a value as json.
func (p *Parameters) JSON(value []byte) *Parameters {
	p.bytes = append(p.bytes, value...)
	return p.end(pgtype.JSONOID)
}

// Int2 adds a smallint.
func (p *Parameters) Int2(n int16) *Parameters {
	p.bytes = putInt2(p.bytes, n)
	return p.end(pgtype.Int2OID)
}

// Int4 adds an integer.
func (p *Parameters) Int4(n int32) *Parameters {
	p.bytes = putInt4(p.bytes, n)
	return p.end(pgtype.Int4OID)
}

// Int8 adds a bigint.
func (p *Parameters) Int8(n int64) *Parameters {
	p.bytes = putInt8(p.bytes, n)
	return p.end(pgtype.Int8OID)
}

// UUID adds an identifier.
func (p *Parameters) UUID(id [16]byte) *Parameters {
	p.bytes = append(p.bytes, id[:]...)
	return p.end(pgtype.UUIDOID)
}

// Time adds a timestamptz; what is less than a microsecond is left out.
func (p *Parameters) Time(at time.Time) *Parameters {
	p.bytes = putTime(p.bytes, at)
	return p.end(pgtype.TimestamptzOID)
}

// Texts adds a text[].
func (p *Parameters) Texts(of []string) *Parameters {
	return variable(p, pgtype.TextArrayOID, pgtype.TextOID, of)
}

// JSONs adds a json[].
func (p *Parameters) JSONs(of [][]byte) *Parameters {
	return variable(p, pgtype.JSONArrayOID, pgtype.JSONOID, of)
}

// Bytes adds a bytea[].
func (p *Parameters) Bytes(of [][]byte) *Parameters {
	return variable(p, pgtype.ByteaArrayOID, pgtype.ByteaOID, of)
}

// Bools adds a boolean[].
func (p *Parameters) Bools(of []bool) *Parameters {
	return fixed(p, pgtype.BoolArrayOID, pgtype.BoolOID, 1, of, putBool)
}

// Int2s adds a smallint[].
func (p *Parameters) Int2s(of []int16) *Parameters {
	return fixed(p, pgtype.Int2ArrayOID, pgtype.Int2OID, 2, of, putInt2)
}

// Int4s adds an integer[].
func (p *Parameters) Int4s(of []int32) *Parameters {
	return fixed(p, pgtype.Int4ArrayOID, pgtype.Int4OID, 4, of, putInt4)
}

// Int8s adds a bigint[].
func (p *Parameters) Int8s(of []int64) *Parameters {
	return fixed(p, pgtype.Int8ArrayOID, pgtype.Int8OID, 8, of, putInt8)
}

// UUIDs adds a uuid[].
func (p *Parameters) UUIDs(of [][16]byte) *Parameters {
	return fixed(p, pgtype.UUIDArrayOID, pgtype.UUIDOID, 16, of, func(to []byte, id [16]byte) []byte { return append(to, id[:]...) })
}

// Times adds a timestamptz[].
func (p *Parameters) Times(of []time.Time) *Parameters {
	return fixed(p, pgtype.TimestamptzArrayOID, pgtype.TimestamptzOID, 8, of, putTime)
}

func fixed[T any](p *Parameters, array, element uint32, size int, of []T, put func([]byte, T) []byte) *Parameters {
	if !p.begin(array, element, of != nil, len(of), size*len(of)) {
		return p
	}
	for _, e := range of {
		p.bytes = put(putInt4(p.bytes, int32(size)), e)
	}
	return p.end(array)
}

func variable[T string | []byte](p *Parameters, array, element uint32, of []T) *Parameters {
	bytes := 0
	for _, e := range of {
		bytes += len(e)
	}
	if !p.begin(array, element, of != nil, len(of), bytes) {
		return p
	}
	for _, e := range of {
		p.bytes = append(putInt4(p.bytes, int32(len(e))), e...)
	}
	return p.end(array)
}

// begin begins an array in as much memory as it takes, or adds NULL and returns false. The format is that of array_send in
// PostgreSQL's src/backend/utils/adt/arrayfuncs.c: the number of dimensions, whether there is a NULL, the type of the elements,
// the length and the lower bound of the dimension, and then each element after its length.
func (p *Parameters) begin(array, element uint32, is bool, length, bytes int) bool {
	if !is {
		p.types, p.ends = append(p.types, array), append(p.ends, null)
		return false
	}
	const header, each = 20, 4
	p.bytes = slices.Grow(p.bytes, header+each*length+bytes)
	for _, n := range [...]int32{1, 0, int32(element), int32(length), 1} {
		p.bytes = putInt4(p.bytes, n)
	}
	return true
}

func putBool(to []byte, is bool) []byte {
	if is {
		return append(to, 1)
	}
	return append(to, 0)
}

func putInt2(to []byte, n int16) []byte { return binary.BigEndian.AppendUint16(to, uint16(n)) }
func putInt4(to []byte, n int32) []byte { return binary.BigEndian.AppendUint32(to, uint32(n)) }
func putInt8(to []byte, n int64) []byte { return binary.BigEndian.AppendUint64(to, uint64(n)) }

// epoch is where PostgreSQL counts microseconds from, 2000-01-01 UTC, in microseconds since 1970.
const epoch = 946_684_800_000_000

func putTime(to []byte, at time.Time) []byte { return putInt8(to, at.UnixMicro()-epoch) }
