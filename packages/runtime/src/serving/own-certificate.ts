import { X509Certificate } from 'node:crypto';
import type { Logger } from 'pino';
import { processSecrets } from '../logging/secret-values.ts';
import { slept, type Clock } from '../time/clock.ts';
import {
  createAuthority,
  isDue,
  issueCertificate,
  type CertificateSource,
  type ServingCertificate,
} from './serving-certificate.ts';

export interface OwnCertificateOptions {
  /** What is served; names the certificate authority. */
  readonly name: string;
  /** DNS names and IP addresses; at least one. */
  readonly hosts: readonly string[];
  readonly clock: Clock;
  /** Wall clock by which certificates expire. Default: the machine's. */
  readonly now?: () => Date;
  readonly logger: Logger;
}

/** How often the certificate's validity is checked, in milliseconds. */
const interval = 60 * 60 * 1000;

/**
 * Creates a certificate that the process issues to itself, with an authority that it discards. It is for
 * callers who do not verify the server. It is valid for a year, and is replaced after two thirds of that.
 */
export async function makeOwnCertificate(options: OwnCertificateOptions): Promise<CertificateSource> {
  const { name, hosts, clock, now = () => new Date(), logger } = options;

  const make = async (): Promise<ServingCertificate> => {
    const made = await issueCertificate(hosts, await createAuthority(name, now()), now());
    processSecrets.add(made.key);
    return made;
  };
  let current = await make();

  return {
    follow: async (use, signal) => {
      use(current);
      while (await slept(clock, interval, signal)) {
        if (!isDue(new X509Certificate(current.certificate), now())) {
          continue;
        }
        try {
          current = await make();
          use(current);
          logger.info({ name }, 'Certificate renewed');
        } catch (error) {
          logger.warn({ err: error, name }, 'Certificate cannot be renewed, the old one is kept');
        }
      }
    },
  };
}
