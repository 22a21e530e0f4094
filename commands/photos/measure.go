package photos

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"io"
)

// What the first bytes of a picture are. Others reach no decoder, whatever decoders the program has.
var (
	jpegMagic = []byte{0xff, 0xd8, 0xff}
	pngMagic  = []byte("\x89PNG\r\n\x1a\n")
)

// headerBytes is how much of a picture is read to measure it: metadata stands before the size.
const headerBytes = 2 << 20

// measured is what a picture's header says of it.
type measured struct {
	width, height int
	// memory is about how many bytes it takes to decode the picture.
	memory int64
}

// measure reads a picture's header. What is neither PNG nor JPEG is ErrKind, what has too many pixels or takes too much memory
// to decode is ErrPixels.
func measure(r io.Reader) (measured, error) {
	header, err := io.ReadAll(io.LimitReader(r, headerBytes))
	if err != nil {
		return measured{}, ErrKind
	}
	var (
		c        image.Config
		perPixel float64
		most     = MaxPixels
	)
	switch {
	case bytes.HasPrefix(header, jpegMagic):
		var progressive bool
		if c, perPixel, progressive, err = measureJPEG(header); progressive {
			most = maxProgressive
		}
	case bytes.HasPrefix(header, pngMagic):
		c, perPixel, err = measurePNG(header)
	default:
		return measured{}, ErrKind
	}
	if err != nil || c.Width < 1 || c.Height < 1 {
		return measured{}, ErrKind
	}
	if c.Width > most/c.Height {
		return measured{}, ErrPixels
	}
	m := measured{c.Width, c.Height, int64(perPixel * float64(c.Width) * float64(c.Height))}
	if m.memory > maxMemory {
		return measured{}, ErrPixels
	}
	return m, nil
}

// measurePNG says how many bytes a pixel of a PNG takes. An interlaced one is made of seven pictures, which are as large
// together.
func measurePNG(header []byte) (c image.Config, perPixel float64, err error) {
	if c, err = png.DecodeConfig(bytes.NewReader(header)); err != nil {
		return c, 0, err
	}
	switch c.ColorModel {
	case color.GrayModel:
		perPixel = 1
	case color.Gray16Model:
		perPixel = 2
	case color.RGBA64Model, color.NRGBA64Model:
		perPixel = 8
	default: // a palette may become NRGBA
		perPixel = 4
	}
	const interlace = 28 // the last byte of IHDR, by the PNG specification, 11.2.1
	if header[interlace] != 0 {
		perPixel *= 2
	}
	return c, perPixel, nil
}

// measureJPEG says how many bytes a pixel of a JPEG takes: one for each sample of each component, five in a progressive one,
// whose coefficients image/jpeg keeps as well, and four more where it makes another picture of those.
func measureJPEG(header []byte) (c image.Config, perPixel float64, progressive bool, err error) {
	if c, err = jpeg.DecodeConfig(bytes.NewReader(header)); err != nil {
		return c, 0, false, err
	}
	f, ok := frameOf(header)
	if !ok || f.width != c.Width || f.height != c.Height {
		return c, 0, false, ErrKind
	}
	perPixel = f.samples
	if f.progressive {
		perPixel *= 5
	}
	if c.ColorModel == color.CMYKModel || c.ColorModel == color.RGBAModel {
		perPixel += 4
	}
	return c, perPixel, f.progressive, nil
}

// frame is what a JPEG's frame header says, by ITU T.81, B.2.2.
type frame struct {
	width, height int
	progressive   bool
	// samples is how many samples a pixel has in all components.
	samples float64
}

const (
	markerSOF0, markerSOF2 = 0xc0, 0xc2
	markerRST0, markerRST7 = 0xd0, 0xd7
	markerEOI, markerSOS   = 0xd9, 0xda
)

// frameOf finds the first frame header as image/jpeg does, which passes over bytes between segments.
func frameOf(content []byte) (f frame, ok bool) {
	r := bufio.NewReader(bytes.NewReader(content[2:]))
	last, err := r.ReadByte()
	for err == nil {
		var marker byte
		if marker, err = r.ReadByte(); err != nil {
			break
		}
		if last != 0xff || marker == 0 {
			last = marker
			continue
		}
		for marker == 0xff && err == nil {
			marker, err = r.ReadByte()
		}
		if err != nil || marker == markerEOI || marker == markerSOS {
			break
		}
		if marker < markerRST0 || marker > markerRST7 {
			var size [2]byte
			if _, err = io.ReadFull(r, size[:]); err != nil || binary.BigEndian.Uint16(size[:]) < 2 {
				break
			}
			body := make([]byte, binary.BigEndian.Uint16(size[:])-2)
			if _, err = io.ReadFull(r, body); err != nil {
				break
			}
			if marker >= markerSOF0 && marker <= markerSOF2 {
				return readFrame(marker, body)
			}
		}
		last, err = r.ReadByte()
	}
	return frame{}, false
}

func readFrame(marker byte, body []byte) (f frame, ok bool) {
	const fixed, each = 6, 3
	if len(body) < fixed || len(body) != fixed+each*int(body[5]) {
		return f, false
	}
	f = frame{height: int(binary.BigEndian.Uint16(body[1:])), width: int(binary.BigEndian.Uint16(body[3:])), progressive: marker == markerSOF2}
	samples, h, v := 0, 1, 1
	for c := body[fixed:]; len(c) > 0; c = c[each:] {
		across, down := int(c[1]>>4), int(c[1]&15)
		samples, h, v = samples+across*down, max(h, across), max(v, down)
	}
	f.samples = float64(samples) / float64(h*v)
	if body[5] == 1 {
		f.samples = 1
	}
	return f, true
}
