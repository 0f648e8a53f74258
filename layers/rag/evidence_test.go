package rag_test

import (
	"testing"

	"github.com/agent-eval/feedback/layers/rag"
	"github.com/agent-eval/feedback/transcript"
	"github.com/agent-eval/feedback/transcript/transcripttest"
)

// ground checks an answer against what build lets tools return.
func ground(t *testing.T, answer string, build func(*transcripttest.Log)) rag.Grounding {
	t.Helper()
	log := transcripttest.New()
	build(log)
	log.Request(9_000).Text(answer)
	return rag.Ground(log.End(answer).SessionWith(t, transcript.Options{KeepText: true}))
}

// twoTools show lines 10 and 11 of a file by its relative path, and 12 and 13 by its absolute one.
func twoTools(log *transcripttest.Log) {
	log.Request(1_000).Explore("a").Result(transcripttest.Response(transcripttest.File{Path: "lib/a.go", Source: "10\tfunc a() {\n11\t\tbeta()"}))
	log.Request(2_000).ReadFile("/home/dev/proj/lib/a.go").Result("12\t\tgamma()\n13\t}")
}

func TestWhatTwoToolsShowOfOneFileBelongsTogether(t *testing.T) {
	for answer, want := range map[string]string{
		"lib/a.go:10-13":                                          "lib/a.go 10-13 supported",
		"/home/dev/proj/lib/a.go:11-12":                           "home/dev/proj/lib/a.go 11-12 supported",
		"a.go:11-13":                                              "a.go 11-13 supported",
		"lib/a.go:10-14":                                          "lib/a.go 10-14 lines not shipped",
		"/home/dev/other/lib/a.go:12-13":                          "home/dev/other/lib/a.go 12-13 lines not shipped",
		"```go\nfunc a() {\n\tbeta()\n\tgamma()\n}\n```":          "supported",
		"```go\nfunc a() {\n\tgamma()\n}\n```\n":                  "quote not found",
		"```go\nfunc a() {\n\tbeta()\n\t// ...\n\tgamma()\n```\n": "supported",
	} {
		if got := verdicts(ground(t, answer, twoTools)); got != want {
			t.Errorf("%q\n got %s\nwant %s", answer, got, want)
		}
	}
}

// A line that was shown twice and differs is taken as it was shown under the name that is longer, together with its neighbours.
func TestALineThatChanged(t *testing.T) {
	const answer = "```go\nfunc a() {\n\tbeta()\n\tgamma()\n}\n```"
	g := ground(t, answer, func(log *transcripttest.Log) {
		log.Request(1_000).Explore("a").Result(transcripttest.Response(transcripttest.File{Path: "lib/a.go", Source: "10\tfunc a() {\n11\t\tbeta()\n12\t\told()"}))
		log.Request(2_000).ReadFile("/p/lib/a.go").Result("12\t\tgamma()\n13\t}")
	})
	if got := verdicts(g); got != "supported" {
		t.Errorf("got %s", got)
	}
}

// Two files with one name are not one: neither of them was shown from line 2 to line 3.
func TestFilesWithOneNameAreApart(t *testing.T) {
	build := func(log *transcripttest.Log) {
		log.Request(1_000).ReadFile("/p/a/index.ts").Result("1\tone()\n2\ttwo()")
		log.Request(2_000).ReadFile("/p/b/index.ts").Result("3\tthree()\n4\tfour()")
	}
	for answer, want := range map[string]string{
		"index.ts:2-3":                  "index.ts 2-3 lines not shipped",
		"index.ts:1-2, b/index.ts:3":    "index.ts 1-2 supported, b/index.ts 3-3 supported",
		"a/index.ts:3":                  "a/index.ts 3-3 lines not shipped",
		"```ts\ntwo()\nthree()\n```\n.": "quote not found",
	} {
		if got := verdicts(ground(t, answer, build)); got != want {
			t.Errorf("%q\n got %s\nwant %s", answer, got, want)
		}
	}
}

// What looks like a path with a line and was returned by no tool is a citation only with an extension.
func TestNamesWithANumberAreNoCitations(t *testing.T) {
	build := func(log *transcripttest.Log) {
		log.Request(1_000).ReadFile("/p/bin/run").Result("1\t#!/bin/sh")
	}
	for answer, want := range map[string]string{
		"postgres/postgis:16, ghcr.io/o/image:2, and/or:3, TCP/UDP:53, me@example.com/x:22": "",
		"bin/run:1, bin/run:2, bin/walk:1":                                                  "bin/run 1-1 supported, bin/run 2-2 lines not shipped",
		"bin/walk.sh:1":                                                                     "bin/walk.sh 1-1 file not returned",
	} {
		g := ground(t, answer, build)
		if got := verdicts(g); got != want || g.Citations == nil {
			t.Errorf("%q\n got %s\nwant %s", answer, got, want)
		}
	}
}

func TestWaysToSayTheLines(t *testing.T) {
	for answer, want := range map[string]string{
		"`lib/a.go`:10":          "lib/a.go 10-10 supported",
		"**lib/a.go**:9":         "lib/a.go 9-9 lines not shipped",
		"lib/a.go:10—99":         "lib/a.go 10-99 lines not shipped",
		"lib/a.go:10..99":        "lib/a.go 10-99 lines not shipped",
		"lib/a.go:10...":         "lib/a.go 10-10 supported",
		"lib/a.go (L10-L99)":     "lib/a.go 10-99 lines not shipped",
		"`a.go` L10–11":          "a.go 10-11 supported",
		"lib/a.go (Lines 10-11)": "lib/a.go 10-11 supported",
		"lib/a.go:12:5":          "lib/a.go 12-12 supported",
	} {
		if got := verdicts(ground(t, answer, twoTools)); got != want {
			t.Errorf("%q\n got %s\nwant %s", answer, got, want)
		}
	}
}

// A fence in a list is as far in as its item, and a fence further in than the one that is open closes nothing.
func TestFences(t *testing.T) {
	for answer, want := range map[string]string{
		"- x\n    - y\n\n      ```go\n      func a() {\n      \tbeta()\n      ```\n":        "supported",
		"- x\n    - y\n\n      ```go\n      func zz() {\n      \tbeta()\n      ```\nb.go:1": "b.go 1-1 file not returned, quote not found",
		"```go\nfunc zz() {\n      ```\n\tbeta()\n```\nb.go:1":                              "b.go 1-1 file not returned, quote not found",
		"In lib/a.go:\n```go\nfunc a() {\n\tbeta()":                                         "supported",
		"```bash title=x\ngo test\nfunc a() {\n```":                                         "",
	} {
		if got := verdicts(ground(t, answer, twoTools)); got != want {
			t.Errorf("%q\n got %s\nwant %s", answer, got, want)
		}
	}
}

// A read past the end of a file returns a note of the client and nothing of the file. A note behind what was read changes nothing.
func TestANoteOfTheClientIsNoLine(t *testing.T) {
	const note = "<system-reminder>Warning: the file is shorter than the offset.</system-reminder>"
	g := ground(t, "a.go:5, b.go:1, b.go:2, c.go:1", func(log *transcripttest.Log) {
		log.Request(1_000).ReadFile("a.go").Result(note)
		log.Request(2_000).ReadFile("b.go").Result("     1→package b\n\n" + note + "\n")
		log.Request(3_000).ReadFile("c.go").Result(note + "\n1\tpackage c\n" + note)
	})
	if got, want := verdicts(g), "a.go 5-5 file not returned, b.go 1-1 supported, b.go 2-2 lines not shipped, c.go 1-1 supported"; got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
}
