package main

import (
	"context"
	"flag"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-chi/chi/v5"

	"shop/cmd/shop/edge"
	"shop/domain/staff"
)

var writeRoles = flag.Bool("write-roles", false, "write testdata/roles.txt: which roles may call which route of staff")

// TestEveryRouteOfStaffNamesItsRoles: a new route, and one that other roles may call than before, changes a file that is read in review. A call that
// asks for more than the permission of its route, such as by what its body names, is tested where it is tested otherwise.
func TestEveryRouteOfStaffNamesItsRoles(t *testing.T) {
	t.Parallel()
	d := openStaffDesk(t, "SHOP_SIGNIN_RATE=0")
	d.desks(d.orders())
	workers := map[staff.Role]worker{}
	for _, role := range staff.Roles {
		workers[role] = d.worker(role)
	}
	ended, end := context.WithTimeout(t.Context(), time.Minute)
	defer end()
	parameter := regexp.MustCompile(`\{[^}]+\}`)
	var lines []string
	chi.Walk(d.http.(chi.Routes), func(method, route string, _ http.Handler, _ ...func(http.Handler) http.Handler) error {
		own := strings.HasPrefix(route, "/api/staff/session") || strings.HasPrefix(route, "/api/staff/password") || strings.HasPrefix(route, "/api/staff/me")
		if audiences[method+" "+route] != staffRoute || own || method == http.MethodHead {
			return nil
		}
		path := parameter.ReplaceAllLiteralString(strings.ReplaceAll(route, "*", "x"), "00000000-0000-4000-8000-000000000000")
		var may []string
		for _, role := range staff.Roles {
			ctx := ended
			if strings.HasSuffix(route, "/live") { // it never ends
				gone, leave := context.WithCancel(ended)
				leave()
				ctx = gone
			}
			r := httptest.NewRequestWithContext(ctx, method, path, strings.NewReader("[]"))
			for name, value := range map[string]string{"Content-Type": "application/json", "Cookie": workers[role].cookie, edge.CsrfHeader: workers[role].csrf} {
				r.Header.Set(name, value)
			}
			w := httptest.NewRecorder()
			d.http.ServeHTTP(w, r)
			switch w.Code {
			case http.StatusForbidden:
			case http.StatusUnauthorized:
				t.Errorf("%s %s as %s: %s", method, route, role, w.Body)
			default:
				may = append(may, string(role))
			}
		}
		lines = append(lines, method+" "+route+": "+strings.Join(may, " "))
		return nil
	})
	slices.Sort(lines)
	got := strings.Join(lines, "\n") + "\n"
	const file = "testdata/roles.txt"
	if *writeRoles {
		if err := os.WriteFile(file, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	known := strings.Split(string(want), "\n")
	for _, line := range lines {
		if !slices.Contains(known, line) {
			t.Errorf("%s: not in %s (go test ./cmd/shop -run %s -write-roles)", line, file, t.Name())
		}
	}
	for _, line := range known {
		if line != "" && !slices.Contains(lines, line) {
			t.Errorf("%s stands in %s, and is not so", line, file)
		}
	}
	if len(lines) < 100 {
		t.Errorf("%d routes were tried", len(lines))
	}
}
