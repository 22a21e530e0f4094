package readapi

import (
	"bytes"
	"compress/gzip"
	"io"
	"strings"
	"sync"

	"github.com/andybalholm/brotli"
)

// Encoding is the content encoding to answer an Accept-Encoding header with: br, gzip, or nothing.
func Encoding(accept string) string {
	best := ""
	for part := range strings.SplitSeq(accept, ",") {
		name, quality, _ := strings.Cut(strings.TrimSpace(part), ";")
		if q := strings.ReplaceAll(quality, " ", ""); q == "q=0" || q == "q=0.0" {
			continue
		}
		switch strings.TrimSpace(name) {
		case "br":
			return "br"
		case "gzip":
			best = "gzip"
		}
	}
	return best
}

const (
	// encodeFrom is the size from which encoding pays: below, an answer fits one packet anyway.
	encodeFrom = 1024
	// The levels may cost a millisecond or so: an answer is encoded once and sent many times.
	brotliLevel = 5
	gzipLevel   = 6
	// brotliWindow is the binary logarithm of how far brotli looks back. Answers and pages are rarely longer than 256 KiB, and the
	// library allocates the whole window for each: 4 MiB by default.
	brotliWindow = 18
)

var (
	brotliWriters = sync.Pool{New: func() any {
		return brotli.NewWriterOptions(nil, brotli.WriterOptions{Quality: brotliLevel, LGWin: brotliWindow})
	}}
	gzipWriters = sync.Pool{New: func() any {
		w, _ := gzip.NewWriterLevel(nil, gzipLevel) // fails only for levels there are not
		return w
	}}
)

// Encode compresses a body as br or gzip.
func Encode(body []byte, encoding string) []byte {
	writers := &gzipWriters
	if encoding == "br" {
		writers = &brotliWriters
	}
	w := writers.Get().(interface {
		io.WriteCloser
		Reset(io.Writer)
	})
	var b bytes.Buffer
	w.Reset(&b)
	w.Write(body) // a buffer takes everything
	w.Close()
	writers.Put(w)
	return bytes.Clone(b.Bytes())
}
