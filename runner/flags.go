package main

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dustin/go-humanize/english"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"alamos/pkg/chess"
	"alamos/pkg/experiment"
	"alamos/pkg/nn"
)

// value is a flag whose text is checked before the command runs. An error reads
// "--visits: want 0 to 1000, have -1".
type value[T any] struct {
	at    *T
	kind  string // as the help shows it
	parse func(text string) (T, error)
}

func (v value[T]) String() string {
	if v.at == nil { // pflag compares defaults with that of the zero value
		return ""
	}
	return fmt.Sprint(*v.at)
}

func (v value[T]) Type() string { return v.kind }

func (v value[T]) Set(text string) error {
	x, err := v.parse(text)
	if err == nil {
		*v.at = x
	}
	return err
}

// flagError reports the wrong value of a flag.
func flagError(c *cobra.Command, err error) error {
	if bad, ok := errors.AsType[*pflag.InvalidValueError](err); ok {
		return usagef("--%s: %w", bad.GetFlag().Name, bad.Unwrap())
	}
	return usagef("%w (see %s --help)", err, c.CommandPath())
}

// bounds are the smallest and the largest value of a flag.
type bounds struct{ min, max float64 }

func atLeast(min float64) bounds      { return bounds{min, math.Inf(1)} }
func between(min, max float64) bounds { return bounds{min, max} }

func (b bounds) String() string {
	low := strconv.FormatFloat(b.min, 'f', -1, 64)
	if math.IsInf(b.max, 1) {
		return low + " or more"
	}
	return low + " to " + strconv.FormatFloat(b.max, 'f', -1, 64)
}

// numberFlag declares a flag with a number within bounds. The name may end with a
// shorthand, as in "number,n".
func numberFlag[N int | int64 | float64](cmd *cobra.Command, at *N, name string, initial N, within bounds, usage string) {
	*at = initial
	kind := "int"
	if _, isFloat := any(initial).(float64); isFloat {
		kind = "float"
	}
	long, short, _ := strings.Cut(name, ",")
	cmd.Flags().VarP(value[N]{at, kind, func(text string) (N, error) {
		x, err := strconv.ParseFloat(text, 64)
		if err != nil || !(x >= within.min && x <= within.max) || float64(N(x)) != x {
			return 0, fmt.Errorf("want %v, have %s", within, text)
		}
		return N(x), nil
	}}, long, short, usage)
}

// durationFlag declares a flag with a time that is not below the least one.
func durationFlag(cmd *cobra.Command, at *time.Duration, name string, initial, least time.Duration, usage string) {
	*at = initial
	cmd.Flags().Var(value[time.Duration]{at, "duration", func(text string) (time.Duration, error) {
		d, err := time.ParseDuration(text)
		if err != nil || d < least {
			return 0, fmt.Errorf("want a time as in 90s or 5m, at least %v, have %s", least, text)
		}
		return d, nil
	}}, name, usage)
}

// choiceFlag declares a flag that takes one of several words, which its usage lists. An
// empty default means that the flag need not be given.
func choiceFlag(cmd *cobra.Command, at *string, name, initial string, words []string, usage string) {
	*at = initial
	cmd.Flags().Var(value[string]{at, "string", func(text string) (string, error) {
		if !slices.Contains(words, text) {
			return "", fmt.Errorf("want %s, have %q", english.WordSeries(words, "or"), text)
		}
		return text, nil
	}}, name, usage+": "+english.WordSeries(words, "or"))
	completeFlag(cmd, name, words...)
}

// fileFlag declares a flag with a file whose name ends with one of these. As in [numberFlag], the name
// of the flag may end with a shorthand.
func fileFlag(cmd *cobra.Command, at *string, name, usage string, ends ...string) {
	long, short, _ := strings.Cut(name, ",")
	cmd.Flags().VarP(value[string]{at, "string", func(text string) (string, error) {
		base := filepath.Base(text)
		if text != "" && !slices.ContainsFunc(ends, func(end string) bool { return len(base) > len(end) && strings.HasSuffix(base, end) }) {
			return "", fmt.Errorf("want a file that ends with %s, have %q", english.WordSeries(ends, "or"), text)
		}
		return text, nil
	}}, long, short, usage)
}

// refuseInput returns an error if the file of --out is one of those that the command reads.
func refuseInput(out string, inputs ...string) error {
	there, err := os.Stat(out)
	if err != nil {
		return nil
	}
	for _, input := range inputs {
		if st, err := os.Stat(input); err == nil && os.SameFile(there, st) {
			return usagef("--out: %s is an input (%s): name another file", out, input)
		}
	}
	return nil
}

// completeFiles completes the names of files with these extensions.
func completeFiles(extensions ...string) cobra.CompletionFunc {
	return cobra.FixedCompletions(extensions, cobra.ShellCompDirectiveFilterFileExt)
}

// completeFlag makes the shell complete the words of a flag.
func completeFlag(cmd *cobra.Command, name string, words ...string) {
	completeFlagBy(cmd, name, cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp))
}

func completeFlagBy(cmd *cobra.Command, name string, complete cobra.CompletionFunc) {
	if err := cmd.RegisterFlagCompletionFunc(name, complete); err != nil {
		panic(err) // a flag that was not declared
	}
}

// variantFlag declares --variant, whose usage ends with the names. Without the flag, the
// variant is nil.
func variantFlag(cmd *cobra.Command, at **chess.Variant, usage string) {
	names := variantNames()
	var text string
	cmd.Flags().Var(value[string]{&text, "string", func(text string) (string, error) {
		v, err := parseVariant(text)
		*at = &v
		return text, err
	}}, "variant", usage+": "+strings.Join(names, ", ")+", or a .yaml file of rules")
	completeFlag(cmd, "variant", names...)
}

// parseVariant reads the name of a variant, or defines that of a file of rules.
func parseVariant(text string) (chess.Variant, error) {
	if filepath.Ext(text) != ".yaml" {
		return chess.ParseVariant(text)
	}
	rules, err := experiment.ReadRules(text)
	if err != nil {
		return 0, err
	}
	v, err := chess.Define(rules)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", text, err)
	}
	return v, nil
}

func variantNames() (names []string) {
	for _, v := range chess.Variants() {
		names = append(names, v.String())
	}
	return names
}

// orChess returns the variant of a flag, or chess without the flag.
func orChess(v *chess.Variant) chess.Variant {
	standard := chess.Standard
	return *cmp.Or(v, &standard)
}

// requiredFlag makes a flag required.
func requiredFlag(cmd *cobra.Command, name string) {
	if err := cmd.MarkFlagRequired(name); err != nil {
		panic(err) // a flag that was not declared
	}
}

// jsonFlag declares --json.
func jsonFlag(cmd *cobra.Command, at *bool) {
	cmd.Flags().BoolVar(at, "json", false, "print JSON")
}

// deviceFlags declares --device and --precision of networks.
func deviceFlags(cmd *cobra.Command, device, precision *string) {
	cmd.Flags().StringVar(device, "device", nn.Auto, "device of the networks: auto (the first CUDA device if there is one), cpu, cuda, or several: cuda:0,cuda:1 or "+nn.AllCUDA)
	completeFlag(cmd, "device", nn.Auto, nn.CPU, nn.CUDA, nn.AllCUDA)
	choiceFlag(cmd, precision, "precision", nn.Auto, []string{nn.Auto, nn.FP32, nn.BF16}, "precision of networks; sparse networks, and transformers on a CPU, ignore it")
}
