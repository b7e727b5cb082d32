import { generateKeyPair } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** The key pair that service account tokens are signed and checked with, as absolute paths of PEM files. */
export interface ServiceAccountKeys {
  readonly privateKeyFile: string;
  readonly publicKeyFile: string;
}

/** Makes a pair in the folder. An elliptic curve, because an RSA key would take a second of some starts. */
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
