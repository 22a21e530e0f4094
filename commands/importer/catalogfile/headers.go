package catalogfile

import (
	"fmt"
	"io"
	"slices"
)

// Header is a column of a file and what it is taken for; empty: it is ignored.
type Header struct {
	Theirs string
	Ours   Field
}

// Headers are the columns of a CSV file, also of one that Open refuses because it recognises too few; none of XML.
func Headers(file io.Reader, opts Options) ([]Header, error) {
	m, err := columnMapping(opts.Columns)
	if err != nil {
		return nil, err
	}
	text, xml, err := begin(file)
	if err != nil || xml {
		return nil, err
	}
	c := &csvSource{window: newWindow(text)}
	if err := c.findHeader(m); err != nil {
		return nil, err
	}
	cells, _, err := c.record()
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNoHeader, err)
	}
	headers := make([]Header, len(cells))
	for i, field := range m.fields(cells) {
		headers[i] = Header{shorten(oneLine(cells[i])), field}
	}
	return headers, nil
}

// Fields are all our columns, by name.
func Fields() []Field {
	var all []Field
	for f := range aliases {
		all = append(all, f)
	}
	slices.Sort(all)
	return all
}
