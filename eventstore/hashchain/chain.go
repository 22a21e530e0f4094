package hashchain

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
)

// BadLine: a file is not what a Writer wrote.
type BadLine struct {
	// File is what the lines are of: events or keys. Line counts from 1.
	File   string
	Line   int64
	Reason string
}

func (e *BadLine) Error() string { return fmt.Sprintf("%s, line %d: %s", e.File, e.Line, e.Reason) }

// Writer adds to each line the hash of it and of the line before, and the line end.
type Writer struct {
	w    io.Writer
	hash hash.Hash
	last [sha256.Size]byte
}

// NewWriter begins a chain.
func NewWriter(w io.Writer) *Writer { return &Writer{w: w, hash: sha256.New()} }

// Sum is the hash of the last line, and so of all.
func (l *Writer) Sum() string { return hex.EncodeToString(l.last[:]) }

// Value writes a line that need not be fast.
func (l *Writer) Value(v any) error {
	line, err := json.Marshal(v)
	if err != nil {
		return err
	}
	_, err = l.Write(line[:len(line)-1])
	return err
}

// Write finishes an object that still lacks its brace; it gives the buffer back, grown.
func (l *Writer) Write(open []byte) ([]byte, error) {
	l.hash.Reset()
	l.hash.Write(l.last[:])
	l.hash.Write(open)
	l.hash.Sum(l.last[:0])
	open = append(open, hashMember...)
	open = hex.AppendEncode(open, l.last[:])
	open = append(open, "\"}\n"...)
	_, err := l.w.Write(open)
	return open, err
}

const hashMember = `,"hash":"`

// maxLine bounds the memory one line can take.
const maxLine = 64 << 20

// Reader reads lines and checks their hashes.
type Reader struct {
	file string
	r    *bufio.Reader
	hash hash.Hash
	last [sha256.Size]byte
	long []byte
	// n is the number of the line read last.
	n int64
}

// NewReader begins to read a chain; file is what errors call it.
func NewReader(file string, r io.Reader) *Reader {
	return &Reader{file: file, r: bufio.NewReaderSize(r, 256<<10), hash: sha256.New()}
}

// Line is the number of the line read last, Sum its hash, and so that of all.
func (l *Reader) Line() int64 { return l.n }
func (l *Reader) Sum() string { return hex.EncodeToString(l.last[:]) }

// Bad says what is wrong with the line read last.
func (l *Reader) Bad(reason string) error { return &BadLine{l.file, l.n, reason} }

// Next is the next line, its hash checked and cut away. It is valid until the next call.
func (l *Reader) Next() ([]byte, error) {
	l.n++
	line, err := l.r.ReadSlice('\n')
	if errors.Is(err, bufio.ErrBufferFull) {
		l.long = l.long[:0]
		for errors.Is(err, bufio.ErrBufferFull) && len(l.long) <= maxLine {
			l.long = append(l.long, line...)
			line, err = l.r.ReadSlice('\n')
		}
		l.long = append(l.long, line...)
		line = l.long
	}
	switch {
	case errors.Is(err, bufio.ErrBufferFull):
		return nil, l.Bad("is too long")
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return nil, l.Bad("the file ends before its trailer")
	case err != nil:
		return nil, l.Bad(err.Error())
	}
	const size = len(hashMember) + 2*sha256.Size + len("\"}\n")
	cut := len(line) - size
	if cut < 1 || string(line[cut:cut+len(hashMember)]) != hashMember || string(line[len(line)-3:]) != "\"}\n" {
		return nil, l.Bad("has no hash")
	}
	var told [sha256.Size]byte
	if _, err := hex.Decode(told[:], line[cut+len(hashMember):len(line)-3]); err != nil {
		return nil, l.Bad("has no hash")
	}
	l.hash.Reset()
	l.hash.Write(l.last[:])
	l.hash.Write(line[:cut])
	l.hash.Sum(l.last[:0])
	if l.last != told {
		return nil, l.Bad("does not match its hash: it was changed, or a line before it is missing")
	}
	line[cut] = '}'
	return line[:cut+1], nil
}

// End wants the file to end here.
func (l *Reader) End() error {
	if _, err := l.r.ReadByte(); !errors.Is(err, io.EOF) {
		l.n++
		if err != nil {
			return l.Bad(err.Error())
		}
		return l.Bad("comes after the trailer")
	}
	return nil
}
