package testshop

import (
	"bytes"
	"image"
	"image/jpeg"
	"io/fs"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strconv"
	"testing"

	"shop/commands"
	"shop/commands/photos"
	"shop/commands/shopapi"
	"shop/domain"
	blog "shop/domain/post"
	"shop/domain/restock"
	"shop/eventstore"
)

// Posts are the post events of the log, by what they are and which link they give.
func (s *Shop) Posts() []string {
	s.T.Helper()
	events, err := s.Log.Read(s.T.Context(), eventstore.Query{Range: -1, Limit: 1000, Types: []string{"post.published", "post.changed", "post.unpublished"}})
	if err != nil {
		s.T.Fatal(err)
	}
	var said []string
	for _, event := range events {
		switch e := event.Data.(type) {
		case blog.Published:
			said = append(said, "published "+e.Article.Link+" "+e.Article.HTML)
		case blog.Changed:
			said = append(said, "changed "+e.Article.Link+" "+e.Article.HTML)
		case blog.Unpublished:
			said = append(said, "unpublished")
		}
	}
	return said
}

func (s *Shop) Subscribe(product string, headers ...Header) Response {
	s.T.Helper()
	r := httptest.NewRequestWithContext(s.T.Context(), http.MethodPost, "/api/subscriptions/products/x/", nil)
	r.SetPathValue("id", product)
	for _, h := range headers {
		h(r)
	}
	answer := s.Ask(shopapi.Restock{Restock: &commands.Restock{Handler: s.Handler}}.Subscribe, r)
	return answer
}

// Told are the customers who were notified of a product, in order.
func (s *Shop) Told(product domain.ID) []domain.ID {
	s.T.Helper()
	events, err := s.Log.Load(s.T.Context(), From(restock.Stream(product)))
	if err != nil {
		s.T.Fatal(err)
	}
	told := []domain.ID{}
	for _, e := range events[restock.Stream(product)] {
		if n, ok := e.Data.(restock.Notified); ok {
			told = append(told, n.CustomerID)
		}
	}
	return told
}

func From(stream string) eventstore.From { return eventstore.From{Stream: stream} }

// Reviews are the commands about reviews, and the folder of their photos.
func (s *Shop) Reviews(t *testing.T) (*commands.Reviews, string) {
	folder := t.TempDir()
	return &commands.Reviews{Handler: s.Handler, Album: photos.Open(s.Pool, photos.Folder(folder))}, folder
}

// Send posts a form with files.
func (s *Shop) Send(r *commands.Reviews, form map[string]string, images []string, headers ...Header) Response {
	s.T.Helper()
	var body bytes.Buffer
	w := multipart.NewWriter(&body)
	for name, value := range form {
		_ = w.WriteField(name, value)
	}
	for i, content := range images {
		part, _ := w.CreateFormFile("images", strconv.Itoa(i)+".html")
		_, _ = part.Write([]byte(content))
	}
	_ = w.Close()
	request := httptest.NewRequestWithContext(s.T.Context(), http.MethodPost, "/api/products/review/", &body)
	request.Header.Set("Content-Type", w.FormDataContentType())
	for _, h := range headers {
		h(request)
	}
	answer := s.Ask(shopapi.Reviews{Reviews: r}.Post, request)
	KeepsContract(s.T, "/api/products/review/", answer.Code, answer.Body.Bytes())
	return answer
}

// Photo is a picture of a size, as a camera would send it.
func Photo(width int) string {
	var b bytes.Buffer
	_ = jpeg.Encode(&b, image.NewRGBA(image.Rect(0, 0, width, 10)), nil)
	return b.String()
}

func Stored(t *testing.T, folder string) int {
	t.Helper()
	n := 0
	_ = filepath.WalkDir(folder, func(_ string, d fs.DirEntry, _ error) error {
		if d != nil && !d.IsDir() {
			n++
		}
		return nil
	})
	return n
}

// Opinion is a good review.
func Opinion(product domain.ID) map[string]string {
	return map[string]string{
		"product": product.String(), "name": "Анна", "email": "anna@example.kz", "phone": "8 701 234 56 78",
		"rating": "5", "content": "Хорошее мыло\nи пахнет",
	}
}
