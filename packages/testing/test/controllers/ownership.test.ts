import { expect, test } from '@jest/globals';
import type { KubernetesObject } from '@holdfast/core';
import { standingOf } from '../../src/controllers/ownership.ts';

const deleted = { deletionTimestamp: '2030-01-01T00:00:00Z' };
const metadata = { name: 'x', resourceVersion: '1' };
const owner = (more: object = {}): KubernetesObject => ({ metadata: { ...metadata, uid: 'owner', ...more } });

function object(controller: string | undefined, more: object = {}): KubernetesObject {
  const reference = { apiVersion: 'v1', kind: 'K', name: 'x', uid: controller ?? 'reader' };
  return {
    metadata: {
      ...metadata,
      uid: 'object',
      ownerReferences: [{ ...reference, ...(controller === undefined ? {} : { controller: true }) }],
      ...more,
    },
  };
}

test.each([
  { of: 'another', fits: true, standing: 'foreign' },
  { of: 'another', fits: false, standing: 'foreign' },
  { of: 'owner', fits: true, standing: 'own' },
  { of: 'owner', fits: true, isOwnerDeleted: true, isDeleted: true, standing: 'own' },
  { of: 'owner', fits: false, isOwnerDeleted: true, standing: 'foreign' },
  { of: 'owner', fits: false, isDeleted: true, standing: 'release' },
  { of: 'owner', fits: false, standing: 'release' },
  { of: undefined, fits: true, standing: 'adopt' },
  { of: undefined, fits: true, isOwnerDeleted: true, standing: 'foreign' },
  { of: undefined, fits: true, isDeleted: true, standing: 'foreign' },
  { of: undefined, fits: false, standing: 'foreign' },
])(
  'controller $of, selector fits: $fits, owner deleted: $isOwnerDeleted, object deleted: $isDeleted -> $standing',
  ({ of, fits, isOwnerDeleted = false, isDeleted = false, standing }) => {
    const given = object(of, isDeleted ? deleted : {});
    expect(standingOf(owner(isOwnerDeleted ? deleted : {}), given, () => fits)).toBe(standing);
  },
);
