module github.com/agent-eval/feedback

go 1.26.0

require (
	github.com/gobwas/glob v1.1.0
	github.com/goccy/go-json v0.12.0
	github.com/google/go-cmp v0.7.0
	mvdan.cc/sh/v3 v3.14.1
)
