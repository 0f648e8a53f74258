package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"testing"
	"time"
)

// A browser is a headless Chromium that is driven through its debugging pipe: messages of JSON, each with a zero byte after it.
type browser struct {
	t       *testing.T
	in      *os.File
	out     *bufio.Reader
	next    int
	session string
	events  []message
}

type message struct {
	ID     int
	Method string
	Params json.RawMessage
	Result json.RawMessage
	Error  *struct{ Message string }
}

// startBrowser starts Chromium on an empty page, or skips the test.
func startBrowser(t *testing.T) *browser {
	t.Helper()
	path, err := exec.LookPath("chromium")
	if err != nil {
		t.Skip("no chromium on the search path: the page was not looked at in a browser")
	}
	inRead, inWrite, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	outRead, outWrite, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(path, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--hide-scrollbars",
		"--disable-background-networking", "--user-data-dir="+t.TempDir(), "--remote-debugging-pipe", "about:blank")
	cmd.ExtraFiles = []*os.File{inRead, outWrite}
	if err := cmd.Start(); err != nil {
		t.Skipf("chromium does not start: %v", err)
	}
	inRead.Close()
	outWrite.Close()
	timer := time.AfterFunc(2*time.Minute, func() { cmd.Process.Kill() }) // a browser that hangs must not hang the test
	b := &browser{t: t, in: inWrite, out: bufio.NewReaderSize(outRead, 1<<20)}
	t.Cleanup(func() {
		timer.Stop()
		b.session = ""
		b.send("Browser.close", nil)
		cmd.Wait()
		inWrite.Close()
		outRead.Close()
	})
	var target struct{ TargetID string }
	b.call("Target.createTarget", map[string]any{"url": "about:blank"}, &target)
	var attached struct{ SessionID string }
	b.call("Target.attachToTarget", map[string]any{"targetId": target.TargetID, "flatten": true}, &attached)
	b.session = attached.SessionID
	for _, domain := range []string{"Page", "Runtime", "Network", "Log"} {
		b.call(domain+".enable", nil, nil)
	}
	return b
}

func (b *browser) send(method string, params any) int {
	b.next++
	m := map[string]any{"id": b.next, "method": method}
	if params != nil {
		m["params"] = params
	}
	if b.session != "" {
		m["sessionId"] = b.session
	}
	data, err := json.Marshal(m)
	if err == nil {
		_, err = b.in.Write(append(data, 0))
	}
	if err != nil {
		b.t.Logf("%s: %v", method, err)
	}
	return b.next
}

func (b *browser) receive() message {
	b.t.Helper()
	data, err := b.out.ReadBytes(0)
	if err != nil {
		b.t.Fatalf("the browser is gone: %v", err)
	}
	var m message
	if err := json.Unmarshal(bytes.TrimSuffix(data, []byte{0}), &m); err != nil {
		b.t.Fatal(err)
	}
	if m.Method != "" {
		b.events = append(b.events, m)
	}
	return m
}

// call sends a command and waits for its result.
func (b *browser) call(method string, params, result any) {
	b.t.Helper()
	id := b.send(method, params)
	for {
		m := b.receive()
		if m.ID != id {
			continue
		}
		if m.Error != nil {
			b.t.Fatalf("%s: %s", method, m.Error.Message)
		}
		if result != nil {
			if err := json.Unmarshal(m.Result, result); err != nil {
				b.t.Fatal(err)
			}
		}
		return
	}
}

// open loads a page in a window of the given size and scheme, and waits until it is there.
func (b *browser) open(url string, width int, scheme string) {
	b.t.Helper()
	b.call("Emulation.setDeviceMetricsOverride", map[string]any{"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": false}, nil)
	b.call("Emulation.setEmulatedMedia", map[string]any{"features": []any{map[string]any{"name": "prefers-color-scheme", "value": scheme}}}, nil)
	b.events = nil
	b.call("Page.navigate", map[string]any{"url": url}, nil)
	for loaded := false; !loaded; {
		loaded = false
		for _, e := range b.events {
			loaded = loaded || e.Method == "Page.loadEventFired"
		}
		if !loaded {
			b.receive()
		}
	}
}

// evaluate returns the value of an expression in the page.
func (b *browser) evaluate(expression string) string {
	b.t.Helper()
	var v struct{ Result struct{ Value any } }
	b.call("Runtime.evaluate", map[string]any{"expression": expression, "returnByValue": true}, &v)
	return fmt.Sprint(v.Result.Value)
}

// screenshot returns the whole page as PNG.
func (b *browser) screenshot() []byte {
	b.t.Helper()
	var v struct{ Data []byte }
	b.call("Page.captureScreenshot", map[string]any{"format": "png", "captureBeyondViewport": true}, &v)
	return v.Data
}
