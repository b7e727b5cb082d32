import { expect, test } from '@jest/globals';
import { parseFeatureGates } from '@holdfast/core';
import { pino } from 'pino';
import { warnOfIdleGuard } from '../src/admission/warn-of-idle-guard.ts';
import { gates } from '../src/gates.ts';

test.each([
  ['on, no webhook is served', 'TerminatingClaimGuard=true', { kind: 'off' }, ['TerminatingClaimGuard']],
  ['off, no webhook is served', '', { kind: 'off' }, []],
  [
    'on, a webhook is served',
    'TerminatingClaimGuard=true',
    { kind: 'listen', host: undefined, port: 9443 },
    [],
  ],
] as const)('guard %s -> named if it has no effect', (_, text, webhookBindAddress, named) => {
  const lines: string[] = [];
  warnOfIdleGuard({
    config: { webhookBindAddress },
    gates: parseFeatureGates(gates, text),
    logger: pino({ base: null }, { write: (line: string) => lines.push(line) }),
  });
  const warned = lines.map((line) => JSON.parse(line) as { readonly level: number; readonly gate: string });
  expect(warned.map(({ gate }) => gate)).toEqual(named);
});
