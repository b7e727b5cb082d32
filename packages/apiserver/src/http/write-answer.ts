import { randomUUID } from 'node:crypto';
import { gzip } from 'node:zlib';
import { dump } from 'js-yaml';
import type { BytesAnswer, JsonAnswer, TextAnswer } from './answer.ts';
import type { HttpRequest, HttpResponse } from './exchange.ts';
import { type Flow, flowSchemaHeader, priorityLevelHeader } from './flow-headers.ts';
import { prefersYaml } from './negotiation.ts';
import { warningHeaders } from './warning-headers.ts';

/**
 * Bodies larger than this many bytes are compressed for clients that accept it; the real server has the same
 * limit.
 */
const gzipThreshold = 128 * 1024;

/** What the headers say in addition to the answer. */
export interface AnswerTraits {
  /** In seconds. Default: no header. */
  readonly retryAfter?: number | undefined;
  /** Undefined for a request whose sender is not known. */
  readonly flow?: Flow | undefined;
}

/**
 * Writes an answer that is not a watch, with the headers of the real server, compressed or indented if the
 * client asks for that.
 */
export async function writeAnswer(
  request: HttpRequest,
  response: HttpResponse,
  answer: JsonAnswer | TextAnswer | BytesAnswer,
  { retryAfter, flow }: AnswerTraits,
): Promise<void> {
  const headers: Record<string, string | string[] | number> = {
    'Audit-Id': randomUUID(),
    'Cache-Control': 'no-cache, private',
  };
  if (flow !== undefined) {
    headers[flowSchemaHeader] = flow.flowSchemaUid;
    headers[priorityLevelHeader] = flow.priorityLevelUid;
  }
  if (retryAfter !== undefined) {
    headers['Retry-After'] = String(retryAfter);
  }
  let body: Buffer | string;
  if (answer.kind === 'text') {
    headers['Content-Type'] = 'text/plain; charset=utf-8';
    if (answer.isNotSniffed === true) {
      headers['X-Content-Type-Options'] = 'nosniff';
    }
    body = answer.text;
  } else if (answer.kind === 'bytes') {
    headers['Content-Type'] = answer.contentType;
    body = answer.bytes;
    setWarnings(headers, answer.warnings);
  } else {
    const isYaml = prefersYaml(request.headers.accept);
    headers['Content-Type'] = isYaml ? 'application/yaml' : (answer.contentType ?? 'application/json');
    if (isYaml) {
      body = yamlOf(answer.json);
    } else {
      body = isPretty(request) ? JSON.stringify(JSON.parse(answer.json), null, 2) : `${answer.json}\n`;
    }
    if (setWarnings(headers, answer.warnings)) {
      // Node encodes a string together with the headers before it, whose characters already stand for bytes.
      body = Buffer.from(body);
    }
  }
  if (body.length > gzipThreshold && acceptsGzip(request)) {
    const plain = body;
    body = await new Promise<Buffer>((resolve, reject) => {
      gzip(plain, { level: 1 }, (error, result) => (error === null ? resolve(result) : reject(error)));
    });
    headers['Content-Encoding'] = 'gzip';
    headers['Vary'] = 'Accept-Encoding';
  }
  headers['Content-Length'] = Buffer.byteLength(body);
  response.writeHead(answer.code, headers);
  if (request.method === 'HEAD') {
    response.end();
  } else {
    response.end(body);
  }
}

/** Sets the Warning headers, if there are any. */
function setWarnings(
  headers: Record<string, string | string[] | number>,
  texts: readonly string[] = [],
): boolean {
  const warnings = warningHeaders(texts);
  if (warnings.length > 0) {
    headers['Warning'] = [...warnings];
  }
  return warnings.length > 0;
}

/** Writes YAML as Go does: sorted keys, and lists indented no deeper than their keys. */
function yamlOf(json: string): string {
  return dump(JSON.parse(json), {
    sortKeys: true,
    seqNoIndent: true,
    lineWidth: -1,
    noRefs: true,
    quoteStyle: 'double',
  });
}

function acceptsGzip(request: HttpRequest): boolean {
  return (request.headers['accept-encoding'] ?? '').includes('gzip');
}

/** Whether to indent the JSON, as the real server does for people who use curl. */
function isPretty(request: HttpRequest): boolean {
  const asked = /[?&]pretty=([^&]*)/.exec(request.url ?? '')?.[1];
  if (asked !== undefined) {
    return /^(1|t|true)$/i.test(asked);
  }
  return /^(curl|Wget|Mozilla\/5\.0)/.test(request.headers['user-agent'] ?? '');
}
