package call

import (
	"bytes"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgtype"
)

// everything adds a parameter of each kind; the second result is what pgx is given for the same.
func everything(p *Parameters) []any {
	id := [16]byte{1, 2, 15: 16}
	at := time.Date(2026, 11, 30, 15, 4, 5, 123_456_789, time.FixedZone("", 5*3600))
	before := time.Date(1999, 12, 31, 23, 59, 59, 999_999_000, time.UTC)
	texts := []string{"сүт", "", "a\x01b"}
	values := [][]byte{[]byte(`{"a": 1}`), []byte(`"é"`), []byte("null")}
	p.Text("сүт").Text("").JSON(values[0]).Int2(-2).Int4(1 << 30).Int8(-1 << 63).UUID(id).Time(before)
	p.Texts(nil).Texts([]string{}).Texts(texts).JSONs(values).Bytes([][]byte{{}, {0, 255}}).Bools([]bool{true, false})
	p.Int2s([]int16{-1, 0, 32767}).Int4s([]int32{-1, 1 << 30}).Int8s([]int64{-1 << 63, 5}).UUIDs([][16]byte{id, {}}).Times([]time.Time{at, before})
	return []any{
		"сүт", "", values[0], int16(-2), int32(1 << 30), int64(-1 << 63), id, before,
		[]string(nil), []string{}, texts, values, [][]byte{{}, {0, 255}}, []bool{true, false},
		[]int16{-1, 0, 32767}, []int32{-1, 1 << 30}, []int64{-1 << 63, 5}, [][16]byte{id, {}}, []time.Time{at, before},
	}
}

func TestParametersAreEncodedAsPgxDoes(t *testing.T) {
	for range 2 { // the second time in memory that was used before
		p := New()
		given := everything(p)
		got := p.encoded()
		if len(got) != len(given) {
			t.Fatalf("%d parameters of %d", len(got), len(given))
		}
		for i, arg := range given {
			want, err := pgtype.NewMap().Encode(p.types[i], pgtype.BinaryFormatCode, arg, nil)
			if err != nil {
				t.Fatal(i, err)
			}
			if !bytes.Equal(got[i], want) || (got[i] == nil) != (want == nil) && len(want) > 0 {
				t.Errorf("%d, %v: % x, want % x", i, arg, got[i], want)
			}
		}
		if got[8] != nil || got[9] == nil {
			t.Errorf("nil is % x and an empty array % x", got[8], got[9])
		}
		p.Free()
	}
}

func TestParametersTakeTheirMemoryOnce(t *testing.T) {
	many := make([][]byte, 1000)
	for i := range many {
		many[i] = bytes.Repeat([]byte("1"), 1000)
	}
	p := new(Parameters)
	if p.JSONs(many); cap(p.bytes) > len(p.bytes)+len(p.bytes)/8 {
		t.Errorf("%d bytes took %d", len(p.bytes), cap(p.bytes))
	}
}
