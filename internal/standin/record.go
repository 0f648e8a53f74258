//go:build unix

package standin

import (
	"encoding/json"
	"os"
	"path/filepath"
)

// A Record is what one call of the agent was given.
type Record struct {
	Args    []string `json:"args"`
	Dir     string   `json:"dir"`
	Path    string   `json:"path"`
	Env     []string `json:"env"`
	Prompt  string   `json:"prompt"`
	Resumed string   `json:"resumed"` // session id
	Servers []string `json:"servers"`
	Files   []string `json:"files"` // in the directory
}

// Records returns the records of a directory in the order of the calls.
func Records(dir string) (records []Record, err error) {
	files, err := filepath.Glob(filepath.Join(dir, "call-*.json"))
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			return nil, err
		}
		var r Record
		if err := json.Unmarshal(data, &r); err != nil {
			return nil, err
		}
		records = append(records, r)
	}
	return records, err
}
