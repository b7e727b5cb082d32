import { type FieldError, forbiddenField, invalid, notSupported, required } from '../../meta/field-error.ts';
import type { JsonObject } from '../../meta/json.ts';
import type { KubeObject } from '../../meta/kube-object.ts';
import { validateImmutable } from '../../meta/object-meta.ts';
import { formatTime } from '../../schema/decode.ts';
import type { ResourceDefinition } from '../resource-definition.ts';
import { shortDuration } from '../table-columns.ts';
import { describedResource } from './described-resource.ts';
import { age, text } from './shown.ts';

/*
 * certificates.k8s.io/v1. This server signs nothing. Signers write through the subresources approval and
 * status.
 */

interface Condition extends JsonObject {
  type: string;
  status?: string;
  lastUpdateTime?: string | null;
  lastTransitionTime?: string | null;
}

interface SigningRequest extends KubeObject {
  spec: {
    request: string | null;
    signerName: string;
    usages?: string[];
    expirationSeconds?: number;
    username?: string;
    uid?: string;
    groups?: string[];
    extra?: { [key: string]: string[] };
  };
  status: { conditions?: Condition[]; certificate?: string };
}

const usages = [
  'any',
  'cert sign',
  'client auth',
  'code signing',
  'content commitment',
  'crl sign',
  'data encipherment',
  'decipher only',
  'digital signature',
  'email protection',
  'encipher only',
  'ipsec end system',
  'ipsec tunnel',
  'ipsec user',
  'key agreement',
  'key encipherment',
  'microsoft sgc',
  'netscape sgc',
  'ocsp signing',
  's/mime',
  'server auth',
  'signing',
  'timestamping',
];
const shortestSeconds = 600;
const decisions: ReadonlySet<string> = new Set(['Approved', 'Denied']);
const stays: ReadonlySet<string> = new Set([...decisions, 'Failed']);

/**
 * Sets missing times of conditions: lastTransitionTime is kept while the status of the condition is
 * unchanged.
 */
function stampConditions({ status }: SigningRequest, old: SigningRequest, now: number): void {
  const before = old.status.conditions ?? [];
  for (const condition of status.conditions ?? []) {
    condition.lastUpdateTime ??= formatTime(now);
    condition.lastTransitionTime ??=
      before.find(({ type, status: was }) => type === condition.type && was === condition.status)
        ?.lastTransitionTime ?? formatTime(now);
  }
}

const validateConditions = ({ status }: SigningRequest): FieldError[] =>
  (status.conditions ?? []).flatMap(({ type, status: given = '' }, index) => [
    ...(type === '' ? [required(`status.conditions[${index}].type`)] : []),
    ...(given === '' ? [required(`status.conditions[${index}].status`)] : []),
  ]);

const signing = describedResource({
  group: 'certificates.k8s.io',
  version: 'v1',
  kind: 'CertificateSigningRequest',
  plural: 'certificatesigningrequests',
  shortNames: ['csr'],
  namespaced: false,
  struct: 'certificates.v1.CertificateSigningRequest',
  nameRule: () => [],
  storageVersionHash: '95fRKMXA+00=',
  ownsNoSpec: true,
  hasStatus: true,
  selectableFields: { 'spec.signerName': ({ spec }) => (spec as SigningRequest['spec']).signerName },
  hasFieldLabelConversion: true,
  judgedHere: ['certificates.v1.CertificateSigningRequestSpec'],
  applyDefaults({ status }: SigningRequest) {
    for (const condition of status.conditions ?? []) {
      condition.status ??= 'True';
    }
  },
  prepareForCreate({ spec }: SigningRequest, { requester }) {
    const { name, uid, groups, extra } = requester;
    for (const field of ['username', 'uid', 'groups', 'extra'] as const) {
      Reflect.deleteProperty(spec, field);
    }
    Object.assign(spec, {
      ...(name === '' ? undefined : { username: name }),
      ...(uid === '' ? undefined : { uid }),
      ...(groups.length === 0 ? undefined : { groups: [...groups] }),
      ...(extra === undefined || Object.keys(extra).length === 0
        ? undefined
        : { extra: Object.fromEntries(Object.entries(extra).map(([key, values]) => [key, [...values]])) }),
    });
  },
  prepareForUpdate(request: SigningRequest, old: SigningRequest) {
    request.spec = old.spec;
  },
  refusals: ({ spec }: SigningRequest) => [
    ...validateRequest(spec.request),
    ...((spec.usages ?? []).length === 0 ? [required('spec.usages')] : []),
    ...(spec.usages ?? []).flatMap((usage, index) =>
      usages.includes(usage) ? [] : [notSupported(`spec.usages[${index}]`, usage, usages)],
    ),
    ...validateSigner(spec.signerName),
    ...(spec.expirationSeconds !== undefined && spec.expirationSeconds < shortestSeconds
      ? [
          invalid(
            'spec.expirationSeconds',
            spec.expirationSeconds,
            `may not specify a duration less than ${shortestSeconds} seconds (10 minutes)`,
          ),
        ]
      : []),
  ],
  shown: [
    age,
    text<SigningRequest>('SignerName', 'Who is to sign', ({ spec }) => spec.signerName || '<none>'),
    text<SigningRequest>('Requestor', 'Who asks', ({ spec }) => spec.username ?? ''),
    text<SigningRequest>('RequestedDuration', 'For how long', ({ spec }) =>
      spec.expirationSeconds === undefined ? '<none>' : shortDuration(spec.expirationSeconds * 1000),
    ),
    text<SigningRequest>('Condition', 'What has become of it', ({ status }) => {
      const has = (wanted: string): boolean =>
        status.conditions?.some(({ type }) => type === wanted) === true;
      const parts = [
        has('Denied') ? 'Denied' : has('Approved') ? 'Approved' : 'Pending',
        ...(has('Failed') ? ['Failed'] : []),
        ...((status.certificate ?? '') === '' ? [] : ['Issued']),
      ];
      return parts.join(',');
    }),
  ],
});

/** Only the subresource approval may add Approved and Denied, and nothing may remove them. */
function validateDecisions(
  { status }: SigningRequest,
  old: SigningRequest,
  mayDecide: boolean,
): FieldError[] {
  const before = old.status.conditions ?? [];
  const given = status.conditions ?? [];
  const lost = [...stays].flatMap((type) =>
    given.some((other) => other.type === type) ? [] : before.filter((condition) => condition.type === type),
  );
  const added = given.filter(
    ({ type }) => decisions.has(type) && !before.some((other) => other.type === type),
  );
  const refuse = (verb: string, { type }: Condition): FieldError =>
    forbiddenField(
      'status.conditions',
      `updates may not ${verb} a condition of type ${JSON.stringify(type)}`,
    );
  return [
    ...lost.map((condition) => refuse('remove', condition)),
    ...(mayDecide ? [] : added.map((condition) => refuse('add', condition))),
    ...(given.filter(({ type }) => decisions.has(type)).length > 1
      ? [invalid('status.conditions', null, 'Approved and Denied conditions are mutually exclusive')]
      : []),
  ];
}

export const certificateSigningRequests: ResourceDefinition = {
  ...signing,
  status: {
    unownedStatus: ['conditions'],
    prepareForUpdate(request: SigningRequest, old: SigningRequest, { now }) {
      request.spec = old.spec;
      stampConditions(request, old, now);
    },
    validateUpdate(request: SigningRequest, old: SigningRequest) {
      const { certificate = '' } = old.status;
      return [
        ...validateConditions(request),
        ...validateDecisions(request, old, false),
        ...(certificate === ''
          ? []
          : validateImmutable(request.status.certificate, certificate, 'status.certificate')),
      ];
    },
  },
  parts: {
    approval: {
      unownedStatus: ['certificate'],
      prepareForUpdate(request: SigningRequest, old: SigningRequest, { now }) {
        const { conditions } = request.status;
        request.spec = old.spec;
        request.status = { ...old.status, ...(conditions === undefined ? undefined : { conditions }) };
        stampConditions(request, old, now);
      },
      validateUpdate: (request: SigningRequest, old: SigningRequest) => [
        ...validateConditions(request),
        ...validateDecisions(request, old, true),
      ],
    },
  },
};

function validateRequest(request: string | null): FieldError[] {
  const pem = Buffer.from(request ?? '', 'base64').toString('latin1');
  return /^-----BEGIN (NEW )?CERTIFICATE REQUEST-----\r?\n[\s\S]+-----END (NEW )?CERTIFICATE REQUEST-----/.test(
    pem,
  )
    ? []
    : [invalid('spec.request', request, 'PEM block type must be CERTIFICATE REQUEST')];
}

function validateSigner(name: string): FieldError[] {
  if (name === '') {
    return [required('spec.signerName')];
  }
  return /^[^/.]+(\.[^/.]+)+\/[^/]+$/.test(name)
    ? []
    : [
        invalid(
          'spec.signerName',
          name,
          'must be a fully qualified domain and path of the form "example.com/signer-name"',
        ),
      ];
}
