package catalogfile

import (
	"errors"
	"io"
)

// Records are the cells of a CSV file's rows, as they stand there, by the lines where these begin: of the lines that are wanted and can be
// read. A catalog in XML has none.
func Records(file io.Reader, opts Options, wanted map[int]bool) (map[int][]string, error) {
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
	found := map[int][]string{}
	for len(found) < len(wanted) {
		cells, line, err := c.record()
		var unreadable *RowError
		switch {
		case errors.Is(err, io.EOF):
			return found, nil
		case errors.As(err, &unreadable):
		case err != nil:
			return nil, err
		case wanted[line]:
			found[line] = cells
		}
	}
	return found, nil
}
