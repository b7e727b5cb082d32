import { X509Certificate } from 'node:crypto';
import {
  type FieldError,
  duplicate,
  forbiddenField,
  invalid,
  notSupported,
  required,
  tooLong,
} from '../../meta/field-error.ts';
import type { JsonObject } from '../../meta/json.ts';
import type { KubeObject } from '../../meta/kube-object.ts';
import { type NameRule, dnsLabel, dnsSubdomain, pathSegment } from '../../meta/names.ts';
import { formatTime } from '../../schema/decode.ts';
import { requestProblem } from '../certificate-request.ts';
import { pemBlocks } from '../pem.ts';
import { repeatedIn } from '../repeated-values.ts';
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
const legacySigner = 'kubernetes.io/legacy-unknown';
const longest = { domain: 253, signer: 571 };
const decisions: readonly string[] = ['Approved', 'Denied'];
const stays: readonly string[] = [...decisions, 'Failed'];

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

const statuses = ['False', 'True', 'Unknown'];
const path = 'status.conditions';

/** @param old undefined for a new request */
function validateConditions({ status }: SigningRequest, old: SigningRequest | undefined): FieldError[] {
  const conditions = status.conditions ?? [];
  const before = old?.status.conditions ?? [];
  // What is stored already is tolerated.
  const mayBeEmpty = before.some(({ type }) => type === '');
  const mayRepeat = hasRepeatedType(before);
  const repeated = repeatedIn(conditions.map(({ type }) => type));
  const decided = new Map(
    decisions.map((decision) => [decision, conditions.findIndex(({ type }) => type === decision)]),
  );
  /** The decision that is at a lower index and differs. */
  const isDecidedBefore = (type: string, index: number): boolean =>
    decisions.some((other) => {
      const at = decided.get(other) ?? -1;
      return other !== type && at >= 0 && at < index;
    });
  return conditions.flatMap(({ type, status: given = '' }, index) => {
    const valid = stays.includes(type) ? ['True'] : statuses;
    const at = `${path}[${index}]`;
    return [
      ...(type === '' && !mayBeEmpty ? [required(`${at}.type`)] : []),
      ...(given === '' ? [required(`${at}.status`)] : []),
      ...(given === '' || valid.includes(given) ? [] : [notSupported(`${at}.status`, given, valid)]),
      ...(decisions.includes(type) && isDecidedBefore(type, index)
        ? [invalid(path, type, 'Approved and Denied conditions are mutually exclusive')]
        : []),
      ...(repeated.has(index) && !mayRepeat ? [duplicate(`${at}.type`, type)] : []),
    ];
  });
}

const hasRepeatedType = (conditions: readonly Condition[]): boolean =>
  new Set(conditions.map(({ type }) => type)).size < conditions.length;

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
  refusals: ({ metadata, spec }: SigningRequest, old) =>
    old === undefined ? [...validateName(metadata.name ?? ''), ...validateSpec(spec)] : [],
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
  const count = (request: SigningRequest['status'], wanted: string): number =>
    (request.conditions ?? []).filter(({ type }) => type === wanted).length;
  const refuse = (verb: string, types: readonly string[]): FieldError[] =>
    types.map((type) =>
      forbiddenField(path, `updates may not ${verb} a condition of type ${JSON.stringify(type)}`),
    );
  const lost = stays.filter((type) => count(status, type) < count(old.status, type));
  const added = decisions.filter((type) => count(status, type) > count(old.status, type));
  return [...refuse('remove', lost), ...(mayDecide ? [] : refuse('add', added))];
}

/** A write to status changes nothing in a decision that stays. */
function keepDecisions({ status }: SigningRequest, old: SigningRequest): void {
  for (const decision of decisions) {
    const before = (old.status.conditions ?? []).filter(({ type }) => type === decision);
    const given = (status.conditions ?? []).filter(({ type }) => type === decision);
    if (before.length === given.length && status.conditions !== undefined) {
      const kept = before.values();
      status.conditions = status.conditions.map((condition) =>
        condition.type === decision ? { ...(kept.next().value ?? condition) } : condition,
      );
    }
  }
}

export const certificateSigningRequests: ResourceDefinition = {
  ...signing,
  status: {
    unownedStatus: ['conditions'],
    prepareForUpdate(request: SigningRequest, old: SigningRequest, { now }) {
      request.spec = old.spec;
      keepDecisions(request, old);
      stampConditions(request, old, now);
    },
    validateUpdate(request: SigningRequest, old: SigningRequest) {
      return [
        ...validateConditions(request, old),
        ...validateCertificate(request.status.certificate ?? '', old.status.certificate ?? ''),
        ...validateDecisions(request, old, false),
      ];
    },
  },
  parts: {
    approval: {
      unownedStatus: ['certificate'],
      prepareForUpdate(request: SigningRequest, old: SigningRequest, { now }) {
        const { conditions } = request.status;
        request.spec = old.spec;
        request.status = {
          ...withoutConditions(old.status),
          ...(conditions === undefined ? undefined : { conditions }),
        };
        stampConditions(request, old, now);
      },
      validateUpdate: (request: SigningRequest, old: SigningRequest) => [
        ...validateConditions(request, old),
        ...validateDecisions(request, old, true),
      ],
    },
  },
};

const withoutConditions = ({ certificate }: SigningRequest['status']): SigningRequest['status'] =>
  certificate === undefined ? {} : { certificate };

/** A name must fit into a path. */
function validateName(name: string): FieldError[] {
  return pathSegment(name, false).map((problem) => invalid('metadata.name', name, problem));
}

function validateSpec(spec: SigningRequest['spec']): FieldError[] {
  const { request, usages: given = [], signerName, expirationSeconds: seconds } = spec;
  const repeated = repeatedIn(given);
  const problem = requestProblem(Buffer.from(request ?? '', 'base64').toString('latin1'));
  return [
    ...(problem === undefined ? [] : [invalid('spec.request', request, problem)]),
    ...(given.length === 0 ? [required('spec.usages')] : []),
    ...given.flatMap((usage, index) =>
      usages.includes(usage) ? [] : [notSupported(`spec.usages[${index}]`, usage, usages)],
    ),
    ...given.flatMap((usage, index) =>
      repeated.has(index) ? [duplicate(`spec.usages[${index}]`, usage)] : [],
    ),
    ...(signerName === legacySigner
      ? [invalid('spec.signerName', signerName, 'the legacy signerName is not allowed via this API version')]
      : validateSignerName(signerName, 'spec.signerName')),
    ...(seconds !== undefined && seconds < shortestSeconds
      ? [
          invalid(
            'spec.expirationSeconds',
            seconds,
            `may not specify a duration less than ${shortestSeconds} seconds (10 minutes)`,
          ),
        ]
      : []),
  ];
}

function validateSignerName(name: string, at: string): FieldError[] {
  if (name === '') {
    return [required(at)];
  }
  const [domain = '', signer, ...more] = name.split('/');
  if (signer === undefined || more.length > 0) {
    return [
      invalid(at, name, "must be a fully qualified domain and path of the form 'example.com/signer-name'"),
    ];
  }
  const domainLabels = domain.split('.');
  return [
    ...(domain.length > longest.domain ? [tooLong(at, longest.domain)] : []),
    ...validateLabels(domain, dnsLabel, at),
    ...(domainLabels.length < 2
      ? [invalid(at, domain, 'should be a domain with at least two segments separated by dots')]
      : []),
    ...validateLabels(signer, dnsSubdomain, at),
    ...(name.length > longest.signer ? [tooLong(at, longest.signer)] : []),
  ];
}

/** Returns the errors of the first label that is wrong. */
function validateLabels(labels: string, rule: NameRule, at: string): FieldError[] {
  const wrong = labels.split('.').find((label) => rule(label, false).length > 0);
  return wrong === undefined
    ? []
    : rule(wrong, false).map((problem) =>
        invalid(at, labels, `validating label ${JSON.stringify(wrong)}: ${problem}`),
      );
}

function validateCertificate(certificate: string, old: string): FieldError[] {
  if (certificate === old) {
    return [];
  }
  const at = 'status.certificate';
  const problem = problemOfCertificate(Buffer.from(certificate, 'base64').toString('latin1'));
  return [
    ...(problem === undefined ? [] : [invalid(at, '<certificate data>', problem)]),
    ...(old === '' ? [] : [forbiddenField(at, 'updates may not modify existing certificate content')]),
  ];
}

function problemOfCertificate(pem: string): string | undefined {
  if (pem === '') {
    return undefined;
  }
  const blocks = pemBlocks(pem);
  for (const { type, hasHeaders, der } of blocks) {
    if (type !== 'CERTIFICATE') {
      return `only CERTIFICATE PEM blocks are allowed, found ${JSON.stringify(type)}`;
    }
    if (hasHeaders) {
      return 'no PEM block headers are permitted';
    }
    if (der.length === 0) {
      return 'found CERTIFICATE PEM block containing 0 certificates';
    }
    try {
      new X509Certificate(der);
    } catch {
      return 'x509: malformed certificate';
    }
  }
  return blocks.length === 0 ? 'must contain at least one CERTIFICATE PEM block' : undefined;
}
