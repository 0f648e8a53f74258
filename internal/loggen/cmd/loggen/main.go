// Loggen writes one generated log to standard output.
package main

import (
	"flag"
	"fmt"
	"os"

	"github.com/agent-eval/feedback/internal/loggen"
)

func main() {
	var opts loggen.Options
	flag.Int64Var(&opts.Bytes, "bytes", 1<<20, "size of the log")
	flag.Uint64Var(&opts.Seed, "seed", 1, "what makes one log differ from another")
	flag.Parse()
	if _, err := loggen.Write(os.Stdout, opts); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
