import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';

const run = promisify(execFile);

/** Prints the class that a claim is given, of default classes of these names, all made at one time. */
const script = (names: readonly string[]): string => `
  import { defaultStorageClass } from '${new URL('../src/admission/default-storage-class.ts', import.meta.url).href}';
  import { createStorage } from '${new URL('../src/storage/storage.ts', import.meta.url).href}';
  const storage = createStorage();
  for (const name of ${JSON.stringify(names)}) {
    const annotations = { 'storageclass.kubernetes.io/is-default-class': 'true' };
    storage.put('storage.k8s.io/storageclasses', {
      metadata: { name, annotations, creationTimestamp: '2030-01-01T00:00:00Z' },
    });
  }
  const object = { metadata: {}, spec: {} };
  const definition = { group: '', plural: 'persistentvolumeclaims' };
  defaultStorageClass.mutate({ operation: 'CREATE', subresource: '', definition, object, storage });
  console.log(object.spec.storageClassName);
`;

// In Danish, aa is a letter that comes after z.
test.each(['C', 'da_DK.UTF-8'])(
  'locale %s, several default classes of one age -> the first by the bytes of its name',
  async (locale) => {
    const { stdout } = await run(process.execPath, ['--input-type=module', '-e', script(['z', 'aa'])], {
      env: { ...process.env, LC_ALL: locale },
    });
    expect(stdout).toBe('aa\n');
  },
);
