// Package golden compares what tests make with files that are kept.
package golden

import (
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Check fails the test if the file does not hold what was made. With update it writes the file first.
func Check(t testing.TB, name string, made []byte, update bool) {
	t.Helper()
	if update {
		if err := os.WriteFile(name, made, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	kept, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(kept), string(made)); diff != "" {
		t.Errorf("%s is not what the test makes, which -update writes (-file +made):\n%s", name, diff)
	}
}
