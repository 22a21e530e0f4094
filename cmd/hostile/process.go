package main

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"

	"shop/eventstore/wake"
	"shop/migrations/pgproxy"
)

// process is a 'shop serve' that is killed and started again.
type process struct {
	name    string
	program string
	env     []string
	log     string
	// proxy leads to the database.
	proxy *pgproxy.Proxy

	// mending is held by whoever starts it again.
	mending sync.Mutex

	mu  sync.Mutex
	cmd *exec.Cmd
	// url is where it is reached, empty while it is not ready; ended is closed when the present one has ended.
	url   string
	ended chan struct{}
}

// patience bounds what has to happen in the end; a machine under load is slow but not this slow.
const patience = 2 * time.Minute

// start runs the program and returns when it is ready.
func (p *process) start(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	out, err := os.OpenFile(p.log, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	defer out.Close()
	cmd := exec.Command(p.program, "serve")
	cmd.Env, cmd.Stderr = p.env, out
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // Ctrl-C is for this program, which stops the others in order
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	ready, ended := make(chan string, 1), make(chan struct{})
	p.mu.Lock()
	p.cmd, p.ended = cmd, ended
	p.mu.Unlock()
	go func() {
		defer close(ended)
		for lines := bufio.NewScanner(stdout); lines.Scan(); {
			if _, rest, found := strings.Cut(lines.Text(), "is ready at "); found {
				ready <- strings.Fields(rest)[0]
			}
		}
		_ = cmd.Wait()
		p.mu.Lock()
		if p.cmd == cmd {
			p.url = ""
		}
		p.mu.Unlock()
	}()
	select {
	case url := <-ready:
		p.mu.Lock()
		p.url = url
		p.mu.Unlock()
		return nil
	case <-ended:
		return fmt.Errorf("%s ended by itself: %s", p.name, lastLine(p.log))
	case <-ctx.Done():
		_ = cmd.Process.Kill()
		<-ended
		return fmt.Errorf("%s was not ready: %w", p.name, ctx.Err())
	}
}

// again starts the process until it is ready, unless somebody else has.
func (p *process) again(ctx context.Context, failed func()) (err error) {
	p.mending.Lock()
	defer p.mending.Unlock()
	// A shop that starts while the database is down ends, as it should; whoever runs it starts it again.
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); wake.Pause(ctx, 100*time.Millisecond) {
		if p.address() != "" {
			return nil
		}
		if err = p.start(ctx); err == nil {
			return nil
		}
		failed()
	}
	return err
}

// address is where the process is reached; empty while it is not ready.
func (p *process) address() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.url
}

// kill ends the process at once.
func (p *process) kill() {
	p.mu.Lock()
	cmd, ended := p.cmd, p.ended
	p.url = ""
	p.mu.Unlock()
	if cmd != nil {
		_ = cmd.Process.Kill()
		<-ended
	}
}

// stop ends the process in order.
func (p *process) stop() error {
	p.mu.Lock()
	cmd, ended := p.cmd, p.ended
	p.mu.Unlock()
	if cmd == nil {
		return nil
	}
	_ = cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-ended:
	case <-time.After(patience):
		_ = cmd.Process.Kill()
		<-ended
		return fmt.Errorf("%s went on after SIGTERM", p.name)
	}
	if status := cmd.ProcessState.ExitCode(); status != 0 {
		return fmt.Errorf("%s ended with status %d: %s", p.name, status, lastLine(p.log))
	}
	return nil
}

func lastLine(file string) string {
	text, err := os.ReadFile(file)
	if err != nil {
		return err.Error()
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	return lines[len(lines)-1]
}
