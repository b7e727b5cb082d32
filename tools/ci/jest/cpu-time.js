import { appendFileSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';

/** Ticks of the fields below in a second; Linux shows no other number to processes. */
const ticksPerSecond = 100;

/**
 * Starts to count what a test file takes, where the environment variable HOLDFAST_TEST_CPU names a file for it: a line for each test
 * file, tab-separated, of the CPU seconds of the process, those of the processes it started and that have ended, the seconds by
 * the clock, and the path. `sort -n` says where a run's time goes.
 *
 * @param {string} path of the test file.
 * @returns {() => void} writes the line; does nothing without the variable.
 */
export function countCpuTime(path) {
  const report = process.env.HOLDFAST_TEST_CPU;
  if (report === undefined) {
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

/** Seconds, user and system, of the child processes that have ended; 0 where the system does not show them. */
function ofChildren() {
  if (process.platform !== 'linux') {
    return 0;
  }
  // See proc_pid_stat(5): after the name in brackets, fields 3 and on; cutime is the 16th, cstime the 17th.
  const fields = readFileSync('/proc/self/stat', 'utf8').split(') ').at(-1).split(' ');
  return (Number(fields[13]) + Number(fields[14])) / ticksPerSecond;
}
