package edge

import (
	"errors"
	"io/fs"
	"net/http"
	"slices"
	"strings"
	"time"

	"shop/readapi/endpoint"
)

// uploads are the paths that take photos and files, beside those of staff's pictures: these come from phones, and take their time.
var uploads = []string{"/api/products/review", "/api/auth/profile/photo", "/api/staff/imports/plan"}

// maxUploadTime is maxTime for them.
const maxUploadTime = 2 * time.Minute

func isUpload(r *http.Request) bool {
	path := strings.TrimSuffix(r.URL.Path, "/")
	return r.Method == http.MethodPost && (slices.Contains(uploads, path) || strings.HasPrefix(path, "/api/staff/") && (strings.HasSuffix(path, "/pictures") || strings.HasSuffix(path, "/photos")))
}

// proposals are requests with the items of a change.
var proposals = []string{"/api/staff/changes", "/api/staff/changes/dry-run", "/api/staff/changes/effect"}

// isChange says whether a request may name many things at once.
func isChange(r *http.Request) bool {
	path := strings.TrimSuffix(r.URL.Path, "/")
	return r.Method == http.MethodPost && slices.Contains(proposals, path)
}

// media serves a photo that somebody sent.
func (s *Site) media(w http.ResponseWriter, r *http.Request) {
	err := s.Album.Serve(w, r, r.PathValue("name"), s.Reviews.ShowsPhoto)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		w.Header().Set("Cache-Control", "no-store") // it may be shown again
		http.Error(w, "not found", http.StatusNotFound)
	case err != nil:
		endpoint.LogFailure(s.Log, r, err)
		http.Error(w, "failed", http.StatusInternalServerError)
	}
}
