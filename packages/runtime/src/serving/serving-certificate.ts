import type { X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { createSecureContext } from 'node:tls';

/** The certificate of a TLS server and its key, PEM. */
export interface ServingCertificate {
  /** The server's own first, then intermediate ones. */
  readonly certificate: string;
  readonly key: string;
}

/** A certificate and key that sign others. */
export type CertificateAuthority = ServingCertificate;

/** A source of a server's certificate, and of those that replace it. */
export interface CertificateSource {
  /** Calls back with the certificate, and again whenever there is a new one, until aborted. Never rejects. */
  follow(use: (certificate: ServingCertificate) => void, signal: AbortSignal): Promise<void>;
}

const day = 24 * 60 * 60 * 1000;
const authorityLifetime = 3650 * day;
const servingLifetime = 365 * day;
/** Clocks of other machines may be behind. */
const backdated = 60 * 60 * 1000;
const key = { keyType: 'ec', curve: 'P-256', algorithm: 'sha256' } as const;

/** A new authority, good for ten years. The library is loaded when it is needed, since few processes do. */
export async function createAuthority(name: string, now: Date): Promise<CertificateAuthority> {
  const { generate } = await import('selfsigned');
  const made = await generate([{ name: 'commonName', value: name }], {
    ...key,
    notBeforeDate: new Date(now.getTime() - backdated),
    notAfterDate: new Date(now.getTime() + authorityLifetime),
    extensions: [
      { name: 'basicConstraints', cA: true, critical: true },
      { name: 'keyUsage', digitalSignature: true, keyCertSign: true, cRLSign: true, critical: true },
    ],
  });
  return { certificate: made.cert, key: made.private };
}

/**
 * A new certificate for a server, good for a year.
 *
 * @param hosts DNS names and IP addresses; at least one.
 */
export async function issueCertificate(
  hosts: readonly string[],
  authority: CertificateAuthority,
  now: Date,
): Promise<ServingCertificate> {
  const { generate } = await import('selfsigned');
  const made = await generate([{ name: 'commonName', value: (hosts[0] ?? '').slice(0, 64) }], {
    ...key,
    notBeforeDate: new Date(now.getTime() - backdated),
    notAfterDate: new Date(now.getTime() + servingLifetime),
    ca: { cert: authority.certificate, key: authority.key },
    extensions: [
      { name: 'basicConstraints', cA: false, critical: true },
      { name: 'keyUsage', digitalSignature: true, critical: true },
      { name: 'extKeyUsage', serverAuth: true },
      {
        name: 'subjectAltName',
        altNames: hosts.map((host) => (isIP(host) === 0 ? { type: 2, value: host } : { type: 7, ip: host })),
      },
    ],
  });
  return { certificate: made.cert, key: made.private };
}

/** Whether the certificate is past two thirds of its time, when it is due to be renewed, or is not valid yet. */
export function isDue(certificate: X509Certificate, now: Date): boolean {
  const from = certificate.validFromDate.getTime();
  const to = certificate.validToDate.getTime();
  return now.getTime() < from || now.getTime() > from + ((to - from) * 2) / 3;
}

/** Whether the certificate is for the host, a DNS name or an IP address. */
export function isFor(certificate: X509Certificate, host: string): boolean {
  return (isIP(host) === 0 ? certificate.checkHost(host) : certificate.checkIP(host)) !== undefined;
}

/** What is wrong with the pair, in a few words; undefined when a server can use it. */
export function problemOf({ certificate, key: privateKey }: ServingCertificate): string | undefined {
  try {
    createSecureContext({ cert: certificate, key: privateKey });
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
