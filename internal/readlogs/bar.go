package readlogs

import (
	"io"
	"os"

	// Draws the bar and knows terminals; only commands import it.
	"github.com/schollz/progressbar/v3"
)

// bar returns a function to call with how many of a total are done. It draws a bar on w, and erases it at the end; where w is no
// terminal it does nothing.
func bar(w io.Writer, what string) func(done, total int) {
	f, ok := w.(*os.File)
	if !ok {
		return func(int, int) {}
	}
	if info, err := f.Stat(); err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return func(int, int) {}
	}
	var p *progressbar.ProgressBar
	return func(done, total int) {
		if p == nil {
			p = progressbar.NewOptions(total, progressbar.OptionSetWriter(w), progressbar.OptionSetDescription(what),
				progressbar.OptionShowCount(), progressbar.OptionClearOnFinish(), progressbar.OptionFullWidth())
		}
		p.Set(done)
	}
}
