import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { serverCertificate } from '@holdfast/apiserver';

/**
 * Writes the certificate that a program of the control plane finds in its `--cert-dir`, and its key. The one
 * that it would make itself has an RSA key, which takes a fifth of a second, and handshakes with it were 7 %
 * of kube-apiserver's CPU time in the scenario suites.
 *
 * @param folder absolute path, made if it does not exist
 * @param name of the two files, without `.crt` and `.key`
 * @returns the PEM of the certificate, which is its own authority
 */
export async function writeServingCertificate(folder: string, name: string): Promise<string> {
  const { certificate, key } = await serverCertificate();
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, `${name}.crt`), certificate);
  await writeFile(join(folder, `${name}.key`), key, { mode: 0o600 });
  return certificate;
}
