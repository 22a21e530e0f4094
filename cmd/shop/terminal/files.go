package terminal

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// WriteFile makes a file that is there with all its content or not at all, readable by its owner only. A name that
// ends in .gz compresses it.
func WriteFile(name string, write func(io.Writer) error) (err error) {
	f, err := os.CreateTemp(filepath.Dir(name), "."+filepath.Base(name)+".*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			f.Close()
			os.Remove(f.Name())
		}
	}()
	buffered := bufio.NewWriterSize(f, 256<<10)
	if strings.HasSuffix(name, ".gz") {
		packed, err := gzip.NewWriterLevel(buffered, gzip.BestSpeed)
		if err != nil {
			return err
		}
		if err := write(packed); err != nil {
			return err
		}
		if err := packed.Close(); err != nil {
			return err
		}
	} else if err := write(buffered); err != nil {
		return err
	}
	if err := buffered.Flush(); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	return os.Rename(f.Name(), name)
}

// OpenPlain opens a file, or standard input for -, and unpacks it when it is compressed.
func OpenPlain(name string) (io.Reader, func() error, error) {
	f := os.Stdin
	if name != "-" {
		var err error
		if f, err = os.Open(name); err != nil {
			return nil, nil, err
		}
	}
	buffered := bufio.NewReaderSize(f, 256<<10)
	if magic, _ := buffered.Peek(2); !bytes.Equal(magic, []byte{0x1f, 0x8b}) {
		return buffered, f.Close, nil
	}
	unpacked, err := gzip.NewReader(buffered)
	if err != nil {
		return nil, nil, errors.Join(fmt.Errorf("%s: %w", name, err), f.Close())
	}
	return unpacked, f.Close, nil
}

// maxTextFile is more than any text that the shop takes.
const maxTextFile = 4 << 20

// ReadText reads a file that staff wrote; - is standard input.
func ReadText(name string) ([]byte, error) {
	file := io.ReadCloser(os.Stdin)
	if name != "-" {
		opened, err := os.Open(name)
		if err != nil {
			return nil, err
		}
		file = opened
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, maxTextFile+1))
	if err == nil && len(text) > maxTextFile {
		err = fmt.Errorf("%s: more than %d MiB", name, maxTextFile>>20)
	}
	return text, err
}
