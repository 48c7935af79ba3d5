#!/bin/sh
# Compiles alamos for this machine's libtorch, tests and measures it on the graphics
# card, and writes what came out to gpu-report/report.json. It needs a C++ compiler
# and a libtorch with CUDA, such as Python's torch has (LIBTORCH names another), on Linux
# with glibc 2.34 or newer, as Debian 12 and Ubuntu 22.04 have.
#
#   ./gpu-check.sh                    all steps, 10 to 20 minutes
#   ./gpu-check.sh compile test       some of them; the report has all that were done
#
# Steps: compile test network search selfplay train quickstart. The tests are those that
# compute on the device. DEVICE (default: cuda) names it, as alamos' --device does.
set -u
case "${1:-}" in -h | --help) sed -n '2,/^set/s/^# \{0,1\}//p' "$0"; exit ;; esac
cd "$(dirname "$0")" || exit 1

device=${DEVICE:-cuda}
out=gpu-report
mkdir -p $out
# The libraries of this kit, whatever the programs were first linked to.
export LD_LIBRARY_PATH="$PWD/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
# Settings of a person must not decide what is measured.
export ALAMOS_MACHINE=/dev/null

# quoted TEXT: a JSON string.
quoted() { printf '"%s"' "$(printf %s "$1" | tr '\n\t' '  ' | tr -d '\000-\037' | sed 's/["\\]/\\&/g')"; }
# lines FILE...: objects, one a line, as a list.
lines() { printf '[%s]' "$(cat "$@" 2>/dev/null | grep '^{' | paste -sd, -)"; }
# count WORD: how many tests ended so.
count() { cat $out/test.out 2>/dev/null | grep -c -- "--- $1" || true; }
# said FILE: the last lines that a step has said.
said() { quoted "$(tail -n 8 "$out/$1" 2>/dev/null)"; }

# report writes what is known by now, however it ends.
report() {
	card=$(nvidia-smi --query-gpu=name,driver_version,memory.total --format=csv,noheader 2>/dev/null | paste -sd'|' -)
	{
		echo "{"
		# Not by echo, which would read a backslash as its own in some shells.
		entry() { printf '"%s": %s,\n' "$1" "$2"; }
		entry card "$(quoted "${card:-unknown}")"
		entry version "$(quoted "$(./alamos --version 2>&1)")"
		entry libtorch "$(quoted "$(sed -n 's/.*\(libtorch [0-9].*\)/\1/p' $out/compile.out 2>/dev/null | head -n 1)")"
		entry machine "$(quoted "$(head -n 3 $out/machine.out 2>/dev/null)")"
		entry steps "$(lines $out/*.step)"
		entry tests "{\"passed\": $(count PASS), \"failed\": $(count FAIL), \"skipped\": $(count SKIP)}"
		entry tests_failed "$(quoted "$(sed -n 's/.*--- FAIL: \(.*\) (.*/\1/p' $out/test.out 2>/dev/null)")"
		# What libtorch could not do in one kernel, it has said once for each precision.
		entry not_fused "$(quoted "$(cat $out/*.err 2>/dev/null | grep 'cannot fuse' | sort -u)")"
		for name in network search selfplay train; do entry $name "$(lines $out/$name.out)"; done
		printf '"quickstart": %s\n' "$(said quickstart.out)"
		echo "}"
	} >$out/report.json
	echo "report: $PWD/$out/report.json"
}
trap report EXIT
trap 'exit 130' INT TERM

# step NAME COMMAND...: runs a command, shows what it says and keeps it.
step() {
	name=$1
	shift
	echo "== $name: $*"
	began=$(date +%s)
	"$@" >$out/"$name".out 2>$out/"$name".err
	code=$?
	took=$(($(date +%s) - began))
	tail -n 30 $out/"$name".err $out/"$name".out
	error=
	test $code -eq 0 || error=",\"error\":$(said "$name".err)"
	printf '{"step":"%s","exit":%d,"seconds":%d%s}\n' "$name" $code $took "$error" >$out/"$name".step
	test $code -eq 0 || failed="$failed $name"
}

failed=
for name in ${*:-compile test network search selfplay train quickstart}; do
	case $name in
	compile)
		step compile ./fit -kit .
		test -n "$failed" || step machine ./alamos machine --device "$device"
		test -z "$failed" || break
		;;
	test) step test sh -c "cd nn && ALAMOS_TEST_DEVICE=$device ../nn.test -test.v -test.run Device -test.timeout 20m" ;;
	network) step network ./alamos bench network --device "$device" --batch 512,1024,2048,4096 --json ;;
	search) step search ./alamos bench search --device "$device" --variant atomic --network 20x256 --visits 800 --leaves 64 --json ;;
	selfplay) step selfplay ./alamos bench selfplay --device "$device" --json ;;
	train) step train sh -c "for n in 256 1024 4096; do ./alamos bench train --device $device --batch \$n --json || exit 1; done" ;;
	# Without an engine that may not be here, the rest is played.
	quickstart) step quickstart ./alamos run experiments/quickstart.yaml --device "$device" --results $out/results --skip-missing-engines ;;
	*)
		echo "no step $name; there is compile test network search selfplay train quickstart" >&2
		exit 2
		;;
	esac
done
test -z "$failed" || { echo "failed:$failed" >&2; exit 1; }
