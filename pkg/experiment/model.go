package experiment

import (
	"path/filepath"
	"strings"
)

// model is a checkpoint from elsewhere: RUN@GENERATION, or a file, given like a
// script's relative to the file that names it. Whether it is there is not for the
// language to say: a run may come before the one that makes it.
type model struct{}

// modelExt ends the names of checkpoint files.
const modelExt = ".safetensors"

func (model) want() string {
	return "RUN@GENERATION, as in tiny@3 or quickstart/24b4@last, or the path of a " + modelExt + " file"
}

func (m model) read(c *checker, path string, t *tree) (any, bool) {
	run, generation, named := strings.Cut(t.text, "@")
	switch {
	case t.kind != scalar:
		return c.refuse(t, path, m, "")
	case filepath.Ext(t.text) == modelExt:
		if c.files != nil { // nil: read before
			t.text = c.files.beside(t.at.File, t.text)
		}
	case !named || run == "" || generation == "":
		return c.refuse(t, path, m, "")
	}
	return t.text, true
}
