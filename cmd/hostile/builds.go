package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"

	"shop/cmd/builds"
	"shop/domain/stock"
	"shop/eventstore"
	"shop/eventstore/feed"
	"shop/eventstore/registry"
	"shop/eventstore/wake"
	"shop/projections"
)

const deploys = "a newer build takes the place of a shop, beside the former build"

// buildNewer makes the newer build, before the period of faults: how long it takes is up to the machine.
func (r *hostile) buildNewer(ctx context.Context) error {
	r.newerShop = filepath.Join(r.dir, "shop-newer")
	return builds.Make(ctx, r.newerShop, builds.Newer)
}

// deploy puts the newer build in the place of the first shop that is of the former one. From the first time on, processes of both
// builds run side by side; a third of the run later the next may follow.
func (r *hostile) deploy(ctx context.Context, chance *rand.Rand) (bool, error) {
	if r.deployed == len(r.shops) || r.deployed > 0 && time.Since(r.deployedAt) < r.period/3 {
		return false, nil
	}
	r.repairs.Wait() // a shop that ends because of a failover, by itself and with an error, cannot be told to end in order
	p := r.shops[r.deployed]
	p.mending.Lock()
	var err error
	if chance.IntN(2) == 0 || p.address() == "" {
		p.kill()
	} else {
		err = p.stop()
	}
	p.program = r.newerShop
	p.mending.Unlock()
	if err != nil {
		return true, err
	}
	err = p.again(context.WithoutCancel(ctx), func() { r.report.count("starts of a shop that failed") })
	r.deployed, r.deployedAt = r.deployed+1, time.Now()
	if err != nil {
		return true, err
	}
	return true, r.sideBySide(ctx)
}

// sideBySide waits until the newer build has written what the former one cannot read.
func (r *hostile) sideBySide(ctx context.Context) error {
	var before, now int
	for deadline := time.Now().Add(patience); now < before+enoughNewer || before == 0; wake.Pause(ctx, 50*time.Millisecond) {
		err := r.referee.QueryRow(ctx, `SELECT count(*) FROM eventstore.events WHERE type = 'stock.tallied'`).Scan(&now)
		if err = errors.Join(err, ctx.Err()); err != nil {
			return err
		}
		if before == 0 {
			before = now
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("the newer build writes nothing: %d events of its type, before %d", now, before)
		}
	}
	return nil
}

// enoughNewer is how many events of the newer build make sure that a consumer of the former one has met some.
const enoughNewer = 20

// program is the newest that runs.
func (r *hostile) program() string {
	if r.deployed > 0 {
		return r.newerShop
	}
	return r.settings.shop
}

// copySecrets gives a database what the program needs to open its log.
func (r *hostile) copySecrets(ctx context.Context, url string) error {
	to, err := pgx.Connect(ctx, url)
	if err != nil {
		return err
	}
	defer to.Close(context.WithoutCancel(ctx))
	return pgx.BeginFunc(ctx, to, func(tx pgx.Tx) error { return r.copyTable(ctx, tx, name{"public", "secrets"}) })
}

// onDatabase is the newest program, asked something about another database.
func (r *hostile) onDatabase(url string, args ...string) *exec.Cmd {
	cmd := exec.Command(r.program(), args...)
	cmd.Env = append(os.Environ(), "SHOP_DATABASE_URL="+url, "SHOP_DATA_DIR="+r.dir, "SHOP_ROLES=projectors", "SHOP_LOG_LEVEL=warn")
	return cmd
}

// foldByProgram builds every read model of a database from its log, as the newest program does.
func (r *hostile) foldByProgram(ctx context.Context, db database) (err error) {
	if err := r.copySecrets(ctx, db.url); err != nil {
		return err
	}
	head, err := db.store.Head(ctx)
	if err != nil {
		return err
	}
	var said bytes.Buffer
	serve := r.onDatabase(db.url, "serve")
	serve.Stdout, serve.Stderr = &said, &said
	if err := serve.Start(); err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() { ended <- serve.Wait() }()
	waiting, cancel := context.WithTimeout(ctx, 2*patience)
	defer cancel()
	watch := feed.New(db.store, feed.Options{}) // never run: it asks the database
	for _, p := range projections.All() {
		for {
			var unknown *feed.UnknownConsumer
			if err = watch.WaitFor(waiting, p.Name, head); !errors.As(err, &unknown) || !wake.Pause(waiting, 50*time.Millisecond) {
				break // else the program has not begun yet
			}
		}
		if err != nil {
			err = fmt.Errorf("fold %s: %w", p.Name, err)
			break
		}
	}
	_ = serve.Process.Signal(syscall.SIGTERM)
	if status := <-ended; err == nil && status != nil {
		err = status
	}
	if err != nil {
		return fmt.Errorf("the program that folds: %w: %s", err, said.String())
	}
	return nil
}

// prepareByProgram makes the read models of an empty log as the newest program has them.
func (r *hostile) prepareByProgram(ctx context.Context, url string) error {
	if err := r.copySecrets(ctx, url); err != nil {
		return err
	}
	var said bytes.Buffer
	migrate := r.onDatabase(url, "migrate")
	migrate.Stdout, migrate.Stderr = &said, &said
	if err := migrate.Run(); err != nil {
		return fmt.Errorf("make read models: %w: %s", err, said.String())
	}
	return nil
}

// betweenBuilds is this program's own part: it writes events as the former build does, and reads what the newer one wrote.
type betweenBuilds struct{ *registry.Registry }

func (b betweenBuilds) Decode(name string, schema int, payload []byte) (any, error) {
	data, err := b.Registry.Decode(name, schema, payload)
	switch {
	case !errors.Is(err, eventstore.ErrNewer):
		return data, err
	case name == "stock.tallied":
		return stock.Depleted{}, nil // as little as that does it change a stock
	}
	return b.Registry.Decode(name, b.Schema(name), payload) // schemas of the newer build add nothing
}

func events() eventstore.Codec { return betweenBuilds{registry.New()} }
