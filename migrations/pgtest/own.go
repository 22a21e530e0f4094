package pgtest

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"testing"

	"shop/migrations"
	"shop/migrations/embeddedpg"
)

// settings are for servers that live as long as a test run: nothing has to survive the machine.
var settings = map[string]string{
	"fsync":                    "off",
	"full_page_writes":         "off",
	"synchronous_commit":       "off",
	"shared_buffers":           "64MB",
	"max_connections":          "200",
	"shared_preload_libraries": "",
	"autovacuum_naptime":       "1d",
	// In the cluster's folder, so that a killed server leaves nothing elsewhere.
	"dynamic_shared_memory_type": "mmap",
	"max_wal_size":               "128MB", // of memory, for each process
	"min_wal_size":               "32MB",
}

// durable changes settings to those of production where it matters to a test of crashes.
var durable = map[string]string{"fsync": "on", "full_page_writes": "on", "synchronous_commit": "on"}

// startOwn starts the server of this process in a folder of its own.
func startOwn(ctx context.Context) (*server, error) {
	running, remove, err := startFrom(ctx, os.Getenv("SHOP_TEST_FSYNC") == "on", nil)
	if err != nil {
		return nil, err
	}
	address, err := url.Parse(running.URL())
	if err != nil {
		return nil, err
	}
	address.Path = "/postgres"
	// FILE_COPY needs no write-ahead log and is ten times as fast as the default when nothing is synced.
	s := &server{url: address, template: "shop", strategy: "STRATEGY FILE_COPY"}
	s.stop = func() error {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		return errors.Join(s.disconnect(), running.Stop(ctx), remove())
	}
	return s, nil
}

// Server starts a whole server for one test, which may kill it and start another on its DataDir, and stops
// what runs there when the test ends. Its database is migrated. Unlike the server behind Open it keeps what it
// has committed when its processes are killed. Settings go over those; nil for none.
func Server(t testing.TB, settings map[string]string) *embeddedpg.Server {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	more := maps.Clone(durable)
	maps.Copy(more, settings)
	s, remove, err := startFrom(ctx, false, more)
	if err != nil {
		t.Fatalf("pgtest: %v", err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		if err := errors.Join(s.Stop(ctx), embeddedpg.StopAny(ctx, s.DataDir()), remove()); err != nil {
			t.Errorf("pgtest: stop the test's server: %v", err)
		}
	})
	return s
}

// startFrom starts a server on a copy of the kept cluster, made first if there is none for these
// migrations. The caller removes the copy.
func startFrom(ctx context.Context, writeThrough bool, more map[string]string) (_ *embeddedpg.Server, remove func() error, err error) {
	chosen := maps.Clone(settings)
	if writeThrough {
		maps.Copy(chosen, durable)
	}
	maps.Copy(chosen, more)
	base, err := baseDir(writeThrough)
	if err != nil {
		return nil, nil, err
	}
	kept, err := keptCluster(ctx, base)
	if err != nil {
		return nil, nil, err
	}
	dir, remove, err := runDir(base)
	if err != nil {
		return nil, nil, err
	}
	defer func() {
		if err != nil {
			remove()
		}
	}()
	if err := copyTree(filepath.Join(kept, "postgres"), filepath.Join(dir, "postgres")); err != nil {
		return nil, nil, fmt.Errorf("copy the kept cluster: %w", err)
	}
	opts, err := options(dir, chosen)
	if err != nil {
		return nil, nil, err
	}
	started, err := embeddedpg.Start(ctx, opts)
	if err != nil {
		return nil, nil, err
	}
	return started, remove, nil
}

// options are those of every test server. What root's server cannot reach is copied to the disk, since programs
// may be forbidden to run from memory.
func options(dir string, chosen map[string]string) (embeddedpg.Options, error) {
	disk, err := baseDir(true)
	return migrations.Embedded(embeddedpg.Options{
		DataDir: dir, StateDir: filepath.Join(disk, "state"), Settings: chosen, DieWithProcess: true,
	}), err
}
