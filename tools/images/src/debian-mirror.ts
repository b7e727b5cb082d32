import { run } from './run.ts';
import { UnavailableError } from './unavailable-error.ts';

/**
 * Where apt of this machine gets an archive of Debian.
 *
 * @param archive the last part of its address.
 * @throws an UnavailableError where apt is not there or knows no such archive
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
