package main

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"alamos/pkg/chess"
	"alamos/pkg/nn"
)

// Flags check their own values: a fault is reported before a command begins, as
// "--visits: want 0 to 1000, have -1". A flag with a set of words also completes them.

// flagError is the fault of a flag's value as the commands report it.
func flagError(c *cobra.Command, err error) error {
	var bad *pflag.InvalidValueError
	if errors.As(err, &bad) {
		return usagef("--%s: %w", bad.GetFlag().Name, bad.Unwrap())
	}
	return usagef("%w (see %s --help)", err, c.CommandPath())
}

// number is what a bounded flag holds.
type number interface{ int | int64 | float64 }

// bounds are the smallest and the largest value of a flag.
type bounds[N number] struct{ min, max N }

// unbounded is a maximum that no message mentions.
const unbounded = math.MaxInt64

func atLeast[N number](min N) bounds[N] {
	switch any(min).(type) {
	case int, int64:
		max := int64(unbounded)
		return bounds[N]{min, N(max)}
	}
	return bounds[N]{min, N(math.Inf(1))}
}

func between[N number](min, max N) bounds[N] { return bounds[N]{min, max} }

func (b bounds[N]) String() string {
	if float64(b.max) >= unbounded {
		return fmt.Sprintf("%v or more", b.min)
	}
	return fmt.Sprintf("%v to %v", b.min, b.max)
}

// numberValue is the value of a numeric flag.
type numberValue[N number] struct {
	at *N
	bounds[N]
}

func (v numberValue[N]) String() string {
	if v.at == nil { // the zero value, by which pflag finds out what it looks like
		return "0"
	}
	return fmt.Sprint(*v.at)
}

func (v numberValue[N]) Type() string {
	if _, isFloat := any(*v.at).(float64); isFloat {
		return "float"
	}
	return "int"
}

func (v numberValue[N]) Set(text string) error {
	var x N
	var err error
	switch p := any(&x).(type) {
	case *float64:
		*p, err = strconv.ParseFloat(text, 64)
	case *int64:
		*p, err = strconv.ParseInt(text, 10, 64)
	case *int:
		*p, err = strconv.Atoi(text)
	}
	if err != nil || !(x >= v.min && x <= v.max) {
		return fmt.Errorf("want %v, have %s", v.bounds, text)
	}
	*v.at = x
	return nil
}

// numberFlag declares a flag with a number within bounds.
func numberFlag[N number](cmd *cobra.Command, at *N, name string, value N, within bounds[N], usage string) {
	*at = value
	cmd.Flags().Var(numberValue[N]{at, within}, name, usage)
}

// choiceValue is the value of a flag that takes one of several words.
type choiceValue struct {
	at    *string
	words []string
}

func (v choiceValue) String() string {
	if v.at == nil {
		return ""
	}
	return *v.at
}

func (choiceValue) Type() string { return "string" }

func (v choiceValue) Set(text string) error {
	if !slices.Contains(v.words, text) {
		return fmt.Errorf("want %s, have %q", oneOf(v.words), text)
	}
	*v.at = text
	return nil
}

// oneOf lists words: "a, b or c".
func oneOf(words []string) string {
	last := len(words) - 1
	if last < 1 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:last], ", ") + " or " + words[last]
}

// choiceFlag declares a flag that takes one of several words, which its usage lists. An
// empty default means that the flag need not be given.
func choiceFlag(cmd *cobra.Command, at *string, name, value string, words []string, usage string) {
	*at = value
	cmd.Flags().Var(choiceValue{at, words}, name, usage+": "+oneOf(words))
	completeFlag(cmd, name, words...)
}

// completeFlag has a shell complete words for a flag.
func completeFlag(cmd *cobra.Command, name string, words ...string) {
	completeFlagBy(cmd, name, cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp))
}

func completeFlagBy(cmd *cobra.Command, name string, complete cobra.CompletionFunc) {
	if err := cmd.RegisterFlagCompletionFunc(name, complete); err != nil {
		panic(err) // a flag that was not declared
	}
}

// variantValue is the value of --variant; nil if it is not given.
type variantValue struct{ at **chess.Variant }

func (v variantValue) String() string {
	if v.at == nil || *v.at == nil {
		return ""
	}
	return (*v.at).String()
}

func (variantValue) Type() string { return "string" }

func (v variantValue) Set(text string) error {
	variant, err := chess.ParseVariant(text)
	if err != nil {
		return err
	}
	*v.at = &variant
	return nil
}

// variantFlag declares --variant, whose usage ends with the names.
func variantFlag(cmd *cobra.Command, at **chess.Variant, usage string) {
	cmd.Flags().Var(variantValue{at}, "variant", usage+": "+strings.Join(variantNames(), ", "))
	completeFlag(cmd, "variant", variantNames()...)
}

// variantNames lists the names of all variants.
func variantNames() []string {
	var names []string
	for _, v := range chess.Variants() {
		names = append(names, v.String())
	}
	return names
}

// orChess is the variant of a flag, or chess if it is not given.
func orChess(v *chess.Variant) chess.Variant {
	standard := chess.Standard
	return *cmp.Or(v, &standard)
}

// requiredFlag makes a flag one that must be given.
func requiredFlag(cmd *cobra.Command, name string) {
	if err := cmd.MarkFlagRequired(name); err != nil {
		panic(err) // a flag that was not declared
	}
}

// jsonFlag declares --json.
func jsonFlag(cmd *cobra.Command, at *bool) {
	cmd.Flags().BoolVar(at, "json", false, "print JSON")
}

// threadsFlag declares --threads of a network.
func threadsFlag(cmd *cobra.Command, at *int) {
	numberFlag(cmd, at, "threads", 0, atLeast(0), "threads of the network (default: one per core)")
}

// deviceFlags declares --device and --precision: where and in which numbers networks compute.
func deviceFlags(cmd *cobra.Command, device, precision *string) {
	cmd.Flags().StringVar(device, "device", nn.Auto, "device of the networks: auto (the first CUDA device if there is one), cpu, cuda, or several: cuda:0,cuda:1 or "+nn.AllCUDA)
	completeFlag(cmd, "device", nn.Auto, nn.CPU, nn.CUDA, nn.AllCUDA)
	choiceFlag(cmd, precision, "precision", nn.Auto, []string{nn.Auto, nn.FP32, nn.BF16}, "precision of inference")
}
