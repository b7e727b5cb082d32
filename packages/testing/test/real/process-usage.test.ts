import { describe, expect, test } from '@jest/globals';
import { processUsage } from '../../src/real/process-usage.ts';

const onLinux = process.platform === 'linux' ? describe : describe.skip;

onLinux('processUsage (needs /proc)', () => {
  test('this process -> the CPU time that process.cpuUsage gives', async () => {
    const before = await processUsage(process.pid);
    const start = process.cpuUsage();
    while (process.cpuUsage(start).user + process.cpuUsage(start).system < 200_000) {}
    const { cpuSeconds } = await processUsage(process.pid);
    const own = process.cpuUsage();
    expect(cpuSeconds - before.cpuSeconds).toBeGreaterThan(0.15);
    expect(Math.abs(cpuSeconds - (own.user + own.system) / 1e6)).toBeLessThan(0.2);
  });

  test('this process -> the peak that getrusage knows, and no more than it resident', async () => {
    const { peakResidentBytes, residentBytes } = await processUsage(process.pid);
    const peak = process.resourceUsage().maxRSS * 1024;
    expect(Math.abs(peakResidentBytes - peak)).toBeLessThan(0.1 * peak);
    expect(residentBytes).toBeLessThanOrEqual(peakResidentBytes);
    expect(residentBytes).toBeGreaterThan(10e6);
  });

  test('no such process -> throws', async () => {
    // Larger than any pid_max.
    await expect(processUsage(4_194_305)).rejects.toThrow('ENOENT');
  });
});
