package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"

	"shop/domain/stock"
	"shop/eventstore"
	"shop/eventstore/feed"
	"shop/eventstore/wake"
)

// inject does one fault and says whether it could; what it takes away comes back by itself.
type inject func(ctx context.Context, chance *rand.Rand) (bool, error)

const killsServer = "kill -9 of PostgreSQL and its children"

// faultKinds are what the injector chooses from; rollbacks, held appends and unrelated transactions happen all the time.
func (r *hostile) faultKinds() map[string]inject {
	return map[string]inject{
		"kill -9 of a shop":                  r.killShop,
		"shop stopped for a while (SIGSTOP)": r.stallShop,
		"backend terminated":                 r.killBackend,
		stopsAppend:                          r.stopAppend,
		cutsAppend:                           r.cutAppend,
		killsServer:                          r.killServer,
		failsOver:                            r.failOver,
		deploys:                              r.deploy,
		"consumer paused and resumed":        r.pauseConsumer,
	}
}

// repair runs what undoes a fault, beside the next faults.
func (r *hostile) repair(work func() error) {
	r.repairs.Go(func() {
		if err := work(); err != nil {
			r.broken.Store(&err)
		}
	})
}

func (r *hostile) killShop(ctx context.Context, chance *rand.Rand) (bool, error) {
	p := r.shops[chance.IntN(len(r.shops))]
	if p.address() == "" {
		return false, nil
	}
	p.kill()
	r.repair(func() error {
		return p.again(context.WithoutCancel(ctx), func() { r.report.count("starts of a shop that failed") })
	})
	return true, nil
}

func (r *hostile) stallShop(_ context.Context, chance *rand.Rand) (bool, error) {
	p := r.shops[chance.IntN(len(r.shops))]
	p.mu.Lock()
	cmd, ready := p.cmd, p.url != ""
	p.mu.Unlock()
	if !ready || cmd.Process.Signal(syscall.SIGSTOP) != nil {
		return false, nil
	}
	length := time.Duration(300+chance.IntN(2500)) * time.Millisecond
	r.repair(func() error {
		time.Sleep(length)
		_ = cmd.Process.Signal(syscall.SIGCONT) // it may have been killed since
		return nil
	})
	return true, nil
}

func (r *hostile) killBackend(ctx context.Context, _ *rand.Rand) (bool, error) {
	tag, err := r.referee.Exec(ctx, `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
		WHERE application_name IN ('shop', 'hostile') AND pid <> pg_backend_pid() ORDER BY random() LIMIT 1`)
	return err == nil && tag.RowsAffected() > 0, nil // the server may be down
}

// betweenCrashes is the least time between two crashes of the server, in which the shop gets something done.
const betweenCrashes = 5 * time.Second

func (r *hostile) killServer(ctx context.Context, _ *rand.Rand) (bool, error) {
	if time.Since(r.crashed) < betweenCrashes {
		return false, nil
	}
	r.crashed = time.Now()
	pid := r.server.PID()
	undurable, release := r.takePositions(ctx)
	defer release()
	if err := killAll(pid); err != nil {
		return false, err
	}
	if err := r.serverBack(ctx, pid); err != nil {
		return true, err
	}
	return true, r.compareAfterCrash(ctx, undurable)
}

// killAll kills a server with its children.
func killAll(pid int) error {
	children := childrenOf(pid)
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		return err
	}
	for _, child := range children {
		_ = syscall.Kill(child, syscall.SIGKILL) // some have ended already
	}
	return nil
}

// places are where the log stands.
type places struct{ head, present int64 }

func (r *hostile) places(ctx context.Context, db interface {
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}) (p places, err error) {
	err = db.QueryRow(ctx, `SELECT (eventstore.heads()).last, eventstore.present()`).Scan(&p.head, &p.present)
	return p, err
}

// takePositions holds an append open that has taken more positions than nextval writes to the WAL at a time. What it
// took is not on disk, unless somebody commits before the crash. places says how far a reader may go at that moment.
func (r *hostile) takePositions(ctx context.Context) (p places, release func()) {
	release = func() {}
	conn, err := pgx.Connect(ctx, r.url)
	if err != nil {
		return places{}, release // the server is down already
	}
	release = func() { _ = conn.Close(context.WithoutCancel(ctx)) }
	if _, err := conn.Exec(ctx, `BEGIN; SELECT eventstore.mark(ARRAY[0]); SELECT nextval('eventstore.position') FROM generate_series(1, 70)`); err != nil {
		return places{}, release
	}
	if p, err = r.places(ctx, conn); err != nil {
		return places{}, release
	}
	return p, release
}

// compareAfterCrash finds out whether the sequence fell back, and whether readers had gone further than it stands now.
func (r *hostile) compareAfterCrash(ctx context.Context, before places) error {
	after, err := r.places(ctx, r.referee)
	if err != nil {
		return fmt.Errorf("the log after a crash: %w", err)
	}
	if before.present > after.present {
		r.report.count("crash that took positions back")
	}
	var faults []string
	if before.head > after.present {
		faults = []string{fmt.Sprintf("readers could pass position %d, and after the crash the sequence stands at %d", before.head, after.present)}
	}
	r.report.found("no head is ahead of what is on disk", 1, faults)
	return nil
}

// serverBack waits for the server that is started in the place of one.
func (r *hostile) serverBack(ctx context.Context, of int) error {
	began := time.Now()
	for ; ; wake.Pause(ctx, 5*time.Millisecond) {
		select {
		case <-r.server.Done():
			return fmt.Errorf("the database server was given up: %s", lastLine(filepath.Join(r.server.DataDir(), "postgres.log")))
		case <-ctx.Done():
			return ctx.Err()
		default:
		}
		if now := r.server.PID(); now != 0 && now != of && r.referee.Ping(ctx) == nil {
			r.report.say("  PostgreSQL was back after %s", time.Since(began).Round(time.Millisecond))
			return nil
		}
		if time.Since(began) > patience {
			return fmt.Errorf("the database server did not come back: %s", lastLine(filepath.Join(r.server.DataDir(), "postgres.log")))
		}
	}
}

// childrenOf are the processes a process has started.
func childrenOf(pid int) (children []int) {
	entries, _ := os.ReadDir("/proc")
	for _, e := range entries {
		child, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		status, err := os.ReadFile(filepath.Join("/proc", e.Name(), "status"))
		if err == nil && strings.Contains(string(status), fmt.Sprintf("\nPPid:\t%d\n", pid)) {
			children = append(children, child)
		}
	}
	return children
}

func (r *hostile) pauseConsumer(ctx context.Context, chance *rand.Rand) (bool, error) {
	consumers := []string{witness, "stock", "orders", "catalog"}
	name := consumers[chance.IntN(len(consumers))]
	if err := feed.ControlOf(r.store).Pause(ctx, name); err != nil {
		return false, nil
	}
	length := time.Duration(200+chance.IntN(2000)) * time.Millisecond
	r.repair(func() error {
		time.Sleep(length)
		var err error
		for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
			if err = feed.ControlOf(r.store).Resume(context.WithoutCancel(ctx), name); err == nil {
				return nil
			}
		}
		return err
	})
	return true, nil
}

// holdRaw is an append inside a transaction of one's own: stream row locked, marker taken, position allocated.
const holdRaw = `SELECT outcome FROM eventstore.append(0, ARRAY[$1], ARRAY[$2::smallint], ARRAY[-1::bigint], ARRAY[1::bigint], ARRAY[$3::int],
	'{}', '{}', '{}', '{}', ARRAY[1], ARRAY[1::bigint], ARRAY[gen_random_uuid()], ARRAY['stock.received'], ARRAY[1::smallint],
	ARRAY[json_build_object('product_id', $4::text, 'quantity', 1, 'on_hand', 1, 'reserved', 0, 'cause', json_build_object('kind', 'count'), 'at', now())],
	ARRAY['{}'::json], ARRAY[now()])`

// holder appends and keeps the transaction open, for moments as a rule and for seconds now and then; a third comes to nothing.
func (r *hostile) holder(ctx context.Context, chance *rand.Rand) {
	length := time.Duration(chance.IntN(30)) * time.Millisecond
	if chance.IntN(40) == 0 {
		length = time.Duration(500+chance.IntN(1500)) * time.Millisecond
	}
	product := r.unowned[chance.IntN(len(r.unowned))]
	name := stock.Stream(product)
	slice := eventstore.SliceOf(name)
	tx, err := r.pool.Begin(ctx)
	if err != nil {
		wake.Pause(ctx, 50*time.Millisecond)
		return
	}
	background := context.WithoutCancel(ctx)
	_, err = tx.Exec(background, holdRaw, name, slice, eventstore.GroupOf(slice), product.String())
	wake.Pause(ctx, length)
	if length > 100*time.Millisecond {
		r.report.count("fault: append held open for a second or so")
	}
	if err == nil && chance.IntN(3) > 0 {
		_ = tx.Commit(background) // a killed backend's fails; the log tells
		r.report.count("fault: append held open for moments")
		return
	}
	_ = tx.Rollback(background)
	r.report.count("fault: append rolled back")
}

// stranger keeps a write transaction open that has nothing to do with the log: one after the other, seconds each, also
// through the quiet points.
func (r *hostile) stranger(ctx context.Context) {
	for ctx.Err() == nil {
		tx, err := r.referee.Begin(ctx)
		if err == nil {
			if _, err = tx.Exec(ctx, `INSERT INTO unrelated VALUES (1)`); err == nil {
				r.report.count("fault: unrelated write transaction open for 10 s")
				wake.Pause(ctx, 10*time.Second)
			}
			_ = tx.Rollback(context.WithoutCancel(ctx))
		}
		wake.Pause(ctx, 20*time.Millisecond)
	}
}
