import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { processSecrets } from '../logging/secret-values.ts';
import { slept, type Clock } from '../time/clock.ts';
import { UsageError } from '../flags/command-line.ts';
import { checkNamedFile } from '../flags/read-file.ts';
import {
  problemOf,
  type CertificateSource,
  type ServingCertificate,
} from '../serving/serving-certificate.ts';

export interface CertificateFilesOptions {
  /** Contains `tls.crt` and `tls.key`, like a mounted Secret of type kubernetes.io/tls. */
  readonly folder: string;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** How often the files are read, in milliseconds; the same interval as controller-runtime's certwatcher. */
const interval = 10_000;

/**
 * Opens a certificate in files, which are read again every ten seconds. Their contents are compared, not
 * their times or inodes: the kubelet renews a mounted Secret by swapping a symbolic link, which file watches
 * miss. A mismatched pair (one file was written, the other not yet) is ignored.
 *
 * @throws UsageError if there is no usable pair at the start.
 */
export async function openCertificateFiles(options: CertificateFilesOptions): Promise<CertificateSource> {
  const { folder, clock, logger } = options;

  const readPair = async (): Promise<ServingCertificate> => {
    const read = (name: string): Promise<string> => {
      const path = join(folder, name);
      checkNamedFile(path);
      return readFile(path, 'utf8');
    };
    const [certificate, key] = await Promise.all([read('tls.crt'), read('tls.key')]);
    processSecrets.add(key);
    const problem = problemOf({ certificate, key });
    if (problem !== undefined) {
      throw new Error(`tls.crt and tls.key are no usable pair: ${problem}`);
    }
    return { certificate, key };
  };

  let current: ServingCertificate;
  try {
    current = await readPair();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new UsageError(`--webhook-cert-dir: ${folder} can't be used: ${reason}`);
  }

  return {
    follow: async (use, signal) => {
      use(current);
      while (await slept(clock, interval, signal)) {
        try {
          const next = await readPair();
          if (next.certificate !== current.certificate || next.key !== current.key) {
            current = next;
            use(next);
            logger.info({ folder }, 'Certificate reloaded');
          }
        } catch (error) {
          logger.warn({ err: error, folder }, 'Certificate cannot be loaded, the old one is kept');
        }
      }
    },
  };
}
