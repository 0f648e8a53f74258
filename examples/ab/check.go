package main

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/agent-eval/feedback/internal/harness"
	"github.com/agent-eval/feedback/internal/textutil"
)

// check validates a spec and prints what would be run.
func check(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	o, err := parseOptions("check", args, stderr)
	if err != nil {
		return err
	}
	h, err := o.harness(func(p harness.Progress) {
		if p.Warning != "" {
			fmt.Fprintln(stderr, "warning:", p.Warning)
		}
	})
	if err != nil {
		return err
	}
	steps, err := h.Plan(ctx)
	if err != nil {
		return err
	}
	var t strings.Builder
	if err := writeTarget(&t, o.spec); err != nil {
		return err
	}
	writeAgent(&t, o.spec)
	writeArms(&t, o.spec, h)
	replaced, err := h.Probe(ctx)
	if err == nil {
		fmt.Fprintf(&t, "shield     holds: %s cannot be run, and the content of %s cannot be read\n", strings.Join(o.spec.Hide.CLI, ", "), strings.Join(o.spec.Hide.Index, ", "))
		for _, dir := range replaced {
			fmt.Fprintf(&t, "           on the search path, links stand in the place of %s\n", textutil.Printable(dir, 200))
		}
	}
	writeSteps(&t, steps)
	if _, err := io.WriteString(stdout, t.String()); err != nil {
		return err
	}
	return err
}

func writeTarget(t *strings.Builder, s *harness.Spec) error {
	dirs := map[string]string{}
	if s.Target != "" {
		dirs["target"] = s.Target
	}
	for _, r := range s.Repositories {
		if r.Dir != "" {
			dirs[r.Name] = r.Dir
		} else {
			fmt.Fprintf(t, "%-10s %s at %s, %s\n", r.Name, r.URL, r.Ref, textutil.Count(len(r.Task.Turns), "turn"))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(dirs)) {
		size, err := s.Size(dirs[name])
		if err != nil {
			return err
		}
		fmt.Fprintf(t, "%-10s %s: %s, %.1f MB a copy", name, dirs[name], textutil.Count(size.Files, "file"), float64(size.Bytes)/1e6)
		if n := len(size.LeftOut); n > 0 {
			list := strings.Join(size.LeftOut[:min(n, 8)], ", ")
			if n > 8 {
				list += fmt.Sprintf(", and %d more", n-8)
			}
			fmt.Fprintf(t, "; left out: %s", list)
		}
		t.WriteByte('\n')
	}
	for _, task := range s.Tasks {
		fmt.Fprintf(t, "%-10s %s: %s\n", task.Name, textutil.Count(len(task.Turns), "turn"), textutil.Printable(strings.Join(task.Turns, " || "), 120))
	}
	return nil
}

func writeAgent(t *strings.Builder, s *harness.Spec) {
	fmt.Fprintf(t, "agent      %s\n", strings.Join(s.AgentLine(), " "))
	fmt.Fprintf(t, "limits     %v a turn, %v a setup command, %v in all\n", s.Limits.Turn, s.Limits.Setup, s.Limits.Total)
}

func writeArms(t *strings.Builder, s *harness.Spec, h *harness.Harness) {
	for _, a := range s.Arms {
		fmt.Fprintf(t, "arm        %s\n", a.Label)
		line := func(what, format string, args ...any) {
			fmt.Fprintf(t, "             %-9s %s\n", what, fmt.Sprintf(format, args...))
		}
		if a.Ref != "" {
			commit := h.Commit(a.Ref)
			line("build", "%s (%s) of %s", a.Ref, commit[:min(12, len(commit))], s.Engine.Dir)
			for _, c := range s.Engine.Build {
				line("", "%s", commandText(c))
			}
		}
		for _, c := range a.Setup {
			line("setup", "%s", commandText(c))
		}
		servers := strings.Join(slices.Sorted(maps.Keys(a.MCP)), ", ")
		if servers == "" {
			servers = "none"
		}
		line("servers", "%s", servers)
		if p := a.Prewarm; p != nil {
			line("pre-warm", "%s", commandText(p.Command))
			line("", "until %s%s is there, at most %v", p.Socket, p.File, p.Timeout)
		}
		for _, name := range slices.Sorted(maps.Keys(a.Environment)) {
			line("with", "%s=%s", name, a.Environment[name])
		}
	}
}

// commandText shows a command as the spec has it.
func commandText(c harness.Command) string {
	if len(c) == 3 && c[0] == "sh" && c[1] == "-c" {
		return c[2]
	}
	return strings.Join(c, " ")
}

func writeSteps(t *strings.Builder, steps []harness.Step) {
	todo := 0
	for _, s := range steps {
		if s.Status != harness.Finished {
			todo++
		}
	}
	fmt.Fprintf(t, "runs       %d, of which %d to make, in this order\n", len(steps), todo)
	for i, s := range steps {
		fmt.Fprintf(t, "  %3d. %-40s %s", i+1, s.Name, s.Status)
		if s.Reason != "" {
			fmt.Fprintf(t, ": %s", s.Reason)
		}
		t.WriteByte('\n')
	}
}
