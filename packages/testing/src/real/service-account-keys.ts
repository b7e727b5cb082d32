import { generateKeyPair } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** The key pair that signs and verifies service account tokens, as absolute paths of PEM files. */
export interface ServiceAccountKeys {
  readonly privateKeyFile: string;
  readonly publicKeyFile: string;
}

/**
 * Writes a new key pair into the folder. It is an elliptic curve, because generating an RSA key sometimes
 * takes a second.
 */
export async function writeServiceAccountKeys(folder: string): Promise<ServiceAccountKeys> {
  const { privateKey, publicKey } = await promisify(generateKeyPair)('ec', {
    namedCurve: 'P-256',
    privateKeyEncoding: { type: 'sec1', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  });
  const privateKeyFile = join(folder, 'service-account.key');
  const publicKeyFile = join(folder, 'service-account.pub');
  await writeFile(privateKeyFile, privateKey, { mode: 0o600 });
  await writeFile(publicKeyFile, publicKey);
  return { privateKeyFile, publicKeyFile };
}
