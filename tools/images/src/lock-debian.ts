import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { basePackages } from './base-layer.ts';
import { lockPath, type DebianLock, type DebianPackage } from './debian-lock.ts';
import { mirrorOf } from './debian-mirror.ts';
import { architectures, type Architecture } from './oci-layout.ts';
import { run } from './run.ts';

/*
 * `node tools/images/src/lock-debian.ts` rewrites debian-lock.json with the newest packages of the suite. apt
 * checks the signatures of the archive. It uses a state of its own, so that the machine's installed packages
 * and processor do not matter.
 */

const suite = 'trixie';
const keyring = '/usr/share/keyrings/debian-archive-keyring.gpg';

const folder = mkdtempSync(join(tmpdir(), 'holdfast-debian-'));
try {
  const lock: DebianLock = { suite, packages: await newest(folder) };
  writeFileSync(lockPath, `${JSON.stringify(lock, undefined, 2)}\n`);
  process.stdout.write(`locked ${lock.packages.length} packages of ${suite}\n`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function newest(state: string): Promise<readonly DebianPackage[]> {
  const [debian, security] = await Promise.all([mirrorOf('debian'), mirrorOf('debian-security')]);
  for (const part of ['state/lists/partial', 'cache/archives/partial']) {
    mkdirSync(join(state, part), { recursive: true });
  }
  writeFileSync(join(state, 'status'), '');
  writeFileSync(
    join(state, 'sources.list'),
    [`${debian} ${suite}`, `${security} ${suite}-security`]
      .map((source) => `deb [signed-by=${keyring}] ${source} main\n`)
      .join(''),
  );
  const options = [
    `Dir::State=${join(state, 'state')}`,
    `Dir::State::status=${join(state, 'status')}`,
    `Dir::Cache=${join(state, 'cache')}`,
    `Dir::Etc::SourceList=${join(state, 'sources.list')}`,
    'Dir::Etc::SourceParts=/dev/null',
    'Acquire::Languages=none',
    `APT::Architecture=${architectures[0]}`,
    ...architectures.map((architecture) => `APT::Architectures::=${architecture}`),
  ].flatMap((option) => ['-o', option]);
  await run('apt-get', [...options, 'update', '--error-on=any']);

  const wanted = basePackages.flatMap((name) =>
    architectures.map((architecture) => `${name}:${architecture}`),
  );
  const shown = await run('apt-cache', [...options, 'show', '--no-all-versions', ...wanted]);
  const found = shown.toString().trim().split(/\n\n+/).map(read);
  const missing = basePackages.flatMap((name) =>
    architectures
      .filter((each) => !found.some((one) => one.name === name && [each, 'all'].includes(one.architecture)))
      .map((architecture) => `${name}:${architecture}`),
  );
  if (missing.length > 0) {
    throw new Error(`${suite} has no ${missing.join(', ')}`);
  }
  return [...new Map(found.map((each) => [each.path, each])).values()];
}

function read(paragraph: string): DebianPackage {
  const field = (name: string): string => {
    const value = new RegExp(`^${name}: (.+)$`, 'm').exec(paragraph)?.[1];
    if (value === undefined) {
      throw new Error(`apt-cache shows no field ${name}: ${paragraph}`);
    }
    return value;
  };
  const path = field('Filename');
  return {
    name: field('Package'),
    version: field('Version'),
    architecture: field('Architecture') as Architecture | 'all',
    archive: path.startsWith('pool/updates/') ? 'debian-security' : 'debian',
    path,
    sha256: field('SHA256'),
  };
}
