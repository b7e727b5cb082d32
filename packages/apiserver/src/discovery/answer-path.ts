import type { IncomingHttpHeaders } from 'node:http';
import { type Answer, jsonAnswer, protobufAnswer } from '../http/answer.ts';
import { checkAcceptsJson } from '../http/negotiation.ts';
import type { JsonObject } from '../meta/json.ts';
import type { ResourceRegistry } from '../resources/registry.ts';
import { discover } from './discovery.ts';
import { answerHealth } from './health.ts';
import { asksForProtobuf, openapiV2Bytes, openapiV2Json, openapiV2Protobuf } from './openapi-v2.ts';
import { openapiDocument } from './openapi.ts';

const version: JsonObject = {
  major: '1',
  minor: '36',
  emulationMajor: '1',
  emulationMinor: '36',
  minCompatibilityMajor: '1',
  minCompatibilityMinor: '35',
  gitVersion: 'v1.36.3',
  gitCommit: '',
  gitTreeState: '',
  buildDate: '1970-01-01T00:00:00Z',
  goVersion: '',
  compiler: '',
  platform: 'linux/amd64',
};

/** The answer to a request that is about no resource: version, health, OpenAPI, discovery; 404 for all else. */
export function answerPath(
  registry: ResourceRegistry,
  path: string,
  query: URLSearchParams,
  headers: IncomingHttpHeaders,
): Answer {
  if (path === '/version' || path === '/version/') {
    checkAcceptsJson(headers.accept);
    return jsonAnswer(200, version);
  }
  const health = answerHealth(path, query);
  if (health !== undefined) {
    return health;
  }
  if (path.startsWith('/openapi/v3')) {
    const json = openapiDocument(registry, path);
    if (json !== undefined) {
      return { kind: 'json', code: 200, json };
    }
  }
  if (path === '/openapi/v2') {
    return asksForProtobuf(headers.accept)
      ? { kind: 'bytes', code: 200, bytes: openapiV2Bytes(registry), contentType: openapiV2Protobuf }
      : { kind: 'json', code: 200, json: openapiV2Json(registry) };
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
  return { kind: 'text', code: 404, text: '404 page not found\n' };
}
