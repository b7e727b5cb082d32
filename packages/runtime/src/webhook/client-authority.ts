import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createSecureContext } from 'node:tls';
import type { Logger } from 'pino';
import { UsageError } from '../flags/command-line.ts';
import { checkNamedFile } from '../flags/read-file.ts';
import { slept, type Clock } from '../time/clock.ts';

export interface ClientAuthorityOptions {
  /** A file of PEM certificates. */
  readonly path: string;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** The authorities that sign the certificates of callers. */
export interface ClientAuthority {
  /** PEM, as last read. */
  readonly certificates: () => string;
  /** Calls back whenever they have changed, until aborted. Never rejects. */
  follow(use: () => void, signal: AbortSignal): Promise<void>;
}

/** Each with what follows it. */
const eachCertificate = /-----BEGIN CERTIFICATE-----[^]*?(?=-----BEGIN CERTIFICATE-----|$)/g;

/** How often the file is read, in milliseconds: as often as the server's own certificate. */
const interval = 10_000;

/**
 * Opens the file of client authorities, which is read again every ten seconds. Otherwise a rotated authority would keep
 * the API server out until somebody restarts the program. If the file is away or cannot be used, the last authorities
 * count: without any, everybody would be answered.
 *
 * @throws UsageError if the file cannot be used at the start.
 */
export async function openClientAuthority(options: ClientAuthorityOptions): Promise<ClientAuthority> {
  const { path, clock, logger } = options;

  const read = async (): Promise<string> => {
    checkNamedFile(path);
    const text = await readFile(path, 'utf8');
    new X509Certificate(text);
    createSecureContext({ ca: text });
    // OpenSSL takes those before the first one that it cannot read, without a word.
    text.match(eachCertificate)?.forEach((certificate) => new X509Certificate(certificate));
    return text;
  };

  let current: string;
  try {
    current = await read();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new UsageError(
      `--webhook-client-ca: ${path} can't be used: ${reason}; name a file of PEM certificates`,
    );
  }

  return {
    certificates: () => current,
    follow: async (use, signal) => {
      while (await slept(clock, interval, signal)) {
        try {
          const next = await read();
          if (next !== current) {
            const before = current;
            current = next;
            try {
              use();
            } catch (error) {
              current = before;
              throw error;
            }
            logger.info({ path }, 'Client authorities reloaded');
          }
        } catch (error) {
          logger.warn({ err: error, path }, 'Client authorities cannot be loaded, the old ones are kept');
        }
      }
    },
  };
}
