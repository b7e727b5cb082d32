import { appendFileSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';

/** Ticks per second in the fields below; Linux reports the same number to every process. */
const ticksPerSecond = 100;

/**
 * Starts to measure what a test file takes, if the environment variable HOLDFAST_TEST_CPU names a file for
 * the results: one tab-separated line for each test file, with the CPU seconds of the process, those of the
 * processes that it started and that have ended, the elapsed seconds, and the path. `sort -n` shows where a
 * run's time goes.
 *
 * @param {string} path of the test file.
 * @returns {() => void} writes the line; does nothing without the variable.
 */
export function countCpuTime(path) {
  const report = process.env.HOLDFAST_TEST_CPU;
  if (report === undefined || report === '') {
    return () => undefined;
  }
  const before = { own: process.cpuUsage(), children: ofChildren(), at: performance.now() };
  return () => {
    const { user, system } = process.cpuUsage(before.own);
    const seconds = [
      (user + system) / 1e6,
      ofChildren() - before.children,
      (performance.now() - before.at) / 1000,
    ];
    const line = [...seconds.map((each) => each.toFixed(2)), relative(process.cwd(), path)].join('\t');
    appendFileSync(report, `${line}\n`);
  };
}

/** Seconds, user and system, of the child processes that have ended; 0 if the system does not report them. */
function ofChildren() {
  if (process.platform !== 'linux') {
    return 0;
  }
  // See proc_pid_stat(5): after the name in brackets, fields 3 and on; cutime is the 16th, cstime the 17th.
  const fields = readFileSync('/proc/self/stat', 'utf8').split(') ').at(-1).split(' ');
  return (Number(fields[13]) + Number(fields[14])) / ticksPerSecond;
}
