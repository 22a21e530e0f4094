package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"shop/eventstore/keyring"
	"shop/eventstore/relay/natstest"
)

// TestRegionAfterKeysRotate: after 'shop keys rotate' at home a region goes on, with persons of before and after it. Where the former key
// was taken from the file too early, the region refuses in one line and does not start half; 'shop keys rotate' in the region lets it go.
func TestRegionAfterKeysRotate(t *testing.T) {
	t.Parallel()
	nats, at := natstest.Start(t), freeAddress(t)
	home := onDatabase(t).with("SHOP_NATS_URL="+nats.URL(), "SHOP_ADDR="+at)
	cream := home.stocked("MK-1", 9000, 10)
	atHome := home.serve("--roles", "web,projectors,policies,relay")
	region := home.regionOf(at)
	copied := filepath.Join(t.TempDir(), "shop.key")
	bring := func(lines ...string) {
		if err := os.WriteFile(copied, []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	file := func() []string {
		content, err := os.ReadFile(home.config().KeyFile)
		if err != nil {
			t.Fatal(err)
		}
		var keys []string
		for _, line := range strings.Split(string(content), "\n") {
			if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
				keys = append(keys, line)
			}
		}
		return keys
	}
	bring(file()...)
	region = region.with("SHOP_KEY_FILE=" + copied)
	atHome.placed(cream, 1, "CASH")
	s := region.serve("--region", "almaty")

	home.ok("keys", "new")
	bring(file()...)
	home.ok("keys", "rotate")
	placed := s.placed(cream, 1, "CASH") // whose key is wrapped with the new one
	_, _, stock := s.ask("GET", "/api/products/mk-1/stock", "", "X-Min-Position", placed.position)
	if !strings.Contains(stock, "8") {
		t.Errorf("the stock after an order with a new key: %s", stock)
	}
	s.stop()

	ring, err := keyring.Open(copied)
	if err != nil {
		t.Fatal(err)
	}
	present, former := ring.First(), ring.IDs()[1] // the ring reads the file anew
	bring(file()[0])
	r := region.run("serve", "--region", "almaty")
	if r.status == 0 || !strings.Contains(r.stderr, "lacks key "+former.String()) {
		t.Errorf("a region without the former key: status %d: %s", r.status, r.stderr)
	}
	bring(file()...)
	if said := region.ok("keys", "rotate"); !strings.Contains(said, "wraps nothing any more") {
		t.Errorf("keys rotate in the region: %s", said)
	}
	bring(file()[0])
	s = region.serve("--region", "almaty")
	s.eventually("/api/products/mk-1/", "Крем MK-1")
	var wrapped, all int
	err = region.pool().QueryRow(t.Context(), `SELECT count(*) FILTER (WHERE substr(key, 2, 4) = $1), count(*) FROM eventstore.person_keys WHERE key IS NOT NULL`,
		present[:]).Scan(&wrapped, &all)
	if err != nil || all < 2 || wrapped != all {
		t.Errorf("%d of %d keys of the region are wrapped with the new key: %v", wrapped, all, err)
	}
}
