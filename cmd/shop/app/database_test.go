package app

import (
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
)

// TestReplicasOf: each URL is one server, and a mistake is told without the password.
func TestReplicasOf(t *testing.T) {
	t.Parallel()
	found, err := replicasOf(" postgres://a:secret@10.0.0.2/shop?sslmode=verify-full\n postgres://a:secret@10.0.0.3/shop?sslmode=verify-full ")
	if err != nil || len(found) != 2 {
		t.Errorf("%q, %v", found, err)
	}
	for bad, want := range map[string]string{
		"postgres://a:secret@db2,db3/shop?sslmode=verify-full": "URL 1 names several hosts",
		"postgres://a:secret@db2:port/shop":                    "URL 1 is not understood",
		"postgres://a:secret@db2.example.com/shop":             "URL 1:",
	} {
		if _, err := replicasOf(bad); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v", bad, err)
		}
	}
}

// TestConnectionsDescribeFewStatements: room for descriptions is made on every connection, needed or not.
func TestConnectionsDescribeFewStatements(t *testing.T) {
	t.Parallel()
	for url, want := range map[string]int{
		"postgres://a@db/shop": descriptionsKept,
		"postgres://a@db/shop?default_query_exec_mode=cache_describe": 512,
	} {
		settings, err := pgx.ParseConfig(url)
		if err != nil {
			t.Fatal(err)
		}
		if boundDescriptions(settings); settings.DescriptionCacheCapacity != want {
			t.Errorf("%s: %d descriptions, want %d", url, settings.DescriptionCacheCapacity, want)
		}
	}
}
