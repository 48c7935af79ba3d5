package experiment

import (
	"bytes"
	"fmt"
	"path/filepath"

	"alamos/pkg/chess"
	"alamos/pkg/config"
)

// ruleFile is a file of rules.
type ruleFile struct {
	Base string `key:"base" default:"chess" enum:"chess atomic antichess kingofthehill 3check horde racingkings crazyhouse" doc:"The variant that has the rules that are left out."`
	chess.Rules
}

const variantKey = "game.variant"

// rulesExtension is the end of the name of a file of rules.
const rulesExtension = ".yaml"

// RulesKey is the key of the rules of a game that is not built in.
const RulesKey = "game.rules"

// gameRules returns a tree in which game.rules has all rules that differ from those of chess, if
// the game is not a built-in variant, and game.variant the variant that they are based on.
// A file of rules is then the same as the rules in the file of the experiment.
func (l *loader) gameRules(c *config.Reader, t *config.Node) *config.Node {
	variant, changes := t.Find(variantKey), t.Find(RulesKey)
	base, at := "", t.At
	if variant != nil {
		base, at = variant.Value.Text, variant.Value.At
	} else if changes != nil {
		base = schema().Lookup(variantKey).Default.(string)
	}
	var given *config.Node
	if filepath.Ext(base) == rulesExtension {
		of, node, errs := readRules(base, l.files)
		if len(errs) > 0 {
			c.Errs, c.Bad[variantKey] = append(c.Errs, errs...), true
			return t
		}
		base, given = of, node
	} else if changes == nil {
		return t
	}
	v, err := chess.ParseVariant(base)
	if err != nil {
		return t // which reading the variant reports
	}
	rules := rulesOver(v, given)
	if changes != nil {
		rules = config.Merge(rules, withoutNulls(changes.Value))
	}
	layer := 0
	if variant != nil {
		layer = variant.Value.Layer
	}
	word := &config.Node{Kind: config.Scalar, Text: base, Plain: true, At: at, Layer: layer}
	// The rules are in their group, whose entry has the place of what names them.
	game := config.Nest([]string{"game"}, at, &config.Node{Kind: config.Mapping, At: at, Layer: layer, Entries: []config.Entry{
		{Key: "variant", At: at, Value: word}, {Key: "rules", At: at, Value: rules},
	}})
	merged := config.Merge(t, game)
	merged.At = t.At // of keys that are missing
	return merged
}

// rulesOver returns all rules of a built-in variant, with what is given, if anything is,
// instead of its own.
func rulesOver(v chess.Variant, given *config.Node) *config.Node {
	of := chess.RulesOf(v)
	of.Name = config.Defaults[chess.Rules]().Name
	rules, errs := config.Parse(config.Position{}, []byte(of.String()), "")
	if len(errs) > 0 {
		panic("experiment: " + errs.Error()) // they are made here
	}
	rules = unplaced(rules)
	if given == nil {
		return rules
	}
	return config.Merge(rules, withoutNulls(given))
}

// withoutNulls returns a node without keys that restore a default: that of rules is the variant's.
func withoutNulls(t *config.Node) *config.Node {
	c := *t
	c.Entries = nil
	for _, e := range t.Entries {
		if e.Value.Kind != config.Null {
			c.Entries = append(c.Entries, config.Entry{Key: e.Key, At: e.At, Value: withoutNulls(e.Value)})
		}
	}
	return &c
}

// unplaced returns a node whose values are those of defaults: no file sets them.
func unplaced(t *config.Node) *config.Node {
	c := *t
	c.At, c.Items, c.Entries = config.Position{}, nil, nil
	for _, item := range t.Items {
		c.Items = append(c.Items, unplaced(item))
	}
	for _, e := range t.Entries {
		c.Entries = append(c.Entries, config.Entry{Key: e.Key, Value: unplaced(e.Value)})
	}
	return &c
}

// readRules reads a file of rules: the variant they are based on, and the rules that differ.
func readRules(path string, files *config.Files) (base string, rules *config.Node, errs config.Errors) {
	at := config.Position{File: path, Line: 1, Col: 1}
	data, err := files.Read(path)
	if err != nil {
		return "", nil, config.Errors{at.Errorf("", "cannot read the file: %s", config.Reason(err)).WithHint("paths start at the folder of the file that names them")}
	}
	t, errs := config.Parse(at, data, "start with: base: chess")
	if len(errs) > 0 || t == nil {
		return "", nil, errs
	}
	r := &config.Reader{Bad: map[string]bool{}}
	values, _ := config.Of[ruleFile]().Read(r, "", t)
	if base = "chess"; values["base"] != nil {
		base = values["base"].(string)
	}
	return base, t.Without("base"), r.Errs
}

// ReadRules reads a file of rules. Errors are [config.Errors] with their places.
func ReadRules(path string) (chess.Rules, error) {
	if filepath.Ext(path) != rulesExtension {
		return chess.Rules{}, config.Position{File: path, Line: 1, Col: 1}.Errorf("", "the name of a file of rules ends in %s", rulesExtension)
	}
	base, given, errs := readRules(path, &config.Files{})
	if len(errs) > 0 {
		return chess.Rules{}, errs.Sorted()
	}
	v, err := chess.ParseVariant(base)
	if err != nil {
		return chess.Rules{}, err
	}
	rules, errs := config.Decode[chess.Rules](rulesOver(v, given))
	if len(errs) > 0 {
		return chess.Rules{}, errs.Sorted()
	}
	return rules, nil
}

// RulesTemplate returns a file of rules with every key of a variant's rules, each under a
// line that says what it means.
func RulesTemplate(name string, base chess.Variant) ([]byte, error) {
	rules := chess.RulesOf(base)
	rules.Name = name
	if _, err := chess.Define(rules); err != nil {
		return nil, err
	}
	s := config.Of[chess.Rules]()
	values := s.Values(&rules, config.Form{})
	var b bytes.Buffer
	fmt.Fprintf(&b, "# The variant that has the rules that are left out: a built-in one.\nbase: %s\n", base)
	for _, f := range s.Fields {
		fmt.Fprintf(&b, "\n# %s\n%s: %s\n", f.Doc, f.Key, config.Show(f.Type, values[f.Key]))
	}
	t, errs := config.Parse(config.Position{File: name}, b.Bytes(), "")
	if len(errs) == 0 {
		_, errs = config.Decode[ruleFile](t)
	}
	if len(errs) > 0 {
		return nil, errs
	}
	return b.Bytes(), nil
}
