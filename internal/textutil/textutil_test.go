package textutil_test

import (
	"strings"
	"testing"

	"github.com/agent-eval/feedback/internal/textutil"
)

func TestPrintableIsOneSafeLine(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"", ""}, {"plain", "plain"}, {"a\nb\tc", "a b c"}, {"\x1b[31mred", "�[31mred"}, {"\u202eevil", "�evil"}, {"\xff", "�"},
		{"日本語", "日本語"}, {"0123456789", "0123456789"}, {"0123456789a", "012345678…"}, {strings.Repeat("x", 9999), "xxxxxxxxx…"},
	} {
		if got := textutil.Printable(c.in, 10); got != c.want {
			t.Errorf("Printable(%.20q) = %q, want %q", c.in, got, c.want)
		}
	}
}

func TestThousands(t *testing.T) {
	for n, want := range map[int]string{0: "0", 999: "999", 1000: "1,000", -1234567: "-1,234,567", 100000: "100,000", -999: "-999"} {
		if got := textutil.Thousands(n); got != want {
			t.Errorf("Thousands(%d) = %s, want %s", n, got, want)
		}
	}
}

func TestCount(t *testing.T) {
	if got := textutil.Count(1, "file") + " " + textutil.Count(0, "file") + " " + textutil.Count(1200, "file"); got != "1 file 0 files 1,200 files" {
		t.Error(got)
	}
}
