package app

import (
	"bytes"
	"log/slog"
	"runtime/debug"
	"strings"
	"testing"
	"testing/fstest"

	"shop/cmd/shop/shoptest"
)

func TestMemoryOfAControlGroup(t *testing.T) {
	t.Parallel()
	file := func(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }
	for name, c := range map[string]struct {
		system fstest.MapFS
		want   int64
		found  bool
	}{
		"none":          {fstest.MapFS{}, 0, false},
		"a container":   {fstest.MapFS{"proc/self/cgroup": file("0::/\n"), "sys/fs/cgroup/memory.max": file("1073741824\n")}, 1 << 30, true},
		"no limit":      {fstest.MapFS{"proc/self/cgroup": file("0::/\n"), "sys/fs/cgroup/memory.max": file("max\n")}, 0, false},
		"a service":     {fstest.MapFS{"proc/self/cgroup": file("0::/system.slice/shop.service\n"), "sys/fs/cgroup/system.slice/shop.service/memory.max": file("536870912\n")}, 512 << 20, true},
		"the parent's":  {fstest.MapFS{"proc/self/cgroup": file("0::/a/b\n"), "sys/fs/cgroup/a/b/memory.max": file("max"), "sys/fs/cgroup/a/memory.max": file("1048576")}, 1 << 20, true},
		"version 1":     {fstest.MapFS{"sys/fs/cgroup/memory/memory.limit_in_bytes": file("2097152")}, 2 << 20, true},
		"version 1, no": {fstest.MapFS{"sys/fs/cgroup/memory/memory.limit_in_bytes": file("9223372036854771712")}, 0, false},
		"nonsense":      {fstest.MapFS{"proc/self/cgroup": file("0::/../x\nx\n"), "sys/fs/cgroup/memory.max": file("-5")}, 0, false},
	} {
		limit, found := groupMemory(c.system)
		if found != c.found || found && limit != c.want {
			t.Errorf("%s: %d, %v", name, limit, found)
		}
	}
}

// TestMemoryIsLimitedAndSaid sets what holds for the whole process, so it is not parallel.
func TestMemoryIsLimitedAndSaid(t *testing.T) {
	before := debug.SetMemoryLimit(-1)
	defer debug.SetMemoryLimit(before)
	system := fstest.MapFS{"sys/fs/cgroup/memory.max": &fstest.MapFile{Data: []byte("8589934592")}}
	said := func(pairs ...string) string {
		var out bytes.Buffer
		LimitMemory(t.Context(), system, shoptest.Env(pairs...), slog.New(slog.NewTextHandler(&out, nil)))
		return out.String()
	}
	if text := said("GOMEMLIMIT", "1GiB"); !strings.Contains(text, "from=GOMEMLIMIT") || debug.SetMemoryLimit(-1) != before {
		t.Errorf("with GOMEMLIMIT: %s", text)
	}
	if text := said(); !strings.Contains(text, "limit_mib=6144") || debug.SetMemoryLimit(-1) != 6<<30 {
		t.Errorf("in a container of 8 GiB: %s", text)
	}
	system = fstest.MapFS{}
	if text := said(); !strings.Contains(text, "no limit") {
		t.Errorf("elsewhere: %s", text)
	}
}
