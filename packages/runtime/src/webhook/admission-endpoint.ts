import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Logger } from 'pino';
import * as z from 'zod';
import {
  errorResponse,
  responseTo,
  type AdmissionHandler,
  type AdmissionRequest,
  type AdmissionResponse,
} from './admission.ts';

/** controller-runtime's limit: two objects of 3 MiB, the largest that etcd takes, and something around them. */
const bodyLimit = 7 * 1024 * 1024;

/** The fields of a request that the runtime itself relies on; the API server vouches for the others. */
const reviewSchema = z.looseObject({
  apiVersion: z.literal('admission.k8s.io/v1'),
  kind: z.literal('AdmissionReview'),
  request: z.looseObject({ uid: z.string(), operation: z.enum(['CREATE', 'UPDATE', 'DELETE', 'CONNECT']) }),
});

/** The request is no readable review: the answer says why, as controller-runtime's does. */
class BadRequest extends Error {
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

/**
 * Reads a review, has it answered, and writes the answer. Whatever is wrong with the request or the handler is an answer
 * within a review, with HTTP status 200, so that the API server shows its message.
 */
export async function answerReview(
  handler: AdmissionHandler,
  request: IncomingMessage,
  response: ServerResponse,
  logger: Logger,
): Promise<void> {
  const review = await respond(handler, request, response, logger);
  // The rest of a body that is too large is not read.
  const headers = request.complete ? {} : { connection: 'close' };
  response
    .writeHead(200, { 'content-type': 'application/json', ...headers })
    .end(JSON.stringify({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response: review }));
}

async function respond(
  handler: AdmissionHandler,
  request: IncomingMessage,
  response: ServerResponse,
  logger: Logger,
): Promise<AdmissionResponse> {
  let asked: AdmissionRequest;
  try {
    asked = await readRequest(request);
  } catch (error) {
    if (error instanceof BadRequest) {
      logger.error({ err: error }, 'Admission request cannot be read');
      return errorResponse('', error.code, error.message);
    }
    throw error;
  }
  const gone = new AbortController();
  const onClose = (): void => gone.abort(new Error('the API server no longer waits for the answer'));
  response.once('close', onClose);
  try {
    return responseTo(asked.uid, await handler(asked, gone.signal));
  } catch (error) {
    const { kind, namespace, name, operation } = asked;
    logger.error({ err: error, kind: kind.kind, namespace, name, operation }, 'Webhook failed');
    return errorResponse(asked.uid, 500, error instanceof Error ? error.message : String(error));
  } finally {
    response.off('close', onClose);
  }
}

async function readRequest(request: IncomingMessage): Promise<AdmissionRequest> {
  const type = request.headers['content-type'] ?? '';
  if (type !== 'application/json') {
    throw new BadRequest(400, `contentType=${type}, expected application/json`);
  }
  const body = await readBody(request);
  if (body === '') {
    throw new BadRequest(400, 'request body is empty');
  }
  let parsed: unknown;
  try {
    parsed = JSON.parse(body);
  } catch (error) {
    throw new BadRequest(
      400,
      `the body is no JSON: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
  const review = reviewSchema.safeParse(parsed);
  if (!review.success) {
    throw new BadRequest(
      400,
      `the body is no admission.k8s.io/v1 AdmissionReview: ${z.prettifyError(review.error)}`,
    );
  }
  return (parsed as { readonly request: AdmissionRequest }).request;
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > bodyLimit) {
      throw new BadRequest(413, `request entity is too large; limit is ${String(bodyLimit)} bytes`);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}
