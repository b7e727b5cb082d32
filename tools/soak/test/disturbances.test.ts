import { describe, expect, test } from '@jest/globals';
import { disturbancesOf } from '../src/disturbances.ts';

describe('disturbancesOf', () => {
  test('embedded, a minute -> cuts every ten seconds, every third with a compaction, and three restarts', () => {
    expect(disturbancesOf(60_000, 'embedded')).toEqual([
      { at: 10_000, order: 'cutWatches' },
      { at: 15_000, order: 'restartApiServer' },
      { at: 20_000, order: 'cutWatches' },
      { at: 30_000, order: 'restartApiServer' },
      { at: 30_000, order: 'cutWatchesAndCompact' },
      { at: 40_000, order: 'cutWatches' },
      { at: 45_000, order: 'restartApiServer' },
      { at: 50_000, order: 'cutWatches' },
    ]);
  });

  test('real -> restarts only, evenly spread', () => {
    expect(disturbancesOf(600_000, 'real')).toEqual([
      { at: 150_000, order: 'restartApiServer' },
      { at: 300_000, order: 'restartApiServer' },
      { at: 450_000, order: 'restartApiServer' },
    ]);
  });
});
