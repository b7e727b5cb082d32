import type { IncomingMessage, ServerResponse } from 'node:http';
import * as z from 'zod';
import {
  errorResponse,
  responseTo,
  type AdmissionHandler,
  type AdmissionRequest,
  type AdmissionResponse,
} from './admission.ts';
import type { ReviewBudget, ReviewShare } from './review-budget.ts';
import type { LogTrouble } from './trouble-log.ts';

/**
 * controller-runtime's limit: two objects of 3 MiB, the largest that etcd accepts, and something around them.
 */
const bodyLimit = 7 * 1024 * 1024;

/**
 * The fields of a request that the runtime itself uses; the API server vouches for the others. They are not copied,
 * since that would take longer than parsing does where an object has hundreds of thousands of them.
 */
const reviewSchema = z.object({
  apiVersion: z.literal('admission.k8s.io/v1'),
  kind: z.literal('AdmissionReview'),
  request: z.object({
    uid: z.string(),
    kind: z.object({ kind: z.string() }),
    operation: z.enum(['CREATE', 'UPDATE', 'DELETE', 'CONNECT']),
  }),
});

/** The request is not a readable review. The response says why, as controller-runtime's does. */
class BadRequest extends Error {
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

/** There is no room for the review now. */
class Overloaded extends Error {}

/** The result of a request: a response within a review, or an HTTP status that says that there is none. */
type Outcome =
  | { readonly kind: 'review'; readonly response: AdmissionResponse }
  | { readonly kind: 'failed'; readonly status: 500 | 503; readonly message: string };

/**
 * Reads a review, has it decided, and writes the response. An unreadable request is answered within a review,
 * so that the API server shows the message. If a handler fails, or there is no room for a review, the
 * response is an HTTP status: a response within a review would be a denial, and the webhook's failurePolicy
 * would not apply.
 */
export async function answerReview(
  handler: AdmissionHandler,
  budget: ReviewBudget,
  request: IncomingMessage,
  response: ServerResponse,
  log: LogTrouble,
): Promise<void> {
  const share = budget.begin(() => request.destroy(new Overloaded()));
  // Also called if the caller disconnects.
  response.once('close', () => share?.end());
  const outcome: Outcome =
    share === undefined
      ? overloaded
      : await respond(handler, share, request, response, log).finally(() => share.end());
  // The rest of an unwanted body is not read.
  const headers = request.complete ? {} : { connection: 'close' };
  switch (outcome.kind) {
    case 'review':
      response.writeHead(200, { 'content-type': 'application/json', ...headers }).end(
        JSON.stringify({
          apiVersion: 'admission.k8s.io/v1',
          kind: 'AdmissionReview',
          response: outcome.response,
        }),
      );
      return;
    case 'failed':
      response
        .writeHead(outcome.status, { 'content-type': 'text/plain; charset=utf-8', ...headers })
        .end(`${outcome.message}\n`);
  }
}

const overloaded: Outcome = { kind: 'failed', status: 503, message: 'too many reviews at once' };

async function respond(
  handler: AdmissionHandler,
  share: ReviewShare,
  request: IncomingMessage,
  response: ServerResponse,
  log: LogTrouble,
): Promise<Outcome> {
  let asked: AdmissionRequest;
  try {
    asked = await readRequest(request, share);
  } catch (error) {
    if (error instanceof BadRequest) {
      log('error', { err: error }, 'Admission request cannot be read');
      return { kind: 'review', response: errorResponse('', error.code, error.message) };
    }
    if (error instanceof Overloaded) {
      return overloaded;
    }
    throw error;
  }
  const gone = new AbortController();
  const onClose = (): void => gone.abort(new Error('the API server no longer waits for the answer'));
  response.once('close', onClose);
  try {
    return { kind: 'review', response: responseTo(asked.uid, await handler(asked, gone.signal)) };
  } catch (error) {
    const { kind, namespace, name, operation } = asked;
    log('error', { err: error, kind: kind.kind, namespace, name, operation }, 'Webhook failed');
    return { kind: 'failed', status: 500, message: error instanceof Error ? error.message : String(error) };
  } finally {
    response.off('close', onClose);
  }
}

async function readRequest(request: IncomingMessage, share: ReviewShare): Promise<AdmissionRequest> {
  const type = request.headers['content-type'] ?? '';
  if (type !== 'application/json') {
    throw new BadRequest(400, `contentType=${type}, expected application/json`);
  }
  const body = await readBody(request, share);
  if (body === '') {
    throw new BadRequest(400, 'request body is empty');
  }
  let parsed: unknown;
  try {
    parsed = JSON.parse(body);
  } catch {
    // The error's message is left out, because it quotes the text around the mistake.
    throw new BadRequest(400, 'the body is not JSON');
  }
  const review = reviewSchema.safeParse(parsed);
  if (!review.success) {
    throw new BadRequest(
      400,
      `the body is not an admission.k8s.io/v1 AdmissionReview: ${z.prettifyError(review.error)}`,
    );
  }
  return (parsed as { readonly request: AdmissionRequest }).request;
}

async function readBody(request: IncomingMessage, share: ReviewShare): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > bodyLimit) {
      throw new BadRequest(413, `request entity is too large; limit is ${String(bodyLimit)} bytes`);
    }
    if (!share.take(chunk.length)) {
      throw new Overloaded();
    }
    chunks.push(chunk);
  }
  share.whole();
  return Buffer.concat(chunks).toString();
}
