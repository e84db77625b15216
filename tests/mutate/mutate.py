#!/usr/bin/env python3
"""Takes one rule of the decision out at a time and expects a test to notice.

Usage: mutate.py BUILD_DIR [NAME...]

Each mutation is a replacement in one source file of lib/core. The changed file is compiled in a
folder of its own, put in front of the library when the two test programs are linked, and both are
run until one of them fails. The tree is not touched. Exit status 0 when every mutation was
noticed; the survivors are named.
"""

import pathlib
import shlex
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
CORE = ROOT / "lib" / "core"

# (name, file, what stands there, what stands there instead)
MUTATIONS = [
    ("rule 1, Paused", "decide.cpp", "Rule{Reason::Paused, paused},", ""),
    ("rule 1, a parked count is gone to once", "decide.cpp", "tick.next.parked == pause.paused_replicas", "false"),
    ("rule 1, paused-scale-up", "decide.cpp", "goal <= tick.serving || tick.observation.pause.no_growth ||", "goal <= tick.serving ||"),
    ("rule 1, paused-scale-down", "decide.cpp", "Hold{Reason::PausedDirection, shrinking_is_paused},", ""),
    ("rule 2, ScaledToZero", "decide.cpp", "Rule{Reason::ScaledToZero, scaled_to_zero},", ""),
    ("rule 3, BelowMinimum", "decide.cpp", "Rule{Reason::BelowMinimum, below_minimum},", ""),
    ("rule 3, AboveMaximum", "decide.cpp", "Rule{Reason::AboveMaximum, above_maximum},", ""),
    ("rule 4, Contested", "decide.cpp", "Rule{Reason::Contested, contested},", ""),
    ("rule 4, growth once a minute", "decide.cpp", "return growth && may_write_in_fight(tick)", "return growth"),
    ("rule 5, NoData", "decide.cpp", "Rule{Reason::NoData, no_data},", ""),
    ("rule 5, Fallback", "decide.cpp", "return fall_back(tick);", "return Verdict{tick.serving, Reason::NoData};"),
    ("rule 5, the grace", "decide.cpp", "const bool lasted = since && tick.now - *since > tick.policy.failure_grace;", "const bool lasted = since.has_value();"),
    ("level, the jump", "signals.cpp", "verdict_.jumped ? delta(0) : short_rate()", "short_rate()"),
    ("level, the gate", "signals.cpp", "delta(0) - std::min(delta(1), delta(2)) > verdict_.gate", "delta(0) > std::min(delta(1), delta(2))"),
    ("level, learned noise", "signals.cpp", "kGateNoise * std::sqrt(history_.noise)", "0.0"),
    ("level, the clip of one term", "signals.cpp", "std::min(square(delta(0) - delta(1)), kNoiseClip * std::max(history_.noise, arrivals()))", "square(delta(0) - delta(1))"),
    ("boost, look-ahead", "signals.cpp", "if (percent == 0 || signal_.kind", "if (percent >= 0 || signal_.kind"),
    ("boost, only after three even rises", "signals.cpp", "*smallest >= *largest / 2", "*smallest >= -1e300"),
    ("boost, only when nearly full", "signals.cpp", "kRampLevel * planned", "0 * planned"),
    ("boost, only without holes", "signals.cpp", "&& reading_.gapless", ""),
    ("boost, only when fresh for four intervals", "signals.cpp", "fresh_for(4 * reading_.interval) &&", ""),
    ("boost, the lead is learned", "tick.cpp", "  note_warmed(tick);\n", ""),
    ("saturation, refused work", "signals.cpp", "verdict_.saturated = lasting &&", "verdict_.saturated = false && lasting &&"),
    ("saturation, a gauge has to last", "signals.cpp", "history_.saturated_ticks >= kSaturatedTicks", "history_.saturated_ticks >= 1"),
    ("saturation, the share", "signals.cpp", "(is_gauge ? 0 : kSaturatedShare * verdict_.level)", "0"),
    ("saturation, only near the limit", "signals.cpp", "tick_.serving * verdict_.q <= kSaturationFactor * net", "net >= 0"),
    ("headroom, learned", "signals.cpp", "tick_.policy.scale_up.headroom == Headroom::Learned", "false"),
    ("headroom, one surprise is not a pattern", "signals.cpp", "std::max(0.0, history_.risk - once)", "std::max(0.0, history_.risk + 0 * once)"),
    ("baseline, its share", "signals.cpp", "std::max(0.0, rate - pods * baseline->requests_per_replica)", "rate"),
    ("baseline, the fewest pods", "signals.cpp", "std::min(baseline_now(), static_cast<int>(-lack->peak))", "baseline_now()"),
    ("schedules", "tick.cpp", "if (schedule.min_replicas > least && in_force(schedule, now))", "if (false)"),
    ("wish, rounding", "signals.cpp", "std::ceil(rate / q - kEpsilon)", "std::ceil(rate / q)"),
    ("rule 6, Grow", "decide.cpp", "Rule{Reason::Grow, grow},", ""),
    ("rule 6, the growth limit", "decide.cpp", "std::min(goal, growth_limit(tick))", "goal"),
    ("rule 6, from zero there is no limit", "moves.cpp", "s == 0 ? tick.max :", "s < 0 ? tick.max :"),
    ("rule 6, the tolerance", "moves.cpp", "(1 + tick.policy.scale_up.tolerance_percent / 100.0)", "1"),
    ("rule 6, scaleUp.cooldown", "decide.cpp", "Hold{Reason::GrowthCoolingDown, growth_is_cooling_down},", ""),
    ("rule 6, scaleUp.cooldown holds", "decide.cpp", "vetoed_by_guard(tick) ||\n      growth_cools_down(tick)", "vetoed_by_guard(tick)"),
    ("rule 8, Shrink", "decide.cpp", "Rule{Reason::Shrink, shrink},", ""),
    ("rule 8, the step", "decide.cpp", "std::max(tick.shrink_to, tick.serving - shrink_step(tick))", "tick.shrink_to"),
    ("rule 8, the peak", "signals.cpp", "verdict_.peak = history_.last_peak ? history_.last_peak->peak : 0;", "verdict_.peak = verdict_.level;"),
    ("rule 8, the gate", "signals.cpp", "(1 + verdict_.headroom) + verdict_.gate;", "(1 + verdict_.headroom);"),
    ("rule 8, what saturation asked for", "signals.cpp", "verdict_.peak * (saturated_lately ? kSaturationFactor : 1)", "verdict_.peak * (saturated_lately ? 1 : 1)"),
    ("rule 8, idle is kept while data is not fresh", "tick.cpp", "  if (!tick.all_fresh()) {\n    return;\n  }\n", ""),
    ("rule 8, a change of S starts the wait anew", "writes.cpp", "history.idle = Milliseconds{0};", ""),
    ("rule 7, guards", "decide.cpp", "if (guard_vetoes(tick)) {", "if (false) {"),
    ("rule 7, Draining", "decide.cpp", "Hold{Reason::Draining, drains},", ""),
    ("rule 7, DataPartial", "decide.cpp", "Hold{Reason::DataPartial, data_is_partial},", ""),
    ("rule 7, DataSuspect", "decide.cpp", "Hold{Reason::DataSuspect, data_is_suspect},", ""),
    ("rule 7, AtMaximum", "decide.cpp", "Hold{Reason::AtMaximum, at_maximum},", ""),
    ("rule 7, Steady", "decide.cpp", "Hold{Reason::Steady, steady},", ""),
    ("rule 7, AtMinimum", "decide.cpp", "Hold{Reason::AtMinimum, at_minimum},", ""),
    ("rule 7, NoData of one signal", "decide.cpp", "Hold{Reason::NoData, one_signal_unknown},", ""),
    ("rule 7, LongWindow, fresh data", "decide.cpp", "Hold{Reason::LongWindow, too_little_fresh_data},", ""),
    ("rule 7, RolloutInProgress", "decide.cpp", "Hold{Reason::RolloutInProgress, rollout_in_progress},", ""),
    ("rule 7, a rollout holds for so long", "holds.cpp", "tick.now - *tick.next.rollout_since <", "Milliseconds{0} <"),
    ("rule 7, Warming", "decide.cpp", "Hold{Reason::Warming, warming},", ""),
    ("rule 7, a pod warms for so long", "holds.cpp", "return age < std::max(", "return Milliseconds{0} < std::max("),
    ("rule 7, CoolingDown", "decide.cpp", "Hold{Reason::CoolingDown, cooling_down},", ""),
    ("rule 7, LongWindow, the peak", "decide.cpp", "Hold{Reason::LongWindow, peak_needs_it},", ""),
    ("rule 7, LongWindow, patience", "decide.cpp", "Hold{Reason::LongWindow, patient},", ""),
    ("rule 7, ScaleDownLimited", "decide.cpp", "Hold{Reason::ScaleDownLimited, between_steps},", ""),
    ("rule 7, PausedDirection", "decide.cpp", "Hold{Reason::PausedDirection, growth_is_paused},", ""),
    ("draining pods count as gone", "tick.cpp", "observation.replicas - observation.draining", "observation.replicas"),
    ("outageHold", "tick.cpp", "  note_outage(tick);\n", "  tick.long_window = tick.policy.long_window;\n"),
    ("foreign writes start the timers", "writes.cpp", "  change_count(history, change);\n}\n\n// A write", "}\n\n// A write"),
    ("three that undid ours are a fight", "writes.cpp", "if (fighting || undoes_ours(history, change.to))", "if (false && fighting && undoes_ours(history, change.to))"),
    ("only writes that undo count", "writes.cpp", "if (fighting || undoes_ours(history, change.to))", "if (true || fighting || undoes_ours(history, change.to))"),
    ("dry run on a shadow", "tick.cpp", "tick.next.shadow = history.shadow.value_or(observation.replicas);", "tick.next.shadow = observation.replicas;"),
    ("health, Fresh only with coverage", "rates.cpp", "HealthRow{reading.coverage < kFreshCoverage, Health::Partial, Fault::MissingPods},", ""),
    ("health, Partial answers", "rates.cpp", "HealthRow{question.partial_answer, Health::Partial, Fault::PartialAnswer},", ""),
    ("health, Stale by age", "rates.cpp", "HealthRow{too_old, Health::Stale, Fault::TooOld},", ""),
    ("health, Stale by coverage", "rates.cpp", "HealthRow{reading.coverage < kUsableCoverage, Health::Stale, Fault::LowCoverage},", ""),
    ("health, Missing", "rates.cpp", "return unusable(Fault::EmptyAnswer);", "SignalReading zero = unusable(Fault::EmptyAnswer);\n    zero.health = Health::Fresh;\n    return zero;"),
    ("health, Invalid", "rates.cpp", "if (std::isinf(value) || value < 0) {", "if (false) {"),
    ("health, Suspect", "signals.cpp", "verdict_.health = Health::Suspect;", ""),
    ("health, Suspect is believed in the end", "signals.cpp", "if (back || lasted) {", "if (back && !lasted) {"),
    ("health, Suspect with the uptime", "signals.cpp", "*history_.suspect_since += tick_.elapsed;  // lasting needs an exporter that is alive", ""),
    ("health, growth on partial data", "signals.cpp", "verdict_.wish = std::min(verdict_.wish, most);", ""),
    ("health, what is missing is made up", "rates.cpp", "  compensate(reading);\n", ""),
    ("rates, resets", "counting.cpp", "const double shown = fell ? value : value - value_;", "const double shown = value - value_;"),
    ("rates, weights by pods", "counting.cpp", "return Weights(ready, running, 0, answer.now);", "return Weights({}, {}, 0, answer.now);"),
    ("rates, first samples", "counting.cpp", "  admit_first_counts(counted, weights);\n", ""),
    ("rates, the cap of first samples", "counting.cpp", "std::min(first.requests, *mean * (first.to - first.from))", "first.requests"),
    ("rates, standstills", "counting.cpp", "if (still_scrapes_ >= kStandstillScrapes &&", "if (false && still_scrapes_ >= kStandstillScrapes &&"),
    ("rates, only after having served", "counting.cpp", "(moved_ ? served_ : answer_.question.has_served)", "true"),
    ("rates, silent pods are left out", "counting.cpp", "if (mapped && answer.judged[pod] != 0 && answer.covered[pod] == 0) {", "if (false) {"),
    ("rates, duplicates", "series.cpp", "  drop_duplicates(chosen, scrape_labels);\n", ""),
    ("rates, other pods' series", "series.cpp", "if (pods[i].belongs || pods[i].baseline) {", "if (true) {"),
    ("warmth 1, pods without the gate", "warmth.cpp", "if (!facts_.has_gate) {", "if (false) {"),
    ("warmth 1, pods on their way out", "warmth.cpp", "if (facts_.terminating) {", "if (false) {"),
    ("warmth 2, containers first, for a proof", "warmth.cpp", "    if (!facts_.containers_ready) {\n      verdict.reason", "    if (false) {\n      verdict.reason"),
    ("warmth 2, containers first, for rule 3", "warmth.cpp", "if (facts_.containers_ready && !is_open()) {", "if (!is_open()) {"),
    ("warmth 3, unmanaged", "warmth.cpp", "if (!facts_.managed) {", "if (false) {"),
    ("warmth 3, paused", "warmth.cpp", "if (facts_.paused) {", "if (false) {"),
    ("warmth 3, gating off", "warmth.cpp", "if (!policy_.gates) {", "if (false) {"),
    ("warmth 4, draining", "warmth.cpp", "if (facts_.draining) {", "if (false) {"),
    ("warmth 4, a drain that is given up", "warmth.cpp", "same && facts.gate->reason == name_of(WarmthReason::Draining)", "false"),
    ("warmth 5, another container", "warmth.cpp", "gate->identity != facts.identity", "false"),
    ("warmth 5, a younger process", "warmth.cpp", "*facts.cache_started > *proven + kUptimeSlack", "false"),
    ("warmth 5, probes that miss", "warmth.cpp", "facts.misses_in_a_row >= kMissesInARow", "false"),
    ("warmth 6, enough of it", "warmth.cpp", "warmup.hit_percent >= policy.min_hit_percent", "true"),
    ("warmth 6, all of it", "warmth.cpp", "return warmup.finished && warmup.cacheable > 0", "return warmup.cacheable > 0"),
    ("warmth 7, the port", "warmth.cpp", "if (!holds && !facts_.port_declared) {", "if (false) {"),
    ("warmth 7, the address", "warmth.cpp", "if (!holds && !facts_.address_allowed) {", "if (false) {"),
    ("warmth 7, nothing to cache", "warmth.cpp", "    if (is_list_useless()) {\n      return open", "    if (false) {\n      return open"),
    ("warmth 8, first pods", "warmth.cpp", "if (facts_.other_ready == 0 && waited() >= kBestEffort) {", "if (false) {"),
    ("warmth 8, a short try first", "warmth.cpp", "facts_.other_ready == 0 && waited() >= kBestEffort", "facts_.other_ready == 0"),
    ("warmth 8, panic", "warmth.cpp", "facts_.overloaded && facts_.best_of_cold", "false"),
    ("warmth 8, the best first", "warmth.cpp", "facts_.overloaded && facts_.best_of_cold", "facts_.overloaded"),
    ("warmth 9, out of time", "warmth.cpp", "if (waited() >= policy_.timeout) {", "if (false) {"),
    ("warmth 9, hold", "warmth.cpp", "return holds ? WarmthVerdict{", "return false ? WarmthVerdict{"),
    ("warmth, the last ready pod", "warmth.cpp", "if (facts_.ready && facts_.other_ready == 0) {", "if (false) {"),
]


def commands(build, target):
    """The command lines that ninja would run last for a target."""
    text = subprocess.run(["ninja", "-C", build, "-t", "commands", target], check=True, capture_output=True, text=True).stdout
    return text.splitlines()


def compile_command(build, source):
    for line in commands(build, "sc_core"):
        if line.rstrip().endswith(str(source)):
            return shlex.split(line)
    sys.exit(f"mutate: {build} does not compile {source}")


def link_command(build, target):
    for line in commands(build, target):
        if " -o " in line and "libsc_core.a" in line and " -c " not in line:
            start = line.index(" && ") + 4 if line.startswith(":") else 0
            return shlex.split(line[start:].split(" && ")[0])
    sys.exit(f"mutate: {build} does not link {target}")


def run(command, build):
    return subprocess.run(command, cwd=build, capture_output=True, text=True)


def noticed_by(build, work, source, objects):
    """The first test that fails, or None."""
    for target, arguments in (("test_core", []), ("test_sim", ["-tc=scenarios,ten minutes*", "-sce=traces*"])):
        command = link_command(build, target)
        at = command.index("-o")
        program = work / target
        command[at + 1] = str(program)
        library = next(i for i, part in enumerate(command) if part.endswith("libsc_core.a"))
        linked = run(command[:library] + objects + command[library:], build)
        if linked.returncode != 0:
            sys.exit(f"mutate: linking {target} failed:\n{linked.stderr}")
        tested = run([str(program), "-m", "-aa=1", *arguments], build)
        if tested.returncode != 0:
            lines = tested.stdout.splitlines()
            case = next((line for line in lines if line.startswith("TEST CASE:")), "TEST CASE:  ?")
            failed = next((line for line in lines if "FAIL " in line), "")
            return (case.replace("TEST CASE:", "").strip() + " " + failed.strip()).strip()
    return None


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    build = pathlib.Path(sys.argv[1]).resolve()
    wanted = sys.argv[2:]
    work = build / "mutate"
    work.mkdir(exist_ok=True)
    survivors = []
    chosen = [m for m in MUTATIONS if not wanted or any(word in m[0] for word in wanted)]
    for name, file, old, new in chosen:
        source = CORE / file
        text = source.read_text()
        if text.count(old) < 1:
            sys.exit(f"mutate: {name}: {file} no longer holds {old!r}")
        mutant = work / file
        mutant.write_text(text.replace(old, new, 1))
        command = [part for part in compile_command(build, source)]
        command[command.index("-o") + 1] = str(work / (file + ".o"))
        command[-1] = str(mutant)
        command += ["-Wno-error", "-w"]
        built = run(command, build)
        if built.returncode != 0:
            sys.exit(f"mutate: {name} does not compile:\n{built.stderr}")
        test = noticed_by(build, work, source, [str(work / (file + ".o"))])
        print(f"{'noticed ' if test else 'SURVIVED'} {name}" + (f"  ({test})" if test else ""), flush=True)
        if test is None:
            survivors.append(name)
    print(f"{len(chosen) - len(survivors)} noticed, {len(survivors)} survived")
    return 1 if survivors else 0


if __name__ == "__main__":
    sys.exit(main())
