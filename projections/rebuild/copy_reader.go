package rebuild

import (
	"context"
	"fmt"
	"io"
	"reflect"
	"time"

	"shop/projections"
)

// copyReader is the input of a COPY: the rows that exist.
type copyReader struct {
	rows   []*bulkRow
	encode projections.RowEncoding
	out    []byte
	// read is how much of out was read; ended says that out holds the end of the data.
	read  int
	ended bool
	// failed gets the error that ends the input. It is a channel because a connection that breaks does not wait for Read.
	failed chan error

	ctx      context.Context // of the COPY, for Read
	throttle *throttle
	since    time.Time
}

func (c *copyReader) Read(p []byte) (int, error) {
	if err := c.throttle.rest(c.ctx, time.Since(c.since)); err != nil {
		return c.fail(err)
	}
	c.since = time.Now()
	if c.throttle.on.Load() {
		p = p[:min(len(p), throttledCopy)]
	}
	for !c.ended && len(c.out)-c.read < len(p) {
		if c.read > 0 {
			c.out = append(c.out[:0], c.out[c.read:]...)
			c.read = 0
		}
		if err := c.add(); err != nil {
			return c.fail(err)
		}
	}
	if c.read == len(c.out) {
		return 0, io.EOF
	}
	n := copy(p, c.out[c.read:])
	c.read += n
	return n, nil
}

func (c *copyReader) fail(err error) (int, error) {
	select {
	case c.failed <- err:
	default: // the first reason counts
	}
	return 0, err
}

// add encodes the next row, or the end.
func (c *copyReader) add() error {
	for len(c.rows) > 0 {
		row := c.rows[0]
		c.rows = c.rows[1:]
		if !row.exists {
			continue
		}
		var err error
		if c.out, err = c.encode.Append(c.out, reflect.ValueOf(row.value).Elem()); err != nil {
			return fmt.Errorf("row %s: %w", row.key, err)
		}
		return nil
	}
	c.out, c.ended = append(c.out, projections.CopyTrailer...), true
	return nil
}
