package eventstore

import (
	"time"

	"shop/eventstore/call"
)

type keyColumns struct {
	scopes, keys        []string
	requests, responses [][]byte
}

func (c *keyColumns) add(k *Key) {
	c.scopes, c.keys = append(c.scopes, k.Scope), append(c.keys, k.Key)
	// The columns are NOT NULL; nothing to compare or to answer is empty.
	c.requests, c.responses = append(c.requests, orEmpty(k.Request)), append(c.responses, orEmpty(k.Response))
}

func (c keyColumns) addTo(p *call.Parameters) {
	p.Texts(c.scopes).Texts(c.keys).Bytes(c.requests).Bytes(c.responses)
}

func orEmpty(b []byte) []byte {
	if b == nil {
		return []byte{}
	}
	return b
}

// askedOf are the keys that members of a group want, each once.
func askedOf(group []*pending) (c keyColumns) {
	asked := map[[2]string]bool{}
	for _, p := range group {
		for _, k := range p.keys {
			if !asked[[2]string{k.Scope, k.Key}] {
				asked[[2]string{k.Scope, k.Key}] = true
				c.add(k)
			}
		}
	}
	return c
}

func keysOf(members []accepted) (c keyColumns) {
	for _, a := range members {
		for _, k := range a.keys {
			c.add(k)
		}
	}
	return c
}

// rowColumns are events as arrays for unnest.
type rowColumns struct {
	of       []int32 // place of the stream, from 1
	streams  []string
	slices   []int16
	nth      []int64 // counts the events of one stream from 1
	versions []int64 // the stream's base plus nth; void while the base is unknown
	ids      [][16]byte
	types    []string
	schemas  []int16
	data     [][]byte
	metadata [][]byte
	at       []time.Time
}

// rowsOf lays the accepted events out in order, with versions above the streams' bases.
func rowsOf(j judgement) rowColumns {
	n := 0
	for _, a := range j.accepted {
		n += a.events
	}
	c := rowColumns{
		of: make([]int32, 0, n), streams: make([]string, 0, n), slices: make([]int16, 0, n), nth: make([]int64, 0, n), versions: make([]int64, 0, n),
		ids: make([][16]byte, 0, n), types: make([]string, 0, n), schemas: make([]int16, 0, n),
		data: make([][]byte, 0, n), metadata: make([][]byte, 0, n), at: make([]time.Time, 0, n),
	}
	for _, a := range j.accepted {
		at := -1 // the addition of the write at hand
		var nth Version
		for w := range a.writes {
			pw := &a.writes[w]
			if at < 0 || a.additions[at].stream != pw.stream {
				at++
				nth = a.additions[at].before
			}
			for r := range pw.rows {
				row := &pw.rows[r]
				nth++
				c.of = append(c.of, int32(a.additions[at].place+1))
				c.streams, c.slices = append(c.streams, pw.stream), append(c.slices, pw.slice)
				c.nth, c.versions = append(c.nth, int64(nth)), append(c.versions, int64(a.additions[at].base+nth))
				c.ids = append(c.ids, row.id)
				c.types, c.schemas = append(c.types, row.typ), append(c.schemas, row.schema)
				c.data, c.metadata, c.at = append(c.data, row.data), append(c.metadata, row.metadata), append(c.at, row.at)
			}
		}
	}
	return c
}

// addTo adds what the functions that append ask of events. Their streams are told apart.
func (c rowColumns) addTo(p *call.Parameters) {
	p.Int4s(c.of).Int8s(c.nth).UUIDs(c.ids).Texts(c.types).Int2s(c.schemas).JSONs(c.data).JSONs(c.metadata).Times(c.at)
}

func (c rowColumns) cut(from, to int) rowColumns {
	return rowColumns{
		of: c.of[from:to], streams: c.streams[from:to], slices: c.slices[from:to], nth: c.nth[from:to], versions: c.versions[from:to],
		ids: c.ids[from:to], types: c.types[from:to], schemas: c.schemas[from:to],
		data: c.data[from:to], metadata: c.metadata[from:to], at: c.at[from:to],
	}
}
