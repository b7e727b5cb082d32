import { run } from './run.ts';
import { UnavailableError } from './unavailable-error.ts';

/**
 * Returns the address from which this machine's apt gets a Debian archive.
 *
 * @param archive the last part of its address
 * @throws UnavailableError if there is no apt, or apt has no such archive
 */
export async function mirrorOf(archive: string): Promise<string> {
  const output = await run('apt-get', ['indextargets', '--format', '$(REPO_URI)', 'Created-By: Packages']);
  const addresses = output.toString().split('\n');
  const address = addresses
    .map((line) => line.replace(/\/$/, ''))
    .find((line) => line.endsWith(`/${archive}`));
  if (address === undefined) {
    throw new UnavailableError(`apt's sources name no mirror of ${archive}`);
  }
  return address;
}
