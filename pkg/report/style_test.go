package report

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// palettes returns the colors by name: those of light
// screens and paper, and those of dark screens.
func palettes(t *testing.T) (light, dark map[string]string) {
	t.Helper()
	blocks := regexp.MustCompile(`(?s):root \{(.*?)\}`).FindAllStringSubmatch(colorSheet, -1)
	if len(blocks) != 2 {
		t.Fatalf("colors.css has %d palettes, want 2", len(blocks))
	}
	read := func(block string) map[string]string {
		palette := map[string]string{}
		for _, m := range regexp.MustCompile(`--([a-z-]+): #([0-9a-f]{3,6});`).FindAllStringSubmatch(block, -1) {
			palette[m[1]] = m[2]
		}
		return palette
	}
	return read(blocks[0][1]), read(blocks[1][1])
}

// luminance is the relative luminance of WCAG 2.2 of a color in hexadecimal
// digits, three or six.
func luminance(t *testing.T, hex string) float64 {
	t.Helper()
	if len(hex) == 3 {
		hex = strings.Join([]string{hex[:1], hex[:1], hex[1:2], hex[1:2], hex[2:], hex[2:]}, "")
	}
	rgb, err := strconv.ParseUint(hex, 16, 32)
	if err != nil || len(hex) != 6 {
		t.Fatalf("color %q: %v", hex, err)
	}
	sum := 0.0
	for i, weight := range []float64{0.0722, 0.7152, 0.2126} {
		c := float64(rgb>>(8*i)&0xff) / 255
		if c <= 0.04045 {
			c /= 12.92
		} else {
			c = math.Pow((c+0.055)/1.055, 2.4)
		}
		sum += weight * c
	}
	return sum
}

// All text stands out from what it stands on by 4.5 to 1, the contrast that
// WCAG 2.2 asks for at level AA (criterion 1.4.3), on light and on dark
// screens.
func TestContrast(t *testing.T) {
	light, dark := palettes(t)
	if len(light) != len(dark) {
		t.Errorf("the light palette has %d colors, the dark one %d", len(light), len(dark))
	}
	for name, colors := range map[string]map[string]string{"light": light, "dark": dark} {
		for _, pair := range []string{
			"ink paper", "soft paper", "faint paper", "accent paper", "good paper", "bad paper", "warn-ink paper",
			"ink tint", "soft tint", "faint tint", "accent tint", "good tint", "bad tint", // rows under the pointer, code, notes
			"ink varies", "soft varies", "faint varies", // values that differ
			"ink warn-tint", "warn-ink warn-tint", "accent warn-tint",
			"accent-ink accent", // buttons
		} {
			text, ground, _ := strings.Cut(pair, " ")
			a, b := luminance(t, colors[text]), luminance(t, colors[ground])
			if ratio := (max(a, b) + 0.05) / (min(a, b) + 0.05); ratio < 4.5 {
				t.Errorf("%s: %s on %s has a contrast of %.2f", name, text, ground, ratio)
			}
		}
	}
}

// Nothing that the page is made of is fetched from anywhere.
func TestNothingIsFetched(t *testing.T) {
	for name, part := range map[string]string{"colors.css": colorSheet, "style.css": styleSheet, "script.js": script, "page.tmpl": pageTemplate} {
		for _, bad := range []string{"url(", "@import", "http:", "https:", "//cdn", "fetch(", "XMLHttpRequest", "import(", "<link", "src="} {
			if strings.Contains(part, bad) {
				t.Errorf("%s has %q", name, bad)
			}
		}
	}
}
