import { expect, test } from '@jest/globals';
import { newMark, undoMarkOf } from '../src/decide/undo-mark.ts';
import { volume } from './objects.ts';

const noon = Date.parse('2026-01-01T12:00:00Z');
const due = { 'holdfast.dev/delete-after': '2026-01-01T12:00:00Z' };
const uid = { 'holdfast.dev/delete-after-uid': 'uid-of-pv' };
const claim = { 'holdfast.dev/delete-after-claim-uid': 'c' };
const valid = { kind: 'valid', due: noon };
const foreign = { kind: 'foreign' };

test.each([
  { name: 'none', annotations: {}, mark: undefined },
  { name: 'all of it', annotations: { ...due, ...uid, ...claim }, mark: valid },
  { name: 'its time alone', annotations: due, mark: foreign },
  { name: 'its volume alone', annotations: uid, mark: foreign },
  { name: 'its claim alone', annotations: claim, mark: foreign },
  { name: 'all but its time', annotations: { ...uid, ...claim }, mark: { kind: 'unreadable', text: '' } },
  { name: 'all but its claim', annotations: { ...due, ...uid }, mark: foreign },
  {
    name: 'that of another volume',
    annotations: { ...due, ...uid, ...claim, 'holdfast.dev/delete-after-uid': 'another' },
    mark: foreign,
  },
  {
    name: 'that of another claim',
    annotations: { ...due, ...uid, ...claim, 'holdfast.dev/delete-after-claim-uid': 'another' },
    mark: foreign,
  },
])('mark: $name -> $mark', ({ annotations, mark }) => {
  expect(undoMarkOf(volume({ claimUid: 'c', annotations }))).toEqual(mark);
});

test.each([
  'tomorrow',
  '2026',
  '2026-01-01',
  '2026-01-01T12:00:00',
  'x2026-01-01T12:00:00Z',
  '2026-01-01T12:00:00Z (noon)',
  '2026-13-41T12:00:00Z',
  // Date.parse reads the second of March.
  '2026-02-30T12:00:00Z',
])('time %s -> can not be read, and is said as it stands', (text) => {
  const annotations = { ...uid, ...claim, 'holdfast.dev/delete-after': text };
  expect(undoMarkOf(volume({ claimUid: 'c', annotations }))).toEqual({ kind: 'unreadable', text });
});

test.each(['2026-01-01T12:00:00.000Z', '2026-01-01T13:00:00+01:00', '2026-01-02T00:30:00+12:30'])(
  'time %s -> noon in UTC',
  (text) => {
    const annotations = { ...uid, ...claim, 'holdfast.dev/delete-after': text };
    expect(undoMarkOf(volume({ claimUid: 'c', annotations }))).toEqual(valid);
  },
);

test.each([
  { name: 'released from a claim', claimUid: 'c' },
  { name: 'whose claim has no UID', claimUid: null },
  { name: 'without a claim', claimUid: undefined },
])('new mark of a volume $name -> read as it was written, by this volume alone', ({ claimUid }) => {
  const shape = claimUid === undefined ? {} : { claimUid };
  const annotations = newMark(volume(shape), noon);
  expect(undoMarkOf(volume({ ...shape, annotations }))).toEqual(valid);
  expect(undoMarkOf(volume({ ...shape, annotations, uid: 'another' }))).toEqual(foreign);
  expect(undoMarkOf(volume({ claimUid: 'another', annotations }))).toEqual(foreign);
});
