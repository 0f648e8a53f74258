package main

import (
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
)

//go:embed ab.json
var exampleSpec []byte

//go:embed campaign.json
var exampleCampaign []byte

// initialize writes an example of a spec. It overwrites nothing.
func initialize(args []string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("init", flag.ContinueOnError)
	campaign := flags.Bool("campaign", false, "write the spec of a campaign over seven public repositories")
	if err := parseFlags(flags, args, stderr); err != nil {
		return err
	}
	file, data := "ab.json", exampleSpec
	if *campaign {
		file, data = "campaign.json", exampleCampaign
	}
	switch flags.NArg() {
	case 0:
	case 1:
		file = flags.Arg(0)
	default:
		fmt.Fprintln(stderr, "ab init: want one file")
		return errUsage
	}
	if file == "-" {
		_, err := stdout.Write(data)
		return err
	}
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s is there already", file)
	}
	if err != nil {
		return err
	}
	if _, err = f.Write(data); err == nil {
		fmt.Fprintf(stdout, "%s is an example: change it, and then: ab check -spec %s\n", file, file)
	}
	return errors.Join(err, f.Close())
}
