package occupancy

// DefaultWindow is the size of the window in tokens where neither the caller nor the log says one.
const DefaultWindow = 200_000

// Options control [Analyze]. The zero value is the documented default of every field.
type Options struct {
	// Window is the size of the model's window in tokens, for the percentages in the text. 0, or less, means
	// the window that the log's results give for the model of the thread's last request, else [DefaultWindow].
	// [Block.WindowFrom] says which it was.
	Window int
	// Series keeps the course of the window in [Block.Series]: about 100 bytes per request. Off by default.
	Series bool
}
