import type { Answer } from '../http/answer.ts';
import type { ResourceRegistry } from '../resources/registry.ts';
import { asksForProtobuf, openapiV2Bytes, openapiV2Json, openapiV2Protobuf } from './openapi-v2.ts';
import { openapiDocument } from './openapi.ts';

/** Answers a request for an OpenAPI document. Returns undefined if the path has none. */
export function answerOpenapi(
  registry: ResourceRegistry,
  path: string,
  accept: string | undefined,
): Answer | undefined {
  if (path === '/openapi/v2') {
    return asksForProtobuf(accept)
      ? { kind: 'bytes', code: 200, bytes: openapiV2Bytes(registry), contentType: openapiV2Protobuf }
      : { kind: 'json', code: 200, json: openapiV2Json(registry) };
  }
  const json = path.startsWith('/openapi/v3') ? openapiDocument(registry, path) : undefined;
  return json === undefined ? undefined : { kind: 'json', code: 200, json };
}
