package allocation_test

import (
	"fmt"
	"os"
	"testing"

	"github.com/agent-eval/feedback/allocation"
	"github.com/agent-eval/feedback/transcript/transcripttest"
)

// The answer cites one of two returned files by its path, and nothing of the other.
func ExampleAnalyze() {
	t := new(testing.T) // in a test, its own
	log := transcripttest.New()
	log.Request(10_000).Explore("res.send").Result(transcripttest.Response(
		transcripttest.File{Path: "lib/response.js", Defines: "send(method)", Source: "1\tres.send = function send(body) { … }"},
		transcripttest.File{Path: "lib/express.js", Defines: "createApplication(function)", Source: "1\texports = createApplication"},
	))
	log.Request(14_000).Text("See lib/response.js:1.")
	log.End("See lib/response.js:1.")

	b := allocation.Analyze(log.Session(t), allocation.Options{})
	fmt.Printf("%d of %d characters\n\n", *b.Used, b.Envelope)
	b.WriteText(os.Stdout)
	// Output:
	// 86 of 177 characters
	//
	//   Explore allocation — share of returned bytes the answer used (1 call, 2 files):
	//     efficiency  48.6%  86 of 177 chars   (1/2 files cited; path-cited alone 48.6%)
	//     call 1:  48.6%  86/177 chars  1/2 files
	//        51.4%     91  lib/express.js  —
	//     *  48.6%     86  lib/response.js  path
}
