package dataset

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"shop/domain"
	"shop/eventstore"
)

const (
	partPrefix = "part-"
	unfinished = ".unfinished-"
)

// parts are the files that a run writes, one for each month it meets.
type parts struct {
	// encoder begins a file of the rows of this data set.
	encoder func(w io.Writer, format string) encoder

	// whole, when given, takes the rows of all months; there are no folders then.
	whole    *openPart
	dir      string
	o        Options
	from, to eventstore.Position
	open     map[string]*openPart
	rows     int64
	// held is how many rows are in memory; the month looked up last is remembered.
	held, most    int
	monthBegins   moment
	monthEnds     moment
	monthAsNamed  string
	monthIsWanted bool
}

type openPart struct {
	encoder
	file     *os.File
	buffered *bufio.Writer
	rows     int64
	held     int
}

// encoder writes the rows of one file.
type encoder interface {
	// flush writes the rows that are in memory, close the end of the file as well.
	flush() error
	close() error
}

// maxHeld is how many rows of all months together wait in memory to be written.
const maxHeld = 1 << 16

// maxStreamed is maxHeld of a file that is streamed: several may be at once.
const maxStreamed = 1 << 14

func (p *parts) begin(dir string, o Options, from, to eventstore.Position) {
	p.dir, p.o, p.from, p.to, p.open, p.most = dir, o, from, to, map[string]*openPart{}, maxHeld
}

// stream begins one file of all rows.
func (p *parts) stream(w io.Writer, o Options) {
	p.o, p.most = o, maxStreamed
	p.whole = &openPart{buffered: bufio.NewWriterSize(w, 64<<10)}
	p.whole.encoder = p.encoder(p.whole.buffered, o.Format)
	p.open = map[string]*openPart{"": p.whole}
}

// end writes the end of the file that was begun by stream.
func (p *parts) end() error { return errors.Join(p.whole.close(), p.whole.buffered.Flush()) }

// month is the file for a row of a time; nil when its month is not wanted.
func (p *parts) month(of moment) (*openPart, error) {
	if of < p.monthBegins || of >= p.monthEnds {
		t := time.UnixMicro(of).In(domain.Almaty)
		begins := time.Date(t.Year(), t.Month(), 1, 0, 0, 0, 0, domain.Almaty)
		p.monthBegins, p.monthEnds, p.monthAsNamed = begins.UnixMicro(), begins.AddDate(0, 1, 0).UnixMicro(), t.Format(monthFormat)
		p.monthIsWanted = p.o.Month == "" || p.o.Month == p.monthAsNamed
	}
	if !p.monthIsWanted {
		return nil, nil
	}
	if p.whole != nil {
		return p.whole, nil
	}
	if open, ok := p.open[p.monthAsNamed]; ok {
		return open, nil
	}
	dir := filepath.Join(p.dir, "month="+p.monthAsNamed)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	file, err := os.OpenFile(filepath.Join(dir, unfinished+p.name()), os.O_CREATE|os.O_TRUNC|os.O_WRONLY, p.mode())
	if err != nil {
		return nil, err
	}
	buffered := bufio.NewWriterSize(file, 256<<10)
	open := &openPart{file: file, buffered: buffered, encoder: p.encoder(buffered, p.o.Format)}
	p.open[p.monthAsNamed] = open
	return open, nil
}

// mode keeps what names people to its owner.
func (p *parts) mode() os.FileMode {
	if p.o.Unmasked {
		return 0o600
	}
	return 0o644
}

func (p *parts) name() string { return fmt.Sprintf("%s%d-%d.%s", partPrefix, p.from, p.to, p.o.Format) }

// count says that a row went into a file. When too many wait in memory, all of them are written.
func (p *parts) count(open *openPart) error {
	p.rows++
	open.rows++
	open.held++
	if p.held++; p.held < p.most {
		return nil
	}
	for _, open := range p.open {
		if open.held == 0 {
			continue
		}
		if err := open.flush(); err != nil {
			return err
		}
		open.held = 0
	}
	p.held = 0
	return nil
}

// finish puts all files into their places, whole.
func (p *parts) finish() ([]part, error) {
	months := slices.Sorted(maps.Keys(p.open))
	for _, month := range months {
		open := p.open[month]
		if err := errors.Join(open.close(), open.buffered.Flush(), open.file.Sync()); err != nil {
			return nil, err
		}
	}
	added := make([]part, 0, len(months))
	for _, month := range months {
		open := p.open[month]
		about, err := open.file.Stat()
		if err := errors.Join(err, open.file.Close()); err != nil {
			return nil, err
		}
		if err := os.Rename(open.file.Name(), filepath.Join(p.dir, "month="+month, p.name())); err != nil {
			return nil, err
		}
		added = append(added, part{File: "month=" + month + "/" + p.name(), From: p.from, To: p.to, Rows: open.rows, Bytes: about.Size()})
	}
	return added, nil
}

// abandon removes the files of a run that failed.
func (p *parts) abandon() {
	for _, open := range p.open {
		open.file.Close()
		os.Remove(open.file.Name())
	}
}

// rowsOf are the parts of a data set with rows of one type.
type rowsOf[R any] struct{ files parts }

func newRowsOf[R any]() rowsOf[R] {
	return rowsOf[R]{files: parts{encoder: func(w io.Writer, format string) encoder {
		if format == CSV {
			return newCSV[R](w)
		}
		return newParquet[R](w)
	}}}
}

func (r *rowsOf[R]) parts() *parts { return &r.files }

// add puts a row into the file of its month.
func (r *rowsOf[R]) add(of moment, row R) error {
	open, err := r.files.month(of)
	if err != nil || open == nil {
		return err
	}
	if err := open.encoder.(interface{ row(R) error }).row(row); err != nil {
		return err
	}
	return r.files.count(open)
}
