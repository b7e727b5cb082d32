import { readImage } from '../cluster/deployment.ts';
import type { Provisioner } from '../cluster/provisioners.ts';

/** What a csi-provisioner does with volumes that are deleted before their claims. */
export interface ProvisionerFinding extends Pick<Provisioner, 'workload' | 'namespace' | 'image'> {
  /**
   * `honors`: does everything that pv-reclaim-honor does; `hangs`: leaves volumes terminating forever;
   * `strips`: removes the shared finalizer, or puts it on new volumes only; `ignores`: does not know the
   * finalizer.
   */
  readonly does: 'honors' | 'hangs' | 'strips' | 'ignores' | 'unknown';
  readonly because: string;
  /** How to run pv-reclaim-honor together with it. */
  readonly run: string;
}

const gate = 'HonorPVReclaimPolicy';
const ownFinalizer = '--mode=reclaim --csi-finalizer=example.com/reclaim';

const runs = {
  honors: 'not needed; --mode=guard while csi-provisioner is being rolled out',
  hangs: '--mode=reclaim',
  strips: ownFinalizer,
  ignores: '--mode=reclaim',
  unknown: `by its version, see docs/compatibility.md; ${ownFinalizer} fits all`,
} as const satisfies Readonly<Record<ProvisionerFinding['does'], string>>;

/**
 * Judges by its release, according to its release notes (docs/compatibility.md):
 *
 * | csi-provisioner | its gate HonorPVReclaimPolicy | answer  |
 * |-----------------|-------------------------------|---------|
 * | not known       | -                             | unknown |
 * | up to 3.0       | -                             | ignores |
 * | 3.1 to 4.x      | off by default (alpha), or on | strips  |
 * | 5.0             | on by default (beta)          | hangs   |
 * | 5.1 and later   | on by default                 | honors  |
 * | 5.0 and later   | off                           | strips  |
 */
export function judgeProvisioner({ workload, namespace, image, flags }: Provisioner): ProvisionerFinding {
  const { tag } = readImage(image);
  const [, major, minor] = /^v?(\d+)\.(\d+)/.exec(tag ?? '') ?? [];
  const found = { workload, namespace, image };
  if (major === undefined || minor === undefined) {
    return {
      ...found,
      does: 'unknown',
      because: `tag ${tag ?? 'none'} is no release of csi-provisioner`,
      run: runs.unknown,
    };
  }
  const release = Number(major) + Number(minor) / 1_000;
  const isOn = gateIn(flags.get('feature-gates') ?? '', release < 5 ? 'AllAlpha' : 'AllBeta', release >= 5);
  const does =
    release < 3.001 ? 'ignores' : release < 5 || !isOn ? 'strips' : release < 5.001 ? 'hangs' : 'honors';
  const because = `release ${major}.${minor}${release < 3.001 ? '' : `, gate ${gate} ${isOn ? 'on' : 'off'}`}`;
  return { ...found, does, because, run: runs[does] };
}

/**
 * A gate that is set by its own name overrides the setting for its whole stage, as in Kubernetes'
 * component-base.
 */
function gateIn(text: string, all: string, byDefault: boolean): boolean {
  const given = new Map(
    text.split(',').map((each) => {
      const [name = '', value = ''] = each.split('=');
      return [name.trim(), /^(true|1|t)$/i.test(value.trim())] as const;
    }),
  );
  return given.get(gate) ?? given.get(all) ?? byDefault;
}
