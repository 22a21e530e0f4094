package main

import (
	"errors"
	"io/fs"
	"net/http"
	"slices"
	"strings"
	"time"
)

// uploads are the paths that take photos: these come from phones, and take their time.
var uploads = []string{"/api/products/review", "/api/auth/profile/photo"}

// maxUploadTime is maxTime for them.
const maxUploadTime = 2 * time.Minute

func isUpload(r *http.Request) bool {
	return r.Method == http.MethodPost && slices.Contains(uploads, strings.TrimSuffix(r.URL.Path, "/"))
}

// giveTime lets a request be read and answered for longer than the server gives others.
func giveTime(w http.ResponseWriter, within time.Duration) {
	until, c := time.Now().Add(within+5*time.Second), http.NewResponseController(w)
	// What cannot wait longer ends the request as it would any other.
	_ = errors.Join(c.SetReadDeadline(until), c.SetWriteDeadline(until))
}

// media serves a photo that somebody sent.
func (s *site) media(w http.ResponseWriter, r *http.Request) {
	err := s.album.Serve(w, r, r.PathValue("name"), s.opinions.ShowsPhoto)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		w.Header().Set("Cache-Control", "no-store") // it may be shown again
		http.Error(w, "not found", http.StatusNotFound)
	case err != nil:
		logFailure(s.log, r, err)
		http.Error(w, "failed", http.StatusInternalServerError)
	}
}
