import type { BytesAnswer } from '../http/answer.ts';
import type { ResourceRegistry } from '../resources/registry.ts';
import type { Storage } from '../storage/storage.ts';
import { processMetrics } from './process-metrics.ts';
import type { RequestMetrics } from './request-metrics.ts';
import { storedMetrics } from './stored-metrics.ts';
import { textFormat, writeMetrics } from './text-format.ts';

/** Answers requests for `/metrics`. */
export async function answerMetrics(
  storage: Storage,
  registry: ResourceRegistry,
  requests: RequestMetrics,
): Promise<BytesAnswer> {
  const metrics = [...requests.collect(), ...storedMetrics(storage, registry), ...(await processMetrics())];
  return { kind: 'bytes', code: 200, bytes: Buffer.from(writeMetrics(metrics)), contentType: textFormat };
}
