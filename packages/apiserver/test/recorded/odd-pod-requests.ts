import { annotatedPods } from './odd-pods/annotations.ts';
import { ofContainers } from './odd-pods/containers.ts';
import type { Fields } from './odd-pods/fields.ts';
import { ofIdentity } from './odd-pods/identity.ts';
import { ofPlacement } from './odd-pods/placement.ts';
import { templates } from './odd-pods/templates.ts';
import { type Change, podChanges } from './odd-pods/updates.ts';
import { ofVolumes } from './odd-pods/volumes.ts';

/*
 * Pods that are wrong in one way each, or nearly so, whose answers odd-pod-answers.json holds as a kube-apiserver
 * 1.36.3 gave them (record-odd-pods.ts).
 */

const namespace = 'POST /api/v1/namespaces {"metadata":{"name":"$NS"}}';

function creation(spec: Fields, metadata: Fields): string {
  const name = String(metadata['name']);
  return `POST $PODS ${JSON.stringify({ spec, metadata }).replaceAll('$NAME', name)}`;
}

function change({ spec, annotations, status, part, change: patch }: Change, name: string): readonly string[] {
  const path = `$PODS/${name}`;
  return [
    creation(spec, { name, annotations }),
    ...(status === undefined ? [] : [`PATCH:merge ${path}/status ${JSON.stringify({ status })}`]),
    `PATCH:merge ${path}${part === undefined ? '' : `/${part}`} ${JSON.stringify(patch)}`,
  ];
}

const creations: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  Object.entries({ ...ofContainers, ...ofVolumes, ...ofPlacement, ...ofIdentity }).map(([name, specs]) => [
    name,
    specs.map((spec, index) => creation(spec, { name: `p${index}`, labels: { app: 'x' } })),
  ]),
);
const updates: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  Object.entries(podChanges).map(([name, changes]) => [
    name,
    changes.flatMap((each, index) => change(each, `p${index}`)),
  ]),
);

export const scenarios: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  Object.entries({
    ...creations,
    annotations: annotatedPods.map(({ spec, annotations }, index) =>
      creation(spec, { name: `p${index}`, annotations }),
    ),
    templates: templates.map(
      (template, index) =>
        `POST /api/v1/namespaces/$NS/podtemplates ${JSON.stringify({ metadata: { name: `t${index}` }, template })}`,
    ),
    ...updates,
  }).map(([name, requests]) => [name, [namespace, ...requests]]),
);
