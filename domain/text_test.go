package domain_test

import (
	"testing"

	"shop/domain"
)

func TestPublicAddresses(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]bool{
		"/": true, "/img/hero/hero-1600.webp": true, "/#advantages": true, "https://example.kz/a.jpg": true,
		"": false, "https://": false, "http://example.kz": false, "//example.kz": false, "/\\example.kz": false, "/\t/example.kz": false,
		"javascript:alert(1)": false, "data:image/svg+xml,<svg>": false, "img/a.webp": false, " /a": false, "HTTPS://example.kz": false,
	} {
		if got := domain.PublicAddress(address); got != want {
			t.Errorf("%q: %v", address, got)
		}
	}
}
