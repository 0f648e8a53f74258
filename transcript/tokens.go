package transcript

// Tokens returns the usage of all measured requests added up, subagents and the client's own calls included as far as the logs have
// them. Final reports whether the output of every one of them is final; otherwise Output is only a lower bound. Without a measured
// request both are zero.
func (s *Session) Tokens() (sum Usage, final bool) {
	requests, finals := 0, 0
	add := func(r *Request) {
		if !r.Measured() {
			return
		}
		sum.Input += r.Usage.Input
		sum.CacheRead += r.Usage.CacheRead
		sum.CacheCreation += r.Usage.CacheCreation
		sum.Output += r.Usage.Output
		requests++
		if r.OutputFinal {
			finals++
		}
	}
	for _, list := range [][]Thread{s.Threads, s.Auxiliary} {
		for i := range list {
			for _, ev := range list[i].Events {
				if r, ok := ev.(*Request); ok {
					add(r)
				}
			}
		}
	}
	for _, r := range s.Unlogged() {
		add(r)
	}
	return sum, requests > 0 && finals == requests
}
