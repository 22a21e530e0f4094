package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"time"

	"shop/eventstore/wake"
	"shop/migrations/pgstandby"
)

const (
	failsOver = "kill -9 of PostgreSQL, and its synchronous standby is promoted"
	// betweenFailovers is the least time between two, because each copies the server.
	betweenFailovers = 2 * time.Minute
)

// failOver gives the server a standby, makes it synchronous, kills the server and promotes the standby. The killed server comes back
// before it is stopped for good, as it may when nobody fences it off: it can acknowledge nothing.
func (r *hostile) failOver(ctx context.Context, chance *rand.Rand) (bool, error) {
	if time.Since(r.failedOver) < betweenFailovers {
		return false, nil
	}
	standby, err := pgstandby.StartKeptUp(ctx, r.server, pgstandby.Settings, "standby", maxRestarts)
	if err != nil {
		return false, fmt.Errorf("start a standby: %w", err)
	}
	if err := r.synchronous(ctx, standby); err != nil {
		return false, errors.Join(err, standby.Close())
	}
	wake.Pause(ctx, time.Duration(200+chance.IntN(1500))*time.Millisecond) // shoppers' orders wait for the standby too

	running := map[*process]*exec.Cmd{}
	for _, p := range r.shops {
		p.mu.Lock()
		running[p] = p.cmd
		p.mu.Unlock()
	}
	began := time.Now()
	if err := killAll(r.server.PID()); err != nil {
		return false, errors.Join(err, standby.Close())
	}
	if err := standby.Promote(ctx); err != nil {
		return true, errors.Join(fmt.Errorf("promote the standby: %w", err), standby.Close())
	}
	if err := r.turn(standby.URL); err != nil {
		return true, err
	}
	r.report.say("  the standby is the primary after %s", time.Since(began).Round(time.Millisecond))
	if err := r.stopServers(); err != nil {
		return true, err
	}
	r.server, r.standby, r.failedOver, r.crashed = standby.Server(), standby, time.Now(), time.Now()

	// Repairs use this program's own part, which has to begin anew like any other process.
	r.repairs.Wait()
	r.gate.Lock()
	err = r.closeOwn()
	if err = errors.Join(err, r.openOwn(context.WithoutCancel(ctx))); err != nil {
		err = fmt.Errorf("begin anew after a failover: %w", err)
	}
	r.gate.Unlock()
	for p, before := range running {
		r.repair(func() error { return r.beginAnew(context.WithoutCancel(ctx), p, before) })
	}
	return true, err
}

// synchronous makes the server wait for its standby, and waits until all that was acknowledged before is there too.
func (r *hostile) synchronous(ctx context.Context, standby *pgstandby.Standby) error {
	at, setting, until := r.url, "synchronous_standby_names = 'ANY 1 (standby)'", "EXISTS (SELECT FROM pg_stat_replication WHERE sync_state IN ('sync', 'quorum'))"
	if r.plant == plantLag {
		at, setting, until = standby.URL, "primary_conninfo = 'host=/nowhere'", "NOT EXISTS (SELECT FROM pg_stat_replication)"
	}
	for _, sql := range []string{"ALTER SYSTEM SET " + setting, "SELECT pg_reload_conf()"} {
		if err := execute(ctx, at, sql); err != nil {
			return fmt.Errorf("set %s: %w", setting, err)
		}
	}
	for deadline := time.Now().Add(patience); ; wake.Pause(ctx, 20*time.Millisecond) {
		var is bool
		err := r.referee.QueryRow(ctx, "SELECT "+until).Scan(&is)
		if is {
			break
		}
		if err = errors.Join(err, ctx.Err()); time.Now().After(deadline) || ctx.Err() != nil {
			return fmt.Errorf("the standby does not become synchronous: %w", err)
		}
	}
	if _, err := r.referee.Exec(ctx, "INSERT INTO unrelated VALUES (2)"); err != nil {
		return fmt.Errorf("the first commit that waits for the standby: %w", err)
	}
	return nil
}

// turn leads this program and every shop to another server.
func (r *hostile) turn(to string) error {
	err := r.own.Turn(to)
	for _, p := range r.shops {
		err = errors.Join(err, p.proxy.Turn(to))
	}
	return err
}

// stopServers stops the server, and removes it when it began as a standby.
func (r *hostile) stopServers() error {
	if r.standby != nil {
		return r.standby.Close()
	}
	return stopServer(r.server)
}

// beginAnew waits until a shop has ended, as it must when its memory is of the former server, and starts it again.
func (r *hostile) beginAnew(ctx context.Context, p *process, before *exec.Cmd) error {
	const what = "a shop ends after a failover and begins anew"
	for deadline := time.Now().Add(patience); ; wake.Pause(ctx, 20*time.Millisecond) {
		p.mu.Lock()
		same := p.cmd == before && p.url != ""
		p.mu.Unlock()
		if !same {
			break
		}
		if time.Now().After(deadline) {
			r.report.found(what, 1, []string{p.name + " goes on with what it knows of the former server"})
			return nil
		}
	}
	r.report.found(what, 1, nil)
	return p.again(ctx, func() { r.report.count("starts of a shop that failed") })
}
