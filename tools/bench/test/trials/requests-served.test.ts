import { describe, expect, test } from '@jest/globals';
import { countIn } from '../../src/trials/requests-served.ts';

function line(verb: string, change: object = {}): string {
  const event = {
    verb,
    stage: 'ResponseComplete',
    userAgent: 'pvc-protection/0.1.0',
    objectRef: { resource: 'persistentvolumeclaims' },
    ...change,
  };
  return `${JSON.stringify(event)}\n`;
}

describe('countIn', () => {
  test.each([
    { what: 'list', log: line('list'), reads: 1, writes: 0 },
    { what: 'get', log: line('get'), reads: 1, writes: 0 },
    { what: 'patch', log: line('patch'), reads: 0, writes: 1 },
    { what: 'delete', log: line('delete'), reads: 0, writes: 1 },
    {
      what: 'watch that began and ended',
      log: line('watch', { stage: 'ResponseStarted' }) + line('watch'),
      reads: 1,
      writes: 0,
    },
    {
      what: 'watch that has not ended',
      log: line('watch', { stage: 'ResponseStarted' }),
      reads: 1,
      writes: 0,
    },
    { what: "another program's patch", log: line('patch', { userAgent: 'bench/1' }), reads: 0, writes: 0 },
    {
      what: 'patch of a program whose name begins the same',
      log: line('patch', { userAgent: 'pvc-protection-of-others/1' }),
      reads: 0,
      writes: 0,
    },
    { what: 'patch without a user agent', log: line('patch', { userAgent: undefined }), reads: 0, writes: 0 },
    { what: 'nothing', log: '', reads: 0, writes: 0 },
  ])('$what -> $reads reads, $writes writes', ({ log, reads, writes }) => {
    expect(countIn(log, 'pvc-protection')).toEqual({ reads, writes, leaseWrites: 0 });
  });

  test('write of the lease -> a write, and known as one of the lease', () => {
    const log = line('patch') + line('create', { objectRef: { resource: 'leases' } });
    expect(countIn(log, 'pvc-protection')).toEqual({ reads: 0, writes: 2, leaseWrites: 1 });
  });
});
