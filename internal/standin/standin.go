//go:build unix

// Package standin is an agent for tests: a program that takes the client's flags, does what its prompt says in brackets, and writes stream-json.
//
//	[bash: COMMAND]  asks the hook of the settings, and runs the command in a shell unless that denies it
//	[explore: TEXT]  calls the retrieval tool, if there is a server
//	[hang] [deaf]    waits until it is ended; deaf to an interrupt
//	[crash] [killed] ends without a result
//	[child] [detach] leaves a process behind, in its group or out of it, and its id in the recorded directory
//	[no session] [api error] [max turns] [failed server] [kill server] [garbage]
//
// The variable STANDIN adds to the prompt. STANDIN_RECORD is a directory: every call leaves a file there, and sessions are kept there. A test binary
// becomes the agent by calling [Main] in its TestMain, when its first argument is agent or serve.
package standin

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Quick is a variable for the environment of everything that is a test binary: under the race detector it would sleep for a second before it exits.
const Quick = "GORACE=atexit_sleep_ms=0"

// Main runs the agent, or a server for it, and returns the exit status.
func Main(args []string) int {
	if args[0] == "serve" {
		return serve(args[1])
	}
	a := &agent{flags: make(map[string]string)}
	if err := a.parse(args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "stand-in:", err)
		return 2
	}
	return a.run()
}

// serve is a server: it listens on a socket until it is ended. It says its process id beside it.
func serve(socket string) int {
	if err := os.MkdirAll(filepath.Dir(socket), 0o700); err != nil {
		return 1
	}
	l, err := net.Listen("unix", socket)
	if err != nil {
		fmt.Fprintln(os.Stderr, "stand-in:", err)
		return 1
	}
	os.WriteFile(socket+".pid", []byte(strconv.Itoa(os.Getpid())), 0o600)
	for {
		c, err := l.Accept()
		if err != nil {
			return 1
		}
		c.Close()
	}
}

type agent struct {
	flags   map[string]string
	prompt  string
	session string
	turn    int
	servers []string
	calls   int
	tokens  int
}

func (a *agent) parse(args []string) error {
	for i := 0; i < len(args); i++ {
		switch arg := args[i]; arg {
		case "-p", "--verbose", "--strict-mcp-config":
			a.flags[arg] = "true"
		case "--":
			if i+2 != len(args) {
				return fmt.Errorf("want one prompt after --: %q", args[i:])
			}
			a.prompt = args[i+1]
			i++
		case "--output-format", "--model", "--effort", "--max-budget-usd", "--permission-mode", "--mcp-config", "--settings", "--resume", "--max-turns":
			if i+1 == len(args) {
				return fmt.Errorf("%s has no value", arg)
			}
			a.flags[arg] = args[i+1]
			i++
		default:
			return fmt.Errorf("unknown flag %q", arg)
		}
	}
	if a.flags["--output-format"] != "stream-json" || a.flags["--verbose"] == "" || a.flags["-p"] == "" || a.flags["--strict-mcp-config"] == "" {
		return fmt.Errorf("flags missing: %q", args)
	}
	a.prompt += os.Getenv("STANDIN")
	return a.load()
}

// load reads the configuration of servers, and the session that is resumed.
func (a *agent) load() error {
	data, err := os.ReadFile(a.flags["--mcp-config"])
	if err != nil {
		return err
	}
	var config struct {
		Servers map[string]struct{ Command string } `json:"mcpServers"`
	}
	if err := json.Unmarshal(data, &config); err != nil {
		return err
	}
	for name := range config.Servers {
		a.servers = append(a.servers, name)
	}
	a.session, a.turn = fmt.Sprintf("session-%d", os.Getpid()), 1
	if id := a.flags["--resume"]; id != "" {
		before, err := os.ReadFile(filepath.Join(record(), id))
		if err != nil {
			return fmt.Errorf("no conversation found with session ID %s", id)
		}
		n, _ := strconv.Atoi(string(before))
		a.session, a.turn = id, n+1
	}
	return nil
}

func record() string { return os.Getenv("STANDIN_RECORD") }

func (a *agent) has(directive string) bool { return strings.Contains(a.prompt, "["+directive+"]") }

func (a *agent) note() {
	dir, _ := os.Getwd()
	r := Record{Args: os.Args[1:], Dir: dir, Path: os.Getenv("PATH"), Env: os.Environ(), Prompt: a.prompt, Resumed: a.flags["--resume"], Servers: a.servers}
	filepath.WalkDir(".", func(name string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			r.Files = append(r.Files, name)
		}
		return nil
	})
	data, _ := json.Marshal(r)
	os.WriteFile(filepath.Join(record(), fmt.Sprintf("call-%020d.json", time.Now().UnixNano())), data, 0o600)
	os.WriteFile(filepath.Join(record(), a.session), []byte(strconv.Itoa(a.turn)), 0o600)
}

var directive = regexp.MustCompile(`\[(bash|explore): ([^\]]*)\]`)

func (a *agent) run() int {
	a.note()
	if a.has("deaf") {
		signal.Ignore(os.Interrupt)
	}
	a.tokens = 10_000 * a.turn
	a.init()
	for _, m := range directive.FindAllStringSubmatch(a.prompt, -1) {
		if m[1] == "bash" {
			a.bash(m[2])
		} else if len(a.servers) > 0 {
			a.call("mcp__codegraph__codegraph_explore", map[string]any{"query": m[2]}, "**`main.go`**\n\nfunc main() {}\n", false)
		}
	}
	a.leave()
	return a.end()
}

// leave does what outlasts the agent.
func (a *agent) leave() {
	for _, d := range []string{"child", "detach"} {
		if a.has(d) {
			cmd := exec.Command("sleep", "600")
			if d == "detach" {
				cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
				cmd.Stdout = os.Stdout // and holds the log
			}
			if cmd.Start() == nil {
				os.WriteFile(filepath.Join(record(), d+".pid"), []byte(strconv.Itoa(cmd.Process.Pid)), 0o600)
			}
		}
	}
	if a.has("kill server") {
		files, _ := filepath.Glob("*.sock.pid")
		for _, f := range files {
			pid, _ := os.ReadFile(f)
			if n, err := strconv.Atoi(string(pid)); err == nil && n > 1 {
				syscall.Kill(n, syscall.SIGKILL)
				for syscall.Kill(n, 0) == nil {
					if _, err := net.Dial("unix", strings.TrimSuffix(f, ".pid")); err != nil {
						break
					}
				}
			}
		}
	}
}

// end ends the turn, in one way or another.
func (a *agent) end() int {
	switch {
	case a.has("hang"), a.has("deaf"):
		os.WriteFile(filepath.Join(record(), "hanging"), nil, 0o600)
		time.Sleep(10 * time.Minute)
		return 0
	case a.has("crash"):
		fmt.Fprintln(os.Stderr, "stand-in: boom")
		return 7
	case a.has("killed"):
		syscall.Kill(os.Getpid(), syscall.SIGKILL)
	case a.has("garbage"):
		fmt.Println("no JSON at all")
		return 0
	case a.has("api error"):
		a.result("success", true, "API Error: 529 overloaded")
		return 1
	case a.has("max turns"):
		a.result("error_max_turns", true, "")
		return 1
	}
	answer := fmt.Sprintf("Turn %d: main is in main.go:1.", a.turn)
	a.message(map[string]any{"type": "text", "text": answer})
	a.result("success", false, answer)
	return 0
}

func (a *agent) write(v map[string]any) {
	if !a.has("no session") {
		v["session_id"] = a.session
	}
	data, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	if _, err := os.Stdout.Write(append(data, '\n')); err != nil {
		fmt.Fprintln(os.Stderr, "stand-in:", err)
		os.Exit(3)
	}
}

func (a *agent) init() {
	dir, _ := os.Getwd()
	status, tools := "connected", []string{"Bash", "Read", "Grep"}
	if a.has("failed server") {
		status = "failed"
	}
	servers := []map[string]any{}
	for _, name := range a.servers {
		servers = append(servers, map[string]any{"name": name, "status": status})
		tools = append(tools, "mcp__"+name+"__codegraph_explore")
	}
	a.write(map[string]any{"type": "system", "subtype": "init", "cwd": dir, "tools": tools, "mcp_servers": servers, "model": a.flags["--model"],
		"permissionMode": a.flags["--permission-mode"], "claude_code_version": "2.1.112"})
}

func (a *agent) message(block map[string]any) {
	a.calls++
	a.write(map[string]any{"type": "assistant", "parent_tool_use_id": nil, "message": map[string]any{
		"id": fmt.Sprintf("msg_%d_%d", a.turn, a.calls), "role": "assistant", "model": a.flags["--model"], "content": []any{block},
		"usage": map[string]any{"input_tokens": 10, "cache_read_input_tokens": a.tokens, "cache_creation_input_tokens": 0, "output_tokens": 1}}})
}

func (a *agent) call(tool string, input map[string]any, output string, isError bool) {
	id := fmt.Sprintf("toolu_%d_%d", a.turn, a.calls)
	a.message(map[string]any{"type": "tool_use", "id": id, "name": tool, "input": input})
	a.write(map[string]any{"type": "user", "parent_tool_use_id": nil, "message": map[string]any{"role": "user", "content": []any{
		map[string]any{"type": "tool_result", "tool_use_id": id, "content": output, "is_error": isError}}}})
	a.tokens += 20 + len(output)/3
}

// bash runs a command as the client would: the hook of the settings first.
func (a *agent) bash(command string) {
	input := map[string]any{"command": command}
	if reason := a.denied("Bash", input); reason != "" {
		a.call("Bash", input, reason, true)
		return
	}
	out, err := exec.Command("/bin/sh", "-c", command).CombinedOutput()
	a.call("Bash", input, string(out), err != nil)
}

func (a *agent) denied(tool string, input map[string]any) string {
	data, err := os.ReadFile(a.flags["--settings"])
	if err != nil {
		return ""
	}
	var settings struct {
		Hooks struct {
			PreToolUse []struct{ Hooks []struct{ Command string } }
		}
	}
	if err := json.Unmarshal(data, &settings); err != nil {
		return ""
	}
	for _, m := range settings.Hooks.PreToolUse {
		for _, h := range m.Hooks {
			in, _ := json.Marshal(map[string]any{"hook_event_name": "PreToolUse", "tool_name": tool, "tool_input": input})
			cmd := exec.Command("/bin/sh", "-c", h.Command)
			cmd.Stdin = bytes.NewReader(in)
			out, _ := cmd.Output()
			var decision struct {
				HookSpecificOutput struct{ PermissionDecision, PermissionDecisionReason string }
			}
			if json.Unmarshal(out, &decision) == nil && decision.HookSpecificOutput.PermissionDecision == "deny" {
				return decision.HookSpecificOutput.PermissionDecisionReason
			}
		}
	}
	return ""
}

func (a *agent) result(subtype string, isError bool, text string) {
	a.write(map[string]any{"type": "result", "subtype": subtype, "is_error": isError, "result": text, "num_turns": a.calls, "duration_ms": 1000 * a.turn,
		"total_cost_usd": 0.01})
}
