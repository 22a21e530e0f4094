package app

import (
	"bytes"
	"context"
	"io/fs"
	"log/slog"
	"math"
	"runtime/debug"
	"runtime/metrics"
	"strconv"
	"strings"
	"time"
)

// memoryShare is the share of a container's memory that Go may use. The engines of pages, stacks of threads and the page cache
// need the rest.
const memoryShare = 0.75

// LimitMemory tells Go's garbage collector how much memory the process may use, when its control group has a limit: it then
// collects more often rather than being killed. GOMEMLIMIT of the environment has precedence. The log says which limit holds.
func LimitMemory(ctx context.Context, system fs.FS, getenv func(string) string, log *slog.Logger) {
	limit, from := debug.SetMemoryLimit(-1), "GOMEMLIMIT"
	if getenv("GOMEMLIMIT") == "" {
		most, found := groupMemory(system)
		if !found {
			log.InfoContext(ctx, "memory has no limit; GOMEMLIMIT sets one")
			return
		}
		limit, from = int64(float64(most)*memoryShare), "the control group"
		debug.SetMemoryLimit(limit)
	}
	log.InfoContext(ctx, "memory is limited", "limit_mib", limit>>20, "from", from)
}

// groupMemory is the least memory.max of the process's control group and those above it (cgroup v2), or the limit of version 1.
// system is the file system's root.
func groupMemory(system fs.FS) (limit int64, found bool) {
	limit = math.MaxInt64
	read := func(path string) {
		text, err := fs.ReadFile(system, path)
		if err != nil {
			return
		}
		// Version 1 says no limit by a number near the largest there is, version 2 by a word.
		if n, err := strconv.ParseInt(string(bytes.TrimSpace(text)), 10, 64); err == nil && n > 0 && n < 1<<50 {
			limit, found = min(limit, n), true
		}
	}
	own, _ := fs.ReadFile(system, "proc/self/cgroup") // without it the root's files may tell
	for line := range strings.Lines(string(own)) {
		path, isV2 := strings.CutPrefix(strings.TrimSpace(line), "0::/")
		for isV2 && path != "" && !strings.Contains(path, "..") {
			read("sys/fs/cgroup/" + path + "/memory.max")
			path = path[:max(0, strings.LastIndexByte(path, '/'))]
		}
	}
	read("sys/fs/cgroup/memory.max")
	read("sys/fs/cgroup/memory/memory.limit_in_bytes")
	return limit, found
}

const (
	// lookEvery is how often ReturnMemory looks, and quietBelow what a quiet shop allocates meanwhile at most, in bytes.
	lookEvery  = 4 * time.Second
	quietBelow = 24 << 20
	// worthIt is what it returns at least, in bytes.
	worthIt = 8 << 20
)

// ReturnMemory gives memory back to the system when the shop is quiet: after its start, and after a rush. The garbage collector comes
// so rarely that a quiet shop would keep its garbage for minutes, and what it freed it keeps for the next rush.
func ReturnMemory(ctx context.Context) {
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	debug.FreeOSMemory()
	allocated := lookAtMemory().allocated
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		now := lookAtMemory()
		if now.allocated-allocated < quietBelow && now.unused > worthIt {
			debug.FreeOSMemory()
		}
		allocated = now.allocated
	}
}

// memory is how the heap is, in bytes: what was allocated since the process began, and what is garbage or free and not returned.
type memory struct{ allocated, unused uint64 }

func lookAtMemory() memory {
	samples := []metrics.Sample{
		{Name: "/gc/heap/allocs:bytes"}, {Name: "/memory/classes/heap/objects:bytes"}, {Name: "/gc/heap/live:bytes"}, {Name: "/memory/classes/heap/free:bytes"},
	}
	metrics.Read(samples)
	allocated, objects, live, free := samples[0].Value.Uint64(), samples[1].Value.Uint64(), samples[2].Value.Uint64(), samples[3].Value.Uint64()
	return memory{allocated: allocated, unused: max(objects, live) - live + free}
}
