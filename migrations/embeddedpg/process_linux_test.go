package embeddedpg

import "testing"

func TestServerDiesWithItsProcess(t *testing.T) {
	t.Parallel()
	dir := stockedDir(t)
	pid := killedShop(t, dir, true)
	s := &Server{cluster: cluster{dir: dir + "/postgres"}}
	s.pid.Store(int64(pid))
	gone(t, s)
}
