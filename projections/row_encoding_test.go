package projections

import (
	"bytes"
	"reflect"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5/pgtype"
)

// A process keeps the encoding of a table once, and all its ranges fold at the same time.
func TestAnEncodingIsUsedByManyAtOnce(t *testing.T) {
	t.Parallel()
	type row struct {
		Tags   []string
		Pieces []int64
		Part   float64
	}
	encoding := RowEncoding{
		encoderOf(reflect.TypeFor[[]string](), pgtype.TextArrayOID),
		encoderOf(reflect.TypeFor[[]int64](), pgtype.Int8ArrayOID),
		encoderOf(reflect.TypeFor[float64](), pgtype.Float8OID),
	}
	r := row{Tags: []string{"gift", "fragile"}, Pieces: []int64{1, 2, 3}, Part: 0.5}
	// Nobody was here before them: what is remembered of types is written and read at the same time.
	begin, rows := make(chan struct{}), make([][]byte, 16)
	var all sync.WaitGroup
	for i := range rows {
		all.Go(func() {
			r := r
			<-begin
			var err error
			if rows[i], err = encoding.Append(nil, reflect.ValueOf(&r).Elem()); err != nil {
				t.Error(err)
			}
		})
	}
	close(begin)
	all.Wait()
	for _, got := range rows {
		if !bytes.Equal(got, rows[0]) {
			t.Errorf("one row was encoded as %x and as %x", rows[0], got)
		}
	}
}
