import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startTool } from './tool-process.ts';

/** An API server that takes requests and never answers. */
describe('API server that does not answer, Ctrl-C', () => {
  let server: Server;
  let folder: string;
  let kubeconfig: string;

  beforeAll(async () => {
    server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    folder = await mkdtemp(join(tmpdir(), 'ctrl-c-'));
    kubeconfig = join(folder, 'config');
    const address = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
    await writeFile(
      kubeconfig,
      JSON.stringify({
        ...{ apiVersion: 'v1', kind: 'Config', 'current-context': 'it' },
        clusters: [{ name: 'it', cluster: { server: address } }],
        users: [{ name: 'it', user: {} }],
        contexts: [{ name: 'it', context: { cluster: 'it', user: 'it' } }],
      }),
    );
  });

  afterAll(async () => {
    server.closeAllConnections();
    server.close();
    await rm(folder, { recursive: true });
  });

  test.each([
    [['explain', 'pvc', 'data-web-0'], 'SIGINT'],
    [['explain', 'pvc', 'data-web-0', '--watch'], 0],
    [['status', '--wait'], 'SIGINT'],
    [['undo', '--all', '--yes'], 'SIGINT'],
    [['uninstall', '--yes'], 'SIGINT'],
    [['view', '--no-open'], 0],
  ] as const)(
    '%j -> it ends at once: %s',
    async (args, ending) => {
      const tool = startTool([...args, `--kubeconfig=${kubeconfig}`, '--insecure-http']);
      tool.stdout.resume();
      tool.stderr.resume();
      const ended = once(tool, 'close');
      await once(server, 'request');
      tool.kill('SIGINT');
      const [code, signal] = (await ended) as [number | null, NodeJS.Signals | null];
      expect(signal ?? code).toBe(ending);
    },
    15_000,
  );
});
