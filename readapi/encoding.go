package readapi

import (
	"bytes"
	"compress/gzip"
	"io"
	"runtime"
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
	brotliLevel = 6
	gzipLevel   = 6
	// brotliWindow is the binary logarithm of how far brotli looks back: over most of a page, whose end holds as data what its beginning shows.
	// It makes 41.1 KB of the home page's 284 KB, which a connection sends in two round trips. A window of 16 makes 45.6 KB, which need
	// a third, but a writer takes 2 MiB in place of 4.
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
	// encoding bounds the writers at work, each of which has up to 4 MiB, to the processors they could use.
	encoding = make(chan struct{}, runtime.GOMAXPROCS(0))
)

// Unzip is what was encoded as gzip; nil for what is not gzip.
func Unzip(encoded []byte) []byte {
	packed, err := gzip.NewReader(bytes.NewReader(encoded))
	if err != nil {
		return nil
	}
	body, err := io.ReadAll(packed)
	if err != nil {
		return nil
	}
	return body
}

// Encode compresses a body as br or gzip, when a processor is free for it.
func Encode(body []byte, as string) []byte {
	writers := &gzipWriters
	if as == "br" {
		writers = &brotliWriters
	}
	encoding <- struct{}{}
	defer func() { <-encoding }()
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
