package embeddedpg

import "testing"

func TestServerDiesWithItsProcess(t *testing.T) {
	t.Parallel()
	dir := stockedDir(t)
	pid := killedShop(t, dir, true)
	gone(t, &Server{pid: pid, cluster: cluster{dir: dir + "/postgres"}})
}
