package main

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"mime/multipart"
	"net/http"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
)

const (
	baseline    = 0xc0
	progressive = 0xc2
)

// flatJPEG is a JPEG of one colour: a large picture in a small file. Of a progressive one only the first scan is there.
func flatJPEG(kind byte, width, height, components int) []byte {
	var b bytes.Buffer
	segment := func(marker byte, body ...byte) {
		b.Write([]byte{0xff, marker})
		b.Write(binary.BigEndian.AppendUint16(nil, uint16(len(body)+2)))
		b.Write(body)
	}
	b.Write([]byte{0xff, 0xd8})
	segment(0xdb, append([]byte{0}, bytes.Repeat([]byte{1}, 64)...)...)
	frame := []byte{8, byte(height >> 8), byte(height), byte(width >> 8), byte(width), byte(components)}
	scan := []byte{byte(components)}
	for c := range components {
		frame = append(frame, byte(c+1), 0x11, 0)
		scan = append(scan, byte(c+1), 0)
	}
	segment(kind, frame...)
	// One code of one bit: for a DC difference of nothing, and for the end of a block.
	segment(0xc4, append(append([]byte{0x00, 1}, make([]byte, 15)...), 0)...)
	segment(0xc4, append(append([]byte{0x10, 1}, make([]byte, 15)...), 0)...)
	last, bits := byte(63), 2
	if kind == progressive {
		last, bits = 0, 1
	}
	segment(0xda, append(scan, 0, last, 0)...)
	blocks := (width + 7) / 8 * ((height + 7) / 8) * components
	b.Write(make([]byte, (blocks*bits+7)/8))
	b.Write([]byte{0xff, 0xd9})
	return b.Bytes()
}

// headedWebP is a RIFF file that claims to be a large WebP, in as many bytes as an upload may have.
func headedWebP() []byte {
	b := append([]byte("RIFF\xff\xff\xff\x7fWEBPVP8X\x0a\x00\x00\x00\x00\x00\x00\x00\xff\x0f\x00\xff\x0f\x00"), make([]byte, 1<<20)...)
	return append(b, 0)
}

// lyingPNG is a PNG without pixels.
func lyingPNG(width, height uint32, depth, colour, interlaced byte) []byte {
	head := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32([]byte("IHDR"), width), height)
	head = append(head, depth, colour, 0, 0, interlaced)
	b := append([]byte("\x89PNG\r\n\x1a\n\x00\x00\x00\x0d"), head...)
	b = binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(head))
	data := []byte("IDAT\x78\x9c") // the decoder makes the whole picture before it misses the rest
	b = append(b, 0, 0, 0, 2)
	b = append(b, data...)
	return binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(data))
}

// sends posts a review with pictures.
func (s *served) sends(product uuid.UUID, pictures ...[]byte) (status int, body string) {
	s.t.Helper()
	var form bytes.Buffer
	w := multipart.NewWriter(&form)
	for name, value := range map[string]string{
		"product": product.String(), "name": "Анна", "email": "anna@example.kz", "phone": "87011234567", "rating": "4", "content": "Хороший крем",
	} {
		_ = w.WriteField(name, value)
	}
	for i, picture := range pictures {
		file, _ := w.CreateFormFile("images", fmt.Sprintf("%d.jpg", i))
		_, _ = file.Write(picture)
	}
	_ = w.Close()
	status, _, body = s.send(http.MethodPost, "/api/products/review/", &form, "Content-Type", w.FormDataContentType())
	return status, body
}

// memory is the program's resident memory in bytes, and the most that it ever was.
func (s *served) memory() (now, most int64) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.cmd.Process.Pid))
	if err != nil {
		s.t.Error(err) // not Fatal: the goroutine of added asks as well
		return 0, 0
	}
	for line := range strings.Lines(string(text)) {
		fields := strings.Fields(line)
		if len(fields) < 2 {
			continue
		}
		n, _ := strconv.ParseInt(fields[1], 10, 64)
		switch fields[0] {
		case "VmRSS:":
			now = n << 10
		case "VmHWM:":
			most = n << 10
		}
	}
	return now, most
}

// added is by how much the program's memory grows at most while do runs. A new height is exact, since the kernel keeps it; below
// the height of before, the memory is looked at each millisecond.
func (s *served) added(do func()) int64 {
	s.t.Helper()
	before, height := s.memory()
	ended, highest := make(chan struct{}), make(chan int64)
	go func() {
		most := before
		for {
			select {
			case <-ended:
				highest <- most
				return
			case <-time.After(time.Millisecond):
				now, _ := s.memory()
				most = max(most, now)
			}
		}
	}()
	do()
	close(ended)
	most := <-highest
	if _, now := s.memory(); now > height {
		most = now
	}
	return most - before
}

// mostOfAPicture is what the largest picture may add to the program's memory.
const mostOfAPicture = 160 << 20

// TestAttackCostOfPhotos: small files that decode to large pictures are refused, or decoded in bounded memory.
func TestAttackCostOfPhotos(t *testing.T) {
	t.Parallel()
	p := onDatabase(t)
	p.env = append(p.env, "SHOP_REVIEWS_AN_HOUR=0")
	soap := p.stocked("MK-1", 9000, 10)
	s := p.serve()
	s.sends(soap, flatJPEG(baseline, 64, 64, 3)) // what the first photo needs is there
	for _, c := range []struct {
		name    string
		picture []byte
		status  int
	}{
		{"40 MP, progressive, four colours", flatJPEG(progressive, 8000, 5000, 4), 400},
		{"40 MP", flatJPEG(baseline, 8000, 5000, 3), 400},
		{"24 MP", flatJPEG(baseline, 6000, 4000, 3), 201},
		{"24 MP, four colours", flatJPEG(baseline, 6000, 4000, 4), 400},
		{"12 MP, progressive", flatJPEG(progressive, 4000, 3000, 1), 201},
		{"13 MP, progressive", flatJPEG(progressive, 4334, 3000, 1), 400},
		{"12 MP, progressive, three whole colours", flatJPEG(progressive, 4000, 3000, 3), 400},
		{"8 MP, progressive, three whole colours", flatJPEG(progressive, 3264, 2448, 3), 201},
		{"PNG of 24 MP, 16 bits", lyingPNG(6000, 4000, 16, 6, 0), 400},
		{"PNG of 24 MP, interlaced", lyingPNG(6000, 4000, 8, 6, 1), 400},
		{"PNG of 24 MP that is empty", lyingPNG(6000, 4000, 8, 6, 0), 400},
		{"WebP", headedWebP(), 400},
		{"a JPEG of two frames", append(flatJPEG(baseline, 8, 8, 1)[:86], flatJPEG(progressive, 6000, 4000, 4)[2:]...), 400},
	} {
		var status int
		var body string
		added := s.added(func() { status, body = s.sends(soap, c.picture) })
		t.Logf("%s, %d KB: %d, %d MB more", c.name, len(c.picture)>>10, status, added>>20)
		if status != c.status {
			t.Errorf("%s: %d %s", c.name, status, body)
		}
		if added > mostOfAPicture {
			t.Errorf("%s took %d MB", c.name, added>>20)
		}
	}
	largest := flatJPEG(progressive, 3264, 2448, 3)
	added := s.added(func() {
		for range 2 {
			if status, body := s.sends(soap, largest, largest, largest, largest, largest, largest); status != 201 {
				t.Errorf("six at once: %d %s", status, body)
			}
		}
	})
	if added > mostOfAPicture {
		t.Errorf("six photos twice took %d MB", added>>20)
	}
}
