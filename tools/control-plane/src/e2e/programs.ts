import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { findBinaries, type Environment } from '@holdfast/testing/binaries';
import { findTool } from '../find-tool.ts';
import { rounds, type Part } from './parts.ts';

/**
 * What the tests need in addition to the control plane of 1.36: the paths of executable files, and of the
 * bundles of our controllers.
 */
export interface Programs {
  readonly e2e: string;
  readonly scheduler: string;
  readonly kubectl: string;
  /** From release 1.31, whose StatefulSet controller can be run without retention. */
  readonly oldControllerManager: string;
  readonly bundles: Readonly<Record<Part['app'], string>>;
}

export type FoundPrograms =
  | { readonly found: true; readonly programs: Programs }
  /** What is missing and what to do about it, one line each. */
  | { readonly found: false; readonly reasons: readonly string[] };

/**
 * Looks for all of them. Starts no build.
 *
 * @param root the folder of the repository
 */
export function findPrograms(root: string, env: Environment = process.env): FoundPrograms {
  const e2e = findTool('e2e', env);
  const scheduler = findTool('kube-scheduler', env);
  const plane = findBinaries({ release: '1.36', env });
  const old = findBinaries({ release: '1.31', needed: ['kube-controller-manager'], env });
  const bundles = Object.fromEntries(
    rounds.flat().map(({ app }) => [app, join(root, 'apps', app, 'dist', 'main.js')]),
  ) as Record<Part['app'], string>;
  const unbuilt = Object.values(bundles).filter((bundle) => !existsSync(bundle));
  if (e2e.found && scheduler.found && plane.found && old.found && unbuilt.length === 0) {
    return {
      found: true,
      programs: {
        e2e: e2e.path,
        scheduler: scheduler.path,
        kubectl: join(plane.folder, 'kubectl'),
        oldControllerManager: join(old.folder, 'kube-controller-manager'),
        bundles,
      },
    };
  }
  const reasons = [e2e, scheduler, plane, old].flatMap((each) => (each.found ? [] : [each.reason]));
  return {
    found: false,
    reasons: [...reasons, ...unbuilt.map((bundle) => `no ${bundle}: build it with "npm run build"`)],
  };
}
