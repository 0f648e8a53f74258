// Package transcript reads the logs that coding agents leave behind into one event model.
package transcript
