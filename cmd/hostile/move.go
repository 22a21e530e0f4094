package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"shop/migrations"
	"shop/migrations/embeddedpg"
	"shop/projections"
	"shop/projections/rebuild"
)

// move takes the database to a new server and proves that everything is there and goes on: reading positions, the log
// above its last position, consumers exactly where they were.
func (r *hostile) move(ctx context.Context) (err error) {
	dir := filepath.Join(r.dir, "moved")
	server, err := startServer(ctx, dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stopServer(server)) }()
	how, err := r.restore(ctx, server)
	if err != nil {
		return fmt.Errorf("restore into a new server: %w", err)
	}
	r.report.say("moved to a new server by %s", how)
	const where = "moved: "
	db, err := r.openDatabase(ctx, server.URL())
	if err != nil {
		return err
	}
	defer db.close()
	if err := r.proveSame(ctx, db, where); err != nil {
		return err
	}
	var last int64
	if err := db.pool.QueryRow(ctx, `SELECT max(position) FROM eventstore.events`).Scan(&last); err != nil {
		return err
	}

	// The same clients go on, with a shop on the new server.
	stopFeeds, err := r.startFeeds(ctx, server.URL())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stopFeeds()) }()
	shop := &process{name: "shop on the new server", program: r.program(), log: filepath.Join(r.dir, "shop-moved.log")}
	for _, pair := range r.shops[0].env {
		if !strings.HasPrefix(pair, "SHOP_DATABASE_URL=") {
			shop.env = append(shop.env, pair)
		}
	}
	shop.env = append(shop.env, "SHOP_DATABASE_URL="+server.URL())
	if err := shop.start(ctx); err != nil {
		return err
	}
	defer shop.kill()
	old := r.shops
	r.shops = []*process{shop}
	defer func() { r.shops = old }()
	oldDatabase := r.database
	r.database = db
	defer func() { r.database = oldDatabase }()
	chance := rand.New(rand.NewPCG(r.seed, 1<<33))
	for range 30 {
		r.order(ctx, chance)
		r.appender(ctx, chance)
	}
	if err := r.settle(ctx); err != nil {
		return err
	}
	var lower, higher int
	err = db.pool.QueryRow(ctx, `SELECT count(*) FILTER (WHERE position <= $1), count(*) FILTER (WHERE position > $1) FROM eventstore.events`, last).Scan(&lower, &higher)
	if err != nil {
		return err
	}
	var before int
	if err := oldDatabase.pool.QueryRow(ctx, `SELECT count(*) FROM eventstore.events`).Scan(&before); err != nil {
		return err
	}
	var faults []string
	if lower != before || higher == 0 {
		faults = append(faults, fmt.Sprintf("%d events up to position %d, %d above it; there were %d", lower, last, higher, before))
	}
	r.report.found(where+"the log goes on above its last position", higher, faults)
	if err := r.prove(ctx, db, where, server); err != nil {
		return err
	}
	return shop.stop()
}

// restore fills the server with what is in the old one. With a pg_dump of a fitting version that is pg_dump and
// pg_restore, as an operator does it. PostgreSQL's npm packages bring neither; without them every table is copied into
// a database made by the shop's own migrations, and every sequence set. That is not the same: it proves that the shop's
// tables hold all there is to know, not that pg_dump finds it.
func (r *hostile) restore(ctx context.Context, to *embeddedpg.Server) (how string, err error) {
	dump, restore, version, err := r.dumpProgram(ctx)
	if err != nil {
		return "", err
	}
	if dump == "" {
		return "COPY of every table (no fitting pg_dump)", r.copyTables(ctx, to.URL())
	}
	file := filepath.Join(r.dir, "shop.dump")
	if said, err := exec.CommandContext(ctx, dump, "--format=custom", "--file="+file, r.url).CombinedOutput(); err != nil {
		return "", fmt.Errorf("%s: %w: %s", dump, err, said)
	}
	if said, err := exec.CommandContext(ctx, restore, "--exit-on-error", "--dbname="+to.URL(), file).CombinedOutput(); err != nil {
		return "", fmt.Errorf("%s: %w: %s", restore, err, said)
	}
	return fmt.Sprintf("pg_dump %d and pg_restore", version), nil
}

var dumpVersion = regexp.MustCompile(`\(PostgreSQL\) (\d+)`)

// dumpProgram finds pg_dump, of SHOP_PG_DUMP or the PATH, and the pg_restore beside it; empty when there is none, or only one
// older than the server, which would refuse.
func (r *hostile) dumpProgram(ctx context.Context) (dump, restore string, version int, err error) {
	named := os.Getenv("SHOP_PG_DUMP")
	dump = named
	if dump == "" {
		if dump, err = exec.LookPath("pg_dump"); err != nil {
			return "", "", 0, nil
		}
	}
	said, err := exec.CommandContext(ctx, dump, "--version").Output()
	if err != nil {
		return "", "", 0, fmt.Errorf("%s: %w", dump, err)
	}
	if m := dumpVersion.FindSubmatch(said); m != nil {
		version, _ = strconv.Atoi(string(m[1]))
	}
	var server int
	if err := r.pool.QueryRow(ctx, `SELECT current_setting('server_version_num')::int / 10000`).Scan(&server); err != nil {
		return "", "", 0, err
	}
	if version < server {
		if named != "" {
			return "", "", 0, fmt.Errorf("SHOP_PG_DUMP is of version %d and the server of %d", version, server)
		}
		r.report.say("pg_dump is of version %d and refuses a server of %d; name another with SHOP_PG_DUMP", version, server)
		return "", "", 0, nil
	}
	return dump, filepath.Join(filepath.Dir(dump), "pg_restore"), version, nil
}

const (
	// everyTable leaves out unlogged ones, such as who is alive at this moment: a crash empties them anyway. It leaves out read models that
	// were replaced, too: only a rollback reads them.
	everyTable = `SELECT relnamespace::regnamespace::text, relname::text FROM pg_class WHERE relkind = 'r' AND relpersistence = 'p'
		AND relnamespace::regnamespace::text NOT IN ('pg_catalog', 'information_schema', 'shop_migrations') AND relnamespace::regnamespace::text !~ '_old$' ORDER BY 1, 2`
	everySequence = `SELECT schemaname::text, sequencename::text FROM pg_sequences ORDER BY 1, 2`
)

type name struct{ Schema, Name string }

func (n name) quoted() string { return pgx.Identifier{n.Schema, n.Name}.Sanitize() }

// copyTables copies the database table by table.
func (r *hostile) copyTables(ctx context.Context, toURL string) error {
	if err := migrations.Up(ctx, toURL); err != nil {
		return err
	}
	to, err := openPool(ctx, toURL, "hostile")
	if err != nil {
		return err
	}
	defer to.Close()
	if r.deployed > 0 {
		err = r.prepareByProgram(ctx, toURL)
	} else {
		_, err = rebuild.Prepare(ctx, to, projections.All()...)
	}
	if err != nil {
		return err
	}
	if _, err := to.Exec(ctx, makeTables, pgx.QueryExecModeSimpleProtocol); err != nil {
		return err
	}
	tables, err := collect[name](ctx, r.pool, everyTable)
	if err != nil {
		return err
	}
	sequences, err := collect[name](ctx, r.pool, everySequence)
	if err != nil {
		return err
	}
	return pgx.BeginFunc(ctx, to, func(tx pgx.Tx) error {
		// Rows come in no order that foreign keys would like.
		if _, err := tx.Exec(ctx, `SET LOCAL session_replication_role = replica`); err != nil {
			return err
		}
		for _, t := range tables {
			if err := r.copyTable(ctx, tx, t); err != nil {
				return err
			}
		}
		for _, s := range sequences {
			var value int64
			var called bool
			if err := r.referee.QueryRow(ctx, `SELECT last_value, is_called FROM `+s.quoted()).Scan(&value, &called); err != nil {
				return err
			}
			if _, err := tx.Exec(ctx, `SELECT setval($1::regclass, $2, $3)`, s.quoted(), value, called); err != nil {
				return err
			}
		}
		return nil
	})
}

// copyTable puts the rows of one of the shop's tables in the place of what another database has there.
func (r *hostile) copyTable(ctx context.Context, to pgx.Tx, t name) error {
	from, err := r.pool.Acquire(ctx)
	if err != nil {
		return err
	}
	defer from.Release()
	if _, err := to.Exec(ctx, `DELETE FROM `+t.quoted()); err != nil {
		return err
	}
	reader, writer := io.Pipe()
	go func() {
		_, err := from.Conn().PgConn().CopyTo(ctx, writer, `COPY `+t.quoted()+` TO STDOUT`)
		writer.CloseWithError(err)
	}()
	_, err = to.Conn().PgConn().CopyFrom(ctx, reader, `COPY `+t.quoted()+` FROM STDIN`)
	reader.CloseWithError(err)
	if err != nil {
		return fmt.Errorf("copy %s: %w", t.quoted(), err)
	}
	return nil
}

// proveSame compares every table of the new database with the old one.
func (r *hostile) proveSame(ctx context.Context, db database, where string) error {
	fingerprints := func(pool *pgxpool.Pool) (map[string]string, error) {
		tables, err := collect[name](ctx, pool, everyTable)
		if err != nil {
			return nil, err
		}
		prints := map[string]string{}
		for _, t := range tables {
			var rows int64
			var print string
			row := "t::text"
			if t == (name{"eventstore", "checkpoints"}) {
				row = "(to_jsonb(t) - ARRAY['rate', 'updated_at'])::text" // a feed that rests still notes that its rate falls
			}
			err := pool.QueryRow(ctx, `SELECT count(*), coalesce(md5(string_agg(md5(`+row+`), '' ORDER BY md5(`+row+`))), '') FROM `+t.quoted()+` t`).Scan(&rows, &print)
			if err != nil {
				return nil, err
			}
			prints[t.Schema+"."+t.Name] = fmt.Sprintf(`{"rows": %d, "md5": "%s"}`, rows, print)
		}
		return prints, nil
	}
	want, err := fingerprints(r.pool)
	if err != nil {
		return err
	}
	is, err := fingerprints(db.pool)
	if err != nil {
		return err
	}
	r.report.found(where+"every table is the same", len(want), judgeRows("tables", is, want))
	return nil
}
