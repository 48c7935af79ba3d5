package report

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"alamos/pkg/stats"
	"alamos/plots"
)

// inBrowser returns the page as it stands after its scripts, read by a
// browser without a window. It skips the test where there is none.
func inBrowser(t *testing.T, page []byte, hash string, flags ...string) string {
	t.Helper()
	if testing.Short() {
		t.Skip("starts a browser")
	}
	var browser string
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if found, err := exec.LookPath(name); err == nil {
			browser = found
			break
		}
	}
	if browser == "" {
		t.Skip("no Chromium is installed")
	}
	file := filepath.Join(t.TempDir(), "page.html")
	if err := os.WriteFile(file, page, 0o644); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	flags = append(flags, "--headless", "--no-sandbox", "--disable-gpu", "--user-data-dir="+t.TempDir(), "--dump-dom", "file://"+file+hash)
	cmd := exec.CommandContext(ctx, browser, flags...)
	cmd.WaitDelay = time.Second
	dom, err := cmd.Output()
	if err != nil || !bytes.Contains(dom, []byte("</html>")) {
		t.Skipf("%s does not show pages here: %v", browser, err)
	}
	return string(dom)
}

// press presses the heads of tables, one after the other, and writes down how
// each is sorted then and what stands in the first column.
const press = `<script>
const seen = [];
for (const table of document.querySelectorAll("table.sortable")) {
  for (const head of table.tHead.rows[0].cells) {
    for (let i = 0; i < 3; i++) {
      head.querySelector("button").click();
      seen.push([head.querySelector("button").textContent, head.getAttribute("aria-sort"), ...[...table.tBodies[0].rows].map((r) => r.cells[0].textContent)].join(" "));
    }
  }
}
document.title = "|" + seen.join("|") + "|";
</script></body>`

func TestTablesSort(t *testing.T) {
	html := htmlOf(t, &Page{Blocks: []Block{
		Table{
			Caption: "Numbers after words.",
			Columns: []Column{{Name: "player"}, number("Elo", ""), number("mixed", "")},
			Rows:    [][]Cell{Row("b10", "−69 ± 53", "2"), Row("b9", "–", "133/4/43"), Row("a", "+1,191 ± 60", "10"), Row("–", "191", "")},
		},
		Table{
			Caption: "The highest is the best.",
			Columns: []Column{{Name: "trial"}, {Name: "score", Numeric: true, Descending: true}},
			Rows:    [][]Cell{{{Text: "low"}, {Text: "9 −1/+2", Mark: "~"}}, Row("none", "–"), {{Text: "high"}, {Text: "10", Mark: "★", Class: Best}}},
		},
	}})
	html = regexp.MustCompile(`<meta http-equiv[^>]*>`).ReplaceAll(html, nil) // it forbids the next script
	html = bytes.Replace(html, []byte("</body>"), []byte(press), 1)
	title := regexp.MustCompile(`<title>\|(.*)\|</title>`).FindStringSubmatch(inBrowser(t, html, ""))
	if title == nil {
		t.Fatal("the script that presses did not end")
	}
	want := []string{
		"player ascending a b9 b10 –", "player descending b10 b9 a –", "player  b10 b9 a –",
		"Elo ascending b10 – a b9", "Elo descending a – b10 b9", "Elo  b10 b9 a –",
		"mixed ascending b10 a b9 –", "mixed descending b9 a b10 –", "mixed  b10 b9 a –",
		"trial ascending high low none", "trial descending none low high", "trial  low none high",
		"score descending high low none", "score ascending low high none", "score  low none high",
	}
	if have := strings.Split(title[1], "|"); !slices.Equal(have, want) {
		t.Errorf("have\n%s\nwant\n%s", strings.Join(have, "\n"), strings.Join(want, "\n"))
	}
}

// The page's own policy lets its script run, and a link to a trial opens its
// folds.
func TestLinkOpensTrial(t *testing.T) {
	dom := inBrowser(t, htmlOf(t, sweepPage(listedTrials+1, svgOf("loss"))), "#trial_14")
	if !strings.Contains(dom, "<button") {
		t.Error("the script did not run")
	}
	if !strings.Contains(dom, `<details class="all" open=""`) {
		t.Error("the fold of all trials is closed")
	}
	if n := strings.Count(dom, `<details class="trial" open=""`); n != 1 {
		t.Errorf("%d trials are open, want 1", n)
	}
}

// pointing moves the pointer over a figure, presses keys of its legend, and selects lines of
// parallel coordinates. The page's title becomes what it shows then.
const pointing = `<script>
addEventListener("load", () => {
  const [lines, parallel] = document.querySelectorAll(".picture svg");
  const seen = [];
  const send = (svg, kind, x, y) => {
    const box = svg.getBoundingClientRect(), scale = box.width / svg.viewBox.baseVal.width;
    svg.dispatchEvent(new PointerEvent(kind, { bubbles: true, pointerId: 1, clientX: box.left + x * scale, clientY: box.top + y * scale }));
  };
  const tip = document.querySelector(".tip");
  const places = [...lines.querySelectorAll("[data-x]")].map((p) => [Number(p.dataset.x), Number(p.dataset.y)]);
  send(lines, "pointermove", places[0][0] + 2, places[0][1] - 2);
  seen.push(tip.textContent.replaceAll("\n", "/"));
  lines.querySelector("[data-key]").dispatchEvent(new MouseEvent("click"));
  seen.push([...lines.querySelectorAll("[data-series]")].map((s) => getComputedStyle(s).display).join(","));
  send(lines, "pointermove", ...places[0]);
  seen.push(tip.hidden ? "nothing" : tip.textContent.replaceAll("\n", "/"));
  parallel.setPointerCapture = () => {};
  const [left, right, top, bottom] = parallel.querySelector("[data-axis]").dataset.axis.split(" ").map(Number);
  send(parallel, "pointerdown", (left + right) / 2, top + 1);
  send(parallel, "pointermove", (left + right) / 2, (top + bottom) / 2);
  send(parallel, "pointerup", (left + right) / 2, (top + bottom) / 2);
  seen.push(document.querySelector("[role=status]").textContent);
  send(parallel, "pointerdown", (left + right) / 2, top + 1);
  send(parallel, "pointerup", (left + right) / 2, top + 1);
  seen.push(document.querySelector("[role=status]").textContent);
  document.title = "|" + seen.join("|") + "|";
});
</script></body>`

func TestFiguresAnswerThePointer(t *testing.T) {
	figure := func(c plots.Chart) Figure {
		f, err := c.Figure()
		if err != nil {
			t.Fatal(err)
		}
		svg, err := f.InlineSVG()
		if err != nil {
			t.Fatal(err)
		}
		return Figure{Caption: "A figure.", SVG: svg}
	}
	lines := figure(plots.Lines{
		X: plots.Axis{Label: "generation"}, Y: plots.Axis{Label: "length", Unit: "plies"},
		Series: []plots.Series{
			{Name: "<small>", Points: []plots.Point{{X: 1, Y: stats.Interval{Value: 50, Low: 48.5, High: 52}}, {X: 5, Y: stats.Exactly(40)}}},
			{Name: "large", Points: plots.Points([]float64{1, 5}, []float64{10, 90})},
		},
	})
	parallel := figure(plots.Parallel{
		Axes: []plots.Axis{{Label: "depth"}, {Label: "width"}}, Metric: plots.Axis{Label: "Elo"},
		Lines: []plots.ParallelLine{{Name: "a", Values: []float64{1, 8}, Metric: 3}, {Name: "b", Values: []float64{2, 8}, Metric: 2}, {Name: "c", Values: []float64{9, 8}, Metric: 1}},
	})
	html := htmlOf(t, &Page{Blocks: []Block{lines, parallel}})
	html = regexp.MustCompile(`<meta http-equiv[^>]*>`).ReplaceAll(html, nil)
	html = bytes.Replace(html, []byte("</body>"), []byte(pointing), 1)
	title := regexp.MustCompile(`<title>\|(.*)\|</title>`).FindStringSubmatch(inBrowser(t, html, ""))
	if title == nil {
		t.Fatal("the script that points did not end")
	}
	want := []string{
		"&lt;small&gt;/length 50 (48.5 … 52) plies/generation 1", "none,inline", "nothing",
		"1 of 3 lines are selected.", "3 of 3 lines are selected.",
	}
	if have := strings.Split(title[1], "|"); !slices.Equal(have, want) {
		t.Errorf("have\n%s\nwant\n%s", strings.Join(have, "\n"), strings.Join(want, "\n"))
	}
}

// measuring opens all folds and writes down what is wider than its place, the color of the paper
// of the page, and those of the papers of its figures apart from boards.
const measuring = `<script>
addEventListener("load", () => {
  for (const fold of document.querySelectorAll("details")) fold.open = true;
  const wide = [...document.querySelectorAll(".scroll")].filter((box) => box.scrollWidth > box.clientWidth);
  const paper = getComputedStyle(document.documentElement).backgroundColor;
  const figures = new Set([...document.querySelectorAll(".picture svg:not(.shaded)")].map((svg) => getComputedStyle(svg.querySelector("path")).fill));
  document.title = [document.documentElement.clientWidth, document.documentElement.scrollWidth, wide.map((box) => (box.closest("figure")?.textContent ?? "").trim().slice(0, 60) + " " + box.scrollWidth + " " + box.clientWidth).join(" and "), paper, [...figures].join(" and ")].join("|");
});
</script></body>`

func TestPagesFitTheirWindows(t *testing.T) {
	html := regexp.MustCompile(`<meta http-equiv[^>]*>`).ReplaceAll(htmlOf(t, madePage(t)), nil)
	html = bytes.Replace(html, []byte("</body>"), []byte(measuring), 1)
	for _, width := range []int{390, 1280, 1920} {
		for scheme, paper := range map[string]string{"light": "rgb(255, 255, 255)", "dark": "rgb(21, 24, 28)"} {
			flags := []string{fmt.Sprintf("--window-size=%d,900", max(500, width))} // no window is narrower
			page := html
			if width < 500 {
				page = bytes.Replace(html, []byte("<body>"), fmt.Appendf(nil, `<body style="width:%dpx">`, width), 1)
			}
			if scheme == "dark" {
				flags = append(flags, "--blink-settings=preferredColorScheme=0")
			}
			title := regexp.MustCompile(`<title>(\d+)\|(\d+)\|([^|]*)\|(.*)\|(.*)</title>`).FindStringSubmatch(inBrowser(t, page, "", flags...))
			if title == nil {
				t.Fatal("the script that measures did not end")
			}
			if window, _ := strconv.Atoi(title[1]); title[2] != title[1] {
				t.Errorf("%d, %s: the page is %s wide in a window of %d", width, scheme, title[2], window)
			}
			if width >= 1280 && title[3] != "" {
				t.Errorf("%d, %s: clipped: %s", width, scheme, title[3])
			}
			if title[4] != paper || title[5] != paper {
				t.Errorf("%d, %s: paper %s, those of figures %s", width, scheme, title[4], title[5])
			}
		}
	}
}
