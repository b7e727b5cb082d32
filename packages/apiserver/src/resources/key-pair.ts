import { type KeyObject, X509Certificate, createPrivateKey, createPublicKey } from 'node:crypto';
import { pemBlocks } from './pem.ts';

/**
 * Validates a PEM certificate and its private key. Returns an error in the words of Go's tls.X509KeyPair, or
 * undefined if they match. An unreadable certificate has a single message, where Go has one for each reason.
 */
export function keyPairProblem(certificatePem: string, keyPem: string): string | undefined {
  const blocks = pemBlocks(certificatePem);
  const certificateBlock = blocks.find(({ type }) => type === 'CERTIFICATE');
  if (certificateBlock === undefined) {
    return noCertificate(blocks.map(({ type }) => type));
  }
  const keys = pemBlocks(keyPem);
  const keyBlock = keys.find(({ type }) => type === 'PRIVATE KEY' || type.endsWith(' PRIVATE KEY'));
  if (keyBlock === undefined) {
    return noKey(keys.map(({ type }) => type));
  }
  const certificate = readCertificate(certificateBlock.der);
  if (certificate === undefined) {
    return 'x509: malformed certificate';
  }
  const key = readPrivateKey(keyBlock.der);
  if (key === undefined) {
    return 'tls: failed to parse private key';
  }
  return mismatch(certificate.publicKey, key);
}

function noCertificate(types: readonly string[]): string {
  const [first, ...more] = types;
  if (first === undefined) {
    return 'tls: failed to find any PEM data in certificate input';
  }
  if (more.length === 0 && first.endsWith('PRIVATE KEY')) {
    return 'tls: failed to find certificate PEM data in certificate input, but did find a private key; PEM inputs may have been switched';
  }
  return `tls: failed to find "CERTIFICATE" PEM block in certificate input after skipping PEM blocks of the following types: [${types.join(' ')}]`;
}

function noKey(types: readonly string[]): string {
  const [first, ...more] = types;
  if (first === undefined) {
    return 'tls: failed to find any PEM data in key input';
  }
  if (more.length === 0 && first === 'CERTIFICATE') {
    return 'tls: found a certificate rather than a key in the PEM for the private key';
  }
  return `tls: failed to find PEM block with type ending in "PRIVATE KEY" in key input after skipping PEM blocks of the following types: [${types.join(' ')}]`;
}

function readCertificate(der: Buffer): X509Certificate | undefined {
  try {
    return new X509Certificate(der);
  } catch {
    return undefined;
  }
}

/** Tries each format, whatever the PEM type says. */
function readPrivateKey(der: Buffer): KeyObject | undefined {
  for (const type of ['pkcs1', 'pkcs8', 'sec1'] as const) {
    try {
      return createPrivateKey({ key: der, format: 'der', type });
    } catch {
      continue;
    }
  }
  return undefined;
}

const knownTypes = ['rsa', 'ec', 'ed25519'];

function mismatch(publicKey: KeyObject, privateKey: KeyObject): string | undefined {
  const { asymmetricKeyType: type = '' } = publicKey;
  if (!knownTypes.includes(type)) {
    return 'tls: unknown public key algorithm';
  }
  if (type !== privateKey.asymmetricKeyType) {
    return 'tls: private key type does not match public key type';
  }
  return createPublicKey(privateKey).equals(publicKey)
    ? undefined
    : 'tls: private key does not match public key';
}
