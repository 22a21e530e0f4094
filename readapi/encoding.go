package readapi

import (
	"bytes"
	"compress/gzip"
	"io"
	"strings"

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
)

// Encode compresses a body as br or gzip.
func Encode(body []byte, encoding string) []byte {
	var b bytes.Buffer
	var w io.WriteCloser
	if encoding == "br" {
		w = brotli.NewWriterLevel(&b, brotliLevel)
	} else {
		w, _ = gzip.NewWriterLevel(&b, gzipLevel) // fails only for levels there are not
	}
	w.Write(body) // a buffer takes everything
	w.Close()
	return bytes.Clone(b.Bytes())
}
