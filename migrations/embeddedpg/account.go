package embeddedpg

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"strconv"
	"syscall"
)

// account is whom the server runs as.
type account struct {
	uid, gid int
	name     string
	// other says that it is not the account of this process.
	other bool
}

func (a account) String() string { return fmt.Sprintf("%s (uid %d)", a.name, a.uid) }

// self is the account of this process.
func self() account {
	return account{uid: os.Geteuid(), gid: os.Getegid(), name: userName(os.Geteuid())}
}

// nobody is the account without rights that root lends to the server.
func nobody() account {
	a := account{uid: 65534, gid: 65534, name: "nobody", other: true}
	if u, err := user.Lookup("nobody"); err == nil {
		uid, uidErr := strconv.Atoi(u.Uid)
		gid, gidErr := strconv.Atoi(u.Gid)
		if uidErr == nil && gidErr == nil && uid > 0 {
			a.uid, a.gid = uid, gid
		}
	}
	return a
}

func userName(uid int) string {
	if u, err := user.LookupId(strconv.Itoa(uid)); err == nil {
		return u.Username
	}
	return "user"
}

// command is a program run as the account, in its own session: Ctrl-C in a terminal reaches every process of
// the foreground group, and the server must outlive the requests the program still has to finish. Of the
// environment only what finds libraries is passed on; the rest may hold secrets. The end of ctx kills it.
func (a account) command(ctx context.Context, dir, path string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Dir = dir
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "LC_ALL=C", "TZ=UTC"}
	for _, name := range []string{"LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH"} {
		if value := os.Getenv(name); value != "" {
			cmd.Env = append(cmd.Env, name+"="+value)
		}
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if a.other {
		cmd.SysProcAttr.Credential = &syscall.Credential{Uid: uint32(a.uid), Gid: uint32(a.gid)}
	}
	return cmd
}

// output runs a program to its end and returns what it printed, both streams together.
func (a account) output(ctx context.Context, dir, path string, args ...string) (string, error) {
	printed, err := a.command(ctx, dir, path, args...).CombinedOutput()
	if err != nil && ctx.Err() != nil {
		err = ctx.Err()
	}
	return string(printed), err
}
