import type { Answer } from '../http/answer.ts';
import type { ResourceRegistry } from '../resources/registry.ts';
import { asksForProtobuf, openapiV2Bytes, openapiV2Json, openapiV2Protobuf } from './openapi-v2.ts';
import { openapiDocument } from './openapi.ts';

/** The answer to a request for a document of OpenAPI; undefined when there is none at the path. */
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
