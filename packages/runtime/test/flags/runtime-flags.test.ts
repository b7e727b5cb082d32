import { expect, test } from '@jest/globals';
import { parseCommandLine } from '../../src/flags/command-line.ts';
import { checkRuntimeConfig, runtimeFlags, type RuntimeConfig } from '../../src/flags/runtime-flags.ts';

function configOf(argv: readonly string[]): RuntimeConfig {
  const command = { name: 'app', version: '1', description: 'An app.', flags: runtimeFlags('app', {}) };
  const line = parseCommandLine(command, argv, {});
  if (line.kind === 'print') {
    throw new Error(`printed instead: ${line.text}`);
  }
  return line.values;
}

// client-go: LeaseDuration > RenewDeadline > RetryPeriod * 1.2.
test.each<{ lease: string; renew: string; period: string; wrong: RegExp | undefined }>([
  { lease: '15s', renew: '10s', period: '2s', wrong: undefined },
  { lease: '11s', renew: '10s', period: '8s', wrong: undefined },
  {
    lease: '10s',
    renew: '10s',
    period: '2s',
    wrong: /lease-duration \(10s\).*longer.*renew-deadline \(10s\)/,
  },
  { lease: '9s', renew: '10s', period: '2s', wrong: /lease-duration/ },
  {
    lease: '15s',
    renew: '12s',
    period: '10s',
    wrong: /renew-deadline \(12s\).*1\.2 times.*retry-period \(10s\)/,
  },
  { lease: '15s', renew: '2s', period: '3s', wrong: /retry-period/ },
])('lease $lease, deadline $renew, period $period -> $wrong', ({ lease, renew, period, wrong }) => {
  const argv = [
    `--leader-elect-lease-duration=${lease}`,
    `--leader-elect-renew-deadline=${renew}`,
    `--leader-elect-retry-period=${period}`,
  ];
  const answer = checkRuntimeConfig(configOf(argv));
  if (wrong === undefined) {
    expect(answer).toBeUndefined();
  } else {
    expect(answer).toMatch(wrong);
  }
});

test('durations that do not fit, no leader election -> nothing is wrong', () => {
  expect(
    checkRuntimeConfig(configOf(['--leader-elect=false', '--leader-elect-lease-duration=1s'])),
  ).toBeUndefined();
});
