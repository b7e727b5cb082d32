import type { IncomingHttpHeaders } from 'node:http';
import { type Answer, pageNotFound, protobufAnswer } from '../http/answer.ts';
import { checkAcceptsJson } from '../http/negotiation.ts';
import type { JsonObject } from '../meta/json.ts';
import type { ResourceRegistry } from '../resources/registry.ts';
import { discover } from './discovery.ts';
import { answerHealth } from './health.ts';

const version: JsonObject = {
  major: '1',
  minor: '36',
  emulationMajor: '1',
  emulationMinor: '36',
  minCompatibilityMajor: '1',
  minCompatibilityMinor: '35',
  gitVersion: 'v1.36.3',
  gitCommit: '',
  gitTreeState: 'clean',
  buildDate: '1970-01-01T00:00:00Z',
  goVersion: 'go1.26.5',
  compiler: 'gc',
  platform: 'linux/amd64',
};

/**
 * Answers a request that is not about a resource: version, health, OpenAPI and discovery. All other paths get
 * 404.
 */
export async function answerPath(
  registry: ResourceRegistry,
  path: string,
  query: URLSearchParams,
  headers: IncomingHttpHeaders,
): Promise<Answer> {
  if (path === '/version' || path === '/version/') {
    checkAcceptsJson(headers.accept);
    // The real server indents the version for all clients.
    const bytes = Buffer.from(JSON.stringify(version, null, 2));
    return { kind: 'bytes', code: 200, bytes, contentType: 'application/json' };
  }
  const health = answerHealth(path, query);
  if (health !== undefined) {
    return health;
  }
  if (path.startsWith('/openapi/')) {
    // Import on demand, because most servers are never asked for OpenAPI and need not load the descriptions.
    const { answerOpenapi } = await import('./answer-openapi.ts');
    const answer = answerOpenapi(registry, path, headers.accept);
    if (answer !== undefined) {
      return answer;
    }
  }
  const document = discover(registry, path, headers.accept, headers.host ?? '');
  if (document?.isProtobuf === true) {
    const { body, struct, contentType } = document;
    return { ...protobufAnswer(200, body, struct), contentType };
  }
  if (document !== undefined) {
    return {
      kind: 'json',
      code: 200,
      json: JSON.stringify(document.body),
      contentType: document.contentType,
    };
  }
  return pageNotFound;
}
