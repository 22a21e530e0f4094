package shopapi

import (
	"errors"
	"fmt"
	"mime"
	"mime/multipart"
	"net/http"
	"strings"
	"unicode/utf8"

	"shop/commands/photos"
)

var errNotForm = &Refused{http.StatusUnsupportedMediaType, "Ожидается форма (Content-Type: multipart/form-data)"}

// readMultipart reads a form with files under one name. Files may wait on disk; done removes them.
func readMultipart(w http.ResponseWriter, r *http.Request, name string) (f *form, files []multipart.File, done func(), err error) {
	media, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || media != "multipart/form-data" || r.Header.Get("Content-Encoding") != "" {
		return nil, nil, nil, errNotForm
	}
	if r.ContentLength > photos.MaxRequest {
		return nil, nil, nil, errTooLarge
	}
	r.Body = http.MaxBytesReader(w, r.Body, photos.MaxRequest)
	err = r.ParseMultipartForm(maxBody)
	done = func() {
		for _, file := range files {
			_ = file.Close() // it was only read
		}
		if r.MultipartForm != nil {
			_ = r.MultipartForm.RemoveAll()
		}
	}
	if err != nil {
		done()
		var tooLarge *http.MaxBytesError
		if errors.As(err, &tooLarge) || errors.Is(err, multipart.ErrMessageTooLarge) {
			return nil, nil, nil, errTooLarge
		}
		return nil, nil, nil, &Refused{http.StatusBadRequest, "Запрос не дошёл целиком"}
	}
	o := object{values: map[string]any{}}
	for field, values := range r.MultipartForm.Value {
		if !utf8.ValidString(field) || !utf8.ValidString(strings.Join(values, "")) {
			done()
			return nil, nil, nil, errEncoding
		}
		if len(values) > 1 {
			o.twice = append(o.twice, field)
		}
		if field == name && strings.Join(values, "") == "" {
			continue // what a browser may send for no file
		}
		o.values[field] = values[0]
	}
	f = newForm(o)
	for field, sent := range r.MultipartForm.File {
		if field != name {
			f.refuse(field, msgUnknown)
			continue
		}
		for _, header := range sent {
			if header.Filename == "" && header.Size == 0 {
				continue
			}
			file, err := header.Open()
			if err != nil {
				done()
				return nil, nil, nil, fmt.Errorf("open uploaded file: %w", err)
			}
			files = append(files, file)
		}
	}
	return f, files, done, nil
}
