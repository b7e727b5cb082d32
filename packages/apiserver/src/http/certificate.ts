/** A certificate with its private key, both as PEM. */
export interface ServerCertificate {
  /** It is self-signed, so it is also the CA data of a kubeconfig. */
  readonly certificate: string;
  readonly key: string;
}

let shared: Promise<ServerCertificate> | undefined;

/**
 * Returns a certificate for 127.0.0.1 and localhost with an elliptic key (P-256), valid for a year. All servers
 * of the process share it, because creating it takes longer than the rest of a server's start.
 */
export function serverCertificate(): Promise<ServerCertificate> {
  return (shared ??= createCertificate());
}

const lifetime = 365 * 24 * 60 * 60 * 1000;

async function createCertificate(): Promise<ServerCertificate> {
  // Imported only here: this package takes longer to load than everything else, and a server of plain http
  // does not need it.
  const { generate } = await import('selfsigned');
  const { cert, private: key } = await generate([{ name: 'commonName', value: 'holdfast-apiserver' }], {
    keyType: 'ec',
    curve: 'P-256',
    algorithm: 'sha256',
    notAfterDate: new Date(Date.now() + lifetime),
    extensions: [
      { name: 'basicConstraints', cA: true, critical: true },
      { name: 'keyUsage', digitalSignature: true, keyCertSign: true, critical: true },
      { name: 'extKeyUsage', serverAuth: true },
      {
        name: 'subjectAltName',
        altNames: [
          { type: 2, value: 'localhost' },
          { type: 7, ip: '127.0.0.1' },
        ],
      },
    ],
  });
  return { certificate: cert, key };
}
