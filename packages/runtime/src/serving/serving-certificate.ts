import type { X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { createSecureContext } from 'node:tls';

/** The certificate of a TLS server and its key, in PEM. */
export interface ServingCertificate {
  /** The server's own certificate first, then intermediate ones. */
  readonly certificate: string;
  readonly key: string;
}

/** A certificate and key that sign others. */
export type CertificateAuthority = ServingCertificate;

/** Supplies a server's certificate and its replacements. */
export interface CertificateSource {
  /** Calls back with the certificate, and again with each new one, until aborted. Never rejects. */
  follow(use: (certificate: ServingCertificate) => void, signal: AbortSignal): Promise<void>;
}

const day = 24 * 60 * 60 * 1000;
const authorityLifetime = 3650 * day;
const servingLifetime = 365 * day;
/** Certificates are backdated, since clocks of other machines might be hours behind. */
const backdated = day;
const key = { keyType: 'ec', curve: 'P-256', algorithm: 'sha256' } as const;

/**
 * Creates an authority, valid for ten years. The library is loaded on demand, since few processes need it.
 */
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
 * Issues a certificate for a server, valid for a year.
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

/**
 * Returns whether the certificate should be renewed: it is past two thirds of its validity, or not valid yet.
 */
export function isDue(certificate: X509Certificate, now: Date): boolean {
  const from = certificate.validFromDate.getTime();
  const to = certificate.validToDate.getTime();
  return now.getTime() < from || now.getTime() > from + ((to - from) * 2) / 3;
}

/** Returns whether the certificate is for the host, a DNS name or an IP address. */
export function isFor(certificate: X509Certificate, host: string): boolean {
  return (isIP(host) === 0 ? certificate.checkHost(host) : certificate.checkIP(host)) !== undefined;
}

/** Returns what is wrong with the pair, in a few words; undefined if a server can use it. */
export function problemOf({ certificate, key: privateKey }: ServingCertificate): string | undefined {
  try {
    createSecureContext({ cert: certificate, key: privateKey });
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
