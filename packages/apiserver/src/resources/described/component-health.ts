import { request } from 'node:https';
import type { JsonObject } from '../../meta/json.ts';
import type { After } from '../../meta/timer.ts';

/** The health of a component, as its ComponentStatus reports it. */
export interface ComponentCondition extends JsonObject {
  type: string;
  status: string;
  message?: string;
  error?: string;
}

/** How long to wait for a response, in milliseconds. A healthy component answers sooner. */
const patience = 20_000;
/** How much of a response is kept, in bytes. */
const answerLimit = 10 * 1024;

/**
 * Requests `/healthz` of a component on this machine over TLS, without verifying its certificate.
 *
 * @param after the timer for the timeout
 */
export function askHealth(port: number, after: After): Promise<ComponentCondition> {
  const url = `https://127.0.0.1:${port}/healthz`;
  return new Promise((resolve) => {
    const settle = (isHealthy: boolean, message: string): void => {
      timer.cancel();
      resolve({ type: 'Healthy', status: isHealthy ? 'True' : 'False', message });
    };
    const fail = (problem: string): void => settle(false, `Get ${JSON.stringify(url)}: ${problem}`);
    // Most components have a self-signed certificate, and kube-apiserver does not verify it either.
    const asked = request(url, { agent: false, rejectUnauthorized: false }, (response) => {
      const chunks: Buffer[] = [];
      let size = 0;
      response.on('data', (chunk: Buffer) => {
        if (size < answerLimit) {
          chunks.push(chunk.subarray(0, answerLimit - size));
          size += chunk.length;
        }
      });
      response.on('error', (error) => fail(error.message));
      response.on('end', () => {
        const { statusCode = 0 } = response;
        if (statusCode >= 200 && statusCode < 400) {
          settle(true, Buffer.concat(chunks).toString('utf8'));
        } else {
          settle(false, `HTTP probe failed with statuscode: ${statusCode}`);
        }
      });
    });
    const timer = after(patience, () => {
      fail('context deadline exceeded (Client.Timeout exceeded while awaiting headers)');
      asked.destroy();
    });
    asked.on('error', (error: NodeJS.ErrnoException) => {
      fail(
        error.code === 'ECONNREFUSED'
          ? `dial tcp 127.0.0.1:${port}: connect: connection refused`
          : error.message,
      );
    });
    asked.end();
  });
}
