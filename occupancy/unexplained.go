package occupancy

import (
	"fmt"

	"github.com/agent-eval/feedback/internal/textutil"
)

// noticed is by how many tokens a prompt must grow beyond its text before that is worth a note.
const noticed = 200

// unexplained is what the prompts grew by and no text of the log can be, and the gap with most of it.
type unexplained struct {
	tokens float64
	gaps   int
	worst  *gap
	most   float64
}

// add looks at a gap: text that would have fewer characters per token than any has is not all that came in.
func (u *unexplained) add(g *gap, ratio float64) {
	if g.request == nil || !g.opened || g.compacted || g.pictured() || g.blind() {
		return
	}
	if g.net() <= float64(g.chars())/densest+noticed {
		return
	}
	beyond := g.net() - float64(g.chars())/ratio
	u.tokens += beyond
	u.gaps++
	if beyond > u.most {
		u.worst, u.most = g, beyond
	}
}

// note says how much it is and where most of it came in. It is empty where there is nothing to say.
func (u *unexplained) note() string {
	if u.worst == nil {
		return ""
	}
	cause := "the log does not show what came in"
	if n := u.worst.schemas; n > 0 {
		cause = "the schemas of " + textutil.Count(n, "tool") + " came in, whose text is not in the log"
	}
	more := ""
	if u.gaps > 1 {
		more = fmt.Sprintf("; with %s, %s tok in all", textutil.Count(u.gaps-1, "more gap"), textutil.Thousands(int(u.tokens)))
	}
	g := u.worst
	return fmt.Sprintf("%s: the prompt grew by %s tok, of which the log explains %.0f%%: %s%s", g.request.Pos,
		textutil.Thousands(g.growth), 100*(1-u.most/float64(g.growth)), cause, more)
}
