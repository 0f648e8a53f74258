package transcript

// streamEvent takes from a partial-message stream what whole messages lack: message_start opens a request, and message_delta
// gives its final usage and stop reason.
func (f *folder) streamEvent(l *line, o Origin) {
	switch string(l.innerType.Raw) {
	case "message_start":
		id := f.requestID(l.msgID)
		f.open[o.Thread] = id
		f.request(l, o, id, f.str(l.model))
	case "message_delta":
		r := f.requests[f.open[o.Thread]]
		if r == nil {
			return
		}
		if l.hasUsage {
			f.addUsage(r, l.usage)
			r.OutputFinal = l.usage.Output > 0
		}
		if !l.stopReason.Empty() {
			r.StopReason = f.str(l.stopReason)
		}
	}
}

// streamEvent walks over the event member of a stream_event line.
func (s *lineScanner) streamEvent() {
	l := s.line
	s.object("event", func(key string) {
		switch key {
		case "type":
			l.innerType = s.text("event type")
		case "message":
			s.message()
		case "usage":
			s.usage()
		case "delta":
			s.object("event delta", func(key string) {
				if key == "stop_reason" {
					l.stopReason = s.text("stop_reason")
				} else {
					s.Skip()
				}
			})
		default:
			s.Skip()
		}
	})
}
