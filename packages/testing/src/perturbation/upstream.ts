import { Agent, request as httpRequest, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';

/** A complete answer. */
export interface Answer {
  readonly code: number;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: Buffer;
}

export interface Sent {
  readonly method: string;
  /** The path with its query. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body?: Buffer;
  readonly signal?: AbortSignal;
}

/** The API server behind the proxy. */
export interface Upstream {
  /** @throws a system error if no answer comes */
  ask(sent: Sent): Promise<Answer>;
  /**
   * Calls back for each line of a watch until the watch ends.
   *
   * @returns undefined at the end of the watch; if the server answers with something other than a watch, that
   *   answer
   */
  follow(sent: Sent, opened: () => void, line: (line: string) => void): Promise<Answer | undefined>;
  close(): void;
}

/** Headers that belong to the connection and not to the message. */
const ofTheConnection: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'transfer-encoding',
  'content-length',
  'host',
  'accept-encoding',
]);

/**
 * Creates a client of the API server.
 *
 * @param url plain http
 */
export function createUpstream(url: string): Upstream {
  const agent = new Agent({ keepAlive: true });

  const open = ({ method, path, headers, body, signal }: Sent): Promise<IncomingMessage> =>
    new Promise((resolve, reject) => {
      const passed = Object.fromEntries(
        Object.entries(headers).filter(([name]) => !ofTheConnection.has(name)),
      );
      const request = httpRequest(
        url + path,
        {
          method,
          agent,
          // The proxy has to read what passes, but a client might ask for protobuf: ask for JSON instead.
          headers: { ...passed, accept: 'application/json', 'content-length': body?.length ?? 0 },
          ...(signal === undefined ? {} : { signal }),
        },
        resolve,
      );
      request.on('error', reject);
      request.end(body);
    });

  const read = async (response: IncomingMessage): Promise<Answer> => {
    const chunks: Buffer[] = [];
    for await (const chunk of response) {
      chunks.push(chunk as Buffer);
    }
    const headers = Object.fromEntries(
      Object.entries(response.headers).flatMap(([name, value]) =>
        value === undefined || ofTheConnection.has(name) ? [] : [[name, value]],
      ),
    );
    return { code: response.statusCode ?? 0, headers, body: Buffer.concat(chunks) };
  };

  return {
    ask: async (sent) => read(await open(sent)),
    follow: async (sent, opened, line) => {
      const response = await open(sent);
      if (response.statusCode !== 200) {
        return read(response);
      }
      opened();
      let rest = '';
      response.setEncoding('utf8');
      for await (const chunk of response) {
        const lines = (rest + (chunk as string)).split('\n');
        rest = lines.pop() ?? '';
        lines.forEach(line);
      }
      return undefined;
    },
    close: () => agent.destroy(),
  };
}
