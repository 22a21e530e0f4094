package main

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// memoryPeriods is how many periods each load lasts: a minute, as the period is by default.
const memoryPeriods = 20

// benchMemory says what memory a shop takes after its start, and at the end of a minute of 32 and of 256 clients who do everything
// that shoppers do.
func benchMemory(ctx context.Context, databaseURL string, s settings) ([]result, error) {
	dir, err := os.MkdirTemp("", "shop-bench-memory-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	_, products, stop, err := sellPlenty(ctx, s, databaseURL, dir, unlimited...)
	if err != nil {
		return nil, err
	}
	stop()
	// Anew: importing the catalog is not what a start takes.
	base, stop, err := serve(ctx, s, environmentOf(databaseURL, dir, unlimited))
	if err != nil {
		return nil, err
	}
	defer stop()
	select {
	case <-time.After(10 * time.Second):
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	start, note := residentMemory()
	results := []result{{work: "memory of shop serve, 10 s after the start", product: start, unit: "MB", note: note + " (target ≤ 90)"}}
	b := &basketBench{base: base, choose: wishes(products)[0].choose, client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 256}}}
	defer b.client.CloseIdleConnections()
	db, err := migrated(ctx, databaseURL)
	if err != nil {
		return nil, err
	}
	defer db.Close()
	measure, err := processorOf(ctx, db)
	if err != nil {
		return nil, err
	}
	for _, round := range []struct{ clients, target int }{{32, 180}, {256, 200}} {
		begin := measure.spent()
		rate, took, err := load(ctx, round.clients, memoryPeriods*s.period, func(ctx context.Context, client, n int) error {
			return b.anything(ctx, client, n, products)
		})
		if err != nil {
			return nil, err
		}
		each := medianCost([]cost{measure.spent().each(begin, len(took))})
		end, note := residentMemory()
		results = append(results, result{
			work: fmt.Sprintf("the same, at the end of %s of %d clients on everything", memoryPeriods*s.period, round.clients), product: end, unit: "MB",
			note: fmt.Sprintf("%s (target ≤ %d); %.0f requests/s, p99 %.0f ms; processor time each: %s", note, round.target, rate, ms(quantile(took, .99)), each),
		})
	}
	return results, nil
}

// anything is one of the things that shoppers do.
func (b *basketBench) anything(ctx context.Context, client, n int, products []string) error {
	product := products[rand.IntN(len(products))]
	paths := []string{
		"/", "/api/products/?limit=24&brief=true", fmt.Sprintf("/api/products/?limit=24&brief=true&offset=%d", 24*rand.IntN(20)), "/api/products/" + product + "/",
		"/api/products/?limit=24&brief=true&search=" + url.QueryEscape([]string{"крем", "мыло", "крэм", "шампунь"}[rand.IntN(4)]), "/api/products/popular?limit=12&brief=true",
	}
	if k := (client + n) % (len(paths) + 1); k < len(paths) {
		return b.get(ctx, paths[k])
	}
	return b.buy(ctx, false, client)
}

func (b *basketBench) get(ctx context.Context, path string) error {
	request, err := question{}.request(ctx, b.base+path)
	if err != nil {
		return err
	}
	response, err := b.client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s was answered %s", path, response.Status)
	}
	_, err = io.Copy(io.Discard, response.Body)
	return err
}

// residentMemory is what the programs that the bench started have in memory, in MB, and of what.
func residentMemory() (sum float64, note string) {
	var anonymous, file, most float64
	paths, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, path := range paths {
		of, err := os.ReadFile(path)
		if err != nil || statOf(of).parent != os.Getpid() || strings.Contains(string(of), "(postgres)") {
			continue
		}
		status, _ := os.ReadFile(filepath.Join(filepath.Dir(path), "status"))
		for _, line := range strings.Split(string(status), "\n") {
			name, value, _ := strings.Cut(line, ":")
			kb, _ := strconv.ParseFloat(strings.TrimSuffix(strings.TrimSpace(value), " kB"), 64)
			switch name {
			case "VmRSS":
				sum += kb / 1024
			case "RssAnon":
				anonymous += kb / 1024
			case "RssFile":
				file += kb / 1024
			case "VmHWM":
				most += kb / 1024
			}
		}
	}
	return sum, fmt.Sprintf("%.0f anonymous, %.0f of the program's file, %.0f at most", anonymous, file, most)
}
